"""A reply as messages of Discord, which shows Markdown by itself."""

from __future__ import annotations

from typing import Any

from bots.channels.markup.composing import compose
from bots.channels.markup.splitting import count_utf16, split_markdown
from core.messages import Button, Part, Reply

LIMIT = 2000
LABEL_LIMIT = 80
ID_LIMIT = 100
_IN_A_ROW = 5
_STYLES = {"primary": 1, "": 2, "danger": 4}


def render(reply: Reply) -> tuple[Part, ...]:
    """Messages of at most 2,000 units of UTF-16; the buttons are on the last one."""
    texts = split_markdown(compose(reply), LIMIT, count_utf16)
    last = len(texts) - 1
    return tuple(
        Part({"content": text, "buttons": _buttons(reply) if n == last else []}, text)
        for n, text in enumerate(texts)
    )


def _buttons(reply: Reply) -> list[dict[str, Any]]:
    return [
        {
            "custom_id": _custom_id(button),
            "label": button.label[:LABEL_LIMIT],
            "style": _STYLES.get(button.style, 2),
            "row": n // _IN_A_ROW,
        }
        for n, button in enumerate(reply.buttons[: _IN_A_ROW * _IN_A_ROW])
    ]


def _custom_id(button: Button) -> str:
    """All that a press needs, so that buttons work after a restart; a value that is too long stays behind."""
    whole = f"{button.kind}|{button.target}|{button.value}"
    return whole if len(whole) <= ID_LIMIT else f"{button.kind}|{button.target}|"
