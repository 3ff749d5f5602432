"""The terminal channel on this process's stdin and stdout."""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib import import_module

from bots.background import ServiceThread
from bots.channels.terminal import Terminal, converse
from bots.console import write
from bots.incidents import record_incident
from bots.rendering import Titles
from bots.titles import titles_of
from core.domain import Principal
from core.ports import Services, Turn
from core.usecases.answer_json import AnswerJson, answer_to_json
from core.usecases.reply import AskRequest, answer_question

PROMPT = "> "


def hold_conversation(services: ServiceThread, principal: Principal) -> bool:
    """Talk until the end of the input, /quit or Ctrl-C; True if it was /quit."""

    def ask(question: str, history: tuple[Turn, ...]) -> tuple[AnswerJson, Titles]:
        async def answer(opened: Services) -> tuple[AnswerJson, Titles]:
            request = AskRequest(question, principal, history=history)
            made = answer_to_json(await answer_question(opened, request))
            return made, titles_of(opened.knowledge, made)

        return services.call(answer)

    return converse(Terminal(_read, write), ask, _report)


def _read() -> str:
    """A line with the terminal's editing, or the next one of a pipe."""
    if sys.stdin.isatty():
        with suppress(ImportError):  # where it exists, its import gives `input` history and editing
            import_module("readline")
        return input(PROMPT)
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line


def _report(error: Exception) -> str:
    incident, path = record_incident(error)
    return f"Something went wrong inside Kiyo (incident {incident}); {path} holds the details."
