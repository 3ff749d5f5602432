"""`kiyo doctor`: what is in order, what is not, and what to do about it."""

from __future__ import annotations

from typing import Annotated

import typer

from bots.console import write, write_json


def register(app: typer.Typer) -> None:
    app.command("doctor")(doctor)


def doctor(as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False) -> None:
    """Check the installation and say what to mend.

    The exit code is 1 if something must be mended.
    """
    from dataclasses import asdict

    from bots.doctor import run_checks

    checks = []
    for check in run_checks():
        checks.append(check)
        if not as_json:
            advice = f"\n      {check.advice}" if check.advice else ""
            write(f"{check.status:<4}  {check.name}: {check.found}{advice}")
    healthy = all(check.status != "fail" for check in checks)
    if as_json:
        write_json({"healthy": healthy, "checks": [asdict(check) for check in checks]})
    if not healthy:
        raise typer.Exit(1)
