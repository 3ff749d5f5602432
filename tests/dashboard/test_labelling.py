"""The page on which people say whether an article says what a sentence says."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.domain import ANONYMOUS
from core.storage.engine import Database
from core.storage.knowledge import SqlKnowledgeStore
from core.storage.labels import SqlLabelStore
from core.usecases import labels
from core.usecases.people import ROLES, Person, Role
from dashboard.pages import pages_for
from dashboard.words.labelling import WORDS
from tests.acting import acting_as
from tests.dashboard.test_pages import shown

WEEK = "2020-W36"
"""The week of the first answers."""


def labelling_page(wanted: str) -> None:
    from core.domain import Principal
    from core.usecases.people import ROLES
    from dashboard.runtime import Viewer, open_viewer
    from dashboard.text import Words
    from dashboard.views import labelling

    role = next(role for role in ROLES if role == wanted)
    labelling.render(Viewer(open_viewer().database, Principal("visitor"), role), Words("ja"))


@pytest.fixture
def drawn(configured: Path, database: Database) -> SqlLabelStore:
    store = SqlLabelStore(database)
    assert configured.exists()
    assert labels.draw_week(store, acting_as("mina", "maintainer"), WEEK, 50, 0.5).items > 3
    return store


def open_as(name: str, role: Role = "labeller", view: str = "") -> AppTest:
    app = AppTest.from_function(labelling_page, default_timeout=30, args=(role,))
    if view:
        app.query_params["view"] = view
    if name:
        app.query_params["name"] = name
    app.run()
    assert not app.exception
    return app


def press(app: AppTest, key: str) -> None:
    app.button(key=key).click().run()
    assert not app.exception


def said(store: SqlLabelStore) -> list[tuple[str, str]]:
    return [(one.labeller, one.verdict) for pair in store.said() for one in pair]


def test_without_pairs_the_page_says_how_to_draw_them(configured: Path) -> None:
    assert "kiyo labels draw" in open_as("ana").info[0].value


def test_a_name_is_asked_for_first(drawn: SqlLabelStore) -> None:
    app = open_as("")
    assert "お名前" in app.info[0].value
    assert not [button for button in app.button if button.key == "label_yes"]


def test_each_button_says_its_verdict_and_has_its_key(drawn: SqlLabelStore) -> None:
    app = open_as("ana")
    assert [app.button(key=f"label_{one}").proto.shortcut for one in ("yes", "no", "unclear", "undo")] == [
        *("1", "2", "3", "u")
    ]
    for word in ("yes", "no", "unclear"):
        press(app, f"label_{word}")
    assert sorted(verdict for _, verdict in said(drawn)) == ["supported", "unclear", "unsupported"]


def test_a_label_can_be_taken_back(drawn: SqlLabelStore) -> None:
    app = open_as("ana")
    press(app, "label_yes")
    press(app, "label_undo")
    assert said(drawn) == []
    press(app, "label_undo")
    assert "取り消せる" in app.warning[0].value


def test_nobody_is_told_what_the_check_or_the_other_says(drawn: SqlLabelStore) -> None:
    press(open_as("ana"), "label_no")
    text = shown(open_as("ben"))
    assert "ana" not in text
    assert "確率" not in text
    assert "裏づけ" not in text


def test_a_third_person_decides_what_two_dispute(drawn: SqlLabelStore, database: Database) -> None:
    everybody = SqlKnowledgeStore(database).readable_audiences(ANONYMOUS)
    (item, *_) = (row.pair.item for row in drawn.rows(everybody))
    labels.save_label(drawn, acting_as("ana", "labeller"), item, 1, everybody)
    labels.save_label(drawn, acting_as("ben", "labeller"), item, 0, everybody)
    assert not [button for button in open_as("ben", view="disputes").button if button.key == "dispute_yes"]
    app = open_as("eve", view="disputes")
    press(app, "dispute_yes")
    assert drawn.counts().disputed == 0
    assert drawn.counts().supported == 1


def test_who_may_not_label_is_refused_and_not_offered_the_page(drawn: SqlLabelStore) -> None:
    app = open_as("ana", "reviewer")
    press(app, "label_yes")
    assert "labeller" in app.warning[0].value
    assert said(drawn) == []
    offered = {role: "labelling" in {page.name for page in pages_for(Person("x", role))} for role in ROLES}
    assert offered == {"viewer": False, "reviewer": False, "labeller": True, "maintainer": True}


def test_every_word_is_there_in_both_languages() -> None:
    assert all(english and japanese and english != japanese for english, japanese in WORDS.values())


def test_a_pair_that_is_put_off_comes_after_the_others(drawn: SqlLabelStore) -> None:
    app = open_as("ana")
    first = app.info[0].value
    press(app, "label_skip")
    assert app.info[0].value != first
    for _ in range(drawn.counts().items - 1):
        assert "あとで」にした" not in shown(app)
        press(app, "label_yes")
    assert "あとで」にした" in shown(app)
    assert app.info[0].value == first


def test_the_pace_of_this_visit_is_told(drawn: SqlLabelStore) -> None:
    app = open_as("ana")
    assert "今回" not in shown(app)
    press(app, "label_yes")
    press(app, "label_no")
    assert "2 組" in next(caption.value for caption in app.caption if "今回" in caption.value)


def test_without_disagreements_the_page_says_so(drawn: SqlLabelStore) -> None:
    app = open_as("ana", view="disputes")
    assert "意見が分かれた組はありません" in app.success[0].value
