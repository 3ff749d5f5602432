from __future__ import annotations

from datetime import UTC, datetime, timedelta

from core.channel_ports import Outgoing
from core.messages import Author, IncomingMessage, Place, Reply
from core.storage.engine import Database
from core.storage.health_reports import Backlog, HealthReports
from core.storage.inbox import SqlInboxStore
from core.storage.outbox import SqlOutboxStore
from tests.databases import Ticks

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def at(moment: datetime) -> Ticks:
    return Ticks(int(moment.timestamp() * 1000))


def take(database: Database, channel: str, number: int, moment: datetime) -> None:
    place = Place(channel, "T1", "C1", str(number))
    message = IncomingMessage(place, f"m{number}", Author("U1"), "How many days?", moment, addressed=True)
    SqlInboxStore(database, at(moment)).take(message, 1000)


def test_what_waits_and_what_failed_is_counted_by_channel(database: Database) -> None:
    for number, age in enumerate((timedelta(minutes=5), timedelta(hours=3), timedelta(days=2))):
        take(database, "slack", number, NOW - age)
    outbox = SqlOutboxStore(database, at(NOW - timedelta(hours=1)))
    for number in range(3):
        outbox.enqueue(Outgoing(f"answer:{number}", Place("discord", "G", f"C{number}"), Reply("Ten.", "en")))
    item = outbox.claim_next("one", 60, ["discord"])
    assert item is not None
    outbox.fail(item, "no such channel")
    discord, slack = HealthReports(database).channels(NOW)
    assert (slack.questions_waiting, slack.questions_last_hour, slack.questions_last_day) == (3, 1, 2)
    assert slack.oldest is not None
    assert abs(slack.oldest - (NOW - timedelta(days=2))) < timedelta(seconds=1)
    assert (discord.channel, discord.replies_waiting, discord.replies_failed) == ("discord", 2, 1)


def test_nothing_waits_in_an_empty_database(database: Database) -> None:
    reports = HealthReports(database)
    assert reports.channels(NOW) == []
    assert reports.backlog() == Backlog(0, 0, 0)
