"""Changing who may read: what a person finds afterwards."""

from __future__ import annotations

import pytest

from core.domain import ANONYMOUS
from core.errors import AskerError, RoleError
from core.people_ports import AuditFilter
from core.usecases.reader_groups import change_readers, read_readers
from core.usecases.refresh import refresh_indexes
from tests.acting import acting_as
from tests.core.usecases.workspace import MANAGER, Workspace

MINA = acting_as("mina", "maintainer")
FILES = {"hotels.md": "Hotels cost 80 euros.", "meals.md": "Meals cost 20 euros."}


async def test_an_article_is_hidden_from_those_who_are_not_named_any_more(workspace: Workspace) -> None:
    workspace.write(FILES)
    await workspace.ingest()
    report = change_readers(workspace.services.knowledge, MINA, "docs/hotels.md", ["managers"])
    await refresh_indexes(workspace.services)
    assert (report.readers, report.articles, report.changed) == (("managers",), 1, 1)
    assert await workspace.ids_by_words("hotels", ANONYMOUS) == []
    assert await workspace.ids_by_words("hotels", MANAGER) == ["docs/hotels.md"]
    assert await workspace.ids_by_words("meals", ANONYMOUS) == ["docs/meals.md"]


async def test_a_source_gives_its_readers_to_all_its_articles_and_to_new_ones(workspace: Workspace) -> None:
    workspace.write(FILES)
    await workspace.ingest()
    assert change_readers(workspace.services.knowledge, MINA, "docs", ["managers"]).changed == 2
    workspace.write({"new.md": "Trains cost 90 euros."})
    await workspace.ingest()
    assert workspace.readers("docs/new.md") == {"managers"}
    assert read_readers(workspace.services.knowledge, "docs").articles == 3
    assert await workspace.ids_by_words("euros", ANONYMOUS) == []


@pytest.mark.parametrize(("target", "groups"), [("nothing", ["managers"]), ("docs", []), ("docs", [" "])])
async def test_what_cannot_be_is_refused(workspace: Workspace, target: str, groups: list[str]) -> None:
    workspace.write(FILES)
    await workspace.ingest()
    with pytest.raises(AskerError):
        change_readers(workspace.services.knowledge, MINA, target, groups)


async def test_only_maintainers_change_readers(workspace: Workspace) -> None:
    workspace.write(FILES)
    await workspace.ingest()
    with pytest.raises(RoleError):
        change_readers(workspace.services.knowledge, acting_as("rie", "reviewer"), "docs", ["managers"])
    assert workspace.readers("docs/hotels.md") == {"public"}


async def test_who_changed_readers_is_noted(workspace: Workspace) -> None:
    workspace.write(FILES)
    await workspace.ingest()
    mina = acting_as("mina", "maintainer")
    change_readers(workspace.services.knowledge, mina, "docs", ["managers"])
    (entry,) = mina.log.entries(AuditFilter(), 10)
    assert (entry.action, entry.object_id) == ("readers.change", "docs")
    assert entry.detail["before"] == ("public",)
