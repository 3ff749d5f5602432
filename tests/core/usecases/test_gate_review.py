"""A model that looks over an answer can hold it back, and never lets one pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import pytest

from core.domain import Answer, GateVerdict, Usage
from core.errors import ProviderTimeoutError
from core.ports import GateOpinion, GateReviewRequest, Turn
from core.rag.gate import GateThresholds
from core.usecases.reply import AskRequest, answer_question
from tests.core.usecases.workspace import Workspace

LEAVE = "# Leave\n\nApply for annual leave three working days before. The form is on the intranet.\n"
QUESTION = "How do I apply for annual leave?"
EVERYTHING = GateThresholds(0, 0, 0, 0)


@dataclass
class FakeReviewer:
    """Says the same of every answer, or fails."""

    verdict: GateVerdict = "good"
    fails: bool = False
    id: str = "fake-reviewer"
    asked: list[GateReviewRequest] = field(default_factory=list)

    async def review(self, request: GateReviewRequest) -> GateOpinion:
        self.asked.append(request)
        if self.fails:
            raise ProviderTimeoutError("the reviewer did not answer in time")
        return GateOpinion(self.verdict, "Three days hold for the office alone.", Usage(50, 9, 0.001, 1))


@dataclass
class FakeTraces:
    """Keeps traces in memory."""

    kept: dict[str, Mapping[str, object]] = field(default_factory=dict)

    def save_trace(self, answer_id: str, trace: Mapping[str, object]) -> None:
        self.kept[answer_id] = trace

    def get_trace(self, answer_id: str) -> dict[str, object] | None:
        found = self.kept.get(answer_id)
        return None if found is None else dict(found)

    def save_selection(self, digest: str, selection: Mapping[str, object]) -> None:
        raise NotImplementedError

    def get_selection(self, digest: str) -> dict[str, object] | None:
        return None


async def ask(
    workspace: Workspace,
    reviewer: FakeReviewer,
    traces: FakeTraces | None = None,
    least: float = 0.0,
) -> Answer:
    """least: relevance below which a person always looks."""
    workspace.write({"leave.md": LEAVE})
    await workspace.ingest()
    services = replace(workspace.services, gate_reviewer=reviewer, traces=traces)
    thresholds = replace(EVERYTHING, caution_relevance=least)
    history = (Turn("user", "I work in the warehouse."),)
    request = AskRequest(QUESTION, history=history, thresholds=thresholds)
    return await answer_question(services, request)


@pytest.mark.parametrize(
    ("verdict", "gate"), [("good", "send"), ("doubtful", "caution"), ("bad", "hand_over")]
)
async def test_the_review_lowers_the_decision(workspace: Workspace, verdict: GateVerdict, gate: str) -> None:
    answer = await ask(workspace, FakeReviewer(verdict))
    assert answer.gate == gate


async def test_the_review_sees_question_answer_sources_and_the_thread(workspace: Workspace) -> None:
    reviewer = FakeReviewer()
    answer = await ask(workspace, reviewer)
    (seen,) = reviewer.asked
    assert (seen.question, seen.answer) == (QUESTION, answer.text)
    assert [turn.text for turn in seen.history] == ["I work in the warehouse."]
    assert "three working days" in seen.sources[0].text


async def test_a_review_that_fails_counts_as_doubt_and_loses_no_answer(workspace: Workspace) -> None:
    answer = await ask(workspace, FakeReviewer(fails=True))
    assert answer.gate == "caution"
    assert workspace.services.answers.get_answer(answer.id) is not None


async def test_nobody_is_asked_about_what_a_person_looks_at_anyway(workspace: Workspace) -> None:
    reviewer = FakeReviewer("good")
    answer = await ask(workspace, reviewer, least=1.1)
    assert (answer.gate, reviewer.asked) == ("hand_over", [])


async def test_what_the_review_said_is_kept_and_paid_for(workspace: Workspace) -> None:
    traces = FakeTraces()
    answer = await ask(workspace, FakeReviewer("bad"), traces)
    assert traces.kept[answer.id]["gate_review"] == {
        "by": "fake-reviewer",
        "before": "send",
        "verdict": "bad",
        "reason": "Three days hold for the office alone.",
    }
    assert (answer.usage.calls, answer.usage.cost_usd) == (1, 0.001)
