"""The pages for people: what they name exists, and what can do no harm is run."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from bots.__main__ import run
from bots.background import ServiceThread
from core.config import Settings, load_settings
from tests.services import write_files
from tests.tools import list_dependencies, write_settings_page
from tests.tools.read_pages import (
    PAGES,
    ROOT,
    Command,
    find_kiyo_command,
    known_settings,
    list_kiyo_commands,
    read_anchors,
    read_blocks,
    read_commands,
    read_inline_commands,
    read_inline_settings,
    read_links,
    read_prose,
)

HARMLESS = {"answers", "ask", "config", "db", "doctor", "ingest", "reindex", "version"}
"""Commands that end by themselves and touch the current folder alone. `eval` does, too, but loads a model
each time; tests/bots runs it."""
FOREIGN = {".", "export", "sqlite3", "pg_dump", ""}
"""Programs whose options are not ours to check."""
ENVIRONMENT = {"OPENAI_API_KEY": "a-key", "KIYO_DATABASE_URL": "postgresql://kiyo@localhost/kiyo"}
EXAMPLES = {
    "handbook/leave.md": "# Leave\n\nApply for leave three working days before. 宿泊費は14,000円です。\n",
    "handbook/board/pay.md": "# Pay\n\nThe board agreed on pay.\n",
    "board-papers/plan.md": "# Plan\n\nThe board papers say that pay rises by 2 %.\n",
    "rules.md": "# Rules\n\nBe kind.\n",
    "demo/kiyo.toml": '[storage]\nfolder = ".kiyo"\n\n[memory.embeddings]\nvector_store = "sqlite"\n',
    "answers.jsonl": '{"question": "When?", "answer": "Three days before. [1]", "supplied": ["leave.md"]}\n',
}
REGISTRIES = tuple(
    f"{name}.{end}"
    for name, end in (("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org"), ("anaconda", "org"))
)
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:work|root(?!/\.ollama)|home|Users)/")
SKIPPED = {"__pycache__", "demo", "dist", "build", "node_modules"}
page = pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def check_kiyo(words: tuple[str, ...]) -> None:
    names, command, arguments = find_kiyo_command(words)
    if arguments and arguments != ["--help"]:
        command.make_context(" ".join(names), arguments)


def check_make(words: tuple[str, ...]) -> None:
    targets = set(re.findall(r"^([\w-]+):", read(ROOT / "Makefile"), re.MULTILINE))
    assert {word for word in words if "=" not in word} <= targets


def check_python(words: tuple[str, ...]) -> None:
    if words[:2] == ("-m", "venv"):
        return
    assert words[0] == "-m"
    assert find_spec(words[1]) is not None
    assert all((ROOT / word).exists() for word in words[2:] if word.startswith("tests/"))


def check_pip(words: tuple[str, ...]) -> None:
    extras = tomllib.loads(read(ROOT / "pyproject.toml"))["project"]["optional-dependencies"]
    named = re.search(r"\.\[(\w+)\]", " ".join(words))
    assert named is not None
    assert named[1] in extras


def check_docker(words: tuple[str, ...]) -> None:
    services = set(
        re.findall(r"^  ([a-z]+):$", read(ROOT / "compose.yaml").partition("\nservices:")[2], re.M)
    )
    assert words[0] == "compose"
    arguments = [word for word in words[2:] if not word.startswith("-") and ":" not in word]
    if words[1] in ("run", "exec"):
        assert arguments[0] in services
        inside = words[words.index(arguments[0]) + 1 :]
        check_kiyo(inside[1:] if words[1] == "exec" else inside)
    else:
        assert set(arguments) <= services


CHECKS = {
    "kiyo": check_kiyo,
    "make": check_make,
    "python": check_python,
    "pip": check_pip,
    "docker": check_docker,
}


@page
def test_every_command_of_a_shell_block_exists(path: Path) -> None:
    for command in read_commands(read(path)):
        if command.program not in FOREIGN:
            CHECKS[command.program](command.words[1:])


@page
def test_every_command_in_the_text_exists(path: Path) -> None:
    """There a command may be named alone, without what it needs."""
    for program in ("kiyo", "make", "python"):
        for command in read_inline_commands(read(path), program):
            if command.words != ("kiyo", "COMMAND", "--help"):
                CHECKS[program](command.words[1:])


def test_every_command_of_the_compose_file_exists() -> None:
    compose = read(ROOT / "compose.yaml")
    lists = [
        json.loads(found) for found in re.findall(r"^ +(?:command|test): (\[.+\])$", compose, re.MULTILINE)
    ]
    commands = [words[2:] if words[:2] == ["CMD", "kiyo"] else words for words in lists]
    ours = [words for words in commands if not words[0].startswith("CMD")]
    assert len(ours) >= 4
    for words in ours:
        check_kiyo(tuple(words))


def test_commands_that_can_do_no_harm_do_what_the_pages_promise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path, EXAMPLES)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KIYO_CONFIG", raising=False)
    monkeypatch.setenv("KIYO_MEMORY__EMBEDDINGS__VECTOR_STORE", "sqlite")
    with ServiceThread(load_settings()):  # does their work as `kiyo serve` would, with the model loaded once
        assert run(["ingest", "handbook"]) == 0
        for command in _harmless():
            with monkeypatch.context() as patch:
                for name, value in command.environment.items():
                    patch.setenv(name, value)
                assert run(command.words[1:]) == 0, command.words


def _harmless() -> Iterator[Command]:
    """One command of every shape: what is typed in the place of a word or value makes no difference."""
    shapes: set[tuple[str, ...]] = set()
    for command in (command for path in PAGES for command in read_commands(read(path))):
        if command.program == "kiyo" and command.words[1] in HARMLESS:
            names, _, arguments = find_kiyo_command(command.words[1:])
            shape = (*names, *sorted({word for word in arguments if word.startswith("--")} - {"--json"}))
            if shape not in shapes:
                shapes.add(shape)
                yield command


def test_the_page_of_commands_has_every_command_and_option() -> None:
    sections = {part.partition("\n")[0]: part for part in read(ROOT / "docs" / "cli.md").split("\n## ")[1:]}
    for names, options in list_kiyo_commands():
        exact = f"kiyo {' '.join(names)}"
        section = sections.get(exact) or sections[f"kiyo {names[0]}"]
        assert names[-1] in section
        assert [option for option in options if option not in section] == [], exact


@page
def test_every_setting_in_the_text_exists(path: Path, tmp_path: Path) -> None:
    known = known_settings()
    for dotted, value in read_inline_settings(read(path)):
        assert re.sub(r"^(sources)\.\w+", r"\1.NAME", dotted) in known, dotted
        if value:
            section, _, key = dotted.rpartition(".")
            (tmp_path / "kiyo.toml").write_text(f"[{section}]\n{key} = {value}\n", encoding="utf-8")
            load_settings(tmp_path / "kiyo.toml", ENVIRONMENT)


@page
def test_every_block_of_settings_loads(path: Path, tmp_path: Path) -> None:
    for block in read_blocks(read(path), "toml"):
        (tmp_path / "kiyo.toml").write_text(block, encoding="utf-8")
        secrets = dict.fromkeys(re.findall(r"\$\{(\w+)\}", block), "a-secret")
        load_settings(tmp_path / "kiyo.toml", {**secrets, **ENVIRONMENT})


@pytest.mark.parametrize("path", [*PAGES, ROOT / "compose.yaml", ROOT / "Dockerfile"], ids=lambda p: p.name)
def test_every_setting_named_as_an_environment_variable_exists(path: Path) -> None:
    for name in re.findall(r"\bKIYO_(\w+__\w+)", read(path)):
        assert name.lower().replace("__", ".") in known_settings()


def test_the_example_holds_the_defaults_and_a_source() -> None:
    settings = load_settings(ROOT / "kiyo.example.toml", {})
    assert list(settings.sources) == ["handbook"]
    assert settings.model_copy(update={"sources": {}}) == Settings()


def test_what_is_off_in_the_example_can_be_switched_on(tmp_path: Path) -> None:
    text = re.sub(r"^#(?=\w)", "", read(ROOT / "kiyo.example.toml"), flags=re.MULTILINE)
    (tmp_path / "kiyo.toml").write_text(text, encoding="utf-8")
    settings = load_settings(tmp_path / "kiyo.toml", ENVIRONMENT)
    assert settings.llm.model
    assert settings.access.people


@page
def test_every_link_and_picture_leads_somewhere(path: Path) -> None:
    for target in read_links(read(path)):
        name, _, anchor = target.partition("#")
        led_to = path.parent / name if name else path
        assert led_to.exists(), target
        if anchor:
            assert anchor in read_anchors(read(led_to)), target


def test_both_readmes_name_the_same_commands_settings_and_pages() -> None:
    english, japanese = read(ROOT / "README.md"), read(ROOT / "docs" / "README.ja.md")
    assert _shapes(english) == _shapes(japanese)
    assert read_blocks(english, "toml") == read_blocks(japanese, "toml")
    assert _pages(english, ROOT, "docs/README.ja.md") == _pages(japanese, ROOT / "docs", "../README.md")


def _shapes(text: str) -> list[tuple[str, ...]]:
    """Commands without what people type in their own words."""
    return [
        tuple(word for word in command.words if word.isascii() and " " not in word)
        for command in read_commands(text)
    ]


def _pages(text: str, folder: Path, itself: str) -> list[Path]:
    return [(folder / link.partition("#")[0]).resolve() for link in read_links(text) if link != itself]


@pytest.mark.parametrize("tool", [write_settings_page, list_dependencies], ids=["settings", "dependencies"])
def test_a_page_that_a_program_writes_is_up_to_date(tool: object) -> None:
    assert isinstance(tool, type(write_settings_page))
    assert read(tool.PAGE) == tool.page(), f"run `python -m {tool.__name__}`"


def test_settings_called_unused_are_asked_for_nowhere() -> None:
    code = "\n".join(
        read(path)
        for folder in ("core", "bots", "dashboard")
        for path in (ROOT / folder).rglob("*.py")
        if path != ROOT / "core" / "config.py"
    )
    used = [name for name, pattern in write_settings_page.NOT_USED_YET.items() if re.search(pattern, code)]
    assert used == [], "take these out of NOT_USED_YET in tests/tools/write_settings_page.py"


def test_no_locked_package_is_under_the_gpl() -> None:
    for name, optional in list_dependencies.read_locked().items():
        licence = list_dependencies.read_licence(name)
        if licence is None:
            assert optional, f"{name} is locked and not installed"
        else:
            assert licence != "not stated", name
            assert not list_dependencies.is_strong_copyleft(licence), f"{name}: {licence}"


@pytest.mark.parametrize(
    ("licence", "strong"),
    [
        ("GPL-3.0-or-later", True),
        ("GNU General Public License v2 (GPLv2)", True),
        ("AGPL", True),
        ("MIT AND GPL-2.0-only", True),
        ("GPL-2.0-only OR MIT", False),
        ("LGPL-3.0-only", False),
        ("GNU Lesser General Public License v3", False),
        ("MPL-2.0", False),
    ],
)
def test_the_gpl_is_recognised_and_the_lgpl_is_not_taken_for_it(licence: str, strong: bool) -> None:
    assert list_dependencies.is_strong_copyleft(licence) is strong


def test_no_file_names_a_registry_or_a_path_of_some_machine() -> None:
    found = []
    for path in _text_files():
        try:
            text = read(path)
        except UnicodeDecodeError:
            continue
        named = [host for host in REGISTRIES if host in text]
        found += [(str(path.relative_to(ROOT)), what) for what in (*named, *MACHINE_PATH.findall(text))]
    assert found == []


def _text_files() -> Iterator[Path]:
    waiting = [ROOT, ROOT / ".ci"]
    while waiting:
        for path in waiting.pop().iterdir():
            if path.is_dir():
                if path.name not in SKIPPED and not path.name.startswith(".") and path.suffix != ".egg-info":
                    waiting.append(path)
            elif path.suffix not in (".pdf", ".png"):
                yield path


def test_no_page_has_a_place_that_was_to_be_filled_in() -> None:
    assert [path.name for path in PAGES if re.search(r"@@|\bTBD\b|\bXXX\b", read_prose(read(path)))] == []
