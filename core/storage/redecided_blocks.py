"""One block of recorded answers on its way through the tables: read as columns, decided, written back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    RowMapping,
    Select,
    and_,
    bindparam,
    insert,
    select,
    update,
)

from core.contribution.decisions import NOT_JUDGED, UNSUPPORTED, Codes, Floats, Integers
from core.contribution.features import FEATURES, Features
from core.contribution.previews import PastBlock
from core.contribution.redeciding import (
    Decided,
    NewRules,
    StoredPairs,
    code_verdicts,
    count_carried,
    decide_block,
    name_verdicts,
    order_features,
)
from core.storage import tables as t
from core.storage.engine import execute_many
from core.storage.redecided_gaps import Missing, follow_verdicts
from core.storage.rollup_tables import COUNTS, FIGURES, article_days
from core.storage.rollups import add_answer_figures

_s, _c, _st, _e, _d = t.supports.c, t.contributions.c, t.statements.c, t.line_excerpts.c, article_days.c
LATE = 1_000_000
"""Place of an article that carried nothing when the answer was first measured."""
_MOVED = ("judged", "carried", "missed", "stale", "share", "sole_share", "unsupported", "others")
"""Figures that verdicts decide."""

Answers = Mapping[int, RowMapping]
_Measured = tuple[float | None, float | None, bool]
"""Share, sole share, stale."""
_Best = tuple[int, float | None]
"""How many statements an article carries, and its highest probability."""


@dataclass(frozen=True, slots=True)
class _Block:
    """Rows of some answers. statement_at, owner_at: place of (answer, ordinal) and of (answer, article)."""

    answers: Answers
    pairs: Sequence[Any]
    statements: Sequence[Any]
    owners: Sequence[Any]
    statement_at: Mapping[tuple[int, int], int]
    owner_at: Mapping[tuple[int, int], int]


def redecide_block(connection: Connection, rules: NewRules, answers: Answers, now: int) -> tuple[int, int]:
    """Decide all pairs of these answers, by key; returns how many there are and how many changed."""
    block = _read(connection, answers, sparse=False)
    stored = _columns(connection, block)
    decided = decide_block(rules, stored, len(block.statements), len(block.owners))
    changed = _write_pairs(connection, block, decided, now)
    before = code_verdicts([row.verdict for row in block.statements])
    _write_statements(connection, block, before, decided.statements, now)
    figures = _write_owners(connection, block, decided, before, now)
    _write_days(connection, figures, now)
    _write_counts(connection, block, decided.statements, now)
    follow_verdicts(connection, answers, _missing(block, before, decided.statements), now)
    return len(block.pairs), changed


def read_block(connection: Connection, answers: Answers) -> PastBlock:
    """These answers, by key, with what was decided of them. Their rows need `day` and `judged`."""
    block = _read(connection, answers, sparse=True)
    return PastBlock(
        answers=len(answers),
        pairs=_columns(connection, block),
        pair_verdicts=code_verdicts([row.verdict for row in block.pairs]),
        verdicts=code_verdicts([row.verdict for row in block.statements]),
        shares=[row.share or 0.0 for row in block.owners],
        articles=[row.article for row in block.owners],
        judged=_integers([answers[row.answer]["judged"] for row in block.owners]),
    )


# --- reading ---------------------------------------------------------------------------------------


def _read(connection: Connection, answers: Answers, *, sparse: bool) -> _Block:
    """sparse: the answers lie far apart, so that what is between them is not read."""
    these = {"first": min(answers), "last": max(answers), "these": list(answers)}

    def rows_of(query: Select[Any], answer: ColumnElement[int]) -> list[Any]:
        which = answer.in_(_THESE) if sparse else answer.between(*_RANGE)
        return [row for row in connection.execute(query.where(which), these).all() if row[0] in answers]

    pairs, statements = rows_of(_PAIRS, _s.answer), rows_of(_STATEMENTS, _st.answer)
    owners = rows_of(_OWNERS, _c.answer)
    owner_at = {(row.answer, row.article): n for n, row in enumerate(owners)}
    for row in pairs:
        if (row.answer, row.article) not in owner_at:
            owner_at[row.answer, row.article] = len(owners)
            owners.append(_Unlisted(row.answer, row.article, row.version, answers[row.answer]["day"]))
    statement_at = {(row.answer, row.ordinal): n for n, row in enumerate(statements)}
    return _Block(answers, pairs, statements, owners, statement_at, owner_at)


@dataclass(frozen=True, slots=True)
class _Unlisted:
    """An article with pairs that the mapping does not have yet, since none of them counted."""

    answer: int
    article: int
    version: int
    day: int
    ordinal: None = None
    share: float | None = 0.0
    sole_share: float | None = 0.0
    statements: int = 0
    strongest: float | None = None
    exposed: bool = False
    stale: bool = False


_RANGE: tuple[BindParameter[int], BindParameter[int]] = (bindparam("first"), bindparam("last"))
_THESE: BindParameter[int] = bindparam("these", expanding=True)
_PAIRS = select(
    *(_s.answer, _s.article, _s.statement, _s.version, _s.label, _s.probability, _s.verdict),
    *(_s.exposed, _s.line_hash, _s.feature_set, _s.features, _e.gone_at),
).outerjoin(t.line_excerpts, and_(_e.article == _s.article, _e.line_hash == _s.line_hash))
_STATEMENTS = select(_st.answer, _st.ordinal, _st.verdict).where(_st.judged)
_OWNERS = select(
    *(_c.answer, _c.article, _c.version, _c.day, _c.ordinal, _c.share, _c.sole_share, _c.statements),
    *(_c.strongest, _c.exposed, _c.stale),
)


def _columns(connection: Connection, block: _Block) -> StoredPairs:
    features, verified = read_features(connection, block.pairs)
    pairs = block.pairs

    def flags(values: Sequence[bool]) -> NDArray[np.bool_]:
        return np.array(values, dtype=bool)

    return StoredPairs(
        statements=_integers([block.statement_at[row.answer, row.statement] for row in pairs]),
        owners=_integers([block.owner_at[row.answer, row.article] for row in pairs]),
        features=features,
        verified=verified,
        labels=flags([row.label for row in pairs]),
        compared=flags([row.line_hash is not None and row.features is not None for row in pairs]),
        judged=flags([row.verdict != "not_judged" for row in pairs]),
        exposed=flags([row.exposed for row in pairs]),
        gone=flags([row.gone_at is not None for row in pairs]),
    )


def read_features(connection: Connection, pairs: Sequence[Any]) -> tuple[Features, Floats]:
    """Rows of FEATURES and what a verifier said; a pair without features has a row of zeros."""
    features, verified = np.zeros((len(pairs), len(FEATURES))), np.full(len(pairs), np.nan)
    places: dict[int, list[int]] = {}
    for n, row in enumerate(pairs):
        if row.features is not None:
            places.setdefault(row.feature_set, []).append(n)
    for feature_set, rows in places.items():
        query = select(t.feature_sets.c.names).where(t.feature_sets.c.key == feature_set)
        names = tuple(json.loads(connection.scalar(query) or "[]"))
        packed = np.frombuffer(b"".join(pairs[n].features for n in rows), dtype="<f4")
        features[rows], verified[rows] = order_features(names, packed.reshape(len(rows), len(names)))
    return features, verified


# --- writing ---------------------------------------------------------------------------------------


def _write_pairs(connection: Connection, block: _Block, decided: Decided, now: int) -> int:
    verdicts, rows, changed = name_verdicts(decided.pairs), [], 0
    said = np.where(np.isfinite(decided.probabilities), decided.probabilities, -1.0).tolist()
    for row, probability, verdict in zip(block.pairs, said, verdicts, strict=True):
        changed += row.verdict != verdict
        new = row.probability if probability < 0 else probability
        if row.verdict == verdict and (new == row.probability or abs(new - row.probability) < 1e-6):
            continue
        named = {"of_answer": row.answer, "of_article": row.article, "of_statement": row.statement}
        rows.append({**named, "new_probability": new, "new_verdict": verdict, "new_time": now})
    execute_many(connection, _SET_PAIR, rows)
    return changed


def _write_statements(connection: Connection, block: _Block, before: Codes, after: Codes, now: int) -> None:
    verdicts = name_verdicts(after)
    rows = [
        {
            "of_answer": block.statements[n].answer,
            "of_ordinal": block.statements[n].ordinal,
            "new_verdict": verdicts[n],
            "new_time": now,
        }
        for n in np.flatnonzero(before != after).tolist()
    ]
    execute_many(connection, _SET_STATEMENT, rows)


def _missing(block: _Block, before: Codes, after: Codes) -> dict[int, Missing]:
    """What nothing supports, of the answers where that changed."""
    changed = np.flatnonzero((before == UNSUPPORTED) != (after == UNSUPPORTED)).tolist()
    if not changed:
        return {}
    were: dict[int, set[int]] = {block.statements[n].answer: set() for n in changed}
    are: dict[int, set[int]] = {answer: set() for answer in were}
    for found, codes in ((were, before), (are, after)):
        for n in np.flatnonzero(codes == UNSUPPORTED).tolist():
            row = block.statements[n]
            if row.answer in found:
                found[row.answer].add(row.ordinal)
    return {answer: Missing(frozenset(were[answer]), frozenset(are[answer])) for answer in were}


def _write_owners(
    connection: Connection, block: _Block, decided: Decided, before: Codes, now: int
) -> dict[tuple[int, int], dict[str, float]]:
    """Write what changed of the mapping; returns (article, day) -> how much its figures move."""
    share_was = _carried_shares(block, before)
    share_is = _carried_shares(block, decided.statements)
    carried, sole = decided.sums.carried.tolist(), decided.sums.sole.tolist()
    strongest, stale = decided.sums.strongest.tolist(), decided.stale.tolist()
    moves: dict[tuple[int, int], dict[str, float]] = {}
    changed, added = [], []
    for n, row in enumerate(block.owners):
        judged, carried_is = block.answers[row.answer]["judged"], share_is[row.answer]
        if not judged:
            continue
        new = (carried[n] / judged, sole[n] / judged, stale[n])
        old, carried_was = (row.share, row.sole_share, row.stale), share_was[row.answer]
        if old != new or carried_was != carried_is:
            moved = moves.setdefault((row.article, row.day), dict.fromkeys(_MOVED, 0))
            was, is_now = _figures(row.exposed, old, carried_was), _figures(row.exposed, new, carried_is)
            for name in _MOVED:
                moved[name] += is_now[name] - was[name]
        best = strongest[n] if strongest[n] == strongest[n] else row.strongest
        if isinstance(row, _Unlisted):
            if carried[n]:
                added.append(_new_row(row, new, (carried[n], best), now))
        elif old != new or row.statements != carried[n] or row.strongest != best:
            changed.append(_changed_row(row, new, (carried[n], best), now))
    execute_many(connection, _SET_OWNER, changed)
    if added:
        connection.execute(insert(t.contributions), added)
    return moves


def _new_row(row: _Unlisted, new: _Measured, best: _Best, now: int) -> dict[str, object]:
    named = {"answer": row.answer, "article": row.article, "version": row.version, "day": row.day}
    measured = {"share": new[0], "sole_share": new[1], "stale": new[2]}
    counted = {"statements": best[0], "strongest": best[1], "ordinal": LATE}
    return {**named, **measured, **counted, "retrieved": False, "exposed": False, "updated_at": now}


def _changed_row(row: Any, new: _Measured, best: _Best, now: int) -> dict[str, object]:
    """An article that was not shown stands in the list of an answer only while it carries something."""
    ordinal = row.ordinal if row.exposed or best[0] else None
    return {
        "of_answer": row.answer,
        "of_article": row.article,
        "new_ordinal": LATE if ordinal is None and best[0] else ordinal,
        "new_share": new[0],
        "new_sole_share": new[1],
        "new_statements": best[0],
        "new_strongest": best[1],
        "new_stale": new[2],
        "new_time": now,
    }


def _carried_shares(block: _Block, codes: Codes) -> dict[int, float]:
    """Share of each answer's judged statements that any article carries."""
    place = {answer: n for n, answer in enumerate(block.answers)}
    of_answer = _integers([place[row.answer] for row in block.statements])
    carried = count_carried(codes, of_answer, len(place))
    judged = np.bincount(of_answer[codes != NOT_JUDGED], minlength=len(place))
    shares = (carried / np.maximum(judged, 1)).tolist()
    return dict(zip(block.answers, shares, strict=True))


