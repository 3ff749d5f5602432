"""`kiyo drift`: whether the check still works as it did."""

from __future__ import annotations

from typing import Annotated

import typer

from bots.console import write, write_json

WORDS = {
    "steady": "steady",
    "watch": "watch it",
    "alarm": "ALARM",
    "too_few": "too few to say",
}


def register(app: typer.Typer) -> None:
    app.command("drift")(drift)


def drift(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """See whether the check still works as it did.

    Weekly agreement with people, and how far the features have moved. The exit code is 1 on an alarm.
    """
    from dataclasses import asdict
    from datetime import UTC, datetime

    from bots.reading import open_reader
    from bots.rendering import align_columns
    from core.config import load_settings
    from core.storage.calibration_data import SqlCalibrationData
    from core.storage.calibrations import SqlCalibrationStore
    from core.usecases.drift import watch_drift

    with open_reader(load_settings(), None) as reader:
        in_use = next((row for row in SqlCalibrationStore(reader.database).list() if row.in_use), None)
        found = watch_drift(SqlCalibrationData(reader.database), in_use, datetime.now(UTC).date())
    if as_json:
        write_json(asdict(found))
    else:
        write(f"Drift: {WORDS[found.level]}.")
        if found.weeks:
            write(f"\nAgreement with people, expected {found.expected:.0%}:")
            rows = [
                (
                    one.week,
                    str(one.labels),
                    "–" if one.share is None else f"{one.share:.0%}",
                    WORDS[one.level],
                )
                for one in found.weeks
            ]
            write("\n".join(align_columns([("week", "labels", "agreed", ""), *rows])))
        if found.features:
            write(f"\nFeatures of the last 28 days against those of {found.calibration}:")
            moved = [
                (one.feature, "–" if one.psi is None else f"{one.psi:.3f}", WORDS[one.level])
                for one in found.features
            ]
            write("\n".join(align_columns([("feature", "PSI", ""), *moved])))
        elif found.calibration is None:
            write("\nFeatures: no calibration of your own is published, so there is nothing to compare with.")
    if found.level == "alarm":
        raise typer.Exit(1)
