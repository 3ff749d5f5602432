"""Whether a number of a statement is the number that its source ties to the same words."""

import math
import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from core.text.latin import CJK, stem
from core.text.normalise import normalise
from core.text.quantities import find_quantities
from core.text.quantity import Quantity
from core.text.stopwords import ENGLISH

_NEAR_CHARACTERS = 48.0
"""Distance at which a word counts 1/e of one that stands beside the number; kanji count double."""
_BORDER_FACTOR = 0.6
"""A comma or conjunction between word and number."""
_SENTENCE_FACTOR = 0.3
_TOLERATED = 0.3
"""Paraphrases move words about; a rival that fits only a little better says nothing."""

_TOKEN = re.compile(rf"[^\W\d_{CJK}]{{2,}}|[\u4e00-\u9fff々ァ-ヺー]{{1,}}")
_BORDER = re.compile(r"[、,;；:]|\b(?:and|while|but|whereas)\b")
_SENTENCE = re.compile(r"[。!?！？\n]|\.(?=\s|$)")


@dataclass(frozen=True, slots=True)
class _Reading:
    """tokens: (word, position) in order. borders, sentences: positions of what separates them."""

    quantities: tuple[Quantity, ...]
    tokens: tuple[tuple[str, int], ...]
    borders: tuple[int, ...]
    sentences: tuple[int, ...]


def binding_conflict(statement: str, source: str) -> float:
    """How much better another number of the same kind fits the statement's words than the stated one, 0 to 1.

    For each quantity of the statement that the source has: the words around it are looked up around every
    comparable quantity of the source. 0 if the stated value stands nearest to them (or has no rival), up to 1
    if only a different value does. The largest conflict among the quantities counts.
    """
    stated = _read(statement)
    if not stated.quantities:
        return 0.0
    given = _read(source)
    return max((_conflict(quantity, stated, given) for quantity in stated.quantities), default=0.0)


def _conflict(quantity: Quantity, stated: _Reading, given: _Reading) -> float:
    context = _context(quantity, stated)
    same = [other for other in given.quantities if _equal(quantity, other)]
    rivals = [
        other
        for other in given.quantities
        if other.kind == quantity.kind
        and other.unit == quantity.unit
        and not _equal(quantity, other)
        and not any(_equal(said, other) for said in stated.quantities)
    ]
    if not same or not rivals or not context:
        return 0.0
    best = max(_fit(context, other, given) for other in same)
    rival = max(_fit(context, other, given) for other in rivals)
    excess = (rival - best) / rival if rival > best else 0.0
    return max(0.0, (excess - _TOLERATED) / (1 - _TOLERATED))


def _equal(stated: Quantity, other: Quantity) -> bool:
    """Say whether both have the same value; a date may leave out parts of the other."""
    if stated.kind == "date" and other.kind == "date":
        return stated.value in other.value or other.value in stated.value
    return stated.value == other.value and (stated.unit == other.unit or "" in (stated.unit, other.unit))


def _context(quantity: Quantity, reading: _Reading) -> dict[str, float]:
    weights: dict[str, float] = {}
    for word, position in reading.tokens:
        near = _nearness(quantity, word, position, reading)
        weights[word] = max(weights.get(word, 0.0), near)
    return weights


def _fit(context: dict[str, float], quantity: Quantity, reading: _Reading) -> float:
    """Sum how near the words of the context stand to a quantity; a word that stands in many places tells little."""
    found: dict[str, float] = {}
    places = Counter(word for word, _ in reading.tokens if word in context)
    for word, position in reading.tokens:
        if word in context:
            found[word] = max(found.get(word, 0.0), _nearness(quantity, word, position, reading))
    return sum(context[word] * near / places[word] for word, near in found.items())


def _nearness(quantity: Quantity, word: str, position: int, reading: _Reading) -> float:
    low, high = min(position, quantity.start), max(position, quantity.start)
    distance = (high - low) * (1 if word.isascii() else 2)
    borders = sum(1 for border in reading.borders if low < border < high)
    sentences = sum(1 for end in reading.sentences if low < end < high)
    return math.exp(-distance / _NEAR_CHARACTERS) * _BORDER_FACTOR**borders * _SENTENCE_FACTOR**sentences


@lru_cache(maxsize=4096)
def _read(text: str) -> _Reading:
    quantities = tuple(find_quantities(text))
    if not quantities:
        return _Reading((), (), (), ())
    inside = [(quantity.start, quantity.end) for quantity in quantities]
    tokens = []
    for match in _TOKEN.finditer(text):
        if any(start <= match.start() < end for start, end in inside):
            continue
        folded = normalise(match.group())
        if folded in ENGLISH:
            continue
        if folded[0].isascii():
            tokens.append((stem(folded), match.start()))
        else:
            pieces = [folded[index : index + 2] for index in range(max(1, len(folded) - 1))]
            tokens.extend((piece, match.start() + index) for index, piece in enumerate(pieces))
    borders = tuple(match.start() for match in _BORDER.finditer(text))
    return _Reading(
        quantities, tuple(tokens), borders, tuple(match.start() for match in _SENTENCE.finditer(text))
    )
