"""Answers of other bots, measured like our own."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.domain import Answer
from core.errors import ReadError
from core.ports import Services
from core.usecases.ingest import IngestRequest, ingest_path
from core.usecases.recorded import import_answers, read_row
from tests.services import NOW, write_files

FILES = {
    "rules/ja/leave.md": "# 休暇\n\n有給休暇は3営業日前までに申請します。\n\n半日単位でも取れます。\n",
    "rules/en/leave.md": "# Leave\n\nApply for leave three working days before.\n",
    "rules/en/travel.md": "# Travel\n\nHotels are paid up to 14,000 yen a night.\n\n"
    "Green cars are not paid for.\n",
    "rules/contact.md": "# Contact\n\nCall 1234.\n",
    "rules/secret/pay.md": "# Pay\n\nSenior engineers earn 700,000 yen a month.\n",
}


@pytest.fixture
async def ready(services: Services, tmp_path: Path) -> Services:
    folder = write_files(tmp_path, FILES) / "rules"
    await ingest_path(services, IngestRequest(folder / "secret", readers=("managers",)))
    await ingest_path(services, IngestRequest(folder))
    return services


def row(**changes: object) -> str:
    whole = {
        "question": "How much are hotels?",
        "answer": "Hotels are paid up to 14,000 yen a night [1].",
        "supplied": [{"article": "en/travel.md"}],
    }
    return json.dumps({**whole, **changes})


async def import_one(services: Services, line: str) -> Answer:
    report = await import_answers(services, [line])
    assert report.problems == []
    assert report.imported == 1
    answer = services.answers.get_answer(read_row(line).id)
    assert answer is not None
    return answer


async def test_what_was_supplied_is_exposed_and_what_it_carries_is_measured(ready: Services) -> None:
    answer = await import_one(ready, row(supplied=["en/travel.md", "en/leave.md"]))
    exposed = [(e.article_id, e.rank, e.in_prompt) for e in answer.exposures]
    assert exposed == [("rules/en/travel.md", 1, True), ("rules/en/leave.md", 2, True)]
    shares = {c.article_id: c.share for c in answer.evaluation.contributions}
    assert shares == {"rules/en/travel.md": 1.0, "rules/en/leave.md": 0.0}
    assert answer.evaluation.verdicts == ("supported",)
    assert [(c.n, c.article_id, c.line_start) for c in answer.citations] == [(1, "rules/en/travel.md", 3)]


async def test_what_an_article_carries_without_being_supplied_is_a_retrieval_miss(ready: Services) -> None:
    answer = await import_one(ready, row(answer="Hotels are paid up to 14,000 yen a night.", supplied=[]))
    missed = [(c.article_id, c.exposed) for c in answer.evaluation.contributions if c.statements]
    assert missed == [("rules/en/travel.md", False)]
    assert answer.exposures == ()


@pytest.mark.parametrize(
    ("reference", "article"),
    [
        ("rules/en/travel.md", "rules/en/travel.md"),
        ("en/travel.md", "rules/en/travel.md"),
        ("travel.md", "rules/en/travel.md"),
        ("https://wiki.example/export/rules/en/travel.md#hotels", "rules/en/travel.md"),
        ("handbook/rules/secret/pay.md", "secret/pay.md"),
        (".\\en\\travel.md", "rules/en/travel.md"),
    ],
)
async def test_an_article_is_found_by_id_uri_or_the_end_of_its_path(
    ready: Services, reference: str, article: str
) -> None:
    answer = await import_one(ready, row(supplied=[{"uri": reference}]))
    assert [e.article_id for e in answer.exposures] == [article]


@pytest.mark.parametrize(
    ("supplied", "reason"),
    [
        ([{"article": "fr/travel.md"}], "fr/travel.md is not in the knowledge base"),
        ([{"article": "other/contact.md"}], "other/contact.md is not in the knowledge base"),
        ([{"article": "leave.md"}], "leave.md fits 2 articles: rules/en/leave.md, rules/ja/leave.md"),
        ([{"text": "no name"}], "each of `supplied` must name an `article` or a `uri`"),
        ("en/travel.md", "`supplied` must be a list"),
    ],
)
async def test_a_line_that_names_no_article_is_reported(
    ready: Services, supplied: object, reason: str
) -> None:
    report = await import_answers(ready, [row(supplied=supplied)])
    assert (report.imported, report.problems) == (0, [f"line 1: {reason}"])


async def test_bad_lines_are_reported_and_the_rest_goes_on(ready: Services) -> None:
    lines = [
        *("{", "[" * 100_000, "[]", row(question=""), row().replace("hotels", "h\udcffotels")),
        *(row(at="yesterday"), row(at="9999-12-31T23:59:59-09:00"), row(at="0001-01-01T00:00:00+09:00")),
        *("", row()),
    ]
    report = await import_answers(ready, lines)
    assert report.imported == 1
    assert [problem.partition(":")[0] for problem in report.problems] == [f"line {n}" for n in range(1, 9)]


async def test_a_second_import_changes_nothing(ready: Services) -> None:
    lines = [row(), row(question="Another?")]
    assert (await import_answers(ready, lines)).imported == 2
    before = ready.answers.recent_answers(10)
    report = await import_answers(ready, lines)
    assert (report.imported, report.known) == (0, 2)
    assert ready.answers.recent_answers(10) == before


async def test_only_the_passage_that_was_given_is_exposed(ready: Services, tmp_path: Path) -> None:
    sections = "\n\n".join(f"## Part {n}\n\n{'Words about something. ' * 60}{n}." for n in range(4))
    write_files(tmp_path, {"rules/en/long.md": f"# Long\n\n{sections}\n\nThe password has 14 letters.\n"})
    await ingest_path(ready, IngestRequest(tmp_path / "rules"))
    given = {"article": "en/long.md", "text": "The password has\n14 letters."}
    one = await import_one(ready, row(answer="It has 14 letters.", supplied=[given]))
    whole = await import_one(ready, row(answer="It has 14 letters.", supplied=["en/long.md"]))
    assert one.exposures[0].first_line > 0
    assert one.exposures[0].tokens < whole.exposures[0].tokens
    assert whole.exposures[0].first_line == 0


async def test_an_invented_number_is_removed_and_counted(ready: Services) -> None:
    answer = await import_one(ready, row(answer="Hotels are paid up to 14,000 yen a night [3]."))
    assert answer.text == "Hotels are paid up to 14,000 yen a night."
    assert answer.removed_citations == 1


async def test_a_refusal_is_not_found_and_has_no_share(ready: Services) -> None:
    answer = await import_one(ready, row(answer="I could not find this in the documentation."))
    assert not answer.found
    assert {c.share for c in answer.evaluation.contributions} == {None}


async def test_model_channel_and_time_are_kept(ready: Services) -> None:
    answer = await import_one(ready, row(model="gpt-9", channel="slack", at="2026-10-20T09:00:00+09:00"))
    assert (answer.model, answer.channel) == ("gpt-9", "slack")
    assert answer.created_at == datetime(2026, 10, 20, 0, 0, tzinfo=UTC)
    undated = await import_one(ready, row())
    assert (undated.model, undated.channel, undated.created_at) == ("unknown", "recorded", NOW)


def test_only_a_row_that_says_so_is_an_example() -> None:
    assert read_row(row(example=True)).example
    assert not read_row(row(example="yes")).example
    assert not read_row(row()).example


def test_the_id_follows_from_the_row_alone() -> None:
    assert read_row(row()).id == read_row(row(about="a note that is not measured")).id
    assert read_row(row()).id != read_row(row(model="another")).id


def test_a_time_without_zone_is_utc() -> None:
    assert read_row(row(at="2026-10-20T09:00:00")).at == datetime(2026, 10, 20, 9, tzinfo=UTC)


def test_an_answer_without_text_is_refused() -> None:
    with pytest.raises(ReadError, match="`answer` must be a text"):
        read_row(row(answer=" "))


async def test_characters_that_databases_refuse_are_replaced(ready: Services) -> None:
    odd = "a\0b\ud800c"
    answer = await import_one(ready, row(question=odd, model=odd, channel=odd))
    assert answer.question == answer.model == answer.channel == "a\ufffdb\ufffdc"
