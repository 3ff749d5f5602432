"""Measure an answer: verdicts of its statements, and the share of it that each article carried."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from core.contribution.features import FEATURES, TermStats
from core.contribution.matching import PairScore, PreparedArticle, Search, prepare_articles, score_statement
from core.contribution.repeats import PairMemory
from core.contribution.support import PairVectors, SupportModel, as_row, check_pairs
from core.contribution.verifying import VERIFIED, shift_probabilities
from core.domain import ArticleId, Contribution, Evaluation, LineRef, Statement, Support, Verdict
from core.memory import Memory

VERDICT_ORDER: tuple[Verdict, ...] = ("supported", "uncited", "unverified", "unsupported", "not_judged")
"""Best first: a statement's verdict is the best of its pairs'."""

_PAIRS_OF_AN_ANSWER = 10_000
_CHECKED: frozenset[Verdict] = frozenset({"supported", "uncited"})


@dataclass(frozen=True, slots=True)
class MeasureSettings:
    """threshold, rival_odds: None for the model's own; see SupportModel.

    counted: verdicts that count as contribution.
    least_probability: pairs below it are left out unless cited or the best of their statement.
    verifier_weight: how far what a verifier says moves the check, see `shift_probabilities`.
    """

    threshold: float | None = None
    rival_odds: float | None = None
    counted: frozenset[Verdict] = _CHECKED
    least_probability: float = 0.02
    verifier_weight: float = 0.3


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the statements are checked against.

    lines: of every article to consider, in any order. cited: source number -> the articles behind it.
    exposed: article -> version of what stood in the prompt; None means every article of `lines`. Other
    articles were looked up and are considered only for statements that nothing exposed supports. An exposed
    article without lines (deleted meanwhile) gets an explicit 0, a citation of it cannot be judged.
    vectors: statements by ordinal, lines as in `lines`; None where no embedding is at hand.
    verified: (statement, article) -> probability that a verifier gave the pair, for those it was asked about.
    memory: of pairs that were compared before; without one, only what this answer repeats is compared once.
    encoder: id of the model that the vectors are of.
    """

    lines: Sequence[LineRef]
    cited: Mapping[int, Sequence[ArticleId]] = field(default_factory=dict)
    stats: TermStats = field(default_factory=TermStats)
    vectors: PairVectors | None = None
    exposed: Mapping[ArticleId, str] | None = None
    verified: Mapping[tuple[int, ArticleId], float] = field(default_factory=dict)
    memory: PairMemory | None = None
    encoder: str = ""


def measure(
    statements: Sequence[Statement],
    evidence: Evidence,
    model: SupportModel,
    settings: MeasureSettings | None = None,
) -> Evaluation:
    """Check every judged statement against every article and sum up what each article carried.

    Returns pairs in the order of statements, then article ids; contributions by statements carried, then
    article id. The order of evidence.lines changes nothing, nor does an article that has nothing to do
    with the answer.
    """
    lines = None if evidence.vectors is None else _unit_rows(evidence.vectors.lines)
    memory = evidence.memory if evidence.memory is not None else Memory(_PAIRS_OF_AN_ANSWER)
    chosen = settings if settings is not None else MeasureSettings()
    judge = _Judge(evidence, model, chosen, lines, memory)
    articles = prepare_articles(evidence.lines)
    exposed = _exposed(evidence)
    inside = [article for article in articles if article.article_id in exposed]
    outside = [article for article in articles if article.article_id not in exposed]
    supports: list[Support] = []
    verdicts: list[Verdict] = []
    for statement in statements:
        pairs: list[Support] = []
        if statement.judged:
            pairs = judge.compare(statement, inside, exposed)
            if outside and not any(pair.verdict in _CHECKED for pair in pairs):
                pairs += [pair for pair in judge.compare(statement, outside) if pair.verdict in _CHECKED]
        supports.extend(pairs)
        verdicts.append(_best(statement, pairs))
    judged = sum(1 for verdict in verdicts if verdict != "not_judged")
    contributions = sum_contributions(supports, judged, exposed, judge.settings.counted)
    return Evaluation(tuple(statements), tuple(verdicts), tuple(supports), contributions, model.version)


def sum_contributions(
    supports: Sequence[Support],
    judged: int,
    exposed: Mapping[ArticleId, str],
    counted: frozenset[Verdict] = _CHECKED,
) -> tuple[Contribution, ...]:
    """Sum up what each article carried of one answer.

    judged: how many of its statements were judged; with none, every share is None. exposed: article ->
    version; each gets a contribution, if only of 0. Others get one if they carried something.
    """
    carriers: dict[int, set[ArticleId]] = {}
    strongest: dict[ArticleId, float] = {}
    versions = dict(exposed)
    for support in supports:
        versions.setdefault(support.article_id, support.version)
        if support.probability is not None:
            strongest[support.article_id] = max(strongest.get(support.article_id, 0.0), support.probability)
        if support.verdict in counted:
            carriers.setdefault(support.statement, set()).add(support.article_id)
    contributions = []
    for article_id, version in versions.items():
        carried = sum(1 for articles in carriers.values() if article_id in articles)
        sole = sum(1 for articles in carriers.values() if articles == {article_id})
        if not carried and article_id not in exposed:
            continue
        share, sole_share = (carried / judged, sole / judged) if judged else (None, None)
        best = strongest.get(article_id)
        contributions.append(
            Contribution(article_id, version, share, sole_share, carried, best, exposed=article_id in exposed)
        )
    return tuple(sorted(contributions, key=lambda item: (-item.statements, item.article_id)))


