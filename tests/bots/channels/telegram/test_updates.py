"""What Telegram sends, as messages and actions."""

from __future__ import annotations

from typing import Any

import pytest
from telegram import Update

from bots.channels.telegram.updates import Self, read_update
from core.messages import IncomingAction, IncomingMessage

BOT = Self(5, "kiyo_bot")
PRIVATE = {"id": 9, "type": "private", "first_name": "Aki"}
GROUP = {"id": -9, "type": "supergroup", "title": "Support"}
AKI = {"id": 9, "is_bot": False, "first_name": "Aki"}


def message(text: str = "", chat: dict[str, Any] = GROUP, **more: Any) -> dict[str, Any]:
    return {"message_id": 3, "date": 1_790_000_000, "chat": chat, "from": AKI, "text": text, **more}


def read(**update: Any) -> IncomingMessage | IncomingAction | None:
    made = Update.de_json({"update_id": 1, **update}, None)
    assert made is not None
    return read_update(made, BOT)


def read_message(**update: Any) -> IncomingMessage:
    found = read(**update)
    assert isinstance(found, IncomingMessage)
    return found


@pytest.mark.parametrize(
    ("text", "question", "addressed"),
    [
        ("@kiyo_bot 休暇は？", "休暇は？", True),
        ("@Kiyo_Bot, how?", "how?", True),
        ("how is it, @kiyo_bot", "how is it", True),
        ("@kiyo_bots how?", "@kiyo_bots how?", False),
        ("/ask how?", "how?", True),
        ("/ask@kiyo_bot how?", "how?", True),
        ("/ask@other_bot how?", "/ask@other_bot how?", False),
        ("how?", "how?", False),
    ],
)
def test_in_a_group_a_mention_or_a_command_addresses_the_bot(
    text: str, question: str, addressed: bool
) -> None:
    found = read_message(message=message(text))
    assert (found.text, found.addressed) == (question, addressed)
    assert found.place.shared


def test_a_private_message_is_addressed_and_not_shared() -> None:
    found = read_message(message=message("how?", PRIVATE))
    assert found.addressed
    assert not found.place.shared
    assert found.place.workspace == "kiyo_bot"


def test_a_reply_to_the_bot_is_addressed_to_it() -> None:
    earlier = message("An answer.") | {"message_id": 2, "from": {"id": 5, "is_bot": True, "first_name": "K"}}
    found = read_message(message=message("and then?", reply_to_message=earlier))
    assert found.addressed
    assert found.reply_to == "2"


def test_only_topics_are_threads() -> None:
    assert read_message(message=message("x", message_thread_id=7)).place.thread == ""
    in_topic = message("x", message_thread_id=7, is_topic_message=True)
    assert read_message(message=in_topic).place.thread == "7"


def test_an_edit_is_told_from_a_new_message() -> None:
    assert read_message(edited_message=message("how now?")).change == "edited"


def test_a_caption_is_the_text_and_a_file_is_named() -> None:
    document = {"file_id": "f", "file_unique_id": "u", "file_name": "a.pdf", "mime_type": "application/pdf"}
    found = read_message(
        message=message("", caption="@kiyo_bot これは？", document=document) | {"text": None}
    )
    assert found.text == "これは？"
    assert found.attachments[0].name == "a.pdf"


@pytest.mark.parametrize(
    "update",
    [
        {"message": message("") | {"text": None, "new_chat_title": "New"}},
        {"channel_post": message("news") | {"from": None}},
        {"message": message("x") | {"from": None}},
        {"callback_query": {"id": "1", "from": AKI, "chat_instance": "1", "data": "format|a1|"}},
        {
            "callback_query": {
                "id": "1",
                "from": AKI,
                "chat_instance": "1",
                "message": message("x"),
                "data": "?",
            }
        },
    ],
)
def test_what_is_neither_question_nor_action_is_left_out(update: dict[str, Any]) -> None:
    assert read(**update) is None


def test_a_button_becomes_an_action() -> None:
    pressed = {"id": "77", "from": AKI, "chat_instance": "1", "message": message("x"), "data": "helpful|a1|"}
    found = read(callback_query=pressed)
    assert isinstance(found, IncomingAction)
    assert (found.kind, found.target, found.event_id, found.author.id) == (
        "helpful",
        "a1",
        "callback:77",
        "9",
    )


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [([], ["👍"], "helpful"), (["👍"], ["👎"], "not_helpful"), (["👎"], [], "withdraw")],
)
def test_a_reaction_is_feedback_and_its_removal_takes_it_back(
    old: list[str], new: list[str], kind: str
) -> None:
    def signs(emoji: list[str]) -> list[dict[str, str]]:
        return [{"type": "emoji", "emoji": one} for one in emoji]

    reaction = {"chat": GROUP, "message_id": 4, "user": AKI, "date": 1_790_000_000}
    found = read(message_reaction={**reaction, "old_reaction": signs(old), "new_reaction": signs(new)})
    assert isinstance(found, IncomingAction)
    assert (found.kind, found.message_id) == (kind, "4")


def test_other_reactions_say_nothing() -> None:
    reaction = {"chat": GROUP, "message_id": 4, "user": AKI, "date": 1_790_000_000, "old_reaction": []}
    assert read(message_reaction={**reaction, "new_reaction": [{"type": "emoji", "emoji": "🔥"}]}) is None
