"""`kiyo gaps` and `kiyo report` on a small store."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from bots.__main__ import run
from core.channel_ports import FeedbackKind, FeedbackRow
from core.config import load_settings
from core.contribution.gap_items import QUESTION
from core.domain import PUBLIC
from core.storage.answers import SqlAnswerStore
from core.storage.engine import open_database
from core.storage.feedback import SqlFeedbackStore
from core.storage.knowledge import SqlKnowledgeStore
from core.storage.migrating import upgrade
from tests.samples import SOURCE, Shown, answer_with, article_record, toy_vectors

NOW = datetime.now(UTC)


@pytest.fixture
def store(workplace: Path) -> Path:
    """Four articles, one for managers; seven answers, two of them about gaps."""
    (workplace / "kiyo.toml").write_text('[access.people]\nboss = ["managers"]\n')
    url = load_settings().database_url
    upgrade(url)
    database = open_database(url)
    knowledge, answers = SqlKnowledgeStore(database), SqlAnswerStore(database)
    knowledge.save_source(SOURCE)
    knowledge.save_source(replace(SOURCE, name="secret", readers=frozenset({"managers"})))
    for name in "abc":
        knowledge.save_article(article_record(f"{name}.md", ["One line."], title=f"Article {name}"))
    knowledge.save_article(article_record("pay.md", ["Pay."], title="Pay", readers=("managers",)))
    full = dict.fromkeys(range(4), "One line.")
    for n in range(5):
        shown = [Shown("docs:a.md", full), Shown("docs:b.md"), Shown("docs:pay.md")]
        answers.record_answer(answer_with(f"x{n}", shown, at=NOW))
    missed = Shown("docs:c.md", {0: "One line."}, exposed=False, retrieved=False)
    answers.record_answer(answer_with("missed", [missed, Shown("docs:b.md")], at=NOW - timedelta(days=1)))
    asked = replace(answer_with("gap", [], judged=False, at=NOW), question="Where may I park?", found=False)
    answers.record_answer(asked)
    answers.gaps.note_items("gap", [QUESTION], {PUBLIC}, 99)
    answers.gaps.note_items("missed", [1], {PUBLIC, "managers"}, 99)
    waiting = answers.gaps.unplaced("toy", 9)
    rows = toy_vectors([one.text for one in waiting])
    answers.gaps.place("toy", {w.item: row for w, row in zip(waiting, rows, strict=True)}, 0.9)
    database.close()
    return workplace


def output(capsys: pytest.CaptureFixture[str], *command: str, code: int = 0) -> Any:
    """What the command prints as JSON."""
    assert run([*command, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_gaps_are_listed_with_the_retrieval_misses_beside_them(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = output(capsys, "gaps", "--weeks", "2")
    assert [(gap["name"], gap["state"], gap["items"]) for gap in found["gaps"]] == [
        ("Where may I park?", "open", 1)
    ]
    assert found["not_shown"] == 1
    assert [(miss["title"], miss["answers"]) for miss in found["retrieval_misses"]] == [
        ("Article c", ["missed"])
    ]
    assert len(output(capsys, "gaps", "--as", "boss")["gaps"]) == 2
    assert run(["gaps"]) == 0
    assert "Where may I park?" in capsys.readouterr().out


def test_one_gap_is_shown_with_its_texts(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    number = output(capsys, "gaps")["gaps"][0]["id"]
    found = output(capsys, "gaps", "show", str(number))
    assert [(one["kind"], one["answer_id"]) for one in found["entries"]] == [("question", "gap")]
    assert run(["gaps", "show", str(number)]) == 0
    assert "open; 1 texts of 1 answers" in capsys.readouterr().out


def test_a_gap_of_others_is_not_there(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = {gap["id"] for gap in output(capsys, "gaps", "--as", "boss")["gaps"]}
    hidden = mine - {gap["id"] for gap in output(capsys, "gaps")["gaps"]}
    assert run(["gaps", "show", str(hidden.pop())]) == 1
    assert "no gap" in capsys.readouterr().err


def test_every_article_has_its_field_a_reason_and_a_suggestion_in_both_languages(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = output(capsys, "report", "--days", "7")
    articles = {article["title"]: article for article in found["articles"]}
    assert {title: (one["field"], one["reason"]) for title, one in articles.items()} == {
        "Article a": ("carrying", "only_source"),
        "Article b": ("in_vain", "outdone"),
        "Article c": ("hidden", "retrieval_miss"),
    }
    assert articles["Article b"]["others"] == pytest.approx((5 + 0.25) / 6)
    assert articles["Article c"]["why"]["en"].startswith("1 answers say what it says")
    assert articles["Article c"]["suggestion"]["ja"].endswith("。")
    assert found["overview"]["answers"] == 7
    assert found["not_shown"] == 1
    assert [one["title"] for one in found["never_used"]] == ["Article b"]
    assert found["retrieval_misses"][0]["article_id"] == "docs:c.md"
    assert found["biases"]["answers"] == 6
    assert found["biases"]["conciseness"]["statements_per_needed"] == pytest.approx(24 / 21, abs=1e-4)


def test_what_was_never_found_is_told_apart_and_a_reader_sees_the_rest(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    yesterday = (NOW - timedelta(days=1)).date().isoformat()
    found = output(capsys, "report", "--since", yesterday, "--until", yesterday, "--as", "boss")
    articles = {article["title"]: article["reason"] for article in found["articles"]}
    assert articles["Pay"] == articles["Article a"] == "never_found"
    assert found["not_shown"] == 0


def test_the_report_is_read_as_text_in_either_language(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["report"]) == 0
    english = capsys.readouterr().out
    assert "Article b: shown in vain (空振り), exposure 6, rate 0%, n 6" in english
    assert "other articles carry" in english
    assert "retrieval misses" in english
    assert "too few answers to say" in english
    assert run(["report", "--language", "ja"]) == 0
    assert "ほかの記事が" in capsys.readouterr().out


def test_a_period_that_is_none_is_a_sentence(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", "--since", "soon"]) == 1
    assert "must be a date" in capsys.readouterr().err


def test_what_people_said_stands_beside_the_figures(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    week = f"{NOW:%G-W%V}"
    assert output(capsys, "report", "--days", "30")["biases"]["correctness"]["labels"] == 0
    assert run(["labels", "draw", "--week", week, "--count", "50"]) == 0
    assert run(["labels", "export", "labels.jsonl", "--as", "boss"]) == 0
    rows = [json.loads(line) for line in Path("labels.jsonl").read_text(encoding="utf-8").splitlines()]
    labelled = [{**row, "labeller": "ana", "label": int(n > 0)} for n, row in enumerate(rows)]
    Path("labels.jsonl").write_text("\n".join(json.dumps(row) for row in labelled), encoding="utf-8")
    assert run(["labels", "import", "labels.jsonl"]) == 0
    capsys.readouterr()
    found = output(capsys, "report", "--days", "30")["biases"]["correctness"]
    assert found["labels"] == len(rows)
    assert found["right"] == found["agreed"] == pytest.approx(1 - 1 / len(rows), abs=0.1)
    assert run(["report", "--days", "30"]) == 0
    assert "people agree with the check on" in capsys.readouterr().out


def test_what_people_think_of_answers_stands_beside_the_figures(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert output(capsys, "report")["biases"]["feedback"]["answers"] == 0
    database = open_database(load_settings().database_url)
    opinions = SqlFeedbackStore(database)
    for answer, person, kind in (("x0", "ana", "helpful"), ("x1", "bo", "helpful")):
        opinions.save(FeedbackRow(answer, person, cast(FeedbackKind, kind), None, "web", NOW))
    opinions.save(FeedbackRow("missed", "cy", "wrong_source", "docs:c.md", "web", NOW))
    database.close()
    found = output(capsys, "report")["biases"]["feedback"]
    assert (found["liked"], found["disliked"], found["wrong_but_credited"]) == (2, 1, 1)
    assert (found["carried_liked"], found["carried_disliked"]) == (1.0, 0.25)
    assert run(["report"]) == 0
    shown = capsys.readouterr().out
    assert "people find 67% of the answers helpful (n 3" in shown
    assert "articles carry 100% of helpful answers and 25% of the others" in shown
    assert "sources called wrong: 1, credited anyway: 1" in shown
