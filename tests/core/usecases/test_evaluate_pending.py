"""Answers that leave before they are measured end as if they had been measured at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from sqlalchemy import delete

from core.domain import ANONYMOUS, Answer, Evaluation
from core.errors import ProviderError
from core.ports import Claim, Vectors
from core.storage import tables as t
from core.storage.engine import open_database
from core.usecases.evaluate_pending import evaluate_pending
from core.usecases.jobs import perform, run_pending_job
from core.usecases.reply import NOT_YET
from tests.core.usecases.test_reply import Scripted
from tests.core.usecases.workspace import Workspace
from tests.fake_models import FakeEmbedder

FILES = {
    "leave.md": "# Leave\n\nPaid leave is ten days a year.\n\nAsk three working days before.\n",
    "travel.md": "# Travel\n\nHotels are paid up to 14,000 yen a night.\n",
}
QUESTION = "How many days of paid leave are there?"
TEXT = (
    "Paid leave is ten days a year [1]. Hotels are paid up to 14,000 yen a night. The canteen opens at noon."
)


@pytest.fixture(params=["background", "batch"])
async def later(request: pytest.FixtureRequest, workspace: Workspace) -> Workspace:
    return await opened(workspace, request.param)


async def opened(workspace: Workspace, mode: str, text: str = TEXT) -> Workspace:
    workspace.write(FILES)
    workspace.answerer = Scripted(text)
    workspace.open({"evaluation": {"mode": mode}})
    await workspace.ingest()
    return workspace


def stored(workspace: Workspace, answer: Answer) -> Answer:
    found = workspace.services.answers.get_answer(answer.id)
    assert found is not None
    return found


def essence(answer: Answer) -> tuple[object, ...]:
    """What does not differ between two answers to the same question."""
    return answer.evaluation, answer.exposures, answer.text, answer.confidence


async def test_the_answer_leaves_unmeasured_and_is_measured_later(later: Workspace) -> None:
    sent = await later.ask(QUESTION)
    assert sent.evaluation == NOT_YET
    assert [citation.article_id for citation in sent.citations] == ["docs/leave.md"]
    assert stored(later, sent) == replace(sent, timings_ms=stored(later, sent).timings_ms)
    report = await evaluate_pending(later.services)
    assert (report.evaluated, report.failed, report.left) == (1, 0, 0)
    settings = later.services.settings
    later.open({**settings.model_dump(exclude={"evaluation"}), "evaluation": {"mode": "inline"}})
    at_once = await later.ask(QUESTION)
    assert essence(stored(later, sent)) == essence(stored(later, at_once))
    assert stored(later, sent).evaluation.verdicts == ("supported", "uncited", "unsupported")


async def test_a_restart_picks_up_what_was_left(workspace: Workspace) -> None:
    await opened(workspace, "background")
    sent = await workspace.ask(QUESTION)
    workspace.open({"evaluation": {"mode": "background"}})
    assert await run_pending_job(workspace.services, "worker")
    assert stored(workspace, sent).evaluation.evaluator != ""
    assert not await run_pending_job(workspace.services, "worker")


async def test_a_batch_waits_for_the_command(workspace: Workspace) -> None:
    await opened(workspace, "batch")
    sent = await workspace.ask(QUESTION)
    assert not await run_pending_job(workspace.services, "worker")
    assert stored(workspace, sent).evaluation == NOT_YET
    assert (await perform(workspace.services, "evaluate", {}))["evaluated"] == 1
    assert stored(workspace, sent).evaluation.evaluator != ""


async def test_one_tick_measures_one_answer_so_that_questions_come_first(workspace: Workspace) -> None:
    await opened(workspace, "background")
    for _ in range(3):
        await workspace.ask(QUESTION)
    assert await run_pending_job(workspace.services, "worker")
    assert workspace.services.answers.evaluation_states() == {"done": 1, "waiting": 2}


async def test_an_article_edited_between_exposure_and_evaluation_is_measured_as_it_was_shown(
    later: Workspace,
) -> None:
    sent = await later.ask(QUESTION)
    later.write({"leave.md": "# Leave\n\nThere is no leave at all.\n"})
    await later.ingest()
    await evaluate_pending(later.services)
    found = stored(later, sent).evaluation
    assert found.verdicts == ("supported", "uncited", "unsupported")
    assert {support.version for support in found.supports if support.article_id == "docs/leave.md"} == {
        exposure.version for exposure in sent.exposures if exposure.article_id == "docs/leave.md"
    }


async def test_an_article_removed_between_exposure_and_evaluation_is_measured_as_it_was_shown(
    later: Workspace,
) -> None:
    sent = await later.ask(QUESTION)
    (later.docs / "leave.md").unlink()
    await later.ingest()
    await evaluate_pending(later.services)
    assert stored(later, sent).evaluation.verdicts[0] == "supported"


async def test_a_citation_of_an_article_erased_meanwhile_cannot_be_judged(workspace: Workspace) -> None:
    await opened(workspace, "background", "Paid leave is ten days a year [1].")
    sent = await workspace.ask(QUESTION)
    database = open_database(f"sqlite:///{workspace.store / 'kiyo.db'}")
    with database.writing() as connection:
        connection.execute(delete(t.articles).where(t.articles.c.id == "docs/leave.md"))
    database.close()
    report = await evaluate_pending(workspace.services)
    assert (report.evaluated, report.failed) == (1, 0)
    pairs = {pair.article_id: pair for pair in stored(workspace, sent).evaluation.supports}
    erased = pairs["docs/leave.md"]
    assert (erased.verdict, erased.probability, erased.line_text) == ("not_judged", None, "")


async def test_a_refusal_is_not_judged_later_either(workspace: Workspace) -> None:
    await opened(workspace, "background")
    workspace.answerer = Scripted("I cannot say.", found=False)
    workspace.open({"evaluation": {"mode": "background"}})
    sent = await workspace.ask(QUESTION)
    assert sent.gate == "hand_over"
    await evaluate_pending(workspace.services)
    assert set(stored(workspace, sent).evaluation.verdicts) == {"not_judged"}
    assert workspace.services.answers.late_warnings(10) == []


async def test_the_gate_uses_relevance_and_checked_citations_alone_and_staff_hear_later(
    workspace: Workspace,
) -> None:
    wrong = "Paid leave is ninety days a year [1]. Hotels are free for everybody [1]."
    await opened(workspace, "background", wrong)
    sent = await workspace.ask(QUESTION)
    assert sent.gate != "hand_over"
    report = await evaluate_pending(workspace.services)
    assert report.warned == 1
    (warning,) = workspace.services.answers.late_warnings(10, unseen=True)
    assert (warning.answer_id, warning.gate_sent, warning.gate_measured) == (sent.id, sent.gate, "hand_over")
    assert warning.share == 0.0
    assert stored(workspace, sent).gate == sent.gate


async def test_a_model_that_fails_leaves_the_answer_for_later(workspace: Workspace) -> None:
    class Failing(FakeEmbedder):
        away = False

        async def embed_passages(self, texts: Sequence[str]) -> Vectors:
            if self.away:
                raise ProviderError("The service is away.")
            return await super().embed_passages(texts)

    workspace.embedder = failing = Failing(embeds_lines=True)
    await opened(workspace, "background")
    sent = await workspace.ask(QUESTION)
    failing.away = True
    report = await evaluate_pending(workspace.services)
    assert (report.evaluated, report.failed, report.left) == (0, 1, 1)
    failing.away = False
    assert workspace.services.answers.retry_evaluations() == 1
    assert (await evaluate_pending(workspace.services)).evaluated == 1
    assert stored(workspace, sent).evaluation.verdicts[0] == "supported"


async def test_a_judge_that_fails_leaves_not_judged_and_no_share(workspace: Workspace) -> None:
    class Away:
        id = "away"

        async def judge(self, claims: Sequence[Claim]) -> list[bool | None]:
            raise ProviderError("The service is away.")

    await opened(workspace, "background")
    sent = await workspace.ask(QUESTION)
    report = await evaluate_pending(replace(workspace.services, judge=Away()))
    assert report.evaluated == 1
    found = stored(workspace, sent).evaluation
    assert set(found.verdicts) == {"not_judged"}
    assert {one.share for one in found.contributions} == {None}
    assert found.evaluator.endswith("+judge:away")


async def test_unmeasured_answers_move_no_figure(later: Workspace) -> None:
    await later.ask(QUESTION)
    (answer,) = later.services.answers.recent_answers(1)
    assert answer.evaluation == Evaluation((), (), (), (), "")
    assert answer.asked_by == ANONYMOUS.id
