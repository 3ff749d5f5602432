"""`kiyo evaluate`: measure what waits, or decide the past anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bots.console import note, show_progress, write, write_json

if TYPE_CHECKING:
    from datetime import date


def register(app: typer.Typer) -> None:
    app.command("evaluate")(evaluate)


def evaluate(
    pending: Annotated[
        bool, typer.Option("--pending", help="Measure the answers that left before they were measured.")
    ] = False,
    threshold: Annotated[
        float | None,
        typer.Option("--rethreshold", min=0, max=1, metavar="T", help="Decide the past by this threshold."),
    ] = None,
    coefficients: Annotated[
        str | None, typer.Option(metavar="VERSION", help="Decide the past by these coefficients.")
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="DATE", help="Only answers from this day (UTC) on.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Measure what waits, or decide the past anew.

    Deciding anew asks no model: it works on stored features. Stopped in between, the same command goes on.
    """
    from bots.periods import read_date
    from core.errors import AskerError

    anew = threshold is not None or coefficients is not None
    if pending is anew or (pending and since is not None):
        raise AskerError(
            "Say either --pending, or --rethreshold or --coefficients, with --since if you like."
        )
    if pending:
        _evaluate_pending(as_json)
    else:
        _decide_anew(threshold, coefficients, read_date(since, "--since") if since else None, as_json)


def _evaluate_pending(as_json: bool) -> None:
    from bots.running import Work, do_work
    from core.config import load_settings

    with show_progress() as progress:
        report = do_work(load_settings(), Work("evaluate", {}), progress)
    if as_json:
        write_json(report)
        return
    write(f"{report['evaluated']} answers were measured; {report['left']} still wait.")
    if report["failed"]:
        note(f"{report['failed']} could not be measured; they are tried again by the same command.")
    if report["warned"]:
        note(f"{report['warned']} of them would have been held back had it been known before they left.")


def _decide_anew(threshold: float | None, version: str | None, since: date | None, as_json: bool) -> None:
    from dataclasses import asdict

    from bots.operating import acting_here
    from core.config import load_settings
    from core.storage.calibrations import SqlCalibrationStore
    from core.storage.engine import open_database
    from core.storage.rescoring import SqlPastStore
    from core.usecases.calibrations import decide_past
    from core.usecases.rethreshold import choose_rules

    settings = load_settings()
    database = open_database(settings.database_url)
    try:
        kept = SqlCalibrationStore(database)
        rules = choose_rules(settings.evaluation, kept, threshold, version)
        with show_progress() as progress:
            report = decide_past(SqlPastStore(database), acting_here(database), rules, since, progress)
    finally:
        database.close()
    if as_json:
        write_json(asdict(report))
        return
    write(
        f"{report.answers} answers with {report.pairs} pairs are decided by {report.version} at "
        f"{report.threshold:g}; {report.changed} pairs changed ({report.seconds:g} s)."
    )
