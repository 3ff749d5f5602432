"""What people say of pairs of a statement and an article: drawing, asking, deciding, files of labels.

Whoever labels is never told what the check says. All functions block on the database alone. The log says who
labelled which pair, and not what they said of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any, Protocol

from core.contribution.label_pairs import (
    VERDICT_OF,
    LabelCounts,
    LabelPair,
    LabelRow,
    LabelValue,
    WeeklyDraw,
)
from core.contribution.labels import LABEL_VERDICTS, Agreement, LabelVerdict, Said, measure_agreement
from core.domain import AnswerId, ArticleId
from core.errors import AskerError
from core.ports import AudienceId
from core.usecases.audit import Acting

LABELLER_CHARS = 100
_EPOCH = date(1970, 1, 1)


class LabelStore(Protocol):
    """Keeps which pairs people are asked about, and what they said. audiences: what a person may read."""

    def draw(self, week: str, days: tuple[int, int], size: int, threshold: float) -> WeeklyDraw: ...

    def next_pair(
        self, labeller: str, audiences: Sequence[AudienceId], later: Sequence[int] = ()
    ) -> LabelPair | None: ...

    def pair(self, item: int, audiences: Sequence[AudienceId]) -> LabelPair | None: ...

    def save(self, labeller: str, item: int, verdict: LabelVerdict) -> None: ...

    def resolve(self, labeller: str, item: int, verdict: LabelVerdict) -> None: ...

    def undo(self, labeller: str) -> int | None: ...

    def disputed(self, audiences: Sequence[AudienceId]) -> list[LabelRow]: ...

    def rows(self, audiences: Sequence[AudienceId]) -> list[LabelRow]: ...

    def said(self) -> list[tuple[Said, ...]]: ...

    def counts(self) -> LabelCounts: ...

    def find_item(self, answer_id: AnswerId, article_id: ArticleId, statement: int) -> int | None: ...


def draw_week(store: LabelStore, acting: Acting, week: str, size: int, threshold: float) -> WeeklyDraw:
    """Draw the pairs of a week that people are asked about; a week that was drawn stays as it is.

    week: such as 2026-W48, days in UTC. threshold: of the check, near which most pairs are drawn.
    Raises AskerError for what is no week, RoleError for who is no maintainer.
    """
    acting.require("maintainer")
    try:
        monday = date.fromisoformat(f"{week}-1")
    except ValueError:
        raise AskerError(f"A week is written such as 2026-W48, not {week!r}.") from None
    first = (monday - _EPOCH).days
    with acting.changing() as note:
        drawn = store.draw(name_week(monday), (first, first + 6), size, threshold)
        if drawn.is_new:
            note("labels.draw", "week", drawn.week, items=drawn.items)
    return drawn


def name_week(day: date) -> str:
    """The week of a day, such as 2026-W48 (ISO 8601)."""
    year, week, _ = day.isocalendar()
    return f"{year}-W{week:02d}"


def last_whole_week(today: date) -> str:
    return name_week(today - timedelta(days=7))


def next_pair(
    store: LabelStore, labeller: str, audiences: Sequence[AudienceId], later: Sequence[int] = ()
) -> LabelPair | None:
    """The next pair to ask this person about; None when there is nothing more to ask.

    later: pairs that this person put off, which come again after all others.
    """
    return store.next_pair(_named(labeller), audiences, later)


def save_label(
    store: LabelStore,
    acting: Acting,
    item: int,
    value: LabelValue,
    audiences: Sequence[AudienceId],
) -> None:
    """Keep what a person says of a pair: 1 the article says it, 0 it does not, "skip" cannot be told.

    Saying something again replaces it. Raises AskerError for a pair that is not there or may not be read,
    RoleError for who may not label.
    """
    acting.require("labeller")
    _require(store, item, audiences)
    with acting.changing() as note:
        store.save(_named(acting.person.name), item, VERDICT_OF[value])
        note("labels.save", "pair", str(item))


def undo(store: LabelStore, acting: Acting) -> int | None:
    """Take back the last thing this person said; returns the pair's number, None when there was nothing.

    Raises RoleError for who may not label.
    """
    acting.require("labeller")
    with acting.changing() as note:
        item = store.undo(_named(acting.person.name))
        if item is not None:
            note("labels.undo", "pair", str(item))
    return item


def disagreements(store: LabelStore, audiences: Sequence[AudienceId]) -> list[LabelRow]:
    """Pairs about which two people differ and that wait for a third."""
    return store.disputed(audiences)


def resolve(
    store: LabelStore,
    acting: Acting,
    item: int,
    value: LabelValue,
    audiences: Sequence[AudienceId],
) -> None:
    """Decide a disputed pair as a third person. Raises AskerError when the pair is not disputed or this
    person is one of the two, RoleError for who may not label; "skip" leaves it open."""
    acting.require("labeller")
    _require(store, item, audiences)
    with acting.changing() as note:
        store.resolve(_named(acting.person.name), item, VERDICT_OF[value])
        note("labels.resolve", "pair", str(item))


def agreement(store: LabelStore) -> list[Agreement]:
    """How far every two labellers agree, as Cohen's kappa."""
    return measure_agreement(store.said())


