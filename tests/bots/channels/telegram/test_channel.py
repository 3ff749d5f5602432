"""The connection to Telegram, with its real library against a Bot API on loopback."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.testclient import TestClient

from bots.channels.telegram.channel import SECRET_HEADER, WEBHOOK_PATH, TelegramChannel
from core.errors import (
    AmbiguousSendError,
    ChannelDownError,
    ChannelError,
    RateLimitedError,
    RefusedError,
)
from core.messages import Button, Parcel, Part, Place, Receipt, Reply
from core.sections.telegram import TelegramSettings
from tests.bots.channels.inboxes import KeepingInbox, running
from tests.bots.channels.telegram.lab import GROUP, TelegramLab
from tests.emulators.telegram import TOKEN

PLACE = Place("telegram", "kiyo_bot", str(GROUP))


@pytest.fixture
async def lab() -> AsyncIterator[TelegramLab]:
    async with TelegramLab() as opened:
        yield opened


def parcel(text: str = "An answer.", place: Place = PLACE, reply_to: str = "") -> Parcel:
    return Parcel("k1", place, reply_to, Part({"text": text, "entities": []}, text))


async def test_a_question_arrives_and_its_answer_is_a_reply(lab: TelegramLab) -> None:
    inbox = KeepingInbox()
    async with running(lab.channel, inbox):
        number = await lab.say("休暇は何日前までに申請しますか？")
        await inbox.wait_for(messages=1)
        reply = Reply("3営業日前までです。 [1]", "ja", buttons=(Button("helpful", "役に立った", "a1"),))
        (part,) = lab.channel.render(reply, inbox.messages[0].place)
        receipt = await lab.channel.deliver(Parcel("k1", inbox.messages[0].place, number, part))
    (post,) = lab.posts()
    assert inbox.messages[0].text == "休暇は何日前までに申請しますか？"
    assert post.text == "3営業日前までです。 [1]"
    assert post.buttons == ("役に立った",)
    assert receipt == Receipt(post.ids)
    assert lab.emulator.sent[0]["reply_parameters"]["message_id"] == int(number)


async def test_what_was_not_claimed_comes_again(lab: TelegramLab) -> None:
    broken = KeepingInbox()
    broken.broken = True
    await lab.say("一度目")
    with pytest.raises(OSError, match="database"):
        await lab.channel.run(broken)
    inbox = KeepingInbox()
    async with running(lab.channel, inbox):
        await inbox.wait_for(messages=1)
    assert inbox.messages[0].text == "一度目"


async def test_an_update_is_confirmed_once_it_is_claimed(lab: TelegramLab) -> None:
    inbox = KeepingInbox()
    async with running(lab.channel, inbox):
        await lab.say("one")
        await lab.say("two")
        await inbox.wait_for(messages=2)
        await lab.say("three")
        await inbox.wait_for(messages=3)
    assert lab.emulator.confirmed >= 2
    assert [message.text for message in inbox.messages] == ["one", "two", "three"]


async def test_an_edit_is_no_new_message(lab: TelegramLab) -> None:
    inbox = KeepingInbox()
    async with running(lab.channel, inbox):
        number = await lab.say("How?")
        await lab.edit(number, "How much?")
        await inbox.wait_for(messages=2)
    assert [(m.change, m.message_id) for m in inbox.messages] == [("new", number), ("edited", number)]


async def test_an_update_that_cannot_be_read_does_not_stop_the_others(lab: TelegramLab) -> None:
    inbox = KeepingInbox()
    async with running(lab.channel, inbox):
        await lab.emulator.push(
            "callback_query",
            {
                "id": "1",
                "from": {"id": 1, "is_bot": False, "first_name": "A"},
                "chat_instance": "1",
                "data": "helpful",
            },
        )
        await lab.say("still here?")
        await inbox.wait_for(messages=1)
    assert inbox.actions == []


async def test_whoever_presses_a_button_is_told(lab: TelegramLab) -> None:
    inbox = KeepingInbox("Thank you.")
    async with running(lab.channel, inbox):
        await lab.press("helpful", "a1")
        await inbox.wait_for(actions=1)
        await lab.say("next")
        await inbox.wait_for(messages=1)
    told = [given for method, given in lab.emulator.calls if method == "answerCallbackQuery"]
    assert told[0]["text"] == "Thank you."
    assert (inbox.actions[0].kind, inbox.actions[0].target) == ("helpful", "a1")


async def test_a_topic_is_answered_in_the_topic(lab: TelegramLab) -> None:
    inbox = KeepingInbox()
    async with running(lab.channel, inbox):
        await lab.say("in a topic", thread="7")
        await inbox.wait_for(messages=1)
        await lab.channel.deliver(parcel(place=inbox.messages[0].place))
    assert lab.posts()[0].thread == "7"


async def test_a_wait_that_telegram_asks_for_is_kept_by_the_next_message_too(lab: TelegramLab) -> None:
    now = [100.0]
    channel = TelegramChannel(lab.settings(), clock=lambda: now[0])
    lab.fail_next("rate_limit")
    try:
        with pytest.raises(RateLimitedError) as refused:
            await channel.deliver(parcel())
        assert refused.value.retry_after == 4
        now[0] += 3.9
        with pytest.raises(RateLimitedError):
            await channel.deliver(parcel())
        assert [method for method, _ in lab.emulator.calls].count("sendMessage") == 1
        now[0] += 0.2
        await channel.deliver(parcel())
    finally:
        await channel._disconnect()
    assert len(lab.posts()) == 1


@pytest.mark.parametrize("fault", ["lost_answer", "server_error"])
async def test_after_an_ambiguous_failure_nothing_is_sent_again(lab: TelegramLab, fault: str) -> None:
    lab.fail_next(fault)
    with pytest.raises(AmbiguousSendError) as failed:
        await lab.channel.deliver(parcel())
    assert TOKEN not in str(failed.value)
    assert len(lab.posts()) == 1
    assert not lab.channel.capabilities.look_up


async def test_refused_markup_leaves_the_text(lab: TelegramLab) -> None:
    lab.fail_next("markup")
    bold = Part({"text": "bold", "entities": [{"type": "bold", "offset": 0, "length": 4}]}, "bold")
    await lab.channel.deliver(Parcel("k1", PLACE, "", bold))
    assert [post.text for post in lab.posts()] == ["bold"]
    assert "entities" not in lab.emulator.sent[0]


async def test_a_bot_that_was_thrown_out_says_so(lab: TelegramLab) -> None:
    lab.fail_next("refuse")
    with pytest.raises(RefusedError, match="kicked"):
        await lab.channel.deliver(parcel())


async def test_a_second_receiver_is_explained(lab: TelegramLab) -> None:
    lab.emulator.conflict = True
    with pytest.raises(ChannelDownError, match="one receiver only"):
        await lab.channel.run(KeepingInbox())


async def test_a_lost_connection_is_reported_without_the_token(lab: TelegramLab) -> None:
    async with running(lab.channel, KeepingInbox()) as task:
        await lab.say("hello")
        await lab.disconnect()
        with pytest.raises(ChannelDownError) as lost:
            await asyncio.wait_for(task, 10)
    assert TOKEN not in str(lost.value)


async def test_a_wrong_token_is_for_a_person(lab: TelegramLab) -> None:
    wrong = TelegramSettings(token=SecretStr("1:x"), api_url=lab.emulator.address)
    with pytest.raises(ChannelError, match="TELEGRAM_TOKEN"):
        await TelegramChannel(wrong).run(KeepingInbox())
    (finding,) = await TelegramChannel(wrong).check()
    assert not finding.ok


async def test_the_check_names_the_bot_and_a_webhook_in_the_way(lab: TelegramLab) -> None:
    lab.emulator.webhook = {"url": "https://old.example.com"}
    findings = await lab.channel.check()
    assert "@kiyo_bot" in findings[0].message
    assert any("webhook" in finding.message for finding in findings)


@pytest.mark.parametrize(("given", "status"), [("right", 503), ("wrong", 403), ("", 403)])
async def test_a_webhook_wants_its_secret(lab: TelegramLab, given: str, status: int) -> None:
    settings = lab.settings(
        mode="webhook",
        webhook_url="https://bot.example.com/telegram/webhook",
        webhook_secret=SecretStr("right"),
    )
    app = Starlette(routes=TelegramChannel(settings).routes())

    def post() -> int:
        with TestClient(app) as client:
            return client.post(WEBHOOK_PATH, json={}, headers={SECRET_HEADER: given}).status_code

    assert await asyncio.to_thread(post) == status


async def test_a_webhook_without_a_secret_cannot_be_configured() -> None:
    with pytest.raises(ValueError, match="webhook_secret"):
        TelegramSettings(token=SecretStr("1:x"), mode="webhook", webhook_url="https://bot.example.com")