@dataclass(frozen=True, slots=True)
class _Judge:
    """Turns the scores of a statement into verdicts."""

    evidence: Evidence
    model: SupportModel
    settings: MeasureSettings
    lines: NDArray[np.float32] | None
    """Unit vectors of evidence.lines."""
    memory: PairMemory

    def compare(
        self,
        statement: Statement,
        articles: Sequence[PreparedArticle],
        known: Mapping[ArticleId, str] | None = None,
    ) -> list[Support]:
        """Judge a statement against these articles, by article id; pairs of no interest are left out.

        known: article -> version of what was shown, with or without lines; None for looked-up articles.
        """
        found = self._score(statement, articles, looked_up=known is None)
        scores = [self._verify(statement, score) for score in found]
        cited = {id_ for number in statement.cited for id_ in self.evidence.cited.get(number, ())}
        supports = self._judge(statement, scores, cited)
        compared = {support.article_id for support in supports}
        given = {article.article_id: article.reading.lines[0].version for article in articles}
        for article_id in cited - compared:
            if article_id in given:
                supports.append(self._failed(statement, article_id, given[article_id]))
            elif known and article_id in known:
                supports.append(_unknown(statement, article_id, known[article_id]))
        return sorted(supports, key=lambda support: support.article_id)

    def _score(
        self, statement: Statement, articles: Sequence[PreparedArticle], *, looked_up: bool
    ) -> Sequence[PairScore]:
        evidence, cosines = self.evidence, self._cosines(statement)
        search = Search(evidence.stats, cosines, looked_up, self.memory, evidence.encoder)
        return score_statement(statement.text, articles, search, self.model)

    def _verify(self, statement: Statement, score: PairScore) -> PairScore:
        said = self.evidence.verified.get((statement.ordinal, score.article_id))
        if said is None:
            return score
        contradicted = self.model.contradicted(as_row(score.features))
        moved = shift_probabilities(
            np.array([score.probability]), np.array([said]), contradicted, self.settings.verifier_weight
        )
        return replace(score, probability=float(moved[0]), features={**score.features, VERIFIED: said})

    def _judge(
        self, statement: Statement, scores: Sequence[PairScore], cited: set[ArticleId]
    ) -> list[Support]:
        probabilities = np.array([score.probability for score in scores])
        threshold, rival_odds = self.settings.threshold, self.settings.rival_odds
        passed = check_pairs(
            [statement.ordinal] * len(scores),
            probabilities,
            self.model.threshold if threshold is None else threshold,
            self.model.rival_odds if rival_odds is None else rival_odds,
        )
        least = min(self.settings.least_probability, probabilities.max(initial=0.0))
        return [
            self._support(statement, score, score.article_id in cited, bool(yes))
            for score, yes in zip(scores, passed, strict=True)
            if score.article_id in cited or score.probability >= least
        ]

    def _support(self, statement: Statement, score: PairScore, label: bool, checked: bool) -> Support:
        ref = self.evidence.lines[score.line]
        return Support(
            statement=statement.ordinal,
            article_id=score.article_id,
            version=ref.version,
            line=ref.line.ordinal,
            line_text=ref.line.text,
            label=label,
            probability=score.probability,
            verdict=decide_verdict(label, checked),
            features=score.features,
            exposed=self._is_exposed(score.article_id),
        )

    def _failed(self, statement: Statement, article_id: ArticleId, version: str) -> Support:
        """A cited article that has nothing in common with the statement."""
        probability = float(self.model.probabilities(np.zeros((1, len(FEATURES))))[0])
        exposed = self._is_exposed(article_id)
        return Support(
            statement.ordinal, article_id, version, None, "", True, probability, "unverified", {}, exposed
        )

    def _is_exposed(self, article_id: ArticleId) -> bool:
        return self.evidence.exposed is None or article_id in self.evidence.exposed

    def _cosines(self, statement: Statement) -> NDArray[np.float64] | None:
        """Cosine of the statement with every line, NaN where either has no vector."""
        vectors = self.evidence.vectors
        if vectors is None or self.lines is None or statement.ordinal >= len(vectors.statements):
            return None
        stated = _unit_rows(vectors.statements[statement.ordinal : statement.ordinal + 1])[0]
        cosines: NDArray[np.float64] = (self.lines @ stated).astype(np.float64)
        return cosines


def _unit_rows(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scale rows to unit length; a row of zeros or of anything but numbers becomes NaN."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        scaled: NDArray[np.float32] = np.where(np.isfinite(lengths), vectors / lengths, np.nan).astype(
            np.float32
        )
    return scaled


def decide_verdict(label: bool, checked: bool) -> Verdict:
    """Combine the two witnesses: the answerer's label and the independent check."""
    if checked:
        return "supported" if label else "uncited"
    return "unverified" if label else "unsupported"


def _unknown(statement: Statement, article_id: ArticleId, version: str) -> Support:
    """A cited article whose text is gone: the citation cannot be checked."""
    return Support(statement.ordinal, article_id, version, None, "", True, None, "not_judged")


def _exposed(evidence: Evidence) -> dict[ArticleId, str]:
    if evidence.exposed is not None:
        return dict(evidence.exposed)
    return {ref.article_id: ref.version for ref in evidence.lines}


def _best(statement: Statement, supports: Sequence[Support]) -> Verdict:
    if not statement.judged:
        return "not_judged"
    return min((support.verdict for support in supports), key=VERDICT_ORDER.index, default="unsupported")
