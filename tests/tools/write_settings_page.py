"""Write docs/settings.md from the settings classes, so that the page cannot differ from the code.

    python -m tests.tools.write_settings_page        writes the page

A section is a class in core/sections; what it is for is its docstring, what a key means its description.
"""

from __future__ import annotations

import json
import types
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt
from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from core.config import Settings

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "settings.md"

NOT_USED_YET: Mapping[str, str] = {}
"""Settings that are read and checked, but that no code asks for yet: name -> how code would ask for it.
A test says which to take out when code begins to."""

_NAMES = {str: "text", bool: "`true` or `false`", int: "whole number", float: "number", SecretStr: "secret"}


def page() -> str:
    """The whole page."""
    sections = "".join(_section(name, kind) for name, kind in list_sections())
    unused = "".join(f"- `{_as_documented(name)}`\n" for name in NOT_USED_YET)
    return f"{_INTRODUCTION}{sections}{_UNUSED}{unused}" if unused else f"{_INTRODUCTION}{sections}"


def list_sections(
    kind: type[BaseModel] = Settings, prefix: str = ""
) -> Iterator[tuple[str, type[BaseModel]]]:
    """(dotted name, class) of every section, each before those inside it."""
    for name, field in kind.model_fields.items():
        dotted = f"{prefix}.{name}" if prefix else name
        inner = _section_class(field.annotation)
        if inner is None:
            continue
        dotted = f"{dotted}.NAME" if get_origin(field.annotation) is dict else dotted
        yield dotted, inner
        yield from list_sections(inner, dotted)


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


def _section(dotted: str, kind: type[BaseModel]) -> str:
    purpose = " ".join((kind.__doc__ or "").split()).partition(": ")[2]
    rows = [
        f"| `{key}` | {_type(field)} | {_default(field)} | {_escape(field.description or '')} |\n"
        for key, field in kind.model_fields.items()
        if _section_class(field.annotation) is None
    ]
    table = f"| key | value | default | meaning |\n|---|---|---|---|\n{''.join(rows)}"
    return f"\n## [{dotted}]\n\n{purpose[:1].upper()}{purpose[1:]}\n\n{table}"


def _section_class(annotation: object) -> type[BaseModel] | None:
    """The class of a section, or of the sections of a table of them."""
    if get_origin(annotation) in (Union, types.UnionType):
        annotation = next(kind for kind in get_args(annotation) if kind is not type(None))
    candidate = get_args(annotation)[1] if get_origin(annotation) is dict else annotation
    return candidate if isinstance(candidate, type) and issubclass(candidate, BaseModel) else None


def _type(field: FieldInfo) -> str:
    limits = [_limit(item) for item in field.metadata]
    return ", ".join([_type_name(field.annotation), *(limit for limit in limits if limit)])


def _type_name(annotation: object) -> str:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        limits = [_limit(item) for part in arguments[1:] for item in getattr(part, "metadata", [part])]
        return ", ".join([_type_name(arguments[0]), *(limit for limit in limits if limit)])
    if origin is Literal:
        return " ".join(f"`{choice}`" for choice in arguments)
    if origin in (Union, types.UnionType):
        return _type_name(next(one for one in arguments if one is not type(None)))
    if origin is tuple:
        inner = "texts" if arguments[0] is str else _type_name(arguments[0])
        return f"list of {inner}"
    if origin is dict:
        return f"table of {_type_name(arguments[1])}" if arguments[1] is not Any else "table"
    return _NAMES[annotation] if isinstance(annotation, type) and annotation in _NAMES else "table"


def _limit(item: object) -> str:
    for kind, sign, name in ((Ge, "≥", "ge"), (Gt, ">", "gt"), (Le, "≤", "le"), (Lt, "<", "lt")):
        if isinstance(item, kind):
            return f"{sign} {getattr(item, name):g}"
    return ""


def _default(field: FieldInfo) -> str:
    if field.default is PydanticUndefined:
        return "required" if field.default_factory is None else "none"
    if isinstance(field.default, SecretStr) or field.default in (None, "", ()):
        return "none"
    return _escape(f"`{json.dumps(field.default, ensure_ascii=False)}`")


def _escape(text: str) -> str:
    return text.replace("|", "\\|")


def _as_documented(dotted: str) -> str:
    section, _, key = dotted.rpartition(".")
    return f"[{section}] {key}" if section else f"[{key}.NAME]"


_INTRODUCTION = """# Settings

Written by `python -m tests.tools.write_settings_page` from `core/config.py`; a test keeps it up to date.

Kiyo reads `kiyo.toml` in the current folder. Without the file every setting has its default. The
environment variable `KIYO_CONFIG` names another file. `kiyo config` prints what is in effect, with secrets
masked. A file to start from is [kiyo.example.toml](../kiyo.example.toml).

- **The environment beats the file**, down to one key: `KIYO_RAG__MAX_RESULTS=5` is `[rag] max_results = 5`.
  Two underscores stand between the parts of a name.
- **`"${NAME}"`** in a text of the file is read from the environment variable `NAME`. A name that is not set
  stops the start.
- **Secrets do not stand in the file.** `api_key` takes a reference such as `"${OPENAI_API_KEY}"`, or is
  set by its own variable such as `KIYO_LLM__API_KEY`.
- **A key that does not exist, or a value of the wrong type, stops the start** with the dotted name, what was
  expected and the nearest key that exists. The exit code is 2.
"""

_UNUSED = """
## Without effect in this version

These are read and checked, but nothing asks for them yet:

"""

if __name__ == "__main__":
    main()
