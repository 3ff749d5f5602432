"""The demo's own steps; the whole of it runs as `kiyo demo --once`."""

from __future__ import annotations

from pathlib import Path

import pytest

from bots.demo import describe_quadrants, prepare_folder, read_questions, sample_folder
from core.app import index_lock
from core.config import load_settings
from core.domain import PUBLIC
from core.errors import OperatorError, StoreError
from core.storage.answers import SqlAnswerStore
from core.storage.engine import open_database
from core.storage.knowledge import SqlKnowledgeStore
from core.storage.migrating import upgrade
from tests.samples import SOURCE, Shown, answer_with, article_record


def test_the_folder_is_made_anew_with_settings_of_its_own(workplace: Path) -> None:
    (workplace / "kiyo.toml").write_text('[storage]\nfolder = "mine"\n')
    folder = workplace / "demo"
    settings = prepare_folder(folder)
    assert settings.folder == folder
    (folder / "kiyo.db").write_text("old")
    assert prepare_folder(folder) == settings
    assert [path.name for path in folder.iterdir()] == ["kiyo.toml"]
    assert load_settings(folder / "kiyo.toml", {}) == settings
    assert not (workplace / "mine").exists()


def test_a_folder_with_other_files_is_left_alone(workplace: Path) -> None:
    precious = workplace / "demo" / "thesis.txt"
    precious.parent.mkdir()
    precious.write_text("years of work")
    with pytest.raises(OperatorError, match="not the demo's"):
        prepare_folder(precious.parent)
    assert precious.read_text() == "years of work"


def test_a_demo_that_still_runs_is_not_pulled_away(workplace: Path) -> None:
    settings = prepare_folder(workplace / "demo")
    with index_lock(settings), pytest.raises(StoreError, match="Another Kiyo process"):
        prepare_folder(workplace / "demo")
    assert (workplace / "demo" / "kiyo.toml").is_file()


def test_a_dozen_questions_in_both_languages_are_asked() -> None:
    questions = read_questions()
    assert len(questions) >= 12
    assert all(PUBLIC in question.groups for question in questions)
    japanese = [question for question in questions if any(sign > "\u3000" for sign in question.text)]
    assert 0 < len(japanese) < len(questions)
    assert (sample_folder() / "knowledge" / "company" / "restricted").is_dir()


def test_the_four_fields_are_named_with_their_counts(workplace: Path) -> None:
    settings = prepare_folder(workplace / "demo")
    upgrade(settings.database_url)
    database = open_database(settings.database_url)
    knowledge, answers = SqlKnowledgeStore(database), SqlAnswerStore(database)
    knowledge.save_source(SOURCE)
    for name in "abcd":
        knowledge.save_article(article_record(f"{name}.md", ["One line."], title=f"Article {name}"))
    full = dict.fromkeys(range(4), "One line.")
    for n in range(3):
        shown = [Shown("docs:a.md", full), Shown("docs:b.md")]
        answers.record_answer(answer_with(f"x{n}", shown))
    answers.record_answer(
        answer_with("y", [Shown("docs:c.md", full, exposed=False, retrieved=False), Shown("docs:d.md")])
    )
    database.close()
    lines = describe_quadrants(settings).splitlines()
    fields = {line.split("  ")[0]: line.rpartition("  ")[2].strip() for line in lines[1:5]}
    assert fields == {
        "Article a": "carrying (主力)",
        "Article c": "hidden (隠れた実力)",
        "Article b": "shown in vain (空振り)",
        "Article d": "idle (休眠)",
    }
    assert lines[-1] == "1 carrying (主力), 1 hidden (隠れた実力), 1 shown in vain (空振り), 1 idle (休眠)"
