from __future__ import annotations

from core.domain import ANONYMOUS, Principal, Statement
from core.usecases.lookup import LOOKED_UP, look_up
from tests.core.usecases.workspace import MANAGER, Workspace

FILES = {
    "travel.md": "# Travel\n\nHotels are paid up to 14,000 yen a night.\n",
    "leave.md": "# Leave\n\nNew staff get ten days of paid leave.\n",
}


async def found_for(workspace: Workspace, texts: list[str], principal: Principal = ANONYMOUS) -> set[str]:
    services = workspace.services
    statements = [Statement(n, text, 0, len(text), (), True) for n, text in enumerate(texts)]
    rows = await services.embedder.embed_passages(texts)
    audiences = services.knowledge.readable_audiences(principal)
    candidates = await look_up(services, statements, dict(enumerate(rows)), audiences)
    ids = [candidate.chunk_id for candidate in candidates]
    assert len(ids) == len(set(ids))
    return {candidate.article.title for candidate in candidates}


async def test_every_statement_finds_its_own_article(workspace: Workspace) -> None:
    workspace.write(FILES)
    await workspace.ingest()
    assert await found_for(workspace, ["Hotels cost 14,000 yen."]) >= {"Travel"}
    assert await found_for(workspace, ["Hotels cost 14,000 yen.", "Ten days of leave."]) == {
        "Travel",
        "Leave",
    }


async def test_without_statements_nothing_is_searched(workspace: Workspace) -> None:
    workspace.write(FILES)
    await workspace.ingest()
    assert await found_for(workspace, []) == set()


async def test_statements_beyond_the_limit_are_left(workspace: Workspace) -> None:
    workspace.write(FILES)
    await workspace.ingest()
    texts = ["?!"] * LOOKED_UP + ["Hotels are paid up to 14,000 yen a night."]
    assert await found_for(workspace, texts) == set()
    assert await found_for(workspace, texts[1:]) >= {"Travel"}


async def test_what_the_asker_may_not_read_is_not_found(workspace: Workspace) -> None:
    workspace.write({"pay.md": "# Pay\n\nThe bonus is two months of pay.\n"})
    await workspace.ingest(readers=("managers",))
    texts = ["The bonus is two months of pay."]
    assert await found_for(workspace, texts) == set()
    assert await found_for(workspace, texts, MANAGER) == {"Pay"}
