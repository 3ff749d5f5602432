"""Where every English word of some texts stands, by stem: made once, so that a question costs look-ups."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.text.latin import stem

_WORD = re.compile("[a-z0-9\u00df-\u00f6\u00f8-\u024f]+")
_NOWHERE: NDArray[np.int64] = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class WordIndex:
    """places: stem -> numbers of the texts that hold it, ascending, one for each occurrence."""

    places: dict[str, NDArray[np.int64]]

    def find(self, word: str) -> NDArray[np.int64]:
        """Numbers of the texts that hold the word in any of its forms, one for each occurrence."""
        found = [self.places[one] for one in stems_of(word) if one in self.places]
        return np.concatenate(found) if found else _NOWHERE


def index_words(texts: Iterable[str]) -> WordIndex:
    """texts: normalised. Words end at white space, signs and Japanese characters ("attention機構")."""
    places: dict[str, list[int]] = {}
    for number, text in enumerate(texts):
        for match in _WORD.finditer(text):
            places.setdefault(stem(match[0]), []).append(number)
    return WordIndex({word: np.array(numbers, dtype=np.int64) for word, numbers in places.items()})


def holds_word(text: str, word: str) -> bool:
    """Whether a normalised text holds the word in any of its forms."""
    wanted = stems_of(word)
    return any(stem(match[0]) in wanted for match in _WORD.finditer(text))


def stems_of(word: str) -> tuple[str, ...]:
    """Its stem; of words in -u also their plural and the other way round, which the stemmer leaves alone
    ("gpu", "gpus")."""
    own = stem(word)
    if own.endswith("us"):
        return own, own[:-1]
    return (own, f"{own}s") if own.endswith("u") else (own,)
