"""The values in which labels travel between people, use cases and the store."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal

from core.contribution.labels import LabelVerdict, Said
from core.domain import AnswerId, ArticleId

LabelValue = Literal[1, 0, "skip"]
VERDICT_OF: dict[LabelValue, LabelVerdict] = {1: "supported", 0: "unsupported", "skip": "unclear"}
"""What a labeller answers to "does the article say this?": yes, no, or not to be told."""


@dataclass(frozen=True, slots=True)
class LabelPair:
    """A statement and an article, as a labeller sees them: without verdict, probability or stratum.

    text: the statement. line: the line of the article that comes nearest. before, after: lines around it, in
    order, empty once the article has changed. question: "" once its message is gone.
    """

    item: int
    answer_id: AnswerId
    article_id: ArticleId
    article_title: str
    statement: int
    text: str
    question: str
    line: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    week: str
    channel: str
    language: str


@dataclass(frozen=True, slots=True)
class LabelRow:
    """A pair with what was said of it, oldest first."""

    pair: LabelPair
    said: tuple[Said, ...]


@dataclass(frozen=True, slots=True)
class WeeklyDraw:
    """week: such as 2026-W48. population: pairs it was drawn from. items: pairs that people are asked about.

    is_new: False when the week had been drawn before and stays as it was.
    """

    week: str
    population: int
    items: int
    is_new: bool


@dataclass(frozen=True, slots=True)
class LabelCounts:
    """items: pairs that people are asked about. labelled: by one person at least. settled: that are decided,
    `unclear` left out, of which so many are supported or unsupported. disputed: that need a third person."""

    items: int
    labelled: int
    settled: int
    supported: int
    unsupported: int
    disputed: int


@dataclass(frozen=True, slots=True)
class SettledPair:
    """A pair that people have decided. supported: what holds. checked: what the check said when it was drawn.

    weight: how many pairs of its week it stands for; 1 where somebody picked it. features: by name, empty
    once the answer or the article is erased. verified: what a verifier said, if it was asked.
    """

    item: int
    week: str
    group: Hashable
    supported: bool
    checked: bool
    weight: float
    features: dict[str, float]
    verified: float | None
