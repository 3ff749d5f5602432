"""The window in which a person edits a draft before it is sent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from bots.channels.slack.events import CHANNEL, Self
from core.messages import Author, IncomingAction, Place

CALLBACK = "kiyo_edit"
TEXT_CHARS = 3000
_BLOCK, _FIELD = "answer", "text"


def edit_view(action: IncomingAction) -> dict[str, Any]:
    """The window for the draft that the button named; what the button carries is its first text."""
    place = action.place
    known = {
        "target": action.target,
        "workspace": place.workspace,
        "conversation": place.conversation,
        "thread": place.thread,
        "message_id": action.message_id,
    }
    field = {"type": "plain_text_input", "action_id": _FIELD, "multiline": True}
    if action.value:
        field["initial_value"] = action.value[:TEXT_CHARS]
    return {
        "type": "modal",
        "callback_id": CALLBACK,
        "private_metadata": json.dumps(known),
        "title": {"type": "plain_text", "text": "Kiyo"},
        "submit": {"type": "plain_text", "text": "Send · 送信"},
        "close": {"type": "plain_text", "text": "Cancel · 戻る"},
        "blocks": [
            {
                "type": "input",
                "block_id": _BLOCK,
                "label": {"type": "plain_text", "text": "Answer · 回答"},
                "element": field,
            }
        ],
    }


def read_submission(body: Mapping[str, Any], me: Self) -> IncomingAction | None:
    """What was written into the window; None for another window."""
    view = body.get("view") or {}
    if body.get("type") != "view_submission" or view.get("callback_id") != CALLBACK:
        return None
    known = json.loads(view.get("private_metadata") or "{}")
    values = view.get("state", {}).get("values", {})
    user = body.get("user") or {}
    place = Place(CHANNEL, str(known["workspace"]), str(known["conversation"]), str(known["thread"]))
    return IncomingAction(
        place=place,
        event_id=f"edit:{view.get('id')}:{view.get('hash', '')}",
        author=Author(
            id=str(user.get("id") or ""),
            name=str(user.get("username") or user.get("name") or ""),
            groups=me.groups.get(str(user.get("id")), frozenset()),
        ),
        kind="edit",
        target=str(known["target"]),
        value=str(values.get(_BLOCK, {}).get(_FIELD, {}).get("value") or ""),
        message_id=str(known["message_id"]),
    )
