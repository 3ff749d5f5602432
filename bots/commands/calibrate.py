"""`kiyo calibrate`: coefficients of the support measure from labels or from judged rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bots.console import note, show_progress, write, write_json

if TYPE_CHECKING:
    from core.storage.calibration_data import SqlCalibrationData
    from core.storage.calibrations import SqlCalibrationStore
    from core.usecases.audit import Acting

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Version = Annotated[str, typer.Argument(metavar="VERSION", help="As `kiyo calibrate list` shows it.")]


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="Fit the check to labels.", invoke_without_command=True)
    group.callback()(calibrate)
    group.command("report")(report)
    group.command("preview")(preview)
    group.command("publish")(publish)
    group.command("revert")(revert)
    group.command("list")(list_)
    app.add_typer(group, name="calibrate")


def calibrate(
    context: typer.Context,
    precision: Annotated[
        float | None, typer.Option(min=0.01, max=1, help="Choose the threshold that reaches it.")
    ] = None,
    name: Annotated[str | None, typer.Option(metavar="VERSION", help="Of the new coefficients.")] = None,
    data: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Fit to judged rows, not labels; the file's name is the set."),
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(metavar="SET", help="With --data: leave a set out and measure on it.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Fit the check to your labels, or to files of judged rows; nothing is used before it is published.

    Labels: fitted on one half, reported on the other; too few are refused, saying how many are missing.
    """
    if context.invoked_subcommand:
        return
    from core.errors import AskerError

    if data:
        if precision is not None:
            raise AskerError("--precision needs labels; it does not go with --data.")
        _fit_to_rows(data, exclude or [], name, as_json)
    elif exclude:
        raise AskerError("--exclude leaves out one of the sets that --data names.")
    else:
        _fit_to_labels(precision, name, as_json)


def report(as_json: AsJson = False) -> None:
    """How the coefficients in use agree with all labels, with intervals of 95 %."""
    from dataclasses import asdict

    from core.config import load_settings
    from core.usecases import calibrations

    with _stores() as (_, kept, data):
        found = calibrations.report(data, kept, load_settings().evaluation)
    if as_json:
        write_json(asdict(found))
        return
    write(f"{found.version} at {found.threshold:g}, {found.labels} labels")
    if found.figures is not None:
        write("\n".join(_table({"now": found.figures})))
    if found.missing:
        note(f"For a calibration: {found.missing}.")


def preview(
    threshold: Annotated[float | None, typer.Option(min=0, max=1, help="Another threshold.")] = None,
    version: Annotated[str | None, typer.Option(metavar="VERSION", help="Other coefficients.")] = None,
    as_json: AsJson = False,
) -> None:
    """What the last 90 days would look like; nothing is changed."""
    from dataclasses import asdict
    from datetime import UTC, datetime

    from bots.rendering import align_columns
    from core.config import load_settings
    from core.usecases import calibrations
    from core.usecases.rethreshold import choose_rules

    with _stores() as (_, kept, data):
        rules = choose_rules(load_settings().evaluation, kept, threshold, version)
        found = calibrations.preview(data, rules, datetime.now(UTC).date())
    if as_json:
        write_json(asdict(found))
        return
    write(
        f"{found.version} at {found.threshold:g}, seen on {found.sampled} of {found.answers} answers: "
        f"articles carry {_share(found.carried_before)} of the statements now, "
        f"{_share(found.carried_after)} then; {found.changed} of {found.pairs} pairs change."
    )
    rows = [(one.title, f"{one.before:.2f}", f"{one.after:.2f}") for one in found.articles]
    if rows:
        write("\n".join(align_columns([("contribution of", "now", "then"), *rows])))


def publish(version: Version, as_json: AsJson = False) -> None:
    """Use a version from the next answer on."""
    from core.usecases import calibrations

    with _stores() as (acting, kept, _):
        calibrations.publish(kept, acting, version)
    _say({"published": version}, f"{version} is used from the next answer on.", as_json)
    note(f"For the past: kiyo evaluate --coefficients {version}")


def revert(as_json: AsJson = False) -> None:
    """Withdraw the version in use; the one before is used again."""
    from core.contribution.support import load_model
    from core.usecases import calibrations

    with _stores() as (acting, kept, _):
        withdrawn, before = calibrations.revert(kept, acting)
    now = before if before is not None else load_model().version
    _say({"withdrawn": withdrawn, "in_use": now}, f"{withdrawn} is withdrawn; {now} is used again.", as_json)


