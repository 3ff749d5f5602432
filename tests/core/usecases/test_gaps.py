from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from core.domain import PUBLIC, Draft, Principal
from core.errors import ProviderError
from core.ports import AnswerRequest, Vector, Vectors
from core.providers.local_embeddings import LocalEmbedder
from core.storage.answers import SqlAnswerStore
from core.storage.engine import open_database
from core.storage.gap_reports import GapEntry, GapHead, GapReports
from core.usecases.evaluate_pending import evaluate_pending
from core.usecases.gaps import compare_gaps, note_gaps
from core.usecases.recorded import import_answers
from tests.core.usecases.workspace import MANAGER, Workspace
from tests.fake_models import FakeEmbedder

VISITOR = Principal("visitor")
TRAVEL = "# Travel\n\nHotels are paid up to 14,000 yen a night.\n\nReceipts are due within ten days.\n"
PARKING = (
    "# Parking\n\nStaff may park their car behind the building free of charge. "
    "The parking lot opens at seven in the morning.\n"
)
PARKING_QUESTION = "Where may I park my car?"


class Liar:
    """Says the same whatever the sources hold."""

    name = "liar"

    def __init__(self, text: str, *, found: bool = True) -> None:
        self._draft = Draft(text, found, self.name)

    async def answer(self, request: AnswerRequest, on_text: Callable[[str], None] | None = None) -> Draft:
        return self._draft


