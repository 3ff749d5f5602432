"""Reviews, keys and erasures: who did them is noted in the transaction that did them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from core.channel_ports import Desk, NewReview
from core.config import Settings
from core.errors import RoleError
from core.messages import Place
from core.people_ports import AuditFilter
from core.storage.answers import SqlAnswerStore
from core.storage.desk import make_desk
from core.storage.engine import Database
from core.storage.knowledge import SqlKnowledgeStore
from core.storage.privacy import SqlPrivacyStore
from core.usecases import reviews
from core.usecases.api_keys import NewKey, add_key, revoke_key
from core.usecases.privacy import erase_person, expire_now
from core.usecases.reviews import Actor
from tests.acting import acting_as, noted
from tests.samples import SOURCE, Shown, answer_with, article_record

RIE = Actor("rie", True)
KEY = NewKey("bot", "hash", "ask", frozenset({"managers"}))


@pytest.fixture
def desk(sqlite_database: Database) -> Desk:
    """Two drafts wait: r1 and r2."""
    made = make_desk(sqlite_database, Settings())
    knowledge = SqlKnowledgeStore(sqlite_database)
    knowledge.save_source(SOURCE)
    knowledge.save_article(article_record("a.md", ["One line."]))
    for number in (1, 2):
        SqlAnswerStore(sqlite_database).record_answer(answer_with(f"x{number}", [Shown("docs:a.md")]))
        place, later = Place("slack", "T1", "C1", f"{number}.0"), datetime(2099, 1, 1, tzinfo=UTC)
        assert made.reviews.add(NewReview(f"r{number}", f"x{number}", place, "1.0", "U1", later))
    return made


def test_decisions_on_drafts_are_noted_once_each(desk: Desk) -> None:
    reviews.edit_review(desk, "r1", RIE, "Better.")
    reviews.approve_review(desk, "r1", RIE)
    reviews.approve_review(desk, "r1", RIE)
    reviews.take_over(desk, "r2", RIE)
    reviews.dismiss_review(desk, "r2", Actor("joe", True))
    reviews.hand_back(desk, "r2", RIE)
    assert noted(desk.log) == [
        ("rie", "review.edited", "r1"),
        ("rie", "review.approved", "r1"),
        ("rie", "review.taken", "r2"),
        ("rie", "review.handed_back", "r2"),
    ]


def test_who_may_not_review_leaves_no_entry(desk: Desk) -> None:
    for act in (reviews.approve_review, reviews.dismiss_review, reviews.take_over, reviews.hand_back):
        assert act(desk, "r1", Actor("eve", False)).state == "not_allowed"
    assert noted(desk.log) == []


def test_keys_are_made_and_revoked_by_maintainers(sqlite_database: Database, desk: Desk) -> None:
    mina, rie = (acting_as("mina", "maintainer", sqlite_database), acting_as("rie", "reviewer"))
    with pytest.raises(RoleError):
        add_key(desk.keys, rie, KEY)
    assert add_key(desk.keys, mina, KEY)
    assert not add_key(desk.keys, mina, KEY)
    with pytest.raises(RoleError):
        revoke_key(desk.keys, rie, "bot")
    assert revoke_key(desk.keys, mina, "bot")
    assert not revoke_key(desk.keys, mina, "bot")
    assert noted(mina.log) == [("mina", "api_key.add", "bot"), ("mina", "api_key.revoke", "bot")]
    assert "hash" not in str(mina.log.entries(AuditFilter(), 10))


def test_an_erasure_names_nobody_and_takes_the_name_out_of_the_log(
    sqlite_database: Database, desk: Desk
) -> None:
    mina, store = acting_as("mina", "maintainer", sqlite_database), SqlPrivacyStore(sqlite_database)
    reviews.dismiss_review(desk, "r1", RIE)
    with pytest.raises(RoleError):
        erase_person(store, acting_as("rie", "reviewer"), Settings(), "rie")
    erase_person(store, mina, Settings(), "rie")
    assert noted(desk.log) == [("erased", "review.dismissed", "r1"), ("mina", "privacy.erase", "erased")]


def test_letting_texts_go_is_noted(sqlite_database: Database) -> None:
    mina, store = acting_as("mina", "maintainer", sqlite_database), SqlPrivacyStore(sqlite_database)
    with pytest.raises(RoleError):
        expire_now(store, acting_as("rie", "reviewer"), Settings())
    expire_now(store, mina, Settings())
    assert noted(mina.log) == [("mina", "privacy.expire", "all")]
