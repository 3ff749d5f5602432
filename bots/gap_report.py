"""Gaps and retrieval misses as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from bots.rendering import align_columns

if TYPE_CHECKING:
    from bots.reading import Reader
    from core.storage.gap_reports import GapEntry, GapHead, GapList
    from core.storage.reports import MissedArticle

MISSES = 20
LISTED = 100


@dataclass(frozen=True, slots=True)
class FoundGaps:
    """since: the Monday of the first week. misses: said by articles that were not shown."""

    since: date
    until: date
    listed: GapList
    misses: Sequence[MissedArticle]


def read_gaps(reader: Reader, until: date, weeks: int) -> FoundGaps:
    """What answers lacked, in the same weeks but apart: a gap needs a text, a miss only a better search."""
    from core.storage.gap_reports import GapReports
    from core.storage.reports import Period, Reports

    since = until - timedelta(days=until.weekday() + 7 * (weeks - 1))
    listed = GapReports(reader.database, reader.principal).gaps(until, weeks, LISTED)
    misses = Reports(reader.database).missed_articles(Period(since, until), reader.audiences, MISSES)
    return FoundGaps(since, until, listed, misses)


def gaps_to_json(found: FoundGaps) -> dict[str, Any]:
    return {
        "since": found.since.isoformat(),
        "until": found.until.isoformat(),
        "gaps": [gap_to_json(gap) for gap in found.listed.gaps],
        "left_out": found.listed.left_out,
        "not_shown": found.listed.not_shown,
        "retrieval_misses": [miss_to_json(miss) for miss in found.misses],
    }


def gap_to_json(gap: GapHead) -> dict[str, Any]:
    weeks = [{"monday": week.monday.isoformat(), "items": week.items} for week in gap.weeks]
    times = {"first_at": gap.first_at.isoformat(), "last_at": gap.last_at.isoformat()}
    closed = gap.closed_at.isoformat() if gap.closed_at else None
    return {**asdict(gap), "weeks": weeks, **times, "closed_at": closed}


def entry_to_json(entry: GapEntry) -> dict[str, Any]:
    return {**asdict(entry), "at": entry.at.isoformat()}


def miss_to_json(miss: MissedArticle) -> dict[str, Any]:
    row = miss.row
    return {
        "article_id": row.article_id,
        "title": row.title,
        "missed": row.missed,
        "answers": list(miss.answers),
    }


def describe_gaps(found: FoundGaps) -> str:
    listed = found.listed
    lines = [f"What no article answers, {found.since} to {found.until}:"]
    if listed.gaps:
        table = [("gap", "id", "state", "in the period", "in all"), *map(_row, listed.gaps)]
        lines.extend(f"  {line}" for line in align_columns(table))
    else:
        lines.append("  nothing")
    if listed.left_out:
        lines.append(f"  … and {listed.left_out} more gaps.")
    if listed.not_shown:
        lines.append(f"  {listed.not_shown} more texts are not shown: you may not see them.")
    if found.misses:
        lines += ["", "What an article says, but the search did not find it (retrieval misses):"]
        lines.extend(f"  {line}" for line in describe_misses(found.misses))
    return "\n".join(lines)


def describe_misses(misses: Sequence[MissedArticle]) -> Iterator[str]:
    rows = [(miss.row.title, f"{miss.row.missed} answers", ", ".join(miss.answers)) for miss in misses]
    return align_columns([("article", "missed in", "for example"), *rows])


def describe_gap(gap: GapHead, entries: Sequence[GapEntry]) -> str:
    lines = [gap.name, f"{gap.state}; {gap.items} texts of {gap.answers} answers"]
    if gap.closed_at:
        lines[1] += f"; closed on {gap.closed_at:%Y-%m-%d}"
    lines.extend(f"  week of {week.monday}: {week.items}" for week in gap.weeks)
    lines.append("")
    lines.extend(_entry(entry) for entry in entries)
    return "\n".join(lines)


def _row(gap: GapHead) -> tuple[str, ...]:
    return (gap.name, str(gap.id), gap.state, str(gap.recent), str(gap.items))


def _entry(entry: GapEntry) -> str:
    sources = ", ".join(f"{one.title} ({one.probability:.0%})" for one in entry.supported)
    by = f" · answered by {sources}" if sources else " · answered by now" if entry.is_closed else ""
    mark = " (example)" if entry.example else ""
    text = " ".join(entry.text.split())
    head = f"  {entry.at:%Y-%m-%d} {entry.channel} {entry.kind}{mark}"
    return f"{head}: {text}{by}\n      answer {entry.answer_id}"
