"""Lengths of stretches of one text, in tokens or in characters, and how far a limit reaches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.text.tokens import count_tokens, cut_to_tokens

LengthUnit = Literal["tokens", "characters"]

_WINDOW = 24
"""Characters looked at for each token that fits, so that the work does not grow with the text."""


@dataclass(frozen=True, slots=True)
class Measure:
    """Measures stretches of a text."""

    text: str
    unit: LengthUnit

    def size(self, start: int, end: int) -> int:
        """Length of text[start:end]."""
        return end - start if self.unit == "characters" else count_tokens(self.text[start:end])

    def reach(self, start: int, stop: int, limit: int) -> int:
        """Give the farthest end up to stop for which text[start:end] keeps the limit; at least start + 1."""
        if self.unit == "characters":
            return min(stop, start + max(limit, 1))
        window = self.text[start : min(stop, start + limit * _WINDOW)]
        length = cut_to_tokens(window, limit)
        while length > 1 and count_tokens(window[:length]) > limit:
            length -= 1
        return start + max(length, 1)

    def reach_back(self, start: int, end: int, limit: int) -> int:
        """Give the earliest position from start on from which text[position:end] keeps the limit."""
        if self.unit == "characters":
            return max(start, end - limit)
        if limit <= 0:
            return end
        low, high = max(start, end - limit * _WINDOW), end
        while low < high:
            middle = (low + high) // 2
            if self.size(middle, end) > limit:
                low = middle + 1
            else:
                high = middle
        return high
