"""Find for a statement the best line of every article: a cheap prefilter first, then the features."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from core.contribution.features import (
    FEATURES,
    ArticleReading,
    Features,
    TermStats,
    WeighedStatement,
    find_exchange,
    match_article,
    pair_features,
    read_article,
    weigh_statement,
)
from core.contribution.reading import read_statement, read_text, read_window
from core.contribution.repeats import (
    PairMemory,
    article_digest,
    model_digest,
    pair_key,
    statement_digest,
)
from core.contribution.support import SupportModel
from core.domain import ArticleId, ComparedPair, LineRef
from core.memory import Memory

LINES_PER_ARTICLE = 3
"""Lines of an article that get all features, best first by the prefilter."""

_LEAST_COVERAGE = 0.15
"""Least share of a statement's weighed terms in a line and its surroundings."""
_LEAST_COSINE = 0.5
_DECIMALS = 4
_NEAREST = 0.1
"""Lines whose share of the statement's terms is within this of the highest are most about it."""


@dataclass(frozen=True, slots=True)
class PairScore:
    """The best line of an article for a statement.

    line: index among the lines that were given. features: by name; those that are 0 are left out, and a
    missing cosine.
    """

    article_id: ArticleId
    line: int
    probability: float
    features: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class PreparedArticle:
    """An article's lines as given, and where they stood. indexes: in the order of reading.lines.

    digest: see `article_digest`.
    """

    article_id: ArticleId
    reading: ArticleReading
    indexes: tuple[int, ...]
    digest: bytes


def prepare_articles(lines: Sequence[LineRef]) -> list[PreparedArticle]:
    """Group lines by article, articles by id, so that the order in which they come does not matter."""
    by_article: dict[ArticleId, list[int]] = {}
    for index, ref in enumerate(lines):
        by_article.setdefault(ref.article_id, []).append(index)
    prepared = []
    for article_id in sorted(by_article):
        indexes = sorted(by_article[article_id], key=lambda index: lines[index].line.ordinal)
        reading = read_article([lines[index] for index in indexes])
        prepared.append(PreparedArticle(article_id, reading, tuple(indexes), article_digest(reading)))
    return prepared


@dataclass(frozen=True, slots=True)
class Search:
    """How a statement's articles are looked at.

    cosines: of the statement with each line, in the order in which the lines were given; NaN or None where
    there are none. looked_up: whether the articles were found by searching everything, not shown.
    memory: of pairs that were compared before, with the id of the model that the cosines are of.
    """

    stats: TermStats = field(default_factory=TermStats)
    cosines: NDArray[np.float64] | None = None
    looked_up: bool = False
    memory: PairMemory | None = None
    encoder: str = ""


def score_statement(
    text: str, articles: Sequence[PreparedArticle], search: Search, model: SupportModel
) -> list[PairScore]:
    """Give the best line of every article that has anything in common with a statement.

    An article that the prefilter drops is not in the result. What the memory has is not compared again.
    """
    memory = search.memory if search.memory is not None else Memory(len(articles))
    said = statement_digest(text, search.stats, search.looked_up, model_digest(model, search.encoder))
    cosines = None if search.cosines is None else np.round(search.cosines, _DECIMALS)
    weigh = cache(lambda: weigh_statement(read_statement(text), search.stats))
    scores = []
    for article in articles:
        near = None if cosines is None else cosines[list(article.indexes)]
        compare = partial(_compare, weigh, article.reading, replace(search, cosines=near), model)
        found = memory.recall(pair_key(said, article.digest, near), compare)
        if found is not None:
            line, probability, features = found
            scores.append(PairScore(article.article_id, article.indexes[line], probability, features))
    return scores


