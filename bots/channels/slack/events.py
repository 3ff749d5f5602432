"""What Slack sends, as messages and actions. Names of fields are those of https://docs.slack.dev/reference/events."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, get_args

from core.messages import ActionKind, Attachment, Author, Change, IncomingAction, IncomingMessage, Place

CHANNEL = "slack"
SHORTCUT = "ask_about_message"
PLAIN_SUBTYPES = ("", "thread_broadcast", "file_share", "me_message")
"""Messages that people wrote; every other subtype tells that something happened."""
_REACTIONS: dict[str, ActionKind] = {
    "+1": "helpful",
    "thumbsup": "helpful",
    "-1": "not_helpful",
    "thumbsdown": "not_helpful",
}
_TOKEN = re.compile(r"<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>")


@dataclass(frozen=True, slots=True)
class Self:
    """This app in its workspace. groups: user -> the user groups that hold them."""

    team: str
    user: str
    bot: str
    groups: Mapping[str, frozenset[str]]


def read_payload(body: Mapping[str, Any], me: Self) -> IncomingMessage | IncomingAction | None:
    """Any payload that Slack sends; None for what is neither."""
    if body.get("type") == "event_callback":
        return _read_event(body["event"], body, me)
    if body.get("type") == "block_actions":
        return _read_press(body, me)
    if body.get("type") == "message_action" and body.get("callback_id") == SHORTCUT:
        return _read_shortcut(body, me)
    if str(body.get("command", "")).startswith("/"):
        return _read_command(body, me)
    return None


def to_markdown(text: str, me: Self) -> tuple[str, bool, tuple[str, ...]]:
    """Slack's text without its own syntax, whether it mentions this app, and the other people it mentions."""
    mentions: list[str] = []

    def replace(match: re.Match[str]) -> str:
        sign, name, label = match.group(1), match.group(2), match.group(3)
        if sign == "@":
            mentions.append(name)
            return "" if name == me.user else f"@{label or name}"
        if sign == "#":
            return f"#{label or name}"
        if sign == "!":
            return f"@{label or name.partition('^')[0]}"
        return f"[{label}]({name})" if label and label != name else name

    plain = _TOKEN.sub(replace, text)
    plain = plain.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    others = tuple(name for name in mentions if name != me.user)
    return plain.strip(" ,:、：\n"), me.user in mentions, others


def _read_event(
    event: Mapping[str, Any], body: Mapping[str, Any], me: Self
) -> IncomingMessage | IncomingAction | None:
    kind, subtype = event.get("type"), str(event.get("subtype") or "")
    if kind in ("reaction_added", "reaction_removed"):
        return _read_reaction(event, body, me)
    if kind not in ("message", "app_mention"):
        return None
    if subtype == "message_changed":
        return _read_edit(event, body, me)
    if subtype == "message_deleted":
        return _read_deletion(event, body, me)
    if subtype == "bot_message" or subtype in PLAIN_SUBTYPES:
        return _read_message(event, event, body, me)
    return None


def _read_message(
    message: Mapping[str, Any],
    event: Mapping[str, Any],
    body: Mapping[str, Any],
    me: Self,
    change: Change = "new",
) -> IncomingMessage | None:
    direct = event.get("channel_type") == "im" or str(event["channel"]).startswith("D")
    text, called, others = to_markdown(str(message.get("text") or ""), me)
    author = _author(message, me)
    if not author.id:
        return None
    return IncomingMessage(
        place=_place(str(event["channel"]), body, me, _thread(message, direct), shared=not direct),
        message_id=str(message["ts"]),
        author=author,
        text=text,
        sent_at=_time(str(message["ts"])),
        addressed=direct or called or event.get("type") == "app_mention",
        change=change,
        reply_to=str(message.get("thread_ts") or "") if message.get("thread_ts") != message["ts"] else "",
        mentions=others,
        attachments=_attachments(message.get("files") or ()),
    )


def _read_edit(event: Mapping[str, Any], body: Mapping[str, Any], me: Self) -> IncomingMessage | None:
    """Only what a person rewrote: links that unfold and threads that grow change a message, too."""
    message, before = event.get("message") or {}, event.get("previous_message") or {}
    if "edited" not in message or message.get("text") == before.get("text"):
        return None
    return _read_message(message, event, body, me, "edited")


def _read_deletion(event: Mapping[str, Any], body: Mapping[str, Any], me: Self) -> IncomingMessage | None:
    before = event.get("previous_message") or {}
    gone = {**before, "ts": str(event.get("deleted_ts") or before.get("ts") or ""), "text": ""}
    return _read_message(gone, event, body, me, "deleted") if gone["ts"] else None


