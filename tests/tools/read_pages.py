"""Read what the pages for people name: blocks, commands, settings, links.

What must hold of them stands in tests/test_docs.py.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_origin

import typer.main
from pydantic import BaseModel

from bots.__main__ import app
from core.config import Settings
from core.knowledge.slugs import slugify
from tests.tools.write_settings_page import list_sections

ROOT = Path(__file__).parents[2]
PAGES = (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md")))

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_ASSIGNMENT = re.compile(r"[A-Z_][A-Z0-9_]*=.*", re.DOTALL)
_SETTING = re.compile(r"\[([a-z][\w.]*)\](?:\s+([a-z_]+))?(\s*=.*)?")


@dataclass(frozen=True, slots=True)
class Command:
    """A line of a shell block: words without the assignments before them."""

    words: tuple[str, ...]
    environment: Mapping[str, str]

    @property
    def program(self) -> str:
        """The last part of the first word: `.venv/bin/python` is `python`; "" for assignments alone."""
        return self.words[0].rpartition("/")[2] if self.words else ""


def read_blocks(text: str, *languages: str) -> list[str]:
    """The fenced blocks of these languages."""
    return [block for language, block in _BLOCK.findall(text) if language in languages]


def read_prose(text: str) -> str:
    """The page without its fenced blocks."""
    return _BLOCK.sub("", text)


def read_commands(text: str) -> Iterator[Command]:
    """Every command of the `sh` and `console` blocks; in the latter only lines that begin with `$ `."""
    for block in read_blocks(text, "sh"):
        yield from map(parse_command, _lines(block))
    for block in read_blocks(text, "console"):
        yield from (parse_command(line[2:]) for line in _lines(block) if line.startswith("$ "))


def parse_command(line: str) -> Command:
    """Split a line as a shell does."""
    words = shlex.split(line, comments=True)
    environment: dict[str, str] = {}
    while words and _ASSIGNMENT.fullmatch(words[0]):
        name, _, value = words.pop(0).partition("=")
        environment[name] = value
    return Command(tuple(words), environment)


def read_inline_commands(text: str, program: str) -> list[Command]:
    """What stands between back quotes in the prose and begins with this program and a space."""
    spans = _CODE.findall(read_prose(text))
    return [parse_command(span) for span in spans if span.startswith(f"{program} ")]


def read_inline_settings(text: str) -> list[tuple[str, str]]:
    """(dotted name, value after `=` or "") of spans like `[rag] max_results` and `[sources.NAME]`."""
    found = []
    for span in _CODE.findall(read_prose(text)):
        match = _SETTING.fullmatch(span)
        if match and match[1] != "n":
            dotted = f"{match[1]}.{match[2]}" if match[2] else match[1]
            found.append((dotted, (match[3] or "").strip(" =")))
    return found


def read_links(text: str) -> list[str]:
    """Targets of links and pictures that are not addresses."""
    return [target for target in _LINK.findall(read_prose(text)) if "://" not in target]


def read_anchors(text: str) -> set[str]:
    """Fragments of the headings of a page."""
    headings = re.findall(r"^#{1,6} (.+)$", read_prose(text), re.MULTILINE)
    return {slugify(heading.replace("`", "")) for heading in headings}


def known_settings() -> set[str]:
    """Dotted names of every section and key; `NAME` stands for a name that people choose."""
    found = {"channels", "channels.NAME"}
    sections: list[tuple[str, type[BaseModel]]] = [("", Settings), *list_sections()]
    for dotted, kind in sections:
        prefix = f"{dotted}." if dotted else ""
        found |= {dotted} if dotted else set()
        for key, field in kind.model_fields.items():
            found.add(f"{prefix}{key}")
            if get_origin(field.annotation) is dict:
                found.add(f"{prefix}{key}.NAME")
    return found


def find_kiyo_command(words: tuple[str, ...]) -> tuple[tuple[str, ...], Any, list[str]]:
    """(names, command, its arguments) of the words after `kiyo`. Raises LookupError for an unknown one."""
    command: Any = typer.main.get_command(app)
    rest = list(words)
    names: tuple[str, ...] = ()
    while hasattr(command, "commands") and rest and not rest[0].startswith("-"):
        name = rest.pop(0)
        if name not in command.commands:
            raise LookupError(f"kiyo has no command {' '.join((*names, name))}")
        command, names = command.commands[name], (*names, name)
    return names, command, rest


def list_kiyo_commands() -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """(names, options) of every command that does something."""

    def walk(command: Any, names: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], list[str]]]:
        if hasattr(command, "commands"):
            for name, inner in command.commands.items():
                yield from walk(inner, (*names, name))
        else:
            spellings = [text for item in command.params for text in (*item.opts, *item.secondary_opts)]
            yield names, [text for text in spellings if text.startswith("--")]

    yield from walk(typer.main.get_command(app), ())


def _lines(block: str) -> list[str]:
    joined = block.replace("\\\n", " ")
    return [line for line in joined.splitlines() if line.strip() and not line.startswith("#")]
