"""A reply as a comment: Markdown as it is, but for what would call people or link to other issues."""

from __future__ import annotations

import re

from bots.channels.markup.composing import compose
from bots.channels.markup.splitting import split_markdown
from core.messages import Button, Part, Reply

LIMIT = 60_000
"""Characters of a comment; GitHub takes 65,536, and the hidden key needs some."""
_JOINER = "\u2060"
_CODE = re.compile(r"(^ {0,3}(`{3,}|~{3,}).*?^ {0,3}\2[`~]*[ \t]*$|`+[^`\n]+`+)", re.MULTILINE | re.DOTALL)
_CALLS = re.compile(r"(?<![\w`/])@(?=[\w-])|(?<![\w&/])#(?=\d)|\b(?:GH-)(?=\d)")
_UNSAFE = re.compile(r"[^A-Za-z0-9:._|#/]")
_COMMENT = re.compile("<!--|-->")


def render(reply: Reply) -> tuple[Part, ...]:
    """Comments in order; what can be done about the answer stands below the last one."""
    text = compose(reply)
    if reply.buttons:
        text += "\n\n" + describe_commands(reply.buttons)
    return tuple(Part({"body": quiet(piece)}, piece) for piece in split_markdown(text, LIMIT - 2_000))


def quiet(markdown: str) -> str:
    """Mentions, references and hidden comments lose their effect outside of code, not their look."""
    pieces, last = [], 0
    for match in _CODE.finditer(markdown):
        pieces += [_quiet(markdown[last : match.start()]), match.group(0)]
        last = match.end()
    return "".join([*pieces, _quiet(markdown[last:])])


def mark(body: str, key: str) -> str:
    """The comment with its key, hidden where people read it."""
    return f"{body}\n\n{marker(key)}"


def marker(key: str) -> str:
    return f"<!-- kiyo:{_UNSAFE.sub('.', key)} -->"


def describe_commands(buttons: tuple[Button, ...]) -> str:
    """Commands in place of buttons, which comments do not have."""
    shown = [f"{button.label}: `/kiyo {button.kind}{_target(button)}`" for button in buttons]
    return f"<sub>{' · '.join(shown)}</sub>"


def _target(button: Button) -> str:
    return (
        f" {button.target}" if button.kind in ("approve", "edit", "dismiss", "take_over", "hand_back") else ""
    )


def _quiet(text: str) -> str:
    joined = _CALLS.sub(lambda found: found.group(0) + _JOINER, text)
    return _COMMENT.sub(lambda found: found.group(0).replace("-", "‐", 1), joined)
