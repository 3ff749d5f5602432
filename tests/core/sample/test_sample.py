"""The sample knowledge base is whole: what its lists name exists, and what it promises is in it."""

from __future__ import annotations

import ast
import json
import re
import tomllib
import unicodedata
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pdfplumber
import pypdf
import pytest

import core.sample
from tests.tools.make_sample_pdf import MANUALS, Manual, draw_manual, split_blocks

SAMPLE = Path(next(iter(core.sample.__path__)))
KNOWLEDGE = SAMPLE / "knowledge"
RESTRICTED = "company/restricted/"
KINDS = {
    "plain",
    "paraphrase",
    "cross-language",
    "contradiction",
    "restricted",
    "unanswerable",
}
ABOUTS = {
    "paraphrase",
    "ignored_context",
    "prior_knowledge",
    "retrieval_miss",
    "wrong_number",
    "faithful",
    "refusal",
    "mixed",
}


def _articles() -> set[str]:
    return {path.relative_to(KNOWLEDGE).as_posix() for path in KNOWLEDGE.rglob("*") if path.is_file()}


def _asked(table: str) -> list[dict[str, Any]]:
    asked: list[dict[str, Any]] = tomllib.loads((SAMPLE / "questions.toml").read_text("utf-8"))[table]
    return asked


