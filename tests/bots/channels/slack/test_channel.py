"""The connection to Slack, with its real SDK against a workspace on loopback."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlencode

import pytest
from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.testclient import TestClient

from bots.channels.slack.channel import EVENTS_PATH, SlackChannel
from core.errors import AmbiguousSendError, ChannelDownError, ChannelError, RateLimitedError, RefusedError
from core.messages import Button, Parcel, Place, Reply
from core.sections.slack import SlackSettings
from tests.bots.channels.inboxes import KeepingInbox, running
from tests.bots.channels.slack.lab import ROOM, SlackLab
from tests.emulators.slack import BOT_ID, BOT_TOKEN, BOT_USER, TEAM

PLACE = Place("slack", TEAM, ROOM, "1790000000.000001")


@pytest.fixture
async def lab() -> AsyncIterator[SlackLab]:
    async with SlackLab() as opened:
        yield opened


def parcel(lab: SlackLab, text: str = "An answer.", key: str = "k1", place: Place = PLACE) -> Parcel:
    (part,) = lab.channel.render(Reply(text, "en", buttons=(Button("helpful", "Helpful", "a1"),)), place)
    return Parcel(key, place, "", part)


async def test_a_question_is_answered_in_a_thread_below_it(lab: SlackLab) -> None:
    inbox = KeepingInbox()
    async with running(lab.channel, inbox):
        stamp = await lab.say("休暇は？ &lt;有給&gt;")
        await inbox.wait_for(messages=1)
    message = inbox.messages[0]
    await lab.channel.deliver(parcel(lab, "3日前です。", place=message.place))
    assert message.text == "休暇は？ <有給>"
    assert (message.addressed, message.place.thread, message.place.shared) == (True, stamp, True)
    assert [(post.text, post.thread, post.buttons) for post in lab.posts()] == [
        ("3日前です。", stamp, ("Helpful",))
    ]


async def test_slack_is_answered_once_the_message_is_claimed(lab: SlackLab) -> None:
    inbox = KeepingInbox()
    async with running(lab.channel, inbox):
        envelope = await lab.event(
            {"type": "message", "channel": ROOM, "user": "U1", "text": "hi", "ts": "1.1"}
        )
        await lab.emulator.wait_acknowledged(envelope)
        assert len(inbox.messages) == 1
        inbox.broken = True
        lost = await lab.event(
            {"type": "message", "channel": ROOM, "user": "U1", "text": "more", "ts": "1.2"}
        )
        inbox.broken = False
        later = await lab.event(
            {"type": "message", "channel": ROOM, "user": "U1", "text": "last", "ts": "1.3"}
        )
        await lab.emulator.wait_acknowledged(later)
    assert lost != later


async def test_a_mention_that_comes_twice_has_one_key(lab: SlackLab) -> None:
    inbox = KeepingInbox()
    event = {"channel": ROOM, "user": "U1", "text": f"<@{BOT_USER}> hi", "ts": "1.1"}
    async with running(lab.channel, inbox):
        await lab.event({"type": "message", **event})
        await lab.event({"type": "app_mention", **event})
        await inbox.wait_for(messages=2)
    assert {(m.place.conversation, m.message_id, m.addressed) for m in inbox.messages} == {
        (ROOM, "1.1", True)
    }


async def test_a_direct_message_is_addressed_and_not_shared(lab: SlackLab) -> None:
    inbox = KeepingInbox()
    async with running(lab.channel, inbox):
        await lab.say("hello?", dm=True)
        await inbox.wait_for(messages=1)
    assert (inbox.messages[0].addressed, inbox.messages[0].place.shared) == (True, False)


async def test_talk_among_people_is_not_addressed(lab: SlackLab) -> None:
    inbox = KeepingInbox()
    async with running(lab.channel, inbox):
        await lab.say("lunch, <@U7|ken>?", mention=False)
        await inbox.wait_for(messages=1)
    assert (inbox.messages[0].addressed, inbox.messages[0].text) == (False, "lunch, @ken?")


async def test_edits_and_deletions_keep_the_key(lab: SlackLab) -> None:
    inbox = KeepingInbox()
    async with running(lab.channel, inbox):
        stamp = await lab.say("How?")
        await lab.edit(stamp, "How much?")
        await lab.delete(stamp)
        await inbox.wait_for(messages=3)
    assert [(m.change, m.text, m.message_id, m.place.thread) for m in inbox.messages] == [
        ("new", "How?", stamp, stamp),
        ("edited", "How much?", stamp, stamp),
        ("deleted", "", stamp, stamp),
    ]


async def test_unfolded_links_joins_and_own_messages_are_no_questions(lab: SlackLab) -> None:
    inbox = KeepingInbox()
    base = {"type": "message", "channel": ROOM, "ts": "2.1"}
    said = {"user": "U1", "text": "see https://example.com", "ts": "2.0"}
    async with running(lab.channel, inbox):
        await lab.event(
            {
                **base,
                "subtype": "message_changed",
                "message": {**said, "attachments": []},
                "previous_message": said,
            }
        )
        await lab.event({**base, "subtype": "channel_join", "user": "U2", "text": "joined"})
        await lab.event({**base, "user": BOT_USER, "bot_id": BOT_ID, "text": "An answer."})
        await lab.event(
            {**base, "ts": "2.2", "bot_id": "B9", "subtype": "bot_message", "text": "build failed"}
        )
        await inbox.wait_for(messages=1)
        await lab.say("last")
        await inbox.wait_for(messages=2)
    assert [(m.text, m.author.is_bot) for m in inbox.messages] == [("build failed", True), ("last", False)]


async def test_groups_of_people_are_known(lab: SlackLab) -> None:
    lab.emulator.usergroups = [{"id": "S1", "handle": "managers", "users": ["U1"]}]
    inbox = KeepingInbox()
    async with running(lab.channel, inbox):
        await lab.say("one", author="U1")
        await lab.say("two", author="U2")
        await inbox.wait_for(messages=2)
    assert [m.author.groups for m in inbox.messages] == [frozenset({"S1", "managers"}), frozenset()]


async def test_a_command_shows_the_question_and_is_addressed(lab: SlackLab) -> None:
    inbox = KeepingInbox()
    body = {
        "command": "/ask",
        "text": "How <!here>?",
        "channel_id": ROOM,
        "user_id": "U1",
        "team_id": TEAM,
        "trigger_id": "13345224609.738474920.8088930838d88f008e0",
    }
    async with running(lab.channel, inbox):
        envelope = await lab.emulator.send("slash_commands", body)
        await lab.emulator.wait_acknowledged(envelope)
    shown = lab.emulator.responses[envelope]
    assert (shown["response_type"], shown["text"]) == ("in_channel", "> How @here?")
    assert (inbox.messages[0].kind, inbox.messages[0].addressed) == ("command", True)
    assert abs(inbox.messages[0].sent_at.timestamp() - time.time()) < 3600


async def test_a_shortcut_asks_about_a_message(lab: SlackLab) -> None:
    inbox = KeepingInbox()
    body = {
        "type": "message_action",
        "callback_id": "ask_about_message",
        "trigger_id": "9.9",
        "team": {"id": TEAM},
        "user": {"id": "U2", "name": "aki"},
        "channel": {"id": ROOM},
        "action_ts": "1790000002.1",
        "message": {"ts": "1790000001.5", "user": "U1", "text": "Where is the form?"},
    }
    async with running(lab.channel, inbox):
        await lab.emulator.send("interactive", body)
        await inbox.wait_for(messages=1)
    message = inbox.messages[0]
    assert (message.text, message.author.id, message.place.thread) == (
        "Where is the form?",
        "U2",
        "1790000001.5",
    )


async def test_whoever_presses_a_button_is_told_alone(lab: SlackLab) -> None:
    inbox = KeepingInbox("Thank <you>.")
    async with running(lab.channel, inbox):
        await lab.press("helpful", "a1", author="U5")
        await inbox.wait_for(actions=1)
        envelope = await lab.press("not_helpful", "a1", author="U5")
        await lab.emulator.wait_acknowledged(envelope)
    assert (inbox.actions[0].kind, inbox.actions[0].target, inbox.actions[0].author.id) == (
        "helpful",
        "a1",
        "U5",
    )
    assert (lab.emulator.ephemeral[0]["user"], lab.emulator.ephemeral[0]["text"]) == (
        "U5",
        "Thank &lt;you&gt;.",
    )


async def test_a_draft_is_edited_in_a_window(lab: SlackLab) -> None:
    inbox = KeepingInbox()
    async with running(lab.channel, inbox):
        envelope = await lab.press("edit", "r1", value="The draft.")
        await lab.emulator.wait_acknowledged(envelope)
        (view,) = lab.emulator.views
        field = view["blocks"][0]["element"]
        state = {"values": {"answer": {"text": {"value": "The better answer."}}}}
        submitted = {
            "type": "view_submission",
            "team": {"id": TEAM},
            "user": {"id": "U1"},
            "view": {**view, "id": "V1", "hash": "h", "state": state},
        }
        await lab.emulator.send("interactive", submitted)
        await inbox.wait_for(actions=1)
    assert field["initial_value"] == "The draft."
    assert [(a.kind, a.target, a.value) for a in inbox.actions] == [("edit", "r1", "The better answer.")]


async def test_reactions_are_feedback(lab: SlackLab) -> None:
    inbox = KeepingInbox()
    item = {"type": "message", "channel": ROOM, "ts": "5.5"}
    async with running(lab.channel, inbox):
        for kind, reaction in (("added", "+1::skin-tone-3"), ("removed", "thumbsdown"), ("added", "tada")):
            await lab.event({"type": f"reaction_{kind}", "user": "U1", "reaction": reaction, "item": item})
        await inbox.wait_for(actions=2)
    assert [(a.kind, a.message_id) for a in inbox.actions] == [("helpful", "5.5"), ("withdraw", "5.5")]


async def test_a_wait_that_slack_asks_for_is_passed_on(lab: SlackLab) -> None:
    lab.fail_next("rate_limit")
    with pytest.raises(RateLimitedError) as refused:
        await lab.channel.deliver(parcel(lab))
    assert refused.value.retry_after == 4
    assert lab.posts() == []


@pytest.mark.parametrize("fault", ["lost_answer", "server_error"])
@pytest.mark.parametrize("thread", ["1790000000.000001", ""])
async def test_after_an_ambiguous_failure_the_message_is_found_again(
    lab: SlackLab, fault: str, thread: str
) -> None:
    place = Place("slack", TEAM, ROOM, thread)
    await lab.channel.deliver(parcel(lab, "Other.", "k0", place))
    lab.fail_next(fault)
    with pytest.raises(AmbiguousSendError) as failed:
        await lab.channel.deliver(parcel(lab, place=place))
    assert BOT_TOKEN not in str(failed.value)
    found = await lab.channel.find_delivered(parcel(lab, place=place))
    assert found is not None
    assert found.message_ids == lab.posts()[-1].ids
    assert len(lab.posts()) == 2
    assert await lab.channel.find_delivered(parcel(lab, key="other", place=place)) is None


async def test_a_channel_without_the_app_says_so(lab: SlackLab) -> None:
    lab.fail_next("refuse")
    with pytest.raises(RefusedError, match="not_in_channel"):
        await lab.channel.deliver(parcel(lab))


async def test_a_dead_address_is_given_up_and_a_new_one_asked_for(lab: SlackLab) -> None:
    lab.emulator.dead_sockets = 1
    with pytest.raises((ChannelDownError, AmbiguousSendError)):
        await asyncio.wait_for(lab.channel.run(KeepingInbox()), 10)
    inbox = KeepingInbox()
    async with running(lab.channel, inbox):
        await lab.say("are you back?")
        await inbox.wait_for(messages=1)
    assert [method for method, _ in lab.emulator.calls].count("apps.connections.open") >= 2


async def test_after_a_disconnect_messages_flow_again(lab: SlackLab) -> None:
    inbox = KeepingInbox()
    async with running(lab.channel, inbox):
        await lab.say("one")
        await inbox.wait_for(messages=1)
    async with running(lab.channel, inbox):
        await lab.say("two")
        await inbox.wait_for(messages=2)
    assert [m.text for m in inbox.messages] == ["one", "two"]


async def test_a_wrong_token_is_for_a_person(lab: SlackLab) -> None:
    channel = SlackChannel(lab.settings(bot_token=SecretStr("xoxb-wrong")))
    with pytest.raises(ChannelError, match="invalid_auth") as refused:
        await channel.run(KeepingInbox())
    assert "xoxb-wrong" not in str(refused.value)
    (finding,) = await channel.check()
    assert not finding.ok


async def test_the_check_names_missing_scopes_and_a_wrong_app_token(lab: SlackLab) -> None:
    lab.emulator.scopes = "chat:write"
    findings = {f.name: f for f in await SlackChannel(lab.settings(app_token=SecretStr("xapp-no"))).check()}
    assert findings["slack: token"].ok
    assert "app_mentions:read" in findings["slack: scopes"].message
    assert not findings["slack: socket"].ok


@pytest.mark.parametrize(("mode", "missing"), [("socket", "app_token"), ("http", "signing_secret")])
def test_a_mode_without_its_secret_cannot_be_configured(mode: Any, missing: str) -> None:
    with pytest.raises(ValueError, match=missing):
        SlackSettings(bot_token=SecretStr("xoxb"), mode=mode)


async def test_over_http_only_signed_requests_are_heard(lab: SlackLab) -> None:
    channel = SlackChannel(lab.settings(mode="http", app_token=SecretStr("")))
    inbox, app = KeepingInbox(), Starlette(routes=channel.routes())
    event = {"type": "message", "channel": ROOM, "user": "U1", "text": f"<@{BOT_USER}> hi", "ts": "1.1"}
    body = {"type": "event_callback", "team_id": TEAM, "event_id": "E1", "event": event}
    raw = json.dumps(body).encode()
    now = str(int(time.time()))

    async def post(content: bytes, headers: dict[str, str]) -> int:
        def send() -> int:
            with TestClient(app) as client:
                return client.post(EVENTS_PATH, content=content, headers=headers).status_code

        return await asyncio.to_thread(send)

    json_type = {"content-type": "application/json", "X-Slack-Request-Timestamp": now}
    signed = {**json_type, "X-Slack-Signature": lab.emulator.sign(raw, now)}
    old = {
        **signed,
        "X-Slack-Request-Timestamp": "1700000000",
        "X-Slack-Signature": lab.emulator.sign(raw, "1700000000"),
    }
    assert await post(raw, signed) == 503
    async with running(channel, inbox):
        await lab.emulator.wait_called("usergroups.list")
        form = urlencode(
            {"command": "/ask", "text": "hi", "channel_id": ROOM, "user_id": "U1", "trigger_id": "1.1"}
        )
        urlencoded = {"content-type": "application/x-www-form-urlencoded", "X-Slack-Request-Timestamp": now}
        async with asyncio.timeout(20):
            while (status := await post(raw, signed)) == 503:
                """Slack is not introduced yet."""
        assert status == 200
        assert await post(raw, {**signed, "X-Slack-Signature": "v0=00"}) == 401
        assert await post(raw, json_type) == 401
        assert await post(raw, old) == 401
        assert (
            await post(
                form.encode(), {**urlencoded, "X-Slack-Signature": lab.emulator.sign(form.encode(), now)}
            )
            == 200
        )
    assert [m.text for m in inbox.messages] == ["hi", "hi"]
