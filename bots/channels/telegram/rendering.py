"""Markdown as Telegram shows it: plain text, and entities that say which stretches are bold, code or links.

Entities need no escaping, so that nothing in an answer can write markup of its own. Their offsets count
UTF-16 units (https://core.telegram.org/bots/api#messageentity).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from markdown_it.tree import SyntaxTreeNode

from bots.channels.markup.composing import compose
from bots.channels.markup.splitting import count_utf16, split_markdown
from bots.channels.markup.tree import parse
from core.messages import Button, Part, Reply

LIMIT = 4096
"""UTF-16 units of a message."""
CALLBACK_BYTES = 64
BUTTONS_A_ROW = 2
_QUIET = "@\u2060"
"""A word joiner behind the sign keeps the name readable and calls nobody."""


def render(reply: Reply) -> tuple[Part, ...]:
    """Messages in order; the buttons stand below the last one."""
    texts = split_markdown(compose(reply), LIMIT, count_utf16)
    parts = [_part(text) for text in texts]
    keyboard = _keyboard(reply.buttons)
    if keyboard and parts:
        last = parts[-1]
        parts[-1] = Part({**last.body, "keyboard": keyboard}, last.text)
    return tuple(parts)


def render_text(markdown: str) -> tuple[str, list[dict[str, Any]]]:
    """The text that people read, and its entities as the Bot API takes them."""
    writer = _Writer()
    _write(parse(markdown), writer)
    text = "".join(writer.pieces).rstrip()
    length = count_utf16(text)
    entities = [
        {**entity, "length": min(entity["length"], length - entity["offset"])}
        for entity in writer.entities
        if entity["offset"] < length
    ]
    return text, [entity for entity in entities if entity["length"] > 0]


def _part(markdown: str) -> Part:
    text, entities = render_text(markdown)
    if not text or count_utf16(text) > LIMIT:
        return Part({"text": _quiet(markdown), "entities": []}, markdown)
    return Part({"text": text, "entities": entities}, text)


def _quiet(text: str) -> str:
    """Text as it is, if there is room for taking the voice of names in it."""
    quiet = text.replace("@", _QUIET)
    return quiet if count_utf16(quiet) <= LIMIT else text.replace("@", "＠")


def _keyboard(buttons: tuple[Button, ...]) -> list[list[dict[str, str]]]:
    made = [{"text": button.label, "callback_data": callback_data(button)} for button in buttons]
    return [made[start : start + BUTTONS_A_ROW] for start in range(0, len(made), BUTTONS_A_ROW)]


def callback_data(button: Button) -> str:
    """What Telegram sends back; at most 64 bytes, so a value that is too long stays behind."""
    whole = f"{button.kind}|{button.target}|{button.value}"
    return whole if len(whole.encode()) <= CALLBACK_BYTES else f"{button.kind}|{button.target}|"


@dataclass(slots=True)
class _Writer:
    pieces: list[str] = field(default_factory=list)
    entities: list[dict[str, Any]] = field(default_factory=list)
    length: int = 0
    indent: str = ""

    def write(self, text: str) -> None:
        self.pieces.append(text)
        self.length += count_utf16(text)

    def line(self) -> None:
        self.write(f"\n{self.indent}")

    @contextmanager
    def marked(self, kind: str, **more: str) -> Iterator[None]:
        start = self.length
        yield
        if self.length > start:
            self.entities.append({"type": kind, "offset": start, "length": self.length - start, **more})


def _write(node: SyntaxTreeNode, writer: _Writer) -> None:
    handler = _HANDLERS.get(node.type)
    if handler is not None:
        handler(node, writer)
        return
    for child in node.children:
        _write(child, writer)


def _blocks(node: SyntaxTreeNode, writer: _Writer, gap: int = 2) -> None:
    for place, child in enumerate(node.children):
        if place:
            for _ in range(gap):
                writer.line()
        _write(child, writer)


def _text(node: SyntaxTreeNode, writer: _Writer) -> None:
    writer.write(node.content.replace("@", _QUIET))


def _code(node: SyntaxTreeNode, writer: _Writer) -> None:
    with writer.marked("code"):
        writer.write(node.content)


def _fence(node: SyntaxTreeNode, writer: _Writer) -> None:
    language = node.info.split()[0] if node.info.split() else ""
    with writer.marked("pre", **({"language": language} if language else {})):
        writer.write(node.content.rstrip("\n") or " ")


def _table(node: SyntaxTreeNode, writer: _Writer) -> None:
    rows = [
        " | ".join(_plain(cell) for cell in row.children) for part in node.children for row in part.children
    ]
    with writer.marked("pre"):
        writer.write("\n".join(rows))


def _plain(node: SyntaxTreeNode) -> str:
    inner = _Writer()
    _write(node, inner)
    return "".join(inner.pieces)


def _list(node: SyntaxTreeNode, writer: _Writer) -> None:
    first = int(node.attrs.get("start", 1)) if node.type == "ordered_list" else 0
    before = writer.indent
    for place, item in enumerate(node.children):
        if place:
            writer.line()
        mark = f"{first + place}. " if node.type == "ordered_list" else "• "
        writer.write(mark)
        writer.indent = before + "  "
        _blocks(item, writer, 1)
        writer.indent = before


def _link(node: SyntaxTreeNode, writer: _Writer) -> None:
    address = str(node.attrs.get("href", ""))
    start = writer.length
    if address.startswith(("https://", "http://")):
        with writer.marked("text_link", url=address):
            _inline(node, writer)
    else:
        _inline(node, writer)
    if writer.length == start:
        writer.write(address)


def _inline(node: SyntaxTreeNode, writer: _Writer) -> None:
    for child in node.children:
        _write(child, writer)


def _marked(kind: str) -> Callable[[SyntaxTreeNode, _Writer], None]:
    def write(node: SyntaxTreeNode, writer: _Writer) -> None:
        with writer.marked(kind):
            if node.type == "blockquote":
                _blocks(node, writer)
            else:
                _inline(node, writer)

    return write


_HANDLERS: dict[str, Callable[[SyntaxTreeNode, _Writer], None]] = {
    "root": _blocks,
    "text": _text,
    "softbreak": lambda _node, writer: writer.line(),
    "hardbreak": lambda _node, writer: writer.line(),
    "code_inline": _code,
    "fence": _fence,
    "code_block": _fence,
    "table": _table,
    "bullet_list": _list,
    "ordered_list": _list,
    "link": _link,
    "image": lambda node, writer: writer.write(node.content or str(node.attrs.get("src", ""))),
    "heading": _marked("bold"),
    "strong": _marked("bold"),
    "em": _marked("italic"),
    "s": _marked("strikethrough"),
    "blockquote": _marked("blockquote"),
    "hr": lambda _node, writer: writer.write("———"),
}
