"""Markdown as Slack shows it: sections of mrkdwn, escaped at every leaf so that nothing calls anybody.

Limits are those of https://docs.slack.dev/reference/block-kit/blocks: 3,000 characters a section; a message
holds fewer sections than Slack allows, so that their sum stays below its limits too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from markdown_it.tree import SyntaxTreeNode

from bots.channels.markup.composing import compose
from bots.channels.markup.splitting import split_markdown
from bots.channels.markup.tree import parse
from core.messages import Button, Part, Reply

SECTION_CHARS = 3000
SECTIONS_A_MESSAGE = 3
FALLBACK_CHARS = 3000
VALUE_CHARS = 2000
LABEL_CHARS = 75
_ROOM = 2700
"""Characters of escaped Markdown in a section; what rendering adds fits into the rest."""


def render(reply: Reply) -> tuple[Part, ...]:
    """Messages in order; the buttons stand below the last one."""
    sections = [_section(piece) for piece in split_markdown(compose(reply), _ROOM, _escaped_length)]
    groups = [
        sections[start : start + SECTIONS_A_MESSAGE] for start in range(0, len(sections), SECTIONS_A_MESSAGE)
    ]
    parts = []
    for place, group in enumerate(groups):
        text = "\n\n".join(group)
        blocks: list[dict[str, Any]] = [
            {"type": "section", "text": {"type": "mrkdwn", "text": one, "verbatim": True}} for one in group
        ]
        if reply.buttons and place == len(groups) - 1:
            blocks.append(
                {"type": "actions", "elements": [_button(b, n) for n, b in enumerate(reply.buttons)]}
            )
        parts.append(Part({"text": text[:FALLBACK_CHARS], "blocks": blocks}, text))
    return tuple(parts)


def to_mrkdwn(markdown: str) -> str:
    """https://docs.slack.dev/messaging/formatting-message-text"""
    return _blocks(parse(markdown), "\n\n").strip("\n")


def escape(text: str) -> str:
    """The three characters that Slack reads as control; without them nothing is a mention or a link."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _escaped_length(text: str) -> int:
    return len(escape(text))


def _section(markdown: str) -> str:
    rendered = to_mrkdwn(markdown)
    return rendered if 0 < len(rendered) <= SECTION_CHARS else escape(markdown)


def _button(button: Button, place: int) -> dict[str, Any]:
    made: dict[str, Any] = {
        "type": "button",
        "text": {"type": "plain_text", "text": button.label[:LABEL_CHARS], "emoji": True},
        "action_id": f"{button.kind}:{place}",
        "value": _value(button),
    }
    return {**made, "style": button.style} if button.style in ("primary", "danger") else made


def _value(button: Button) -> str:
    """A draft that does not fit stays behind as a whole: half of it would be sent as all of it."""
    whole = f"{button.target}|{button.value}"
    return whole if len(whole) <= VALUE_CHARS else f"{button.target}|"


def _render(node: SyntaxTreeNode) -> str:
    handler = _HANDLERS.get(node.type)
    return handler(node) if handler is not None else _inline(node)


def _inline(node: SyntaxTreeNode) -> str:
    return "".join(_render(child) for child in node.children)


def _blocks(node: SyntaxTreeNode, gap: str) -> str:
    return gap.join(_render(child) for child in node.children)


def _around(mark: str) -> Callable[[SyntaxTreeNode], str]:
    def render_marked(node: SyntaxTreeNode) -> str:
        inner = _inline(node)
        return f"{mark}{inner}{mark}" if inner.strip() and "\n" not in inner else inner

    return render_marked


def _code(node: SyntaxTreeNode) -> str:
    return f"`{escape(node.content)}`" if "`" not in node.content else escape(node.content)


def _fence(node: SyntaxTreeNode) -> str:
    inner = escape(node.content.rstrip("\n")).replace("```", "ˋˋˋ")
    return f"```\n{inner}\n```"


def _table(node: SyntaxTreeNode) -> str:
    rows = [
        " | ".join(_inline(cell) for cell in row.children) for part in node.children for row in part.children
    ]
    inner = "\n".join(rows).replace("```", "ˋˋˋ")
    return f"```\n{inner}\n```"


def _list(node: SyntaxTreeNode) -> str:
    first = int(node.attrs.get("start", 1))
    lines = []
    for place, item in enumerate(node.children):
        mark = f"{first + place}. " if node.type == "ordered_list" else "• "
        lines.append(mark + _blocks(item, "\n").replace("\n", "\n    "))
    return "\n".join(lines)


def _quote(node: SyntaxTreeNode) -> str:
    return "\n".join(f"> {line}" for line in _blocks(node, "\n\n").split("\n"))


def _link(node: SyntaxTreeNode) -> str:
    address = str(node.attrs.get("href", ""))
    inner = _inline(node).replace("|", "¦")
    if not address.startswith(("https://", "http://")) or any(c in address for c in "<>|"):
        return inner or escape(address)
    return f"<{escape(address)}|{inner}>" if inner.strip() else f"<{escape(address)}>"


_HANDLERS: dict[str, Callable[[SyntaxTreeNode], str]] = {
    "text": lambda node: escape(node.content),
    "softbreak": lambda _node: "\n",
    "hardbreak": lambda _node: "\n",
    "code_inline": _code,
    "fence": _fence,
    "code_block": _fence,
    "table": _table,
    "bullet_list": _list,
    "ordered_list": _list,
    "blockquote": _quote,
    "link": _link,
    "image": lambda node: escape(node.content or str(node.attrs.get("src", ""))),
    "heading": _around("*"),
    "strong": _around("*"),
    "em": _around("_"),
    "s": _around("~"),
    "hr": lambda _node: "———",
}