def _figures(exposed: bool, measured: _Measured, carried_share: float) -> dict[str, float]:
    """What one row of the mapping adds to its day; see `rollup_tables.FIGURES`."""
    share, sole, stale = measured
    if share is None:
        return {**dict.fromkeys(_MOVED, 0), "stale": stale}
    if stale:
        return {**dict.fromkeys(_MOVED, 0), "stale": 1}
    carried = share > 0
    return {
        "judged": exposed or carried,
        "carried": carried,
        "missed": carried and not exposed,
        "stale": 0,
        "share": share,
        "sole_share": sole or 0.0,
        "unsupported": 1.0 - carried_share if exposed else 0.0,
        "others": carried_share - (sole or 0.0) if exposed else 0.0,
    }


def _write_days(
    connection: Connection, moves: Mapping[tuple[int, int], Mapping[str, float]], now: int
) -> None:
    """Figures of days; their running totals are left to the end of the run."""
    rows = [
        {"of_article": article, "of_day": day, "new_time": now, **{f"add_{k}": v for k, v in figures.items()}}
        for (article, day), figures in moves.items()
    ]
    if not rows:
        return
    known = set()
    days = {day for _, day in moves}
    for row in connection.execute(_KNOWN_DAYS, {"first": min(days), "last": max(days)}):
        known.add((row.article, row.day))
    missing = [
        {"article": article, "day": day, "updated_at": now}
        | {name: 0 for figure in FIGURES for name in (figure, f"{figure}_total")}
        for article, day in moves.keys() - known
    ]
    if missing:
        connection.execute(insert(article_days), missing)
    execute_many(connection, _MOVE_DAY, rows)


