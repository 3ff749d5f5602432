"""Messages, places and replies as JSON of the tables, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from core.messages import Attachment, Author, Button, IncomingMessage, Place, Reply, ReplySource
from core.storage.keys import storable


def lane_of(place: Place) -> str:
    """Key of a thread: what stands in one lane is worked off in order."""
    return json.dumps([place.channel, place.workspace, place.conversation, place.thread])


def clean(value: Any) -> Any:
    """The value with every text as databases take it."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, Mapping):
        return {storable(str(key)): clean(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [clean(inner) for inner in (sorted(value) if isinstance(value, set | frozenset) else value)]
    return value


def place_to_json(place: Place) -> dict[str, Any]:
    return dict(clean(asdict(place)))


def place_from_json(values: Mapping[str, Any]) -> Place:
    return Place(**values)


def message_to_json(message: IncomingMessage) -> dict[str, Any]:
    """Without `raw`, which may hold more than is needed of people."""
    values = asdict(replace(message, raw={})) | {"sent_at": message.sent_at.isoformat()}
    return dict(clean(values))


def message_from_json(values: Mapping[str, Any]) -> IncomingMessage:
    author = dict(values["author"])
    return IncomingMessage(
        **{
            **values,
            "place": place_from_json(values["place"]),
            "author": Author(**{**author, "groups": frozenset(author["groups"])}),
            "sent_at": datetime.fromisoformat(values["sent_at"]),
            "mentions": tuple(values["mentions"]),
            "attachments": tuple(Attachment(**one) for one in values["attachments"]),
            "labels": tuple(values["labels"]),
        }
    )


def reply_to_json(reply: Reply) -> dict[str, Any]:
    """Without `citations`, which the answer has."""
    values = asdict(reply)
    del values["citations"]
    return dict(clean(values))


def reply_from_json(values: Mapping[str, Any]) -> Reply:
    return Reply(
        **{
            **values,
            "sources": tuple(ReplySource(**one) for one in values["sources"]),
            "buttons": tuple(Button(**one) for one in values["buttons"]),
        }
    )
