"""A conversation in the terminal, or piped through it: a line in, an answer out.

The thread is kept until the conversation ends; lines that begin with a slash are commands.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bots.rendering import Titles, render_contributions, render_sources
from core.errors import KiyoError
from core.ports import Turn
from core.usecases.answer_json import AnswerJson

HISTORY_TURNS = 12
HELP = """Ask in Japanese or English. 日本語でも英語でも質問できます。
  /sources  where the last answer comes from  最後の回答の出典
  /why      what each article contributed     各記事の寄与
  /help     this list                         この一覧
  /quit     leave                             終了"""
NOTHING_YET = "Ask a question first. まず質問してください。"

Ask = Callable[[str, tuple[Turn, ...]], tuple[AnswerJson, Titles]]
"""Question and thread so far -> the answer, and titles of the articles it speaks of."""


@dataclass(frozen=True, slots=True)
class Terminal:
    """Where lines come from and go to. read: raises EOFError at the end, KeyboardInterrupt to leave."""

    read: Callable[[], str]
    write: Callable[[str], None]


def converse(terminal: Terminal, ask: Ask, report: Callable[[Exception], str]) -> bool:
    """Talk until the input ends or /quit; True if it was /quit.

    report: turns an unexpected error into a sentence.
    """
    history: tuple[Turn, ...] = ()
    last: tuple[AnswerJson, Titles] | None = None
    while True:
        try:
            text = terminal.read().strip()
        except EOFError:
            return False
        if text in ("/quit", "/exit"):
            return True
        if text.startswith("/"):
            terminal.write(_command(text, last))
            continue
        if not text:
            continue
        try:
            last = ask(text, history)
        except KiyoError as error:
            terminal.write(str(error))
            continue
        except Exception as error:
            terminal.write(report(error))
            continue
        answer, _ = last
        terminal.write(render_turn(answer))
        cited = tuple(citation["article_id"] for citation in answer["citations"])
        turns = (*history, Turn("user", text), Turn("assistant", answer["answer"], cited))
        history = turns[-HISTORY_TURNS:]


def render_turn(answer: AnswerJson) -> str:
    """The answer and where it comes from, in short."""
    sources = render_sources(answer)
    return f"{answer['answer'].strip()}\n\n{sources}\n" if sources else f"{answer['answer'].strip()}\n"


def _command(text: str, last: tuple[AnswerJson, Titles] | None) -> str:
    if text == "/help":
        return HELP
    if text not in ("/sources", "/why"):
        return f"There is no command {text}.\n{HELP}"
    if last is None:
        return NOTHING_YET
    answer, titles = last
    if text == "/why":
        return render_contributions(answer, titles) or "Nothing was shown to the answerer."
    return render_sources(answer, quotes=True) or "The last answer cites nothing."
