"""`kiyo labels`: pairs that people are asked about, and what they said."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from bots.console import note, write, write_json

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Person = Annotated[
    str | None, typer.Option("--as", metavar="PERSON", help="Only what the groups of this person may read.")
]


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="What people say of statements and articles.", no_args_is_help=True)
    group.command("draw")(draw)
    group.command("export")(export)
    group.command("import")(import_)
    group.command("agreement")(agreement)
    app.add_typer(group, name="labels")


def draw(
    week: Annotated[
        str | None, typer.Option(metavar="WEEK", help="Such as 2026-W48; the last whole week if not said.")
    ] = None,
    count: Annotated[
        int | None, typer.Option(min=1, help="Pairs; [evaluation] labels_per_week if not said.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Draw the pairs of a week that people are asked about.

    Spread over verdicts, channels and languages, most of them near the threshold. A week is drawn once.
    """
    from dataclasses import asdict
    from datetime import UTC, datetime

    from bots.operating import acting_here
    from bots.reading import open_reader
    from core.config import load_settings
    from core.storage.calibrations import SqlCalibrationStore
    from core.storage.labels import SqlLabelStore
    from core.usecases.coefficients import published_model
    from core.usecases.labels import draw_week, last_whole_week

    settings = load_settings()
    chosen = week if week is not None else last_whole_week(datetime.now(UTC).date())
    size = count if count is not None else settings.evaluation.labels_per_week
    with open_reader(settings, None) as reader:
        model = published_model(SqlCalibrationStore(reader.database))
        own = settings.evaluation.threshold
        threshold = model.threshold if own is None else own
        drawn = draw_week(
            SqlLabelStore(reader.database), acting_here(reader.database), chosen, size, threshold
        )
    if as_json:
        write_json(asdict(drawn))
    elif not drawn.population:
        write(f"{drawn.week}: no answers with pairs to label.")
    elif drawn.is_new:
        write(f"{drawn.week}: {drawn.items} pairs were drawn from {drawn.population}.")
    else:
        write(f"{drawn.week} was drawn before: {drawn.items} pairs from {drawn.population}.")


def export(
    file: Annotated[Path, typer.Argument(help="Ends in .jsonl or .csv.")],
    person: Person = None,
    as_json: AsJson = False,
) -> None:
    """Write all pairs and labels to a file, without what the check says."""
    from bots.label_files import write_labels
    from bots.reading import open_reader
    from core.config import load_settings
    from core.storage.labels import SqlLabelStore
    from core.usecases.labels import COLUMNS, export_rows

    with open_reader(load_settings(), person) as reader:
        rows = export_rows(SqlLabelStore(reader.database), reader.audiences)
    write_labels(file, rows, COLUMNS)
    _say({"file": str(file), "rows": len(rows)}, f"{len(rows)} rows are in {file}.", as_json)


def import_(
    file: Annotated[Path, typer.Argument(help="Ends in .jsonl or .csv.")], as_json: AsJson = False
) -> None:
    """Keep the labels of a file: rows as `kiyo labels export` writes them, with labeller and label filled in.

    Either the whole file is kept or, when a row is wrong, nothing of it.
    """
    from bots.label_files import read_labels
    from bots.operating import acting_here
    from bots.reading import open_reader
    from core.config import load_settings
    from core.storage.labels import SqlLabelStore
    from core.usecases.labels import import_rows

    rows = read_labels(file)
    with open_reader(load_settings(), None) as reader:
        kept = import_rows(SqlLabelStore(reader.database), acting_here(reader.database), rows)
    _say({"rows": len(rows), "labels": kept}, f"{kept} labels of {len(rows)} rows are kept.", as_json)
    if not kept:
        note("No row has a label: fill in the columns `labeller` and `label`.")


def agreement(as_json: AsJson = False) -> None:
    """How far people agree about the same pairs (Cohen's kappa), and how many labels there are."""
    from dataclasses import asdict

    from bots.reading import open_reader
    from bots.rendering import align_columns
    from core.config import load_settings
    from core.storage.labels import SqlLabelStore
    from core.usecases import labels

    with open_reader(load_settings(), None) as reader:
        store = SqlLabelStore(reader.database)
        counts, found = store.counts(), labels.agreement(store)
    if as_json:
        write_json({"counts": asdict(counts), "agreement": [asdict(one) for one in found]})
        return
    write(
        f"{counts.items} pairs, {counts.labelled} labelled, {counts.settled} decided "
        f"({counts.supported} supported, {counts.unsupported} not), {counts.disputed} wait for a third one."
    )
    rows = [
        (" and ".join(one.labellers), str(one.pairs), f"{one.share:.0%}", _kappa(one.kappa, one.interval))
        for one in found
    ]
    if rows:
        write("\n".join(align_columns([("labellers", "pairs", "agreed", "kappa"), *rows])))


def _kappa(kappa: float | None, interval: tuple[float, float] | None) -> str:
    if kappa is None:
        return "–"
    return f"{kappa:.2f}" + (f" [{interval[0]:.2f}, {interval[1]:.2f}]" if interval else "")


def _say(result: dict[str, Any], sentence: str, as_json: bool) -> None:
    if as_json:
        write_json(result)
    else:
        write(sentence)
