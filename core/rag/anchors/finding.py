"""From a question and some documents to ranked places: detectors, aggregation, and at most one model call."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from core.domain import Language, Usage
from core.errors import ProviderError, ProviderTimeoutError
from core.ports import Arbiter, ArbiterRanking, ArbiterRequest, ArbiterVerdict
from core.rag.anchors.aggregation import AnchorCandidate, gather_candidates, make_candidate
from core.rag.anchors.arbiter import ROLES, Role, build_request, check_ids
from core.rag.anchors.detection import Detection, Meaning, detect_anchors
from core.rag.anchors.numbering import Numbering, number_places
from core.rag.anchors.parsing import AnchorQuestion
from core.rag.anchors.quotes import check_quote
from core.rag.anchors.scoring import score_units
from core.rag.anchors.tables import DocumentTables

RAW_CHARS = 4000
SUPPORTING_SHARE = 0.5
"""Without a model, places with at least this share of the best score support the first."""
NOTHING_FOUND = "no keyword stands anywhere, and nothing comes near enough in meaning"


@dataclass(frozen=True, slots=True)
class RankedAnchor:
    """A candidate with its judgement. number: as the model names it. quoted: lines of a checked quote."""

    candidate: AnchorCandidate
    number: str
    role: Role
    reason: str = ""
    quoted: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Arbitration:
    """How the order came about. order: "arbiter", "clean", "score" or "not found". fallback: why the model's
    answer was not used, "" if it was or none was asked. calls: of a model, never more than one."""

    order: str
    calls: int = 0
    fallback: str = ""
    prompt: str = ""
    model: str = ""
    raw: str = ""
    rejected: tuple[str, ...] = ()
    bad_quotes: tuple[str, ...] = ()
    milliseconds: float = 0.0
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class AnchorResult:
    """What was found for one question.

    anchors: primary ones first, discarded ones last. confidence: the model's own, not calibrated; 0.0 when
    nothing was found, None when no model was asked.
    """

    documents: tuple[DocumentTables, ...]
    question: AnchorQuestion
    detection: Detection
    anchors: tuple[RankedAnchor, ...]
    arbitration: Arbitration
    not_found: bool = False
    not_found_reason: str = ""
    confidence: float | None = None
    caveats: tuple[str, ...] = ()

    @property
    def kept(self) -> tuple[RankedAnchor, ...]:
        """What may be shown to an answerer: all but the discarded."""
        return tuple(anchor for anchor in self.anchors if anchor.role != "discarded")


async def find_anchors(
    documents: Sequence[DocumentTables],
    question: AnchorQuestion,
    language: Language,
    meaning: Meaning | None = None,
    arbiter: Arbiter | None = None,
) -> AnchorResult:
    """Detect, gather and rank. The arbiter is called once at most, and never when nothing was found.

    Without an arbiter, when it fails or answers nothing usable, the order is that of the scores.
    """
    detection = await detect_anchors(documents, question, meaning)
    candidates = gather_candidates(documents, question, detection)
    pool = _Pool(tuple(documents), question, detection, tuple(candidates))
    if not detection.found:
        return pool.nothing_found()
    if arbiter is None:
        return pool.by_score("")
    numbering = number_places(documents)
    request = build_request(question.text, language, documents, pool.candidates, numbering)
    started = time.perf_counter()
    asked = await _ask(arbiter, request)
    spent = round((time.perf_counter() - started) * 1000, 3)
    if isinstance(asked, str):
        return pool.by_score(asked, Arbitration("score", 1, asked, milliseconds=spent))
    return pool.by_verdict(asked, numbering, spent)


async def _ask(arbiter: Arbiter, request: ArbiterRequest) -> ArbiterVerdict | str:
    """The verdict, or why there is none."""
    try:
        return await arbiter.judge(request)
    except ProviderTimeoutError as error:
        return f"time-out: {error}"
    except ProviderError as error:
        return f"failed: {error}"


@dataclass(frozen=True, slots=True)
class _Pool:
    """Candidates of one question, before they are judged."""

    documents: tuple[DocumentTables, ...]
    question: AnchorQuestion
    detection: Detection
    candidates: tuple[AnchorCandidate, ...]

    def nothing_found(self) -> AnchorResult:
        return self._result((), Arbitration("not found"), not_found=True, reason=NOTHING_FOUND, sure=0.0)

    def by_score(self, fallback: str, arbitration: Arbitration | None = None) -> AnchorResult:
        order = "clean" if self.detection.clean and not fallback else "score"
        best = max((c.score for c in self.candidates), default=0.0)
        anchors = [
            RankedAnchor(candidate, "", self._role(rank, candidate, best))
            for rank, candidate in enumerate(self.candidates)
        ]
        return self._result(anchors, arbitration or Arbitration(order, 0, fallback))

    def by_verdict(self, verdict: ArbiterVerdict, numbering: Numbering, spent: float) -> AnchorResult:
        checked = check_ids([ranking.id for ranking in verdict.rankings], numbering.places)
        arbitration = Arbitration(
            order="arbiter",
            calls=1,
            prompt=verdict.prompt,
            model=verdict.model,
            raw=verdict.raw[:RAW_CHARS],
            rejected=checked.rejected,
            milliseconds=spent,
            usage=verdict.usage,
        )
        if verdict.problem or (not checked.accepted and not verdict.not_found):
            why = verdict.problem or "none of the places that it named exists"
            return self.by_score(why, replace(arbitration, order="score", fallback=why))
        if verdict.not_found:
            reason = verdict.caveats[0] if verdict.caveats else "the model saw no place that holds the answer"
            return self._result((), arbitration, not_found=True, reason=reason, sure=verdict.confidence)
        judged, bad = self._judge(verdict, checked.accepted, numbering)
        arbitration = replace(arbitration, bad_quotes=tuple(bad))
        result = self._result(judged, arbitration, sure=verdict.confidence)
        return replace(result, caveats=verdict.caveats)

    def _judge(
        self, verdict: ArbiterVerdict, accepted: Sequence[str], numbering: Numbering
    ) -> tuple[list[RankedAnchor], list[str]]:
        """Judged places by role in the model's order, then what it left out, as tangential."""
        by_place = {(c.document, c.unit): c for c in self.candidates}
        by_id = {ranking.id: ranking for ranking in reversed(verdict.rankings)}
        anchors: list[RankedAnchor] = []
        bad: list[str] = []
        for number in accepted:
            place = numbering.places[number]
            if place is None:
                continue
            candidate = by_place.pop(place, None) or self._from_contents(place)
            quoted, problem = self._quoted(place[0], by_id[number])
            bad += [f"{number}: {problem}"] if problem else []
            role = next(role for role in ROLES if role == by_id[number].role)
            anchors.append(RankedAnchor(candidate, number, role, by_id[number].reason, quoted))
        for candidate in by_place.values():
            number = numbering.numbers[candidate.document, candidate.unit]
            anchors.append(RankedAnchor(candidate, number, "tangential", "not judged"))
        return sorted(anchors, key=lambda anchor: ROLES.index(anchor.role)), bad

    def _from_contents(self, place: tuple[int, int]) -> AnchorCandidate:
        """A place that only the model found, by its title."""
        found = self.detection
        scores = score_units(self.documents, self.question, found.occurrences, found.nearness)
        return make_candidate(self.documents, place, (), scores[place[0]])

    def _quoted(self, document: int, ranking: ArbiterRanking) -> tuple[tuple[int, int] | None, str]:
        if not ranking.quote:
            return None, ""
        start, end = ranking.line_start, ranking.line_end
        end = start if end is None else end
        check = check_quote(self.documents[document].lines, start, end, ranking.quote)
        if not check.valid or start is None or end is None:
            return None, check.reason
        return (start, end), ""

    @staticmethod
    def _role(rank: int, candidate: AnchorCandidate, best: float) -> Role:
        if rank == 0:
            return "primary"
        return "supporting" if candidate.score >= SUPPORTING_SHARE * best > 0 else "tangential"

    def _result(
        self,
        anchors: Sequence[RankedAnchor],
        arbitration: Arbitration,
        *,
        not_found: bool = False,
        reason: str = "",
        sure: float | None = None,
    ) -> AnchorResult:
        return AnchorResult(
            documents=self.documents,
            question=self.question,
            detection=self.detection,
            anchors=tuple(anchors),
            arbitration=arbitration,
            not_found=not_found,
            not_found_reason=reason,
            confidence=sure,
        )
