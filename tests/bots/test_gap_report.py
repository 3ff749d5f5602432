from __future__ import annotations

from datetime import UTC, date, datetime

from bots.gap_report import FoundGaps, describe_gap, describe_gaps, entry_to_json, gaps_to_json
from core.storage.gap_reports import GapEntry, GapHead, GapList, GapSource, Week
from core.storage.reports import MissedArticle, QuadrantRow

AT = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
WEEKS = (Week(date(2026, 11, 23), 1), Week(date(2026, 11, 30), 2))
GAP = GapHead(7, "車はどこに停められますか？", "closed", 4, 3, 2, 3, WEEKS, AT, AT, AT)
ROW = QuadrantRow("docs:a.md", "Parking", False, 0, 0, 2, 2, 2, 0, 1.0, 1.0)
ENTRY = GapEntry(
    "Where may\nI park?",
    "question",
    "x1",
    "slack",
    "en",
    True,
    AT,
    True,
    (GapSource("docs:a.md", "Parking", 0.75),),
)


def found(*gaps: GapHead, left_out: int = 0, not_shown: int = 0, misses: int = 1) -> FoundGaps:
    missed = [MissedArticle(ROW, ("x1", "x2"))] * misses
    return FoundGaps(date(2026, 11, 23), date(2026, 11, 30), GapList(gaps, left_out, not_shown), missed)


def test_gaps_and_misses_are_listed_apart() -> None:
    text = describe_gaps(found(GAP, left_out=2, not_shown=3))
    gaps, misses = text.split("\n\n")
    assert "車はどこに停められますか？" in gaps
    assert "closed" in gaps
    assert "2 more gaps" in gaps
    assert "3 more texts are not shown" in gaps
    assert "Parking" not in gaps
    assert "Parking  2 answers  x1, x2" in misses


def test_nothing_missing_is_said() -> None:
    assert describe_gaps(found(misses=0)).splitlines()[1:] == ["  nothing"]


def test_one_gap_shows_its_texts_and_what_answers_them() -> None:
    text = describe_gap(GAP, [ENTRY])
    assert "closed; 4 texts of 2 answers; closed on 2026-11-30" in text
    assert "week of 2026-11-30: 2" in text
    assert "slack question (example): Where may I park? · answered by Parking (75%)" in text


def test_the_json_holds_dates_as_texts() -> None:
    json = gaps_to_json(found(GAP))
    assert json["gaps"][0]["weeks"] == [
        {"monday": "2026-11-23", "items": 1},
        {"monday": "2026-11-30", "items": 2},
    ]
    assert json["gaps"][0]["closed_at"] == "2026-11-30T09:00:00+00:00"
    assert json["retrieval_misses"] == [
        {"article_id": "docs:a.md", "title": "Parking", "missed": 2, "answers": ["x1", "x2"]}
    ]
    assert entry_to_json(ENTRY)["supported"][0]["title"] == "Parking"