def _answers() -> list[dict[str, Any]]:
    lines = (SAMPLE / "answers.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def _supplied(answer: dict[str, Any]) -> list[str]:
    return [source["article"] for source in answer["supplied"]]


def _is_japanese(text: str) -> bool:
    return re.search(r"[ぁ-んァ-ヶ]", text) is not None


def test_there_are_articles_in_every_format_and_both_languages() -> None:
    articles = _articles()
    assert len(articles) >= 38
    for folder in ("company/ja/", "company/en/", "product/ja/", "product/en/"):
        suffixes = {Path(article).suffix for article in articles if article.startswith(folder)}
        assert {".md", ".html", ".txt"} <= suffixes, folder
    for folder in ("product/ja/", "product/en/"):
        suffixes = {Path(article).suffix for article in articles if article.startswith(folder)}
        assert {".pdf", ".py"} <= suffixes, folder
    assert len([article for article in articles if article.startswith(RESTRICTED)]) == 2


def test_articles_have_a_realistic_length() -> None:
    lengths = {article: len(_text(article)) for article in _articles() if not article.endswith(".pdf")}
    assert {article: n for article, n in lengths.items() if not 300 <= n <= 4_000} == {}


def test_one_text_is_not_utf_8_and_only_one() -> None:
    assert [article for article in sorted(_articles()) if not _is_utf_8(KNOWLEDGE / article)] == [
        "company/ja/health.txt"
    ]


def _is_utf_8(path: Path) -> bool:
    if path.suffix == ".pdf":
        return True
    try:
        path.read_text("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def test_the_python_sources_parse() -> None:
    sources = sorted(KNOWLEDGE.rglob("*.py"))
    assert len(sources) == 2
    for source in sources:
        assert ast.get_docstring(ast.parse(source.read_text("utf-8"))), source.name


@pytest.mark.parametrize("manual", MANUALS, ids=lambda manual: manual.target.parent.name)
class TestManual:
    def test_drawing_it_again_gives_the_same_bytes(self, manual: Manual) -> None:
        assert draw_manual(manual) == manual.target.read_bytes()

    def test_its_outline_has_every_heading_on_three_levels(self, manual: Manual) -> None:
        blocks = split_blocks(manual.source.read_text("utf-8"))
        headings = [(block.level, block.lines[0]) for block in blocks if block.level]
        reader = pypdf.PdfReader(manual.target)
        assert 6 <= len(reader.pages) <= 10
        assert _walk_outline(reader.outline, 1) == headings
        assert {level for level, _ in headings} == {1, 2, 3}

    def test_its_text_can_be_extracted_with_all_words(self, manual: Manual) -> None:
        with pdfplumber.open(manual.target) as pdf:
            extracted = "".join(page.extract_text(x_tolerance=1.5) for page in pdf.pages)
        assert "(cid:" not in extracted
        drawn = Counter(re.sub(r"[\s|#・-]", "", manual.source.read_text("utf-8")))
        missing = drawn - Counter(re.sub(r"\s", "", extracted))
        assert missing == Counter()


def _walk_outline(entries: list[Any], level: int) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    for entry in entries:
        if isinstance(entry, list):
            found += _walk_outline(entry, level + 1)
        else:
            found.append((level, entry.title))
    return found


def test_the_demo_asks_seven_japanese_and_five_english_questions() -> None:
    asked = _asked("question")
    assert Counter(question["language"] for question in asked) == {"ja": 7, "en": 5}
    assert {question["kind"] for question in asked} == KINDS
    unanswerable = {question["language"] for question in asked if question["kind"] == "unanswerable"}
    assert unanswerable == {"ja", "en"}
    assert len(_asked("check")) >= 30


@pytest.mark.parametrize("question", [*_asked("question"), *_asked("check")], ids=lambda q: q["text"])
def test_a_question_expects_articles_that_exist_and_may_be_seen(question: dict[str, Any]) -> None:
    expected, hidden = question["expect"], question.get("hidden", [])
    assert question["kind"] in KINDS
    assert _is_japanese(question["text"]) == (question["language"] == "ja")
    assert {*expected, *hidden} <= _articles()
    assert (not expected) == (question["kind"] == "unanswerable" or bool(hidden))
    sees_restricted = "managers" in question.get("groups", ["public"])
    assert any(article.startswith(RESTRICTED) for article in expected) == sees_restricted


def test_questions_are_spread_over_most_of_the_knowledge_base() -> None:
    asked = [*_asked("question"), *_asked("check")]
    assert len({question["text"] for question in asked}) == len(asked)
    never = _articles() - {article for question in asked for article in question["expect"]}
    assert never == {"company/ja/logo-history.txt", "company/ja/travel-expenses-2023.md"}


def test_every_recorded_answer_is_marked_and_names_articles_that_exist() -> None:
    answers = _answers()
    assert len(answers) >= 40
    for answer in answers:
        assert set(answer) == {
            "question", "answer", "supplied", "model", "channel", "at", "example", "about",
        }  # fmt: skip
        assert answer["example"] is True
        assert answer["model"] == answer["channel"] == "example"
        supplied = _supplied(answer)
        assert supplied
        assert len(set(supplied)) == len(supplied)
        assert set(supplied) <= _articles()
        assert not any(article.startswith(RESTRICTED) for article in supplied)


def test_recorded_answers_cover_every_case_in_both_languages() -> None:
    cases = {(answer["about"], _is_japanese(answer["answer"])) for answer in _answers()}
    assert cases == {(about, japanese) for about in ABOUTS for japanese in (True, False)}


def test_recorded_answers_are_in_order_of_time_and_within_their_weeks() -> None:
    times = [datetime.fromisoformat(answer["at"]) for answer in _answers()]
    assert times == sorted(times)
    assert datetime(2026, 10, 20, tzinfo=UTC) <= times[0]
    assert times[-1] < datetime(2026, 11, 29, tzinfo=UTC)
    assert len({time.date() for time in times}) >= 30


def test_citations_point_at_supplied_articles_and_only_where_one_carries_the_answer() -> None:
    for answer in _answers():
        cited = _citations(answer["answer"])
        assert cited <= set(range(1, len(_supplied(answer)) + 1)), answer["question"]
        carried = answer["about"] in {"faithful", "paraphrase", "wrong_number", "mixed"}
        assert bool(cited) == carried, answer["question"]


def test_numbers_stand_in_a_cited_article_unless_they_are_meant_to_be_wrong() -> None:
    for answer in _answers():
        if answer["about"] in {"faithful", "paraphrase", "wrong_number"}:
            cited = {_supplied(answer)[n - 1] for n in _citations(answer["answer"])}
            known = set().union(*(_numbers(_text(article)) for article in cited))
            said = _numbers(re.sub(r"\[\d+\]", "", answer["answer"]))
            assert (not said <= known) == (answer["about"] == "wrong_number"), answer["question"]


def _citations(answer_text: str) -> set[int]:
    return {int(number) for number in re.findall(r"\[(\d+)\]", answer_text)}


def _text(article: str) -> str:
    content = (KNOWLEDGE / article).read_bytes()
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("cp932")


def _numbers(text: str) -> set[str]:
    folded = unicodedata.normalize("NFKC", text).replace(",", "")
    return set(re.findall(r"\d+(?:\.\d+)*", folded))


def test_answers_that_retrieval_missed_were_not_given_the_article_that_carries_them() -> None:
    supplied = Counter(article for answer in _answers() for article in _supplied(answer))
    never_supplied = {
        "company/ja/childcare-and-care.md": "子の看護休暇",
        "company/en/side-jobs.txt": "General Affairs answers within ten days.",
        "product/ja/winter.md": "水抜き栓",
        "product/ja/privacy.txt": "72時間だけ",
        "product/en/cli.md": "Each profile has its own section in the credentials file.",
    }
    missed = [answer["answer"] for answer in _answers() if answer["about"] == "retrieval_miss"]
    assert len(missed) >= 2 * len(never_supplied)
    for article, words in never_supplied.items():
        assert supplied[article] == 0
        assert words in (KNOWLEDGE / article).read_text("utf-8")
        assert any(words in answer for answer in missed), article


def test_some_articles_are_supplied_often_and_others_once() -> None:
    supplied = Counter(article for answer in _answers() for article in _supplied(answer))
    often = {article for article, times in supplied.items() if times >= 5}
    assert {
        "company/ja/travel-expenses-2026.md",
        "company/ja/travel-expenses-2023.md",
        "company/ja/onboarding.md",
        "product/ja/error-codes.md",
        "product/ja/quick-start.md",
    } <= often
    assert len([article for article, times in supplied.items() if times <= 2]) >= 6
