"""All channels of a process: restarts with growing pauses, one receiver among processes, a clean end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from bots.supervisor import LEASE_SECONDS, LONGEST_PAUSE_SECONDS, Bell, Supervisor
from core.channel_ports import ChannelHealth, Desk
from core.config import Settings
from core.domain import Answer
from core.errors import ChannelDownError, OperatorError
from core.messages import Capabilities, CheckFinding, Parcel, Part, Place, Receipt, Reply
from core.ports import Inbox
from core.storage.desk import make_desk
from core.storage.engine import Database
from core.usecases.reply import AskRequest
from tests.channel_session import Clock


class ScriptedChannel:
    """Each start ends with the next error; without any it receives until it is cancelled."""

    def __init__(self, name: str, *errors: Exception) -> None:
        self.name = name
        self.capabilities = Capabilities()
        self.errors = list(errors)
        self.starts = 0
        self.running = False
        self.news = asyncio.Condition()

    async def run(self, inbox: Inbox) -> None:
        del inbox
        self.starts += 1
        await self._say(True)
        try:
            if self.errors:
                raise self.errors.pop(0)
            await asyncio.Event().wait()
        finally:
            self.running = False

    async def _say(self, running: bool) -> None:
        async with self.news:
            self.running = running
            self.news.notify_all()

    async def until(self, fact: Callable[[], bool]) -> None:
        async with asyncio.timeout(10), self.news:
            await self.news.wait_for(fact)

    def render(self, reply: Reply, place: Place) -> tuple[Part, ...]:
        del place
        return (Part({}, reply.text),)

    async def deliver(self, parcel: Parcel) -> Receipt:
        return Receipt((parcel.key,))

    async def find_delivered(self, parcel: Parcel) -> Receipt | None:
        del parcel
        return None

    async def show_progress(self, place: Place, message_id: str) -> None: ...

    async def check(self) -> list[CheckFinding]:
        return []


async def no_answer(request: AskRequest) -> Answer:
    raise AssertionError(request)


class Pauses:
    """Lets time pass at once; a pause may have an effect."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        self.clock.forward(seconds)
        await asyncio.sleep(0)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def desk(sqlite_database: Database, clock: Clock) -> Desk:
    return make_desk(sqlite_database, Settings(), clock)


def supervisor(desk: Desk, pause: Pauses, channel: ScriptedChannel, worker: str = "one") -> Supervisor:
    return Supervisor(desk, no_answer, {channel.name: channel}, worker, pause)


async def keep(desk: Desk, channel: ScriptedChannel, pause: Pauses, starts: int) -> None:
    task = asyncio.create_task(supervisor(desk, pause, channel).keep_running(channel))
    await channel.until(lambda: channel.starts == starts)
    task.cancel()
    await asyncio.wait([task])


def health(desk: Desk, worker: str = "one") -> ChannelHealth:
    [found] = [one for one in desk.health.list_health() if one.worker == worker]
    return found


async def test_a_channel_that_fails_is_started_again_after_pauses_that_double(
    desk: Desk, clock: Clock
) -> None:
    channel = ScriptedChannel("slack", *(ChannelDownError("gone") for _ in range(4)))
    pause = Pauses(clock)
    await keep(desk, channel, pause, 5)
    assert pause.seconds == [1.0, 2.0, 4.0, 8.0]


async def test_where_a_person_must_act_the_longest_pause_comes_first(desk: Desk, clock: Clock) -> None:
    channel = ScriptedChannel("slack", OperatorError("Set the token."))
    pause = Pauses(clock)
    await keep(desk, channel, pause, 2)
    assert pause.seconds == [LONGEST_PAUSE_SECONDS]
    assert health(desk).error == "Set the token."


async def test_an_error_that_is_not_kiyos_is_shown_by_its_kind_only(desk: Desk, clock: Clock) -> None:
    channel = ScriptedChannel("slack", ValueError("xoxb-secret"))
    await keep(desk, channel, Pauses(clock), 2)
    assert health(desk).error == "unexpected ValueError"


