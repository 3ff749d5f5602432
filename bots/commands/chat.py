"""`kiyo chat`: the terminal channel. While it runs it also does the work of other Kiyo commands."""

from __future__ import annotations

from typing import Annotated

import typer

from bots.console import note


def register(app: typer.Typer) -> None:
    app.command("chat")(chat)


def chat(
    person: Annotated[
        str | None, typer.Option("--as", metavar="PERSON", help="Ask with the groups of [access.people].")
    ] = None,
) -> None:
    """Talk to the knowledge base in the terminal."""
    import sys

    from bots.background import ServiceThread
    from bots.conversation import hold_conversation
    from bots.people import find_principal
    from core.config import load_settings

    settings = load_settings()
    with ServiceThread(settings) as services:
        if sys.stdin.isatty():
            note("Ask in Japanese or English; /help lists the commands, /quit leaves.")
        hold_conversation(services, find_principal(settings, person))
