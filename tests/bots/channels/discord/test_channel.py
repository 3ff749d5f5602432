"""The connection to Discord, with its real library against a gateway on loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from bots.channels.discord.channel import DiscordChannel
from core.errors import AmbiguousSendError, ChannelError, RefusedError
from core.messages import Button, Parcel, Place, Reply
from tests.bots.channels.discord.lab import DiscordLab
from tests.bots.channels.inboxes import KeepingInbox, running
from tests.emulators.discord import ASKER, BOT, ROOM, THREAD, message

PLACE = Place("discord", BOT["id"], ROOM)


@pytest.fixture
async def lab() -> AsyncIterator[DiscordLab]:
    async with DiscordLab() as opened:
        yield opened


def parcel(lab: DiscordLab, text: str = "An answer.", key: str = "k1", reply_to: str = "2001") -> Parcel:
    reply = Reply(text, "en", buttons=(Button("helpful", "Helpful", "a1"),))
    return Parcel(key, PLACE, reply_to, lab.channel.render(reply, PLACE)[0])


async def test_a_mention_arrives_and_its_answer_is_a_reply(lab: DiscordLab) -> None:
    inbox = KeepingInbox()
    async with running(lab.channel, inbox):
        number = await lab.say("休暇は？", roles=("410",))
        await inbox.wait_for(messages=1)
        await lab.channel.deliver(parcel(lab, reply_to=number))
    message = inbox.messages[0]
    assert (message.text, message.addressed, message.place) == ("休暇は？", True, PLACE)
    assert "managers" in message.author.groups
    assert lab.emulator.sent[0]["message_reference"]["message_id"] == int(number)
    assert lab.posts()[0].buttons == ("Helpful",)


async def test_talk_among_people_is_not_addressed_and_bots_are_dropped(lab: DiscordLab) -> None:
    inbox = KeepingInbox()
    async with running(lab.channel, inbox):
        await lab.say("lunch?", mention=False)
        await lab.emulator.say("1", "I am a bot", author={**ASKER, "bot": True})
        await lab.say("hello", dm=True)
        await inbox.wait_for(messages=2)
    assert [(m.text, m.addressed, m.place.shared) for m in inbox.messages] == [
        ("lunch?", False, True),
        ("hello", True, False),
    ]


async def test_a_thread_is_a_place_inside_its_channel(lab: DiscordLab) -> None:
    inbox = KeepingInbox()
    async with running(lab.channel, inbox):
        await lab.say("in a thread", thread=THREAD)
        await inbox.wait_for(messages=1)
        place = inbox.messages[0].place
        (part,) = lab.channel.render(Reply("So.", "en"), place)
        await lab.channel.deliver(Parcel("k1", place, "", part))
    assert (place.conversation, place.thread) == (ROOM, THREAD)
    assert lab.posts()[0].thread == THREAD


async def test_edits_and_deletions_keep_the_key(lab: DiscordLab) -> None:
    inbox = KeepingInbox()
    async with running(lab.channel, inbox):
        number = await lab.say("How?")
        await lab.edit(number, "How much?")
        unfolded = {**lab.emulator_message(number), "edited_timestamp": None}
        await lab.emulator.dispatch("MESSAGE_UPDATE", unfolded)
        await lab.delete(number)
        await inbox.wait_for(messages=3)
    assert [(m.change, m.text, m.message_id, m.place) for m in inbox.messages] == [
        ("new", "How?", number, PLACE),
        ("edited", "How much?", number, PLACE),
        ("deleted", "", number, PLACE),
    ]


async def test_reactions_are_feedback(lab: DiscordLab) -> None:
    inbox = KeepingInbox()
    async with running(lab.channel, inbox):
        await lab.say("hello")
        await lab.react("1001", "🎉")
        await lab.react("1001", "👍")
        await lab.react("1001", "👍", removed=True)
        await inbox.wait_for(actions=2)
    assert [(a.kind, a.message_id) for a in inbox.actions] == [("helpful", "1001"), ("withdraw", "1001")]


async def test_whoever_presses_a_button_is_told_alone(lab: DiscordLab) -> None:
    inbox = KeepingInbox("Thank you.")
    async with running(lab.channel, inbox):
        await lab.say("hello")
        await lab.press("helpful", "a1")
        await inbox.wait_for(actions=1)
        await lab.emulator.wait_answers(2)
    deferred, told = (body for _, body in lab.emulator.answers)
    assert (deferred["type"], told["flags"] & 64) == (6, 64)
    assert told["content"] == "Thank you."


async def test_a_draft_is_edited_in_a_window(lab: DiscordLab) -> None:
    inbox = KeepingInbox()
    async with running(lab.channel, inbox):
        await lab.say("hello")
        await lab.press("edit", "r1")
        await lab.emulator.wait_answers(1)
        await lab.submit("r1", "The better answer.")
        await inbox.wait_for(actions=1)
    (_, window), *_ = lab.emulator.answers
    assert window["data"]["custom_id"] == "edit|r1|"
    assert [(a.kind, a.target, a.value) for a in inbox.actions] == [("edit", "r1", "The better answer.")]


async def test_an_answer_that_was_taken_before_a_502_is_posted_once_and_pings_nobody(lab: DiscordLab) -> None:
    async with running(lab.channel, KeepingInbox()):
        await lab.ready()
        lab.fail_next("server_error")
        receipt = await lab.channel.deliver(parcel(lab, "@everyone <@&5> @here"))
    (post,) = lab.posts()
    assert receipt.message_ids == post.ids
    assert lab.emulator.sent[0]["allowed_mentions"]["parse"] == []
    assert "@everyone" in post.text


async def test_after_an_ambiguous_failure_the_message_is_found_again(lab: DiscordLab) -> None:
    async with running(lab.channel, KeepingInbox()):
        await lab.ready()
        await lab.channel.deliver(parcel(lab, "Other.", "k0"))
        lab.fail_next("lost_answer")
        with pytest.raises(AmbiguousSendError):
            await lab.channel.deliver(parcel(lab))
        found = await lab.channel.find_delivered(parcel(lab))
        assert await lab.channel.find_delivered(parcel(lab, reply_to="9")) is None
    assert found is not None
    assert found.message_ids == lab.posts()[-1].ids
    assert len(lab.posts()) == 2


async def test_a_room_without_access_says_so(lab: DiscordLab) -> None:
    async with running(lab.channel, KeepingInbox()):
        await lab.ready()
        lab.fail_next("refuse")
        with pytest.raises(RefusedError, match="Missing Access"):
            await lab.channel.deliver(parcel(lab))


async def test_the_missing_intent_is_named(lab: DiscordLab) -> None:
    lab.emulator.refuse_intents = True
    with pytest.raises(ChannelError, match="message content intent"):
        await lab.channel.run(KeepingInbox())
    assert [finding.ok for finding in await lab.channel.check()] == [True, False]


async def test_a_wrong_token_is_named(lab: DiscordLab) -> None:
    wrong = DiscordChannel(lab.settings("bad"))
    with pytest.raises(ChannelError, match="DISCORD_TOKEN"):
        await wrong.run(KeepingInbox())
    assert [finding.ok for finding in await wrong.check()] == [False]


async def test_what_was_said_while_nobody_listened_is_taken_at_the_next_start(lab: DiscordLab) -> None:
    inbox = KeepingInbox()
    direct = Place("discord", BOT["id"], "77", shared=False)
    inbox.heard = [(PLACE, "1500"), (direct, "command:1500"), (Place("discord", "another", ROOM), "1")]
    lab.emulator.messages += [
        message("1400", f"<@{BOT['id']}> heard before", ASKER, ROOM),
        message("1600", f"<@{BOT['id']}> missed", ASKER, ROOM),
        message("1601", "I am a bot", {**ASKER, "bot": True}, ROOM),
        message("1602", "missed, too", ASKER, "77"),
    ]
    async with running(lab.channel, inbox):
        await inbox.wait_for(messages=2)
    assert [(m.text, m.message_id, m.place) for m in inbox.messages] == [
        ("missed", "1600", PLACE),
        ("missed, too", "1602", direct),
    ]
