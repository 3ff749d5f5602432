"""The page of drafts that wait for a person."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.channel_ports import NewReview
from core.messages import Place
from core.storage.engine import Database
from core.storage.reviews import SqlReviewStore
from dashboard.words.reviews import WORDS
from tests.dashboard.test_pages import shown


def reviews_page(wanted: str) -> None:
    from core.domain import Principal
    from core.usecases.people import ROLES
    from dashboard.runtime import Viewer, open_viewer
    from dashboard.text import Words
    from dashboard.views import reviews

    role = next(role for role in ROLES if role == wanted)
    reviews.render(Viewer(open_viewer().database, Principal("rie"), role), Words("ja"))


@pytest.fixture
def store(configured: Path, database: Database) -> SqlReviewStore:
    made = SqlReviewStore(database)
    place = Place("slack", "T1", "C1", "1.0")
    later = datetime(2099, 1, 1, tzinfo=UTC)
    assert configured.exists()
    assert made.add(NewReview("r1", "x1", place, "1.0", "U1", later))
    return made


def open_as(role: str) -> AppTest:
    app = AppTest.from_function(reviews_page, default_timeout=30, args=(role,)).run()
    assert not app.exception
    return app


def press(app: AppTest, key: str) -> None:
    app.button(key=key).click().run()
    assert not app.exception


def state(store: SqlReviewStore) -> str:
    review = store.get("r1")
    assert review is not None
    return review.state


def test_without_drafts_the_page_says_when_they_come(configured: Path) -> None:
    assert "引き継がれる" in open_as("reviewer").info[0].value


def test_a_draft_is_approved(store: SqlReviewStore) -> None:
    app = open_as("reviewer")
    assert "What about x1?" in shown(app)
    press(app, "review_approve")
    assert state(store) == "approved"
    assert app.success


def test_a_changed_draft_is_kept(store: SqlReviewStore) -> None:
    app = open_as("reviewer")
    app.text_area[0].set_value("Another text.").run()
    press(app, "review_keep_edit")
    review = store.get("r1")
    assert review is not None
    assert (review.state, review.draft) == ("edited", "Another text.")


def test_a_draft_that_was_decided_meanwhile_is_not_overwritten(store: SqlReviewStore) -> None:
    first, second = open_as("reviewer"), open_as("reviewer")
    first.text_area[0].set_value("Another text.").run()
    press(first, "review_keep_edit")
    press(second, "review_dismiss")
    assert state(store) == "edited"
    assert "ほかの人" in second.warning[0].value


def test_a_thread_is_taken_over_and_handed_back(store: SqlReviewStore) -> None:
    app = open_as("reviewer")
    press(app, "review_take_over")
    assert state(store) == "taken"
    press(app, "review_hand_back")
    assert state(store) == "dismissed"


def test_a_draft_from_unreadable_articles_shows_no_text(store: SqlReviewStore) -> None:
    place, later = Place("slack", "T1", "C1", "2.0"), datetime(2099, 1, 1, tzinfo=UTC)
    store.add(NewReview("r2", "pay", place, "2.0", "U1", later))
    app = open_as("reviewer")
    assert "about pay" not in "".join(app.selectbox[0].options)
    app.selectbox[0].set_value("r2").run()
    assert not app.exception
    assert not app.text_area
    assert "about pay" not in shown(app)


def test_who_may_not_review_is_refused(store: SqlReviewStore) -> None:
    app = open_as("labeller")
    press(app, "review_approve")
    assert state(store) == "waiting"
    assert "権限" in app.warning[0].value


def test_every_word_is_there_in_both_languages() -> None:
    assert all(english and japanese and english != japanese for english, japanese in WORDS.values())
