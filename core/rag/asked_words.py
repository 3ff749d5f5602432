"""The words of a question that carry what it is about; how rare they are is left to the index."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from core.text.stopwords import ENGLISH

_WORD = re.compile(r"[A-Za-z]+(?:'[A-Za-z]+)?")
_ASKING = frozenset({"much", "many", "long", "often", "get", "need", "must", "may", "might", "shall", "tell"})
"""English words of asking and wishing, besides the function words."""


def content_terms(text: str, analyse: Callable[[str], Sequence[str]]) -> tuple[str, ...]:
    """Terms of a question without English words of grammar and asking, in order, without repeats.

    All terms where nothing else is left. Japanese analysers leave grammar out by themselves.
    """
    bare = _WORD.sub(lambda m: " " if _is_grammar(m.group()) else m.group(), text)
    return tuple(dict.fromkeys(analyse(bare) or analyse(text)))


def _is_grammar(word: str) -> bool:
    lower = word.lower()
    return (lower in ENGLISH or lower in _ASKING) and not (len(word) > 1 and word.isupper())
