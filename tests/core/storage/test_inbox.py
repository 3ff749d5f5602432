from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from core.channel_ports import InboundItem, NewReview, Outgoing, Settlement
from core.messages import Author, IncomingMessage, Place, Receipt, Reply
from core.ports import Turn
from core.storage.answers import SqlAnswerStore
from core.storage.engine import Database, open_database
from core.storage.inbox import SqlInboxStore
from core.storage.knowledge import SqlKnowledgeStore
from core.storage.outbox import SqlOutboxStore
from core.storage.reviews import SqlReviewStore
from tests.core.storage.racing import at_once
from tests.databases import Ticks
from tests.samples import SOURCE, Shown, answer_with, article_record

LEASE = 60.0
LIMIT = 1000
START = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
PLACE = Place("slack", "T1", "C1", "1.0")
ANSWER = f"{1:021x}"


@pytest.fixture
def other_database(database: Database, database_url: str) -> Iterator[Database]:
    """The same database, as another process sees it."""
    opened = open_database(database_url)
    yield opened
    opened.close()


@pytest.fixture
def answered(database: Database) -> SqlAnswerStore:
    """A question came, and an answer that cites two articles is recorded."""
    knowledge = SqlKnowledgeStore(database)
    knowledge.save_source(SOURCE)
    for name in ("leave.md", "pay.md"):
        knowledge.save_article(article_record(name, ["Leave is ten days."]))
    SqlInboxStore(database).take(message(1), LIMIT)
    store = SqlAnswerStore(database, 400)
    shown = [Shown(f"docs:{name}", {n: "Leave."}) for n, name in enumerate(("leave.md", "pay.md"))]
    store.record_answer(answer_with(ANSWER, shown))
    return store


def message(number: int, text: str = "How many days?", place: Place = PLACE) -> IncomingMessage:
    sent = START + timedelta(seconds=number)
    return IncomingMessage(place, f"m{number}", Author("U1"), text, sent, addressed=True)


def claim(store: SqlInboxStore, worker: str = "one") -> InboundItem:
    item = store.claim_next(worker, LEASE, ["slack"])
    assert item is not None
    return item


def test_of_two_processes_taking_one_message_at_once_one_queues_it(
    database: Database, other_database: Database
) -> None:
    stores = [SqlInboxStore(one) for one in (database, other_database)]
    for number in range(30):
        told = at_once([partial(store.take, message(number), LIMIT) for store in stores])
        assert sorted(told) == ["duplicate", "queued"]
    assert stores[0].waiting() == 30


def test_of_two_processes_claiming_one_event_at_once_one_has_it(
    database: Database, other_database: Database
) -> None:
    stores = [SqlInboxStore(one) for one in (database, other_database)]
    for number in range(30):
        told = at_once([partial(store.claim_event, "slack", f"e{number}") for store in stores])
        assert sorted(told) == [False, True]


def test_an_event_that_failed_can_be_claimed_again(database: Database) -> None:
    store = SqlInboxStore(database)
    assert store.claim_event("slack", "e1")
    assert not store.claim_event("slack", "e1")
    assert store.claim_event("discord", "e1")
    store.release_event("slack", "e1")
    assert store.claim_event("slack", "e1")


def test_two_workers_claim_each_message_once(database: Database, other_database: Database) -> None:
    stores = {"one": SqlInboxStore(database), "two": SqlInboxStore(other_database)}
    for number in range(40):
        stores["one"].take(message(number, place=replace(PLACE, thread=f"{number}.0")), LIMIT)

    def work(worker: str) -> list[int]:
        claimed = []
        while stores["one"].waiting():
            item = stores[worker].claim_next(worker, LEASE, ["slack"])
            if item is not None:
                claimed.append(item.key)
                assert stores[worker].settle(item, Settlement("answered"))
        return claimed

    one, two = at_once([lambda: work("one"), lambda: work("two")])
    assert len(one) + len(two) == 40
    assert len({*one, *two}) == 40


def test_messages_of_one_thread_are_worked_off_in_order_by_however_many_workers(database: Database) -> None:
    store = SqlInboxStore(database)
    for number in (1, 2):
        store.take(message(number), LIMIT)
    first = claim(store)
    assert first.message.message_id == "m1"
    assert store.claim_next("two", LEASE, ["slack"]) is None
    store.settle(first, Settlement("answered"))
    assert claim(store, "two").message.message_id == "m2"


def test_a_message_whose_worker_vanished_is_claimed_again_and_settled_once(database: Database) -> None:
    clock = Ticks()
    store = SqlInboxStore(database, clock)
    store.take(message(1), LIMIT)
    lost = claim(store)
    assert store.claim_next("two", LEASE, ["slack"]) is None
    clock.now += int(LEASE * 1000) + 1
    again = claim(store, "two")
    assert (again.key, again.attempt) == (lost.key, 2)
    outgoing = Outgoing("answer:1", PLACE, Reply("Ten days.", "en"))
    assert not store.settle(lost, Settlement("answered", replies=(outgoing,)))
    assert SqlOutboxStore(database).waiting() == 0
    assert store.settle(again, Settlement("answered", replies=(outgoing,)))
    assert SqlOutboxStore(database).waiting() == 1


