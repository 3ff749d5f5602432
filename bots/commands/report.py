"""`kiyo report`: which articles carry the answers, which do not, why, and what to do about it."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from bots.console import write, write_json


class Language(StrEnum):
    """Of the reasons and suggestions."""

    ja = "ja"
    en = "en"


def register(app: typer.Typer) -> None:
    app.command("report")(report)


def report(
    days: Annotated[int | None, typer.Option("--days", min=1, help="Days up to today (UTC).")] = None,
    since: Annotated[str | None, typer.Option("--since", metavar="DATE", help="First day.")] = None,
    until: Annotated[str | None, typer.Option("--until", metavar="DATE", help="Last day, included.")] = None,
    language: Annotated[
        Language, typer.Option("--language", help="Of reasons and suggestions.")
    ] = Language.en,
    person: Annotated[
        str | None, typer.Option("--as", metavar="PERSON", help="See with the groups of [access.people].")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Which articles carry answers, which do not, and why.

    Every article gets its field of the chart, the reason and one suggestion; then retrieval misses, edited
    lines, unused articles, and whether length explains the figures.
    """
    from datetime import UTC, datetime

    from bots.article_report import describe_report, read_report, report_to_json
    from bots.periods import read_period
    from bots.reading import open_reader
    from core.config import load_settings

    period = read_period(days, since, until, datetime.now(UTC).date())
    with open_reader(load_settings(), person) as reader:
        found = read_report(reader, period)
    if as_json:
        write_json(report_to_json(found))
    else:
        write(describe_report(found, language.value))
