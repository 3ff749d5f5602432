"""A conversation in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from bots.channels.terminal import HELP, HISTORY_TURNS, NOTHING_YET, Terminal, converse
from bots.rendering import Titles
from core.errors import NotReadyError
from core.ports import Turn
from core.usecases.answer_json import AnswerJson, answer_to_json
from tests.samples import Shown, answer_with


class Talk:
    """Lines that a person types, what the terminal shows, and what reached the answerer."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = iter(lines)
        self.shown: list[str] = []
        self.left = False
        self.asked: list[tuple[str, tuple[Turn, ...]]] = []

    def read(self) -> str:
        try:
            return next(self._lines)
        except StopIteration:
            raise EOFError from None

    def ask(self, question: str, history: tuple[Turn, ...]) -> tuple[AnswerJson, Titles]:
        self.asked.append((question, history))
        if question == "empty":
            raise NotReadyError("The knowledge base is empty.")
        if question == "boom":
            raise RuntimeError("boom")
        made = answer_with("x1", [Shown("docs:a.md", {0: "Three days before."})])
        return answer_to_json(made), {"docs:a.md": "Rules"}

    def hold(self) -> Talk:
        self.left = converse(
            Terminal(self.read, self.shown.append), self.ask, lambda error: f"incident: {error}"
        )
        return self


def test_each_line_is_answered_with_its_sources() -> None:
    talk = Talk(["When?\n"]).hold()
    assert [question for question, _ in talk.asked] == ["When?"]
    assert talk.shown[0].startswith("Statement 0 of x1.")
    assert "[1] Rules > Leave" in talk.shown[0]


def test_the_thread_reaches_the_next_question() -> None:
    talk = Talk(["When?", "And half days?"]).hold()
    history = talk.asked[1][1]
    assert [turn.role for turn in history] == ["user", "assistant"]
    assert history[0].text == "When?"
    assert history[1].text.startswith("Statement 0")


def test_a_long_thread_keeps_its_end() -> None:
    talk = Talk([f"question {n}" for n in range(20)]).hold()
    history = talk.asked[-1][1]
    assert len(history) == HISTORY_TURNS
    assert history[-2].text == "question 18"


@pytest.mark.parametrize("last", [["/quit", "more"], ["/exit", "more"], []])
def test_it_ends_by_command_or_with_the_input(last: list[str]) -> None:
    talk = Talk(["When?", *last]).hold()
    assert [question for question, _ in talk.asked] == ["When?"]
    assert talk.left is bool(last)


def test_commands_answer_from_the_last_answer_and_ask_nothing() -> None:
    talk = Talk(["When?", "/why", "/sources", "/help", "/dance", "  "]).hold()
    assert len(talk.asked) == 1
    why, sources, helped, unknown = talk.shown[1:]
    assert "What carried this answer" in why
    assert "“Three days before.”" in sources
    assert helped == HELP
    assert unknown.startswith("There is no command /dance.")


def test_before_the_first_answer_there_is_nothing_to_explain() -> None:
    assert Talk(["/why", "/sources"]).hold().shown == [NOTHING_YET, NOTHING_YET]


def test_an_error_is_a_sentence_and_the_conversation_goes_on() -> None:
    talk = Talk(["empty", "boom", "When?"]).hold()
    assert talk.shown[:2] == ["The knowledge base is empty.", "incident: boom"]
    assert talk.asked[2] == ("When?", ())