def _write_counts(connection: Connection, block: _Block, statements: Codes, now: int) -> None:
    """How many statements of an answer any article carries, in its own row and in the counts of its day."""
    place = {answer: n for n, answer in enumerate(block.answers)}
    of_answer = _integers([place[row.answer] for row in block.statements])
    carried = count_carried(statements, of_answer, len(place)).tolist()
    rows, days = [], dict[tuple[int, str, str], int]()
    for (key, row), count in zip(block.answers.items(), carried, strict=True):
        if count != row["carried"]:
            rows.append({"of_answer": key, "new_carried": count, "new_time": now})
            group = (row["day"], row["channel"], row["language"])
            days[group] = days.get(group, 0) + count - row["carried"]
    execute_many(connection, _SET_CARRIED, rows)
    for (day, channel, language), more in days.items():
        counts = {**dict.fromkeys(COUNTS, 0), "carried": more}
        add_answer_figures(connection, {**counts, "day": day, "channel": channel, "language": language}, now)


def _integers(values: Sequence[int]) -> Integers:
    return np.array(values, dtype=np.int64)


_SET_PAIR = (
    update(t.supports)
    .where(
        _s.answer == bindparam("of_answer"),
        _s.article == bindparam("of_article"),
        _s.statement == bindparam("of_statement"),
    )
    .values(
        probability=bindparam("new_probability"),
        verdict=bindparam("new_verdict"),
        updated_at=bindparam("new_time"),
    )
)
_SET_STATEMENT = (
    update(t.statements)
    .where(_st.answer == bindparam("of_answer"), _st.ordinal == bindparam("of_ordinal"))
    .values(verdict=bindparam("new_verdict"), updated_at=bindparam("new_time"))
)
_SET_OWNER = (
    update(t.contributions)
    .where(_c.answer == bindparam("of_answer"), _c.article == bindparam("of_article"))
    .values(
        {name: bindparam(f"new_{name}") for name in ("ordinal", "share", "sole_share", "statements")}
        | {name: bindparam(f"new_{name}") for name in ("strongest", "stale")}
        | {"updated_at": bindparam("new_time")}
    )
)
_SET_CARRIED = (
    update(t.answers)
    .where(t.answers.c.key == bindparam("of_answer"))
    .values(carried=bindparam("new_carried"), updated_at=bindparam("new_time"))
)
_KNOWN_DAYS = select(_d.article, _d.day).where(_d.day.between(*_RANGE))
_MOVE_DAY = (
    update(article_days)
    .where(_d.article == bindparam("of_article"), _d.day == bindparam("of_day"))
    .values(
        {name: _d[name] + bindparam(f"add_{name}") for name in _MOVED} | {"updated_at": bindparam("new_time")}
    )
)
