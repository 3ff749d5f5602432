"""A judge or a verifier that fails, or says what is no number, never becomes a verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from core.domain import Answer
from core.errors import ProviderTimeoutError
from core.ports import Claim
from core.usecases.reply import AskRequest, answer_question
from tests.core.usecases.workspace import Workspace

LEAVE = "# Leave\n\nApply for annual leave three working days before. The form is on the intranet.\n"
QUESTION = "How do I apply for annual leave?"


@dataclass
class FakeJudge:
    """Says the same of every pair, or fails."""

    says: bool | None = True
    fails: bool = False
    id: str = "fake-judge"
    asked: list[Claim] = field(default_factory=list)

    async def judge(self, claims: Sequence[Claim]) -> list[bool | None]:
        self.asked += claims
        if self.fails:
            raise ProviderTimeoutError("the judge did not answer in time")
        return [self.says] * len(claims)


@dataclass
class FakeVerifier:
    says: float | None = 0.9
    fails: bool = False
    id: str = "fake-verifier"

    asked: list[Claim] = field(default_factory=list)

    async def verify(self, claims: Sequence[Claim]) -> list[float | None]:
        self.asked += claims
        if self.fails:
            raise ProviderTimeoutError("the verifier did not answer in time")
        return [self.says] * len(claims)


async def ask(
    workspace: Workspace, judge: FakeJudge | None = None, verifier: FakeVerifier | None = None
) -> Answer:
    workspace.write({"leave.md": LEAVE})
    await workspace.ingest()
    services = replace(workspace.services, judge=judge, verifier=verifier)
    return await answer_question(services, AskRequest(QUESTION))


def judged(answer: Answer) -> set[str]:
    pairs = zip(answer.evaluation.statements, answer.evaluation.verdicts, strict=True)
    return {verdict for statement, verdict in pairs if statement.judged}


async def test_a_judge_that_agrees_supports(workspace: Workspace) -> None:
    judge = FakeJudge()
    answer = await ask(workspace, judge=judge)
    assert judged(answer) == {"supported"}
    assert answer.evaluation.evaluator.endswith("+judge:fake-judge")
    assert all("Leave" in claim.passage for claim in judge.asked)


async def test_a_judge_takes_the_place_of_the_citation(workspace: Workspace) -> None:
    assert judged(await ask(workspace, judge=FakeJudge(says=False))) == {"uncited"}


@pytest.mark.parametrize("judge", [FakeJudge(fails=True), FakeJudge(says=None)], ids=["fails", "no verdict"])
async def test_a_judge_without_a_verdict_leaves_the_answer_unjudged(
    workspace: Workspace, judge: FakeJudge
) -> None:
    answer = await ask(workspace, judge=judge)
    assert judged(answer) == {"not_judged"}
    assert [one.share for one in answer.evaluation.contributions] == [None]
    stored = workspace.services.answers.get_answer(answer.id)
    assert stored is not None
    assert stored.evaluation.verdicts == answer.evaluation.verdicts


@pytest.mark.parametrize(
    "verifier", [FakeVerifier(fails=True), FakeVerifier(says=None)], ids=["fails", "no number"]
)
async def test_the_check_stands_alone_where_the_verifier_says_nothing(
    workspace: Workspace, verifier: FakeVerifier
) -> None:
    alone = await ask(workspace)
    checked = await ask(workspace, verifier=verifier)
    assert [s.probability for s in checked.evaluation.supports] == [
        s.probability for s in alone.evaluation.supports
    ]


async def test_a_verifier_moves_the_check_within_bounds(workspace: Workspace) -> None:
    alone = await ask(workspace)
    doubted = await ask(workspace, verifier=FakeVerifier(says=0.001))
    for before, after in zip(alone.evaluation.supports, doubted.evaluation.supports, strict=True):
        assert before.probability is not None
        assert after.probability is not None
        moved = math.log(after.probability / (1 - after.probability)) - math.log(
            before.probability / (1 - before.probability)
        )
        assert -0.3 * 4 - 1e-6 <= moved < 0


async def test_what_was_judged_and_verified_before_is_not_asked_again(workspace: Workspace) -> None:
    workspace.write({"leave.md": LEAVE})
    await workspace.ingest()
    judge, verifier = FakeJudge(), FakeVerifier()
    services = replace(workspace.services, judge=judge, verifier=verifier)
    first = await answer_question(services, AskRequest(QUESTION))
    asked = (len(judge.asked), len(verifier.asked))
    assert min(asked) > 0
    compared = services.pairs.made
    assert compared > 0
    again = await answer_question(services, AskRequest(QUESTION))
    assert (len(judge.asked), len(verifier.asked)) == asked
    assert services.pairs.made == compared
    assert again.evaluation == first.evaluation


async def test_what_a_judge_left_open_is_asked_again(workspace: Workspace) -> None:
    workspace.write({"leave.md": LEAVE})
    await workspace.ingest()
    judge = FakeJudge(says=None)
    services = replace(workspace.services, judge=judge)
    await answer_question(services, AskRequest(QUESTION))
    asked = len(judge.asked)
    judge.says = True
    again = await answer_question(services, AskRequest(QUESTION))
    assert len(judge.asked) == 2 * asked
    assert judged(again) == {"supported"}