def test_a_question_that_is_edited_under_way_is_taken_up_again_as_it_is_now(database: Database) -> None:
    store = SqlInboxStore(database)
    store.take(message(1, "How many days of lave?"), LIMIT)
    item = claim(store)
    edited = replace(message(1, "How many days of leave?"), change="edited")
    assert store.take(edited, LIMIT) == "updated"
    assert not store.settle(item, Settlement("answered"))
    assert claim(store).message.text == "How many days of leave?"


def test_the_same_number_in_two_chats_is_two_messages(database: Database) -> None:
    store = SqlInboxStore(database)
    elsewhere = replace(PLACE, conversation="C2")
    assert store.take(message(1), LIMIT) == "queued"
    assert store.take(message(1, place=elsewhere), LIMIT) == "queued"
    assert store.take(message(1), LIMIT) == "duplicate"


def test_only_the_channels_of_a_process_are_worked_off_there(database: Database) -> None:
    store = SqlInboxStore(database)
    store.take(message(1), LIMIT)
    assert store.claim_next("one", LEASE, ["discord"]) is None
    assert store.claim_next("one", LEASE, ["slack"]) is not None


def test_settling_writes_draft_and_notice_together(database: Database, answered: SqlAnswerStore) -> None:
    store = SqlInboxStore(database)
    review = NewReview("r1", ANSWER, PLACE, "m1", "U1", START + timedelta(days=1))
    notice = Outgoing("will_look:1", PLACE, Reply("A person will look.", "en", stage="notice"))
    assert store.settle(claim(store), Settlement("handed_over", ANSWER, (notice,), review))
    found = SqlReviewStore(database).get("r1")
    assert found is not None
    assert (found.state, found.question) == ("waiting", "How many days?")
    assert SqlOutboxStore(database).waiting() == 1


def test_a_follow_up_knows_what_was_asked_answered_and_cited(
    database: Database, answered: SqlAnswerStore
) -> None:
    inbox, outbox = SqlInboxStore(database), SqlOutboxStore(database)
    reply = Reply("Ten days. [1][2]", "en", answer_id=ANSWER)
    outgoing = Outgoing("answer:1", PLACE, reply, "m1")
    inbox.settle(claim(inbox), Settlement("answered", ANSWER, (outgoing,)))
    item = outbox.claim_next("one", LEASE, ["slack"])
    assert item is not None
    outbox.confirm_part(item, 0, Receipt(("p1",)))
    follow_up = message(2, "And for parents?")
    inbox.take(follow_up, LIMIT)
    answer = answered.get_answer(ANSWER)
    assert answer is not None
    assert inbox.history(follow_up, 8) == (
        Turn("user", "How many days?"),
        Turn("assistant", answer.text, ("docs:leave.md", "docs:pay.md")),
    )


def test_what_came_after_a_question_is_no_history_of_it(database: Database) -> None:
    store = SqlInboxStore(database)
    for number, text in enumerate(("First?", "Second?", "Third?")):
        store.take(message(number, text), LIMIT)
    assert store.history(message(1), 8) == (Turn("user", "First?"),)


def test_in_a_shared_place_without_threads_only_the_same_person_is_remembered(database: Database) -> None:
    store = SqlInboxStore(database)
    flat = replace(PLACE, thread="")
    store.take(message(1, "Mine?", flat), LIMIT)
    store.take(replace(message(2, "Theirs?", flat), author=Author("U2")), LIMIT)
    store.take(message(3, "And now?", flat), LIMIT)
    assert store.history(message(3, place=flat), 8) == (Turn("user", "Mine?"),)


def test_the_newest_message_of_each_place_is_known(database: Database) -> None:
    store = SqlInboxStore(database)
    elsewhere = replace(PLACE, thread="", conversation="C2")
    for number, place in ((1, PLACE), (2, elsewhere), (3, PLACE)):
        store.take(message(number, place=place), LIMIT)
    assert store.last_heard("slack", 9) == [(PLACE, "m3"), (elsewhere, "m2")]
    assert store.last_heard("slack", 1) == [(PLACE, "m3")]
    assert store.last_heard("discord", 9) == []


def test_a_renewed_claim_stays_with_its_worker(database: Database) -> None:
    clock = Ticks()
    store = SqlInboxStore(database, clock)
    store.take(message(1), LIMIT)
    item = claim(store)
    clock.now += int(LEASE * 1000) - 1
    store.renew("one", LEASE)
    store.renew("two", LEASE)
    clock.now += int(LEASE * 1000) - 1
    assert store.claim_next("two", LEASE, ["slack"]) is None
    assert store.settle(item, Settlement("answered"))
