"""`kiyo ask`: one question, one answer."""

from __future__ import annotations

from typing import Annotated

import typer

from bots.console import note, write, write_json


def register(app: typer.Typer) -> None:
    app.command("ask")(ask)


def ask(
    question: Annotated[str, typer.Argument(help="In Japanese or English.")],
    person: Annotated[
        str | None, typer.Option("--as", metavar="PERSON", help="Ask with the groups of [access.people].")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Answer a question and show what carried the answer."""
    from typing import cast

    from bots.people import find_principal
    from bots.rendering import render_answer
    from bots.running import Work, do_work
    from bots.titles import read_titles
    from core.config import load_settings
    from core.usecases.answer_json import AnswerJson
    from core.usecases.jobs import ask_payload
    from core.usecases.reply import AskRequest

    settings = load_settings()
    if person is not None and person not in settings.access.people:
        note(f"{person} is not listed in [access.people] and sees what everybody sees.")
    request = AskRequest(question, find_principal(settings, person))
    answer = cast(AnswerJson, do_work(settings, Work("ask", ask_payload(request))))
    if as_json:
        write_json({**answer})
    else:
        write(render_answer(answer, read_titles(settings, answer)))