class Gaps:
    """What a person sees of the gaps of a workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._url = f"sqlite:///{workspace.store / 'kiyo.db'}"
        self._until = workspace.now.date()

    def seen(self, who: Principal = VISITOR) -> list[GapHead]:
        database = open_database(self._url)
        found = GapReports(database, who).gaps(self._until, 4).gaps
        database.close()
        return list(found)

    def states(self, who: Principal = VISITOR) -> dict[str, str]:
        return {gap.name: gap.state for gap in self.seen(who)}

    def entries(self, who: Principal = VISITOR) -> list[GapEntry]:
        database = open_database(self._url)
        found = [one for gap in self.seen(who) for one in GapReports(database, who).entries(gap.id)]
        database.close()
        return found


@pytest.fixture
def real(workspace: Workspace, local_model: LocalEmbedder) -> Workspace:
    """A workspace with the embedding model that Kiyo ships."""
    workspace.embedder = local_model
    workspace.open({"rag": {"analyser": "dictionary_free"}})
    return workspace


# --- with the shipped model, from the question to the article --------------------------------------


async def test_a_question_nobody_answers_opens_a_gap_until_an_article_answers_it(real: Workspace) -> None:
    real.write({"travel.md": TRAVEL})
    await real.ingest()
    answer = await real.ask(PARKING_QUESTION)
    assert not answer.found
    assert Gaps(real).states() == {PARKING_QUESTION: "open"}

    real.write({"garden.md": "# Garden\n\nThe roses are watered on Mondays.\n"})
    await real.ingest()
    assert Gaps(real).states() == {PARKING_QUESTION: "open"}

    real.write({"parking.md": PARKING})
    await real.ingest()
    assert Gaps(real).states() == {PARKING_QUESTION: "closed"}
    assert [source.title for one in Gaps(real).entries() for source in one.supported] == ["Parking"]

    (real.docs / "parking.md").unlink()
    await real.ingest()
    assert Gaps(real).states() == {PARKING_QUESTION: "reopened"}

    real.write({"parking.md": PARKING})
    await real.ingest()
    assert Gaps(real).states() == {PARKING_QUESTION: "closed"}


async def test_the_same_question_in_japanese_and_english_is_one_gap(real: Workspace) -> None:
    real.write({"travel.md": TRAVEL})
    await real.ingest()
    for question in (PARKING_QUESTION, "車はどこに停められますか？", "社内の食堂は何時に開きますか？"):
        assert not (await real.ask(question)).found
    assert [gap.items for gap in Gaps(real).seen()] == [2, 1]
    real.write({"parking.md": PARKING})
    await real.ingest()
    assert sorted((gap.items, gap.state) for gap in Gaps(real).seen()) == [(1, "open"), (2, "closed")]


async def test_a_made_up_statement_is_a_gap_that_a_line_in_the_other_wording_closes(real: Workspace) -> None:
    real.answerer = Liar("Staff may park their car behind the building free of charge.")
    real.open({"rag": {"analyser": "dictionary_free", "relevance_threshold": 0.0}})
    real.write({"travel.md": TRAVEL})
    await real.ingest()
    answer = await real.ask("Where may I park?")
    assert answer.evaluation.verdicts == ("unsupported",)
    assert [(one.kind, one.text) for one in Gaps(real).entries()] == [
        ("statement", "Staff may park their car behind the building free of charge.")
    ]
    real.write({"parking.md": PARKING})
    await real.ingest()
    assert [gap.state for gap in Gaps(real).seen()] == ["closed"]
    edited = PARKING.replace("Staff may park their car behind the building free of charge. ", "")
    real.write({"parking.md": edited})
    await real.ingest()
    assert [gap.state for gap in Gaps(real).seen()] == ["reopened"]


# --- what becomes a gap ----------------------------------------------------------------------------


async def lying(workspace: Workspace, text: str, *, found: bool = True) -> Workspace:
    workspace.answerer = Liar(text, found=found)
    workspace.open()
    workspace.write({"travel.md": TRAVEL})
    await workspace.ingest()
    return workspace


async def test_an_answer_that_is_supported_opens_no_gap(real: Workspace) -> None:
    real.write({"travel.md": TRAVEL})
    await real.ingest()
    answer = await real.ask("How much are hotels per night?")
    assert answer.found
    assert Gaps(real).seen() == []


async def test_a_statement_found_in_an_article_that_was_not_shown_is_no_gap(real: Workspace) -> None:
    real.write({"travel.md": TRAVEL})
    await real.ingest()
    row = '{"question": "When?", "answer": "Receipts are due within ten days.", "supplied": []}'
    await import_answers(real.services, [row])
    (answer,) = real.services.answers.recent_answers(1)
    assert (answer.exposures, answer.evaluation.verdicts) == ((), ("uncited",))
    assert Gaps(real).seen() == []


async def test_a_refused_question_is_a_gap_and_a_greeting_is_none(workspace: Workspace) -> None:
    await lying(workspace, "The sources do not say.", found=False)
    await workspace.ask("Hello!")
    await workspace.ask("Whose dog is this?")
    assert [(one.kind, one.text) for one in Gaps(workspace).entries()] == [("question", "Whose dog is this?")]


async def test_an_answer_never_closes_a_gap(workspace: Workspace) -> None:
    await lying(workspace, "Dogs belong to the neighbour.")
    await workspace.ask("Whose dog is this?")
    await workspace.ask("Whose dog is this?")
    row = '{"question": "Whose dog?", "answer": "Dogs belong to the neighbour.", "supplied": []}'
    await import_answers(workspace.services, [row])
    await workspace.ingest()
    assert [(gap.state, gap.items) for gap in Gaps(workspace).seen()] == [("open", 3)]


async def test_recorded_answers_open_gaps_for_those_who_may_read_what_they_rest_on(
    workspace: Workspace,
) -> None:
    workspace.write({"travel.md": TRAVEL})
    await workspace.ingest()
    secret = workspace.base / "secret"
    workspace.write({"pay.md": "# Pay\n\nThe bonus is two months of pay.\n"}, secret)
    await workspace.ingest(secret, readers=("managers",))
    rows = [
        '{"question": "Bonus?", "answer": "Zebras get the bonus.", "supplied": [{"article": "pay.md"}]}',
        '{"question": "Hotels?", "answer": "Giraffes pay hotels.", "supplied": [{"article": "travel.md"}]}',
    ]
    await import_answers(workspace.services, rows)
    assert [one.text for one in Gaps(workspace).entries()] == ["Giraffes pay hotels."]
    assert len(Gaps(workspace).entries(MANAGER)) == 2


async def test_an_answer_evaluated_later_opens_its_gaps_then(workspace: Workspace) -> None:
    await lying(workspace, "Dogs belong to the neighbour.")
    workspace.open({"evaluation": {"mode": "batch"}, "rag": {"analyser": "dictionary_free"}})
    await workspace.ask("Whose hotels are these?")
    before = [one.kind for one in Gaps(workspace).entries()]
    report = await evaluate_pending(workspace.services)
    assert report.evaluated == 1
    assert "statement" not in before
    assert [one.text for one in Gaps(workspace).entries() if one.kind == "statement"] == [
        "Dogs belong to the neighbour."
    ]


# --- who is shown what -----------------------------------------------------------------------------


async def test_what_a_manager_asked_is_not_shown_to_others(workspace: Workspace) -> None:
    await lying(workspace, "Zebras are dismissed in March.")
    await workspace.ask("Whom do we dismiss?", MANAGER)
    assert Gaps(workspace).seen() == []
    assert len(Gaps(workspace).seen(MANAGER)) == 1


async def test_an_article_closes_a_gap_only_for_those_who_may_read_it(workspace: Workspace) -> None:
    await lying(workspace, "The bonus is two months of pay.")
    await workspace.ask("How high is the bonus?")
    await workspace.ask("How high is the bonus?", MANAGER)
    secret = workspace.base / "secret"
    workspace.write({"pay.md": "# Pay\n\nThe bonus is two months of pay.\n"}, secret)
    await workspace.ingest(secret, readers=("managers",))
    assert [gap.state for gap in Gaps(workspace).seen()] == ["open"]
    assert sorted(one.is_closed for one in Gaps(workspace).entries(MANAGER)) == [False, True]


# --- interruptions ---------------------------------------------------------------------------------


class Flaky(FakeEmbedder):
    """Fails as long as it is told to."""

    failing = False

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        if self.failing:
            raise ProviderError("The embedding service does not answer.")
        return await super().embed_passages(texts)

    async def embed_query(self, text: str) -> Vector:
        return await super().embed_query(text)


async def test_a_model_that_fails_costs_neither_the_answer_nor_the_gap(workspace: Workspace) -> None:
    embedder = Flaky(embeds_lines=True)
    workspace.embedder = embedder
    await lying(workspace, "The sources do not say.", found=False)
    embedder.failing = True
    answer = await workspace.ask("Whose dog is this?")
    assert workspace.services.answers.get_answer(answer.id) is not None
    assert Gaps(workspace).seen() == []
    embedder.failing = False
    await workspace.ingest()
    assert Gaps(workspace).states() == {"Whose dog is this?": "open"}


async def test_comparing_again_after_an_interruption_gives_the_same(workspace: Workspace) -> None:
    await lying(workspace, "Dogs belong to the neighbour.")
    await workspace.ask("Whose dog is this?")
    workspace.write({"dogs.md": "# Dogs\n\nDogs belong to the neighbour.\n"})
    await workspace.ingest()
    closed = Gaps(workspace).seen()
    store = workspace.services.answers
    assert isinstance(store, SqlAnswerStore)
    store.gaps.mark_compared(0)
    assert await compare_gaps(workspace.services) == 2
    assert await compare_gaps(workspace.services) == 0
    assert [gap.state for gap in closed] == ["closed"]
    assert Gaps(workspace).seen() == closed


async def test_what_was_searched_in_vain_closes_nothing_by_staying_as_it_is(workspace: Workspace) -> None:
    """The model refused though the article was there; only a change of the article may close the gap."""
    workspace.write({"dogs.md": "# Dogs\n\nWhose dog is this? It is the dog of the neighbour.\n"})
    await lying(workspace, "The sources do not say.", found=False)
    await workspace.ask("Whose dog is this?")
    store = workspace.services.answers
    assert isinstance(store, SqlAnswerStore)
    store.gaps.mark_compared(0)
    assert await compare_gaps(workspace.services) == 2
    assert Gaps(workspace).states() == {"Whose dog is this?": "open"}


async def test_noting_the_same_answer_twice_counts_it_once(workspace: Workspace) -> None:
    await lying(workspace, "The sources do not say.", found=False)
    answer = await workspace.ask("Whose dog is this?")
    await note_gaps(workspace.services, answer, {PUBLIC})
    await note_gaps(workspace.services, replace(answer, id="not recorded"), {PUBLIC})
    assert [gap.items for gap in Gaps(workspace).seen()] == [1]


async def test_a_chunk_embedding_model_closes_gaps_too(workspace: Workspace) -> None:
    workspace.embedder = FakeEmbedder(embeds_lines=False)
    await lying(workspace, "Dogs belong to the neighbour.")
    await workspace.ask("Whose dog is this?")
    workspace.now += timedelta(hours=1)
    workspace.write({"dogs.md": "# Dogs\n\nDogs belong to the neighbour.\n"})
    await workspace.ingest()
    assert [gap.state for gap in Gaps(workspace).seen()] == ["closed"]
