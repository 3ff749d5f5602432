"""What earlier turns of a thread lend to a question that does not stand on its own; no model is asked.

How the borrowed words and articles move the order is left to `ranking`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.domain import ArticleId
from core.ports import Turn, Vector
from core.rag.asked_words import content_terms

CITED_TURNS = 2
_BY_WORDS = (1.0, 1.0, 0.7, 0.3)
"""How much a question of so many content words leans on what was said before; none from four words on."""

_LEANS = re.compile(
    r"^\s*(?:and|but|or|so|then|ok(?:ay)?|what about|how about|what if|what happens)\b"
    r"|\b(?:it|its|they|them|their|there|this|these|those|that one|the same|one\?)(?!\w)"
    r"|^\s*(?:では|じゃあ?|それ|その|そこ|そちら|あと|ほかに|他に|なら|でも|ちなみに)"
    r"|(?:それ|その場合|そこ|同じ)(?:は|を|が|に|で|の|も)|^[^。？?]{1,12}(?:は|なら|だと|たら|場合は|ときは)[？?]?\s*$",
    re.IGNORECASE,
)
_JAPANESE_COMPOUNDS = 2
"""Analysers give a compound and its parts, so Japanese counts about twice."""


@dataclass(frozen=True, slots=True)
class Context:
    """What was asked before. terms, vector: of the last question. cited: articles of the last answers.

    lean: in [0, 1], how much the new question depends on it.
    """

    terms: tuple[str, ...]
    vector: Vector
    cited: frozenset[ArticleId]
    lean: float


def last_question(history: Sequence[Turn]) -> str:
    """What was asked last; with the question before it where it did not stand on its own. "" for none."""
    asked = [turn.text for turn in history if turn.role == "user"]
    if len(asked) > 1 and _LEANS.search(asked[-1]):
        return f"{asked[-2]} {asked[-1]}"
    return asked[-1] if asked else ""


def cited_articles(history: Sequence[Turn]) -> frozenset[ArticleId]:
    """Of the last CITED_TURNS answers."""
    answers = [turn for turn in history if turn.role == "assistant"][-CITED_TURNS:]
    return frozenset(article for turn in answers for article in turn.cited)


def measure_lean(question: str, analyse: Callable[[str], Sequence[str]]) -> float:
    """In [0, 1]: 1 for "And in winter?", 0 for a question of many content words that points at nothing."""
    if _LEANS.search(question):
        words = len(content_terms(question, analyse))
        return 1.0 if words <= 2 * _JAPANESE_COMPOUNDS else 0.5
    words = len(content_terms(question, analyse))
    if not question.isascii():
        words = -(-words // _JAPANESE_COMPOUNDS)
    return _BY_WORDS[words] if words < len(_BY_WORDS) else 0.0
