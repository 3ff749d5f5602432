"""What a statement and a line have in common and where they part, as numbers for the support model."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from core.contribution.binding import binding_conflict
from core.contribution.exchange import exchange_conflict
from core.contribution.polarity import antonym_mismatch, negation_mismatch
from core.contribution.reading import (
    Reading,
    StatementReading,
    read_text,
    read_window,
    speaks_personally,
    terms_of,
)
from core.domain import LineRef
from core.text.agreement import Agreement
from core.text.quantities import compare_quantities, find_quantities
from core.text.quantity import Quantity

__all__ = ["FEATURES", "TermStats", "count_terms", "terms_of"]

FEATURES = (
    "window",
    "line",
    "clause",
    "pieces",
    "cosine",
    "quantity_missing",
    "quantity_conflict",
    "quantity_far",
    "binding",
    "negation",
    "antonym",
    "exchange",
    "name",
    "personal",
    "looked_up",
)
"""All in [0, 1]; the first five speak for support, the others against it.

window        share of the statement's terms, by rarity, in the line, its neighbours and its heading
line          the same for the line alone
clause        the same for the statement's least covered clause, in everything given of the article
pieces        share of the statement's short character runs found in the window
cosine        between the vectors of statement and line; NaN where one is missing
quantity_missing   share of the statement's quantities that the article does not have
quantity_conflict  1 if the window has another value or another unit for one of those
quantity_far       share of its quantities that the article has, but not in the window
binding       how much better another number of the article fits the words around a stated one
negation      a shared word is denied by one side only, times `line`; as the article's nearest lines have it
antonym       the line has the opposite of a stated word, times `line`; likewise
exchange      two names, nouns or numbers of the statement stand in each other's place in the line and
              beside it; as far as the window has the statement's terms
name          share of the statement's names that the article does not have
personal      1 if the statement speaks in the first person and the article does not
looked_up     1 if the article was not shown but found by searching everything, where chance resemblance
              is likelier
"""

Features = NDArray[np.float64]

_NUMERAL = re.compile(r"\d[\d,.]*|[〇一二三四五六七八九十百千]+|[a-z]+(?=[\s-])", re.IGNORECASE)
_LEAST_COVERED, _WELL_COVERED = 0.6, 0.9
_STOPS = " .。!?"
_BINDING_LENGTH = 2000
"""Longer articles are searched for the right number in the window only."""


@dataclass(frozen=True, slots=True)
class TermStats:
    """How rare terms are: in how many of `documents` texts each occurs; unknown terms are rarest."""

    documents: int = 0
    frequencies: Mapping[str, int] = field(default_factory=dict)

    def weight(self, term: str) -> float:
        """Inverse document frequency ln(1 + (N + 10 - df + 0.5) / (df + 0.5)).

        Ten documents more than there are keep small collections from weighing by chance.
        """
        frequency = self.frequencies.get(term, 0)
        return math.log(1 + max(0.5, self.documents + 10 - frequency + 0.5) / (frequency + 0.5))


def count_terms(texts: Iterable[str]) -> TermStats:
    """Count in how many of the texts each term occurs."""
    frequencies: dict[str, int] = {}
    documents = 0
    for text in texts:
        documents += 1
        for term in terms_of(text):
            frequencies[term] = frequencies.get(term, 0) + 1
    return TermStats(documents, frequencies)


@dataclass(frozen=True, slots=True)
class ArticleReading:
    """Everything given of one article. lines: in order. text: headings and lines, one a row."""

    lines: tuple[LineRef, ...]
    terms: frozenset[str]
    text: str
    folded: str

    @property
    def is_personal(self) -> bool:
        """Whether the article speaks in the first person."""
        return speaks_personally(self.folded)


def read_article(lines: Sequence[LineRef]) -> ArticleReading:
    """Read the lines that are given of one article; their order does not matter."""
    ordered = tuple(sorted(lines, key=lambda ref: ref.line.ordinal))
    headings = list(dict.fromkeys(ref.heading for ref in ordered if ref.heading))
    texts = [*headings, *(ref.line.text for ref in ordered)]
    readings = [read_text(text) for text in texts]
    terms: frozenset[str] = frozenset().union(*(reading.terms for reading in readings))
    return ArticleReading(ordered, terms, "\n".join(texts), "\n".join(reading.folded for reading in readings))


@dataclass(frozen=True, slots=True)
class WeighedStatement:
    """A statement with the weights of its terms. quantities: how many it states."""

    statement: StatementReading
    weights: Mapping[str, float]
    total: float
    quantities: int

    def coverage(self, readings: Sequence[Reading]) -> float:
        """Share of the statement's terms, by weight, in these texts; 0 for a statement without terms."""
        if not self.total:
            return 0.0
        own = self.statement.reading.terms
        held: frozenset[str] = frozenset().union(*(own & reading.terms for reading in readings))
        return sum(self.weights[term] for term in held) / self.total

    def piece_share(self, readings: Sequence[Reading]) -> float:
        """Share of the statement's pieces in these texts; 0 for a statement without any."""
        pieces = self.statement.pieces
        runs = "".join(reading.runs for reading in readings)
        return sum(1 for piece in pieces if piece in runs) / len(pieces) if pieces else 0.0


def weigh_statement(statement: StatementReading, stats: TermStats) -> WeighedStatement:
    """Look up how rare the statement's terms are."""
    weights = {term: stats.weight(term) for term in statement.reading.terms}
    return WeighedStatement(statement, weights, sum(weights.values()), len(find_quantities(statement.text)))


