"""From a question to the sources of its answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from core.domain import ANONYMOUS, Candidate, Principal
from core.ports import Turn
from core.rag.prompting import render_context, to_source
from core.text.tokens import count_tokens
from core.usecases.refresh import refresh_indexes
from core.usecases.retrieve import Retrieved, retrieve
from tests.core.usecases.workspace import MANAGER, Workspace

FILES: dict[str, str | bytes] = {
    "leave.md": "# Leave\n\nPaid leave is ten days a year.\n",
    "travel.md": "# Travel\n\nHotels are paid up to 14,000 yen a night.\n",
    "ja/kyuka.md": "# 休暇\n\n有給休暇は10日です。半日でも取れます。\n",
    "restricted/pay.md": "# Pay\n\nSenior engineers earn 700,000 yen. Hotels are paid in full for them.\n",
}


@pytest.fixture
async def filled(workspace: Workspace) -> Workspace:
    workspace.write(FILES)
    await workspace.ingest(workspace.docs / "restricted", readers=("managers",))
    await workspace.ingest()
    return workspace


def reopen(workspace: Workspace, **rag: Any) -> None:
    workspace.open({"rag": {"analyser": "dictionary_free", "relevance_threshold": 0.0, **rag}})


def exposed_ids(retrieved: Retrieved) -> list[str]:
    return [source.candidate.article.id for source in retrieved.selection.sources]


def everything(retrieved: Retrieved) -> list[Candidate]:
    """Every candidate that any part of the result holds."""
    selection = retrieved.selection
    return [
        *retrieved.candidates,
        *(c for source in selection.sources for c in (source.candidate, *source.duplicates)),
        *(candidate for candidate, _ in selection.cut),
    ]


@pytest.mark.parametrize("method", ["learned", "rrf", "weighted"])
@pytest.mark.parametrize(
    ("question", "best"),
    [("How many days is paid leave?", "docs/leave.md"), ("有給休暇は半日でも取れますか", "docs/ja/kyuka.md")],
)
async def test_the_article_that_answers_comes_first_by_every_method(
    filled: Workspace, method: str, question: str, best: str
) -> None:
    reopen(filled, fusion={"method": method})
    retrieved = await filled.find(question)
    assert exposed_ids(retrieved)[0] == best
    assert set(retrieved.rankings) == {"keyword", "vector"}


@pytest.mark.parametrize("chroma", [False, True], ids=["exact", "chroma"])
async def test_what_may_not_be_read_is_in_no_part_of_the_result(filled: Workspace, chroma: bool) -> None:
    filled.open(chroma=chroma)
    await refresh_indexes(filled.services)
    question = "What do senior engineers earn, and which hotels are paid for them?"
    closed = await filled.find(question)
    assert everything(closed)
    assert not any("700,000" in c.chunk.text for c in everything(closed))
    allowed = set(filled.services.knowledge.load_chunks(hit_ids(closed), closed.audiences))
    assert set(hit_ids(closed)) == allowed == set(closed.costs)
    opened = await filled.find(question, MANAGER)
    assert exposed_ids(opened)[0] == "restricted/pay.md"


def hit_ids(retrieved: Retrieved) -> list[int]:
    return [hit.chunk_id for hits in retrieved.rankings.values() for hit in hits]


async def test_a_person_of_no_known_group_sees_what_everybody_sees(filled: Workspace) -> None:
    stranger = Principal("eve", frozenset({"managers ", "Managers", "*"}))
    assert await filled.ids_by_words("senior engineers", stranger) == []
    assert await filled.ids_by_words("hotels", stranger) == ["docs/travel.md"]


async def test_closing_an_article_counts_before_the_index_knows_of_it(filled: Workspace) -> None:
    filled.services.knowledge.set_readers("docs/travel.md", ["managers"])
    assert not any(c.article.id == "docs/travel.md" for c in everything(await filled.find("hotels")))
    await refresh_indexes(filled.services)
    assert hit_ids(await filled.find("hotels", replace(ANONYMOUS, groups=frozenset())))
    assert await filled.ids_by_words("hotels") == []
    assert len(await filled.ids_by_words("hotels", MANAGER)) == 2


async def test_removing_an_article_counts_before_the_index_knows_of_it(filled: Workspace) -> None:
    filled.services.knowledge.remove_article("docs/travel.md", filled.now)
    assert not any(c.article.id == "docs/travel.md" for c in everything(await filled.find("hotels")))


# --- limits ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", ["top_k", "mmr"])
async def test_the_budget_is_never_exceeded(workspace: Workspace, strategy: str) -> None:
    lines = [f"Rule {n} of the <leave> & travel house: 第{n}条は休暇の規程です。" for n in range(40)]
    workspace.write({f"{n}.md": f"# Part {n}\n\n" + " ".join(lines[n : n + 3]) for n in range(12)})
    await workspace.ingest()
    counts = []
    for budget in (1, 9, 100, 200, 300, 400, 500, 1000, 4000):
        reopen(workspace, max_context_tokens=budget, selection_strategy=strategy)
        sources = (await workspace.find("休暇の規程 leave rule")).selection.sources
        context = render_context([to_source(s.number, s.candidate) for s in sources])
        assert count_tokens(context) <= budget or not sources
        counts.append(len(sources))
    assert counts == sorted(counts)
    assert (counts[0], counts[3] > 0, counts[-1]) == (0, True, 10)


async def test_what_was_cut_says_why(filled: Workspace) -> None:
    reopen(filled, max_results=1)
    retrieved = await filled.find("paid leave and hotels")
    assert len(retrieved.selection.sources) == 1
    assert {reason for _, reason in retrieved.selection.cut} == {"over the number of results"}
    reopen(filled, max_context_tokens=5)
    retrieved = await filled.find("paid leave and hotels")
    assert {reason for _, reason in retrieved.selection.cut} == {"over the token budget"}
    assert retrieved.selection.sources == ()


@pytest.mark.parametrize("method", ["learned", "rrf", "weighted"])
async def test_the_threshold_is_one_of_relevance_by_every_method(filled: Workspace, method: str) -> None:
    """A reciprocal rank of 60 is never above 0.02: a threshold on it would cut everything."""
    reopen(filled, fusion={"method": method}, relevance_threshold=0.3)
    selection = (await filled.find("How many days is paid leave?")).selection
    assert selection.sources[0].candidate.article.id == "docs/leave.md"
    assert all(source.candidate.relevance >= 0.3 for source in selection.sources)
    assert all(c.relevance < 0.3 for c, reason in selection.cut if reason == "below the threshold")


async def test_equal_texts_are_shown_once_and_belong_to_both_articles(workspace: Workspace) -> None:
    workspace.write({"leave.md": FILES["leave.md"]})
    workspace.write({"leave.md": FILES["leave.md"]}, workspace.base / "core")
    await workspace.ingest()
    await workspace.ingest(workspace.base / "core", kind="core")
    first, second = (await workspace.find("paid leave ten days")).candidates
    assert (first.article.id, second.article.id) == ("core/leave.md", "docs/leave.md")
    assert first.relevance > second.relevance
    for threshold in (0.0, (first.relevance + second.relevance) / 2):
        reopen(workspace, relevance_threshold=threshold)
        (source,) = (await workspace.find("paid leave ten days")).selection.sources
        assert source.candidate.article.id == "core/leave.md"
        assert [duplicate.article.id for duplicate in source.duplicates] == ["docs/leave.md"]


async def test_diversity_prefers_what_was_not_said_yet(workspace: Workspace) -> None:
    workspace.write(
        {
            "a.md": "# Leave\n\nPaid leave is ten days a year.\n",
            "b.md": "# Leave\n\nPaid leave is ten days a year indeed.\n",
            "c.md": "# Leave\n\nAsk your manager for paid absence.\n",
        }
    )
    reopen(workspace, selection_strategy="mmr", mmr_lambda=0.3, max_results=2)
    await workspace.ingest()
    assert exposed_ids(await workspace.find("paid leave ten days")) == ["docs/a.md", "docs/c.md"]
    reopen(workspace, selection_strategy="mmr", mmr_lambda=1.0, max_results=2)
    assert set(exposed_ids(await workspace.find("paid leave ten days"))) == {"docs/a.md", "docs/b.md"}


async def test_without_retrieval_there_are_no_sources(filled: Workspace) -> None:
    reopen(filled, enabled=False)
    retrieved = await filled.find("How many days is paid leave?")
    assert everything(retrieved) == []
    assert retrieved.rankings == {}


@pytest.mark.parametrize("question", ["？？？", "…", "\x00\x1b[2J", "\ud800", "の", " \n ", "x" * 20_000])
async def test_an_odd_question_raises_nothing(filled: Workspace, question: str) -> None:
    retrieved = await filled.find(question)
    assert retrieved.rankings["keyword"] == []
    assert not any("700,000" in c.chunk.text for c in everything(retrieved))


# --- optional models -------------------------------------------------------------------------------


class Renaming:
    """A rewriter that puts what was talked about before into the question."""

    async def rewrite(self, question: str, history: Sequence[Turn]) -> str:
        return f"{question} {history[-1].text}"


class ByLength:
    """A reranker that likes long passages."""

    async def score(self, question: str, passages: Sequence[str]) -> list[float]:
        return [float(len(passage)) for passage in passages]


async def test_a_follow_up_is_searched_as_the_rewriter_words_it(filled: Workspace) -> None:
    services = replace(filled.services, rewriter=Renaming())
    history = (Turn("user", "hotels"),)
    follow_up = await retrieve(services, "And at night?", ANONYMOUS, history)
    assert follow_up.query.text == "And at night? hotels"
    assert exposed_ids(follow_up)[0] == "docs/travel.md"
    assert (await retrieve(services, "And at night?", ANONYMOUS)).query.text == "And at night?"


async def test_a_reranker_orders_and_leaves_relevance_alone(filled: Workspace) -> None:
    plain = {c.chunk_id: c.relevance for c in (await filled.find("paid leave")).candidates}
    services = replace(filled.services, reranker=ByLength())
    ranked = (await retrieve(services, "paid leave", ANONYMOUS)).candidates
    lengths = [len(c.chunk.text) for c in ranked]
    assert lengths == sorted(lengths, reverse=True)
    assert {c.chunk_id: c.relevance for c in ranked} == plain
    assert all(c.scores["reranker"] == len(c.chunk.text) for c in ranked)