async def test_one_channel_that_fails_leaves_the_others_running(desk: Desk, clock: Clock) -> None:
    broken = ScriptedChannel("slack", *(ValueError() for _ in range(20)))
    sound = ScriptedChannel("discord")
    stop = asyncio.Event()
    both = Supervisor(desk, no_answer, {"slack": broken, "discord": sound}, "one", Pauses(clock))
    task = asyncio.create_task(both.run(stop))
    await broken.until(lambda: broken.starts > 3)
    assert (sound.starts, sound.running) == (1, True)
    stop.set()
    await task
    assert {one.channel: one.state for one in desk.health.list_health()} == {
        "slack": "stopped",
        "discord": "stopped",
    }


async def test_of_two_processes_one_receives_and_the_other_takes_over_after_the_lease(
    desk: Desk, clock: Clock
) -> None:
    first, second = ScriptedChannel("telegram"), ScriptedChannel("telegram")
    assert desk.leases.hold("telegram", "first", LEASE_SECONDS)
    pause = Pauses(clock)
    waiting = supervisor(desk, pause, second, "second")
    waiting.exclusive = {"telegram"}
    task = asyncio.create_task(waiting.keep_running(second))
    await second.until(lambda: second.running)
    assert sum(pause.seconds) > LEASE_SECONDS
    assert not desk.leases.hold("telegram", "first", LEASE_SECONDS)
    assert first.starts == 0
    task.cancel()
    await asyncio.wait([task])


async def test_a_receiver_that_lost_its_lease_stops_receiving(desk: Desk, clock: Clock) -> None:
    channel = ScriptedChannel("telegram")
    gate, lost = asyncio.Event(), asyncio.Event()

    async def pause(seconds: float) -> None:
        """The process sleeps so long that another one takes over."""
        if not gate.is_set():
            gate.set()
            clock.forward(LEASE_SECONDS + 1)
            assert desk.leases.hold("telegram", "another", LEASE_SECONDS)
        elif seconds:
            lost.set()
            await asyncio.Event().wait()

    one = Supervisor(desk, no_answer, {"telegram": channel}, "one", pause, exclusive={"telegram"})
    task = asyncio.create_task(one.keep_running(channel))
    async with asyncio.timeout(10):
        await lost.wait()
    assert not channel.running
    assert health(desk).error == "Another process receives for this channel."
    task.cancel()
    await asyncio.wait([task])


async def test_what_a_vanished_process_had_is_free_at_once(desk: Desk, clock: Clock) -> None:
    channel = ScriptedChannel("telegram")
    assert desk.leases.hold("telegram", "dead", LEASE_SECONDS)
    pause = Pauses(clock)
    one = supervisor(desk, pause, channel)
    one.exclusive, one.is_gone = {"telegram"}, lambda worker: worker == "dead"
    task = asyncio.create_task(one.keep_running(channel))
    await channel.until(lambda: channel.running)
    assert LEASE_SECONDS not in pause.seconds
    assert desk.leases.holders() == {"telegram": "one"}
    task.cancel()
    await asyncio.wait([task])


async def test_a_process_that_ends_lets_another_receive_at_once(desk: Desk, clock: Clock) -> None:
    channel = ScriptedChannel("telegram")
    stop = asyncio.Event()
    one = supervisor(desk, Pauses(clock), channel)
    one.exclusive = {"telegram"}
    task = asyncio.create_task(one.run(stop))
    await channel.until(lambda: channel.running)
    stop.set()
    await task
    assert desk.leases.hold("telegram", "another", LEASE_SECONDS)


async def test_a_bell_wakes_one_of_those_who_wait() -> None:
    bell, woken = Bell(), []

    async def wait(name: str) -> None:
        await bell.heard(None)
        woken.append(name)

    tasks = [asyncio.create_task(wait(name)) for name in ("a", "b")]
    await asyncio.sleep(0)
    bell.ring()
    bell.ring()  # before anybody heard the first
    await tasks[0]
    assert woken == ["a"]
    bell.ring()
    await tasks[1]
    assert woken == ["a", "b"]