def list_(as_json: AsJson = False) -> None:
    """All versions that were made here."""
    from bots.rendering import align_columns

    with _stores() as (_, kept, _data):
        rows = kept.list()
    if as_json:
        listed = [
            {
                "version": row.version,
                "made_at": row.made_at.isoformat(),
                "published_at": row.published_at.isoformat() if row.published_at else None,
                "withdrawn_at": row.withdrawn_at.isoformat() if row.withdrawn_at else None,
                "in_use": row.in_use,
                "report": row.report,
            }
            for row in rows
        ]
        write_json({"calibrations": listed})
    elif rows:
        shown = [(row.version, f"{row.made_at:%Y-%m-%d}", "in use" if row.in_use else "") for row in rows]
        write("\n".join(align_columns([("version", "made", ""), *shown])))
    else:
        write("No calibration was made here; Kiyo's own coefficients are in use.")


def _fit_to_labels(precision: float | None, name: str | None, as_json: bool) -> None:
    from dataclasses import asdict
    from datetime import UTC, datetime

    from core.usecases import calibrations
    from core.usecases.calibrations import NewVersion

    today = datetime.now(UTC).date()
    with _stores() as (acting, kept, data):
        version = name or calibrations.name_version((row.version for row in kept.list()), today)
        made = calibrations.calibrate(data, kept, acting, NewVersion(version, today), precision)
    if as_json:
        write_json(asdict(made))
        return
    write(
        f"{made.version}: fitted on {made.fitted_on} labels, threshold {made.threshold:.3f}; "
        f"on the other {made.measured_on}:"
    )
    write("\n".join(_table({"before": made.before, "after": made.after})))
    note(f"Nothing uses it yet: kiyo calibrate publish {made.version}")


def _fit_to_rows(files: list[Path], exclude: list[str], name: str | None, as_json: bool) -> None:
    import asyncio
    from datetime import UTC, datetime

    from bots.jsonl import read_rows
    from bots.temporary import configured_embedder
    from core.usecases import calibrations
    from core.usecases.calibrate import fit_and_measure

    sets = {file.stem: read_rows(file) for file in files}
    today = datetime.now(UTC).date()
    with _stores() as (acting, kept, _), show_progress() as progress:
        version = name or calibrations.name_version((row.version for row in kept.list()), today)
        work = fit_and_measure(version, sets, configured_embedder(), exclude, progress)
        model, figures = asyncio.run(work)
        calibrations.keep_fitted(kept, acting, model, figures)
    result: dict[str, Any] = {"version": version, "origin": dict(model.origin), "left_out": figures}
    if as_json:
        write_json(result)
        return
    write(f"{version} is fitted to {', '.join(f'{n} of {name}' for name, n in _used(model.origin))}.")
    for one, measured in figures.items():
        shown = ", ".join(
            f"{key} {measured[key]:.3f}" for key in LEFT_OUT if isinstance(measured.get(key), float)
        )
        write(f"{one}, left out: {shown}")
    note(f"Nothing uses it yet: kiyo calibrate publish {version}")


def _used(origin: Any) -> list[tuple[str, int]]:
    return list(dict(origin["sets"]).items())


@contextmanager
def _stores() -> Iterator[tuple[Acting, SqlCalibrationStore, SqlCalibrationData]]:
    from bots.operating import acting_here
    from core.config import load_settings
    from core.storage.calibration_data import SqlCalibrationData
    from core.storage.calibrations import SqlCalibrationStore
    from core.storage.engine import open_database

    database = open_database(load_settings().database_url)
    try:
        yield acting_here(database), SqlCalibrationStore(database), SqlCalibrationData(database)
    finally:
        database.close()


LEFT_OUT = ("auc", "auc_overlap", "balanced_accuracy", "top1", "f1", "precision", "recall", "ece")
FIGURES = ("agreement", "precision", "recall", "f1", "balanced_accuracy", "auc", "ece")


def _table(columns: dict[str, Any]) -> list[str]:
    from bots.rendering import align_columns

    rows = [
        (name.replace("_", " "), *(_with_interval(figures, name) for figures in columns.values()))
        for name in FIGURES
    ]
    counts = ("n", *(str(figures["n"]) for figures in columns.values()))
    return list(align_columns([("", *columns), counts, *rows]))


def _with_interval(figures: Any, name: str) -> str:
    ends = figures["ci"][name]
    return _number(figures[name]) + (f" [{ends[0]:.3f}, {ends[1]:.3f}]" if ends else "")


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"


def _say(result: dict[str, Any], sentence: str, as_json: bool) -> None:
    if as_json:
        write_json(result)
    else:
        write(sentence)