def _read_reaction(event: Mapping[str, Any], body: Mapping[str, Any], me: Self) -> IncomingAction | None:
    kind = _REACTIONS.get(str(event.get("reaction", "")).partition("::")[0])
    item = event.get("item") or {}
    if kind is None or item.get("type") != "message" or event.get("user") == me.user:
        return None
    channel = str(item["channel"])
    return IncomingAction(
        place=_place(channel, body, me, "", shared=not channel.startswith("D")),
        event_id=str(body.get("event_id") or f"{event['type']}:{event.get('event_ts')}"),
        author=_author(event, me),
        kind=kind if event["type"] == "reaction_added" else "withdraw",
        target="",
        message_id=str(item["ts"]),
    )


def _read_press(body: Mapping[str, Any], me: Self) -> IncomingAction | None:
    action: Mapping[str, Any] = next(iter(body.get("actions") or ()), {})
    kind = _kind(str(action.get("action_id", "")).partition(":")[0])
    channel = str((body.get("channel") or {}).get("id") or "")
    if kind is None or not channel:
        return None
    target, _, value = str(action.get("value") or "").partition("|")
    message = body.get("message") or {}
    return IncomingAction(
        place=_place(
            channel, body, me, str(message.get("thread_ts") or ""), shared=not channel.startswith("D")
        ),
        event_id=f"press:{body.get('trigger_id') or action.get('action_ts')}",
        author=_person(body, me),
        kind=kind,
        target=target,
        value=value,
        message_id=str(message.get("ts") or ""),
    )


def _read_shortcut(body: Mapping[str, Any], me: Self) -> IncomingMessage:
    message, channel = body["message"], str(body["channel"]["id"])
    text, _, others = to_markdown(str(message.get("text") or ""), me)
    thread = str(message.get("thread_ts") or message["ts"])
    return IncomingMessage(
        place=_place(channel, body, me, thread, shared=not channel.startswith("D")),
        message_id=f"shortcut:{body.get('trigger_id') or body.get('action_ts')}",
        author=_person(body, me),
        text=text,
        sent_at=_time(str(body.get("action_ts") or message["ts"])),
        addressed=True,
        mentions=others,
        kind="command",
    )


def _read_command(body: Mapping[str, Any], me: Self) -> IncomingMessage:
    channel = str(body["channel_id"])
    text, _, others = to_markdown(str(body.get("text") or ""), me)
    return IncomingMessage(
        place=_place(channel, body, me, "", shared=not channel.startswith("D")),
        message_id=f"command:{body.get('trigger_id')}",
        author=Author(
            id=str(body["user_id"]),
            name=str(body.get("user_name") or ""),
            groups=me.groups.get(str(body["user_id"]), frozenset()),
        ),
        text=text,
        sent_at=datetime.now(UTC),  # Slack does not tell when a command was given
        addressed=True,
        mentions=others,
        kind="command",
    )


def _kind(name: str) -> ActionKind | None:
    return next((known for known in get_args(ActionKind) if known == name), None)


def _place(channel: str, body: Mapping[str, Any], me: Self, thread: str, *, shared: bool) -> Place:
    team = body.get("team_id") or (body.get("team") or {}).get("id") or me.team
    return Place(CHANNEL, str(team), channel, thread, shared=shared)


def _thread(message: Mapping[str, Any], direct: bool) -> str:
    """An answer in a channel opens a thread below the question; a direct message is a thread of its own."""
    thread = str(message.get("thread_ts") or "")
    return thread or ("" if direct else str(message["ts"]))


def _author(message: Mapping[str, Any], me: Self) -> Author:
    user, bot = str(message.get("user") or ""), str(message.get("bot_id") or "")
    return Author(
        id=user or bot,
        name=str(message.get("username") or ""),
        groups=me.groups.get(user, frozenset()),
        is_bot=bool(bot) or message.get("subtype") == "bot_message",
        is_self=(bool(user) and user == me.user) or (bool(bot) and bot == me.bot),
    )


def _person(body: Mapping[str, Any], me: Self) -> Author:
    user = body.get("user") or {}
    name = str(user.get("username") or user.get("name") or "")
    return Author(str(user.get("id") or ""), name, me.groups.get(str(user.get("id")), frozenset()))


def _attachments(files: Sequence[Mapping[str, Any]]) -> tuple[Attachment, ...]:
    return tuple(
        Attachment(
            str(f.get("name") or ""),
            str(f.get("mimetype") or ""),
            f.get("size"),
            str(f.get("url_private") or ""),
        )
        for f in files
    )


def _time(stamp: str) -> datetime:
    """Slack's stamps are seconds since 1970; what is none counts as the beginning."""
    try:
        return datetime.fromtimestamp(float(stamp), UTC)
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0, UTC)
