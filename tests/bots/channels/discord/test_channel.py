from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncIterator

import pytest
from pydantic import SecretStr
from yarl import URL

from bots.channels.discord.channel import DiscordChannel
from core.errors import ChannelError
from core.messages import Parcel, Place, Reply
from core.sections.discord import DiscordSettings
from tests.bots.channels.inboxes import KeepingInbox, running
from tests.emulators.discord import ASKER, DiscordEmulator

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # discord.py imports audioop
    import discord

PLACE = Place("discord", "", "77", shared=False)


@pytest.fixture
async def emulator(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[DiscordEmulator]:
    async with DiscordEmulator().serving() as serving:
        monkeypatch.setattr(discord.http.Route, "BASE", f"{serving.address}/api/v10")
        gateway = URL(serving.address.replace("http", "ws") + "/gateway")
        monkeypatch.setattr(discord.gateway.DiscordWebSocket, "DEFAULT_GATEWAY", gateway)
        yield serving


def make(token: str = "good") -> DiscordChannel:
    return DiscordChannel(DiscordSettings(token=SecretStr(token)))


async def test_a_question_arrives_and_bots_are_dropped(emulator: DiscordEmulator) -> None:
    channel, inbox = make(), KeepingInbox()
    async with running(channel, inbox):
        await asyncio.wait_for(emulator.identified.wait(), 10)
        await emulator.say("1", "I am a bot", author={**ASKER, "bot": True})
        await emulator.say("2", "How?")
        await inbox.wait_for(messages=1)

    assert [(one.message_id, one.text, one.addressed) for one in inbox.messages] == [("2", "How?", True)]


async def test_an_answer_that_was_taken_before_a_502_is_posted_once_and_pings_nobody(
    emulator: DiscordEmulator,
) -> None:
    channel, inbox = make(), KeepingInbox()
    async with running(channel, inbox):
        await emulator_ready(emulator, inbox)
        part = channel.render(Reply("@everyone <@&5> @here", "en"), PLACE)[0]
        emulator.fail = 502
        receipt = await channel.deliver(Parcel("k1", PLACE, "", part))

    assert receipt.message_ids == ("1001",)
    assert [body["allowed_mentions"]["parse"] for body in emulator.sent] == [[]]
    assert "@everyone" in emulator.sent[0]["content"]


async def test_a_wrong_token_is_named(emulator: DiscordEmulator) -> None:
    with pytest.raises(ChannelError, match="DISCORD_TOKEN"):
        await make("bad").run(KeepingInbox())
    assert not emulator.identified.is_set()


async def emulator_ready(emulator: DiscordEmulator, inbox: KeepingInbox) -> None:
    await asyncio.wait_for(emulator.identified.wait(), 10)
    await emulator.say("9", "hello")
    await inbox.wait_for(messages=1)
