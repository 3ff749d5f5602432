"""Fit the support measure anew from judged rows: what Kiyo ships, and the same with one set left out."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from core.contribution.calibrate import Example, FitOptions, fit_model
from core.contribution.support import SupportModel
from core.errors import ReadError
from core.ports import Embedder, Progress, no_progress
from core.usecases.eval_attribution import evaluate_attribution
from core.usecases.eval_support import evaluate_support
from core.usecases.judged_rows import (
    JudgedPair,
    measure_pairs,
    read_attribution_rows,
    read_support_rows,
)

SHIPPED = FitOptions(
    ridge=4.0,
    # Pairs of picture captions teach contradiction, but their sources are no passages. Statements changed in
    # one thing are few beside what they teach.
    set_weights={"support-jnli-ja": 0.3, "support-jsick-ja": 0.3, "generated-pairs": 2.0},
    veto=-2.5,
    opposed=0.6,
    # In the balanced fit one statement of two is supported, in real answers more than two of three.
    threshold=-0.75,
    attribution=-1.75,
    rivals=0.6,
    # One shown article of a few carries a statement, but one of thousands that are searched.
    looked_up=-1.0,
)


def set_family(name: str) -> str:
    """Name what a set was made from: support-hagrid and multi-hagrid share their questions."""
    for prefix in ("support-", "multi-"):
        name = name.removeprefix(prefix)
    return name


async def calibrate_support(
    version: str,
    sets: Mapping[str, Iterable[Mapping[str, Any]]],
    embedder: Embedder | None,
    exclude: Sequence[str] = (),
    progress: Progress = no_progress,
) -> SupportModel:
    """Fit new coefficients from sets of rows, in the form of `kiyo eval support` or `kiyo eval attribution`.

    sets: name -> rows. exclude: sets to leave out with everything of their family, so that the fit knows
    nothing of them; its `origin` says what it was fitted on. The same sets give the same coefficients.
    Raises ReadError for a wrong row or an unknown name in `exclude`, ValueError if too little is left.
    """
    families = {set_family(name) for name in sets}
    left_out = {set_family(name) for name in exclude}
    unknown = sorted(left_out - families)
    if unknown:
        raise ReadError(f"no set is called {', '.join(unknown)}; there are: {', '.join(sorted(families))}")
    examples: list[Example] = []
    used: dict[str, int] = {}
    for name in sorted(sets):
        if set_family(name) in left_out:
            continue
        measured = await measure_pairs(read_pairs(sets[name]), embedder, progress)
        used[name] = len(measured)
        examples += [Example(item.rows, item.pair.supported, item.pair.group, name) for item in measured]
    model = await asyncio.to_thread(fit_model, version, examples, SHIPPED)
    origin = {
        "embedder": embedder.id if embedder is not None else None,
        "sets": used,
        "left_out": sorted(left_out),
        "note": "probabilities assume that about seven of ten statements are supported",
    }
    return replace(model, origin=origin)


def read_pairs(rows: Iterable[Mapping[str, Any]]) -> list[JudgedPair]:
    """Read rows of either form; sentences of answers become one pair a passage."""
    listed = list(rows)
    if listed and "passages" in listed[0]:
        return [pair for sentence in read_attribution_rows(listed) for pair in sentence.pairs()]
    return read_support_rows(listed)


async def fit_and_measure(
    version: str,
    sets: Mapping[str, Sequence[Mapping[str, Any]]],
    embedder: Embedder | None,
    exclude: Sequence[str] = (),
    progress: Progress = no_progress,
) -> tuple[SupportModel, dict[str, Mapping[str, Any]]]:
    """`calibrate_support`, and how the coefficients do on the sets that were left out, by name.

    Figures are those of `kiyo eval support`, or of `kiyo eval attribution` for rows with passages.
    """
    try:
        model = await calibrate_support(version, sets, embedder, exclude, progress)
    except ValueError as error:
        raise ReadError(f"These rows are not enough to fit to: {error}.") from error
    left_out = {set_family(name) for name in exclude}
    figures: dict[str, Mapping[str, Any]] = {}
    for name in sorted(sets):
        if set_family(name) not in left_out:
            continue
        rows = sets[name]
        if rows and "passages" in rows[0]:
            figures[name] = await evaluate_attribution(rows, embedder, model, progress)
        else:
            figures[name] = await evaluate_support(rows, embedder, model, progress)
    return model, figures