def _compare(
    weigh: Callable[[], WeighedStatement], article: ArticleReading, search: Search, model: SupportModel
) -> ComparedPair | None:
    """search.cosines: of the article's lines, in their order."""
    weighed = weigh()
    positions = select_lines(weighed, article, search.cosines)
    if not positions:
        return None
    rows = article_rows(weighed, article, positions, search.cosines, search.looked_up)
    return _best_line(positions, rows, model)


def select_lines(
    weighed: WeighedStatement, article: ArticleReading, cosines: NDArray[np.float64] | None = None
) -> list[int]:
    """Choose the lines of an article that are worth comparing with a statement, best first.

    A line is worth it if it, its neighbours or its heading share enough of the statement's weighed terms, or
    if it is near in meaning. Returns positions among article.lines, at most LINES_PER_ARTICLE.
    """
    ranked = []
    for position, ref in enumerate(article.lines):
        window = weighed.coverage(read_window((ref.heading, ref.before, ref.line.text, ref.after)))
        cosine = 0.0 if cosines is None or np.isnan(cosines[position]) else float(cosines[position])
        if window >= _LEAST_COVERAGE or cosine >= _LEAST_COSINE:
            line = weighed.coverage([read_text(ref.line.text)])
            ranked.append((-(2 * window + line + cosine), position))
    ranked.sort()
    return [position for _, position in ranked[:LINES_PER_ARTICLE]]


def lines_to_embed(statements: Collection[str], lines: Sequence[LineRef], stats: TermStats) -> list[int]:
    """List the lines whose vectors are worth having, in order: those that share terms with any statement."""
    weighed = [weigh_statement(read_statement(text), stats) for text in statements]
    chosen: set[int] = set()
    for article in prepare_articles(lines):
        for statement in weighed:
            chosen.update(article.indexes[position] for position in select_lines(statement, article.reading))
    return sorted(chosen)


def article_rows(
    weighed: WeighedStatement,
    article: ArticleReading,
    positions: Sequence[int],
    cosines: NDArray[np.float64] | None,
    looked_up: bool = False,
) -> Features:
    """Compute FEATURES of a statement with some lines of an article, (len(positions), len(FEATURES)).

    They are rounded, so that what is stored gives the same probability again.
    """
    match = match_article(weighed, article, looked_up)
    rows = [
        pair_features(
            weighed,
            match,
            article.lines[position],
            float("nan") if cosines is None else float(cosines[position]),
        )
        for position in positions
    ]
    refs = [article.lines[position] for position in positions]
    spread = _spread_opposition(weighed, refs, np.array(rows).reshape(len(positions), len(FEATURES)))
    return np.round(spread, _DECIMALS)


def _spread_opposition(weighed: WeighedStatement, refs: Sequence[LineRef], rows: Features) -> Features:
    """Give every line the contradiction of the lines that are most about the statement.

    Else a neighbour, whose window holds the same words, would stand in for the line that says the opposite.
    """
    if not len(rows):
        return rows
    coverage, window = rows[:, FEATURES.index("line")], rows[:, FEATURES.index("window")]
    nearest = np.flatnonzero(coverage >= coverage.max() - _NEAREST)
    for name in ("negation", "antonym"):
        column = FEATURES.index(name)
        rows[:, column] = rows[nearest, column].min()
    exchange = 1.0
    for row in nearest[np.argsort(-coverage[nearest], kind="stable")]:
        if exchange:
            exchange = min(exchange, find_exchange(weighed, refs[row], float(window[row])))
    rows[:, FEATURES.index("exchange")] = exchange
    return rows


def _best_line(positions: Sequence[int], rows: Features, model: SupportModel) -> ComparedPair:
    probabilities = model.probabilities(rows)
    line = FEATURES.index("line")
    best = max(range(len(positions)), key=lambda row: (probabilities[row], rows[row][line], -positions[row]))
    features = {
        name: float(value)
        for name, value in zip(FEATURES, rows[best], strict=True)
        if not np.isnan(value) and (value != 0 or name == "cosine")
    }
    return positions[best], float(probabilities[best]), features