COLUMNS = (
    *("answer_id", "article_id", "statement", "week", "language", "channel"),
    *("article_title", "question", "text", "before", "line", "after", "labeller", "label"),
)
"""Of an exported row. A row is imported by the first three and the last two; the rest is to read."""


def export_rows(store: LabelStore, audiences: Sequence[AudienceId]) -> list[dict[str, Any]]:
    """One row for each label, and one with an empty label for each pair that nobody has judged.

    Keys are COLUMNS. No row tells what the check says.
    """
    rows: list[dict[str, Any]] = []
    for one in store.rows(audiences):
        pair = one.pair
        shown = {name: getattr(pair, name) for name in COLUMNS[:-2]}
        shown |= {"before": "\n".join(pair.before), "after": "\n".join(pair.after)}
        said = [(each.labeller, str(each.verdict)) for each in one.said]
        rows += [{**shown, "labeller": labeller, "label": label} for labeller, label in said or [("", "")]]
    return rows


def import_rows(store: LabelStore, acting: Acting, rows: Iterable[Mapping[str, Any]]) -> int:
    """Keep labels from rows as `export_rows` writes them; rows without a label are passed over.

    label: supported, unsupported or unclear, also as 1, 0 or skip. Returns how many rows had one. Every
    row is read before anything is kept. Raises AskerError naming the row that is wrong, counted from 1, and
    RoleError for who is no maintainer.
    """
    acting.require("maintainer")
    wanted = [_read_label(number, row) for number, row in enumerate(rows, start=1)]
    labels = [label for label in wanted if label is not None]
    with acting.changing() as note:
        for number, pair, labeller, verdict in labels:
            item = store.find_item(*pair)
            if item is None:
                names = f"answer {pair[0]}, article {pair[1]}, statement {pair[2]}"
                raise AskerError(f"Row {number}: nothing was measured for {names}.")
            store.save(labeller, item, verdict)
        if labels:
            note("labels.import", "labels", "file", labels=len(labels))
    return len(labels)


_Label = tuple[int, tuple[AnswerId, ArticleId, int], str, LabelVerdict]


def _read_label(number: int, row: Mapping[str, Any]) -> _Label | None:
    said = str(row.get("label", "") if row.get("label") is not None else "").strip().lower()
    if not said:
        return None
    short: dict[str, LabelVerdict] = {str(value): verdict for value, verdict in VERDICT_OF.items()}
    verdicts = short | {verdict: verdict for verdict in LABEL_VERDICTS}
    if said not in verdicts:
        raise AskerError(f"Row {number}: a label is one of {', '.join(LABEL_VERDICTS)}, not {said!r}.")
    try:
        pair = (str(row["answer_id"]), str(row["article_id"]), int(row["statement"]))
        labeller = _named(str(row["labeller"]))
    except KeyError as error:
        raise AskerError(f"Row {number}: {error.args[0]} is missing.") from None
    except (TypeError, ValueError):
        raise AskerError(f"Row {number}: statement must be a number.") from None
    except AskerError as error:
        raise AskerError(f"Row {number}: {error}") from None
    return number, pair, labeller, verdicts[said]


def _named(labeller: str) -> str:
    name = labeller.strip()
    if not name or len(name) > LABELLER_CHARS:
        raise AskerError(f"A labeller needs a name of at most {LABELLER_CHARS} characters.")
    return name


def _require(store: LabelStore, item: int, audiences: Sequence[AudienceId]) -> None:
    if store.pair(item, audiences) is None:
        raise AskerError("There is no such pair, or its text is gone.")
