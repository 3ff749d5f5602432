"""Whether a number of a statement is the number that its source ties to the same words."""

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.text.latin import CJK, stem
from core.text.normalise import normalise
from core.text.quantities import find_quantities
from core.text.quantity import Quantity
from core.text.stopwords import ENGLISH

_NEAR_CHARACTERS = 48.0
"""Distance at which a word counts 1/e of one beside the number; Japanese characters count double."""
_BORDER_FACTOR = 0.6
"""For each comma or conjunction between word and number."""
_SENTENCE_FACTOR = 0.3
_TOLERATED = 0.3
"""Paraphrases move words about; a rival that fits only a little better says nothing."""

_TOKEN = re.compile(rf"[^\W\d_{CJK}]{{2,}}|[\u4e00-\u9fff々ァ-ヺー]+")
_BORDER = re.compile(r"[、,;；:]|\b(?:and|while|but|whereas)\b")
_SENTENCE = re.compile(r"[。!?！？\n]|\.(?=\s|$)")


@dataclass(frozen=True, slots=True)
class _Reading:
    """places: word -> where it stands, in order. borders, sentences: where what separates them stands."""

    places: Mapping[str, tuple[int, ...]]
    borders: tuple[int, ...]
    sentences: tuple[int, ...]


def binding_conflict(statement: str, source: str) -> float:
    """How much better another number of the same kind fits the statement's words than the stated one, 0 to 1.

    For each quantity of the statement that the source has: the words around it are looked up around every
    comparable quantity of the source. 0 if the stated value stands about as near to them as any rival, up to
    1 if only a different value does. The largest conflict among the quantities counts.
    """
    stated, given = find_quantities(statement), find_quantities(source)
    contested = [
        (quantity, same, rivals)
        for quantity in stated
        if (same := [other for other in given if _equal(quantity, other)])
        and (rivals := [other for other in given if _is_rival(quantity, other, stated)])
    ]
    if not contested:
        return 0.0
    said, read = _read(statement), _read(source)
    return max(_conflict(said, read, quantity, (same, rivals)) for quantity, same, rivals in contested)


def _is_rival(quantity: Quantity, other: Quantity, stated: Sequence[Quantity]) -> bool:
    comparable = other.kind == quantity.kind and other.unit == quantity.unit
    return comparable and not any(_equal(said, other) for said in stated)


def _conflict(
    said: _Reading,
    read: _Reading,
    quantity: Quantity,
    others: tuple[Sequence[Quantity], Sequence[Quantity]],
) -> float:
    """others: those of the source that are equal to the stated one, and its rivals."""
    context = {word: _nearest(quantity.start, word, said) for word in said.places}
    best, rival = (max(_fit(context, other, read) for other in group) for group in others)
    excess = (rival - best) / rival if rival > best else 0.0
    return max(0.0, (excess - _TOLERATED) / (1 - _TOLERATED))


def _equal(stated: Quantity, other: Quantity) -> bool:
    """Say whether both have the same value; a date may leave out parts of the other."""
    if stated.kind == "date" and other.kind == "date":
        return stated.value in other.value or other.value in stated.value
    return stated.value == other.value and (stated.unit == other.unit or "" in (stated.unit, other.unit))


def _fit(context: Mapping[str, float], quantity: Quantity, reading: _Reading) -> float:
    """Sum how near the words of the context stand to a quantity; a word of many places tells little."""
    return sum(
        weight * _nearest(quantity.start, word, reading) / len(reading.places[word])
        for word, weight in context.items()
        if word in reading.places
    )


def _nearest(position: int, word: str, reading: _Reading) -> float:
    """How near the word comes to a position, in [0, 1]."""
    places = reading.places[word]
    index = bisect_left(places, position)
    cost = 1 if word.isascii() else 2
    return max(_nearness(position, place, cost, reading) for place in places[max(0, index - 1) : index + 1])


def _nearness(one: int, other: int, cost: int, reading: _Reading) -> float:
    low, high = min(one, other), max(one, other)
    borders = bisect_left(reading.borders, high) - bisect_right(reading.borders, low)
    sentences = bisect_left(reading.sentences, high) - bisect_right(reading.sentences, low)
    decay = math.exp(-(high - low) * cost / _NEAR_CHARACTERS)
    return float(decay * _BORDER_FACTOR ** max(0, borders) * _SENTENCE_FACTOR ** max(0, sentences))


@lru_cache(maxsize=512)
def _read(text: str) -> _Reading:
    inside = bytearray(len(text))
    for quantity in find_quantities(text):
        inside[quantity.start : quantity.end] = b"\x01" * (quantity.end - quantity.start)
    places: dict[str, list[int]] = {}
    for match in _TOKEN.finditer(text):
        if not inside[match.start()]:
            for offset, word in _words(match.group()):
                places.setdefault(word, []).append(match.start() + offset)
    return _Reading(
        {word: tuple(sorted(found)) for word, found in places.items()},
        tuple(match.start() for match in _BORDER.finditer(text)),
        tuple(match.start() for match in _SENTENCE.finditer(text)),
    )


@lru_cache(maxsize=32768)
def _words(token: str) -> tuple[tuple[int, str], ...]:
    """The stem of a Latin word, the pairs of characters of a Japanese one; each with its offset."""
    folded = normalise(token)
    if not folded or folded in ENGLISH:
        return ()
    if folded.isascii():
        return ((0, stem(folded)),)
    return tuple((index, folded[index : index + 2]) for index in range(max(1, len(folded) - 1)))