@dataclass(frozen=True, slots=True)
class ArticleMatch:
    """What holds for a statement and an article whatever the line. binding: None if the window decides."""

    clause: float
    missing: frozenset[Quantity]
    binding: float | None
    name: float
    personal: float
    looked_up: float


def match_article(
    weighed: WeighedStatement, article: ArticleReading, looked_up: bool = False
) -> ArticleMatch:
    """Compare a statement with all that is given of an article."""
    statement = weighed.statement
    shares = [(len(clause & article.terms) + 1) / (len(clause) + 1) for clause in statement.clauses]
    missing: frozenset[Quantity] = frozenset()
    if weighed.quantities:
        agreement = _agreement(statement.text, article.text)
        missing = frozenset(agreement.conflicting + agreement.missing)
    absent = sum(1 for name in statement.names if name not in article.folded)
    return ArticleMatch(
        clause=min(shares, default=1.0),
        missing=missing,
        binding=_article_binding(weighed, article),
        name=absent / len(statement.names) if statement.names else 0.0,
        personal=float(statement.is_personal and not article.is_personal),
        looked_up=float(looked_up),
    )


def pair_features(weighed: WeighedStatement, match: ArticleMatch, ref: LineRef, cosine: float) -> list[float]:
    """List the values of FEATURES for a statement and a line of the matched article; cosine as there.

    `exchange` is left at 0, since it takes longest and only the nearest lines need it: see `find_exchange`.
    """
    statement = weighed.statement.reading
    parts = (ref.heading, ref.before, ref.line.text, ref.after)
    window = read_window(parts)
    line = read_text(ref.line.text)
    line_coverage, window_coverage = weighed.coverage([line]), weighed.coverage(window)
    conflict = far = binding = 0.0
    if weighed.quantities:
        conflict, far, binding = _quantities(weighed, match, "\n".join(part for part in parts if part))
    return [
        window_coverage,
        line_coverage,
        match.clause,
        weighed.piece_share(window),
        cosine if math.isnan(cosine) else min(1.0, max(0.0, cosine)),
        len(match.missing) / weighed.quantities if weighed.quantities else 0.0,
        conflict,
        far,
        binding,
        _negation(statement, line) * line_coverage,
        _antonym(statement, line) * line_coverage,
        0.0,
        match.name,
        match.personal,
        match.looked_up,
    ]


def _quantities(weighed: WeighedStatement, match: ArticleMatch, window: str) -> tuple[float, float, float]:
    text = weighed.statement.text
    agreement = _agreement(text, window)
    conflict = any(
        quantity in match.missing and not _is_mere_count(quantity) for quantity in agreement.conflicting
    ) or _differs_in_unit(
        text, [quantity for quantity in agreement.missing if quantity in match.missing], window
    )
    elsewhere = sum(
        1 for quantity in agreement.conflicting + agreement.missing if quantity not in match.missing
    )
    binding = binding_conflict(text, window) if match.binding is None else match.binding
    return float(conflict), elsewhere / weighed.quantities, binding


@lru_cache(maxsize=512)
def _agreement(statement: str, source: str) -> Agreement:
    return compare_quantities(statement, source)


def _article_binding(weighed: WeighedStatement, article: ArticleReading) -> float | None:
    if not weighed.quantities:
        return 0.0
    if len(article.text) > _BINDING_LENGTH:
        return None
    return binding_conflict(weighed.statement.text, article.text)


def _is_mere_count(quantity: Quantity) -> bool:
    """Say whether a number is a bare 1 or 2, which people count for themselves: "both", "two families"."""
    return quantity.kind == "number" and not quantity.unit and quantity.value in ("1", "2")


def _differs_in_unit(text: str, missing: Sequence[Quantity], window: str) -> bool:
    """Say whether the window has a missing quantity's numeral with another unit: 2 days for 2 hours."""
    numerals = {_numeral(window, quantity) for quantity in find_quantities(window) if quantity.unit}
    return any(quantity.unit and _numeral(text, quantity) in numerals for quantity in missing)


def _numeral(text: str, quantity: Quantity) -> str:
    match = _NUMERAL.search(text, quantity.start, quantity.end)
    return match.group() if match else text[quantity.start : quantity.end]


def _negation(statement: Reading, line: Reading) -> float:
    """1 if one side denies what the other says, and no antonym turns it round again."""
    return float(
        negation_mismatch(statement.polarity, line.polarity)
        and not antonym_mismatch(statement.polarity, line.polarity)
    )


def _antonym(statement: Reading, line: Reading) -> float:
    return float(
        antonym_mismatch(statement.polarity, line.polarity)
        and not negation_mismatch(statement.polarity, line.polarity)
    )


def find_exchange(weighed: WeighedStatement, ref: LineRef, coverage: float) -> float:
    """The feature `exchange` of a line. coverage: its feature `window`.

    Words that the window lacks say that this is another sentence, in which nothing changed places.
    """
    trust = min(1.0, (coverage - _LEAST_COVERED) / (_WELL_COVERED - _LEAST_COVERED))
    statement = weighed.statement
    if trust <= 0 or statement.reading.folded.strip(_STOPS) in read_text(ref.line.text).folded:
        return 0.0
    around = "\n".join(text for text in (ref.before, ref.line.text, ref.after) if text)
    return trust * exchange_conflict(statement.text, around)
