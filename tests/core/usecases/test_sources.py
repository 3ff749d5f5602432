"""Which source a folder belongs to, and who may see what is read from it."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from core.domain import ANONYMOUS, Principal
from core.errors import ProviderError, ReadError
from core.ports import Progress
from core.usecases.ingest import IngestRequest, ingest_path
from tests.core.usecases.workspace import MANAGER, Workspace, statuses

LEAVE = "# Leave\n\nPaid leave is ten days a year.\n"
PAY = "# Pay\n\nSenior engineers earn 700,000 yen.\n"
SECRET = "700,000"
MANAGERS = ("managers",)


def shown(workspace: Workspace, principal: Principal = ANONYMOUS) -> str:
    """Everything that the person could be shown, as one text."""
    return "\n".join(workspace.readable_texts(principal))


async def found_words(workspace: Workspace, principal: Principal = ANONYMOUS) -> list[str]:
    return await workspace.ids_by_words("senior engineers 700,000", principal)


@pytest.fixture
def filled(workspace: Workspace) -> Workspace:
    workspace.write({"leave.md": LEAVE, "restricted/pay.md": PAY, "restricted/deep/more.md": PAY + "More.\n"})
    return workspace


# --- names -----------------------------------------------------------------------------------------


async def test_folders_of_the_same_name_are_two_sources(workspace: Workspace) -> None:
    workspace.write({"a.md": LEAVE}, workspace.base / "one/docs")
    workspace.write({"a.md": PAY}, workspace.base / "two/docs")
    first = await workspace.ingest(workspace.base / "one/docs")
    second = await workspace.ingest(workspace.base / "two/docs")
    assert first.source == "docs"
    assert second.source.startswith("docs-")
    assert workspace.live_ids() == [f"{second.source}/a.md", "docs/a.md"]
    assert (await workspace.ingest(workspace.base / "two/docs")).source == second.source


async def test_a_named_source_keeps_its_articles_wherever_its_folder_is(workspace: Workspace) -> None:
    workspace.write({"leave.md": LEAVE})
    await workspace.ingest(source="handbook", kind="core")
    shutil.copytree(workspace.docs, workspace.base / "container")
    report = await workspace.ingest(workspace.base / "container", source="handbook")
    assert (report.source, set(statuses(report).values())) == ("handbook", {"unchanged"})
    (source,) = workspace.services.knowledge.sources()
    assert (source.location, source.kind) == (str(workspace.base / "container"), "core")


async def test_a_part_of_a_named_source_does_not_become_all_of_it(workspace: Workspace) -> None:
    workspace.write({"leave.md": LEAVE, "hr/pay.md": PAY})
    await workspace.ingest(source="handbook")
    report = await workspace.ingest(workspace.docs / "hr", source="handbook")
    assert statuses(report) == {"hr/pay.md": "unchanged"}
    assert workspace.live_ids() == ["handbook/hr/pay.md", "handbook/leave.md"]


async def test_a_folder_is_not_read_under_two_names(workspace: Workspace) -> None:
    workspace.write({"leave.md": LEAVE})
    await workspace.ingest()
    with pytest.raises(ReadError, match="has been read as source 'docs' already; keep that name"):
        await workspace.ingest(source="handbook", readers=MANAGERS)
    assert [source.name for source in workspace.services.knowledge.sources()] == ["docs"]


async def test_two_named_files_may_share_a_folder(workspace: Workspace) -> None:
    workspace.write({"leave.md": LEAVE, "pay.md": PAY})
    await workspace.ingest(workspace.docs / "leave.md", source="leave")
    await workspace.ingest(workspace.docs / "pay.md", source="pay", readers=MANAGERS)
    assert statuses(await workspace.ingest(workspace.docs / "leave.md", source="leave")) == {
        "leave.md": "unchanged"
    }
    assert workspace.live_ids() == ["leave/leave.md", "pay/pay.md"]
    assert SECRET not in shown(workspace)


# --- readers ---------------------------------------------------------------------------------------


async def test_new_articles_get_the_readers_of_their_source(filled: Workspace) -> None:
    await filled.ingest(filled.docs / "restricted", readers=MANAGERS)
    filled.write({"restricted/new.md": PAY + "New.\n"})
    await filled.ingest(filled.docs / "restricted")
    assert filled.readers("restricted/new.md") == {"managers"}
    assert len(await found_words(filled, MANAGER)) == 3
    assert await found_words(filled) == []


async def test_readers_come_from_the_settings_where_none_are_asked_for(filled: Workspace) -> None:
    sources = {"pay": {"path": str(filled.docs / "restricted"), "readers": ["managers"]}}
    filled.open({"sources": sources, "access": {"default_readers": ["staff"]}})
    await filled.ingest(filled.docs / "restricted", source="pay")
    await filled.ingest(filled.docs)
    assert filled.readers("pay/pay.md") == {"managers"}
    assert filled.readers("docs/leave.md") == {"staff"}


@pytest.mark.parametrize("source", [None, "docs"])
@pytest.mark.parametrize("readers", [("managers",), ("public", "managers")])
async def test_reading_again_for_others_is_refused_and_changes_nothing(
    filled: Workspace, source: str | None, readers: tuple[str, ...]
) -> None:
    await filled.ingest()
    with pytest.raises(ReadError, match="The articles of source 'docs' are for public; reading it again"):
        await filled.ingest(readers=readers, source=source)
    assert filled.readers("docs/leave.md") == {"public"}


async def test_other_readers_in_the_settings_are_not_passed_over_in_silence(filled: Workspace) -> None:
    await filled.ingest(source="kb")
    filled.open({"sources": {"kb": {"path": str(filled.docs), "readers": ["managers"]}}})
    with pytest.raises(ReadError, match="are for public"):
        await filled.ingest(source="kb")


async def test_reading_again_never_widens_the_readers(filled: Workspace) -> None:
    await filled.ingest(filled.docs / "restricted", readers=MANAGERS)
    filled.write({"restricted/pay.md": PAY + "Since May.\n"})
    for path in (filled.docs / "restricted", filled.docs / "restricted/pay.md", filled.docs):
        await filled.ingest(path)
        assert filled.readers("restricted/pay.md") == {"managers"}
    assert SECRET not in shown(filled)
    assert SECRET in shown(filled, MANAGER)


# --- a source inside another -----------------------------------------------------------------------


async def test_the_outer_source_leaves_the_inner_one_alone(filled: Workspace) -> None:
    await filled.ingest(filled.docs / "restricted", readers=MANAGERS)
    assert statuses(await filled.ingest()) == {"leave.md": "added"}
    assert filled.live_ids() == ["docs/leave.md", "restricted/deep/more.md", "restricted/pay.md"]
    (filled.docs / "restricted/pay.md").unlink()
    assert statuses(await filled.ingest()) == {"leave.md": "unchanged"}
    assert "restricted/pay.md" in filled.live_ids()


async def test_a_folder_that_gets_readers_of_its_own_is_closed_at_once(filled: Workspace) -> None:
    await filled.ingest()
    assert SECRET in shown(filled)
    report = await filled.ingest(filled.docs / "restricted", readers=MANAGERS)
    assert statuses(report) == {"pay.md": "moved", "deep/more.md": "moved"}
    assert SECRET not in shown(filled)
    assert await found_words(filled) == []
    assert await found_words(filled, MANAGER) == ["docs/restricted/pay.md", "docs/restricted/deep/more.md"]


async def test_articles_keep_their_ids_when_their_folder_becomes_a_source(filled: Workspace) -> None:
    await filled.ingest()
    await filled.ingest(filled.docs / "restricted", readers=MANAGERS)
    article = filled.services.knowledge.get_article("docs/restricted/pay.md")
    assert article is not None
    assert (article.source, article.path, article.uri) == ("restricted", "pay.md", "restricted/pay.md")
    assert set(statuses(await filled.ingest()).values()) == {"unchanged"}
    again = await filled.ingest(filled.docs / "restricted")
    assert set(statuses(again).values()) == {"unchanged"}
    assert filled.live_ids() == ["docs/leave.md", "docs/restricted/deep/more.md", "docs/restricted/pay.md"]


async def test_at_no_moment_do_both_groups_see_an_article(filled: Workspace) -> None:
    """Whatever is looked at while the folder is read for managers: the public sees nothing of it."""
    await filled.ingest()
    seen: list[str] = []

    def look(done: int, total: int | None, what: str) -> None:
        seen.append(shown(filled))

    request = IngestRequest(filled.docs / "restricted", readers=MANAGERS)
    await ingest_path(filled.services, request, look)
    assert len(seen) >= 3
    assert not any(SECRET in text for text in seen)


async def test_closing_a_folder_holds_even_when_the_run_breaks_off(filled: Workspace) -> None:
    await filled.ingest()
    request = IngestRequest(filled.docs / "restricted", readers=MANAGERS)
    with pytest.raises(ProviderError):
        await ingest_path(filled.services, request, stop_at("pay.md"))
    assert SECRET not in shown(filled)
    assert statuses(await filled.ingest(filled.docs / "restricted")) == {
        "pay.md": "moved",
        "deep/more.md": "moved",
    }
    assert await found_words(filled, MANAGER) == ["docs/restricted/pay.md", "docs/restricted/deep/more.md"]


def stop_at(name: str) -> Progress:
    def stop(done: int, total: int | None, what: str) -> None:
        if what == name:
            raise ProviderError("stopped")

    return stop


async def test_an_inner_folder_is_not_opened_to_more_people_than_before(filled: Workspace) -> None:
    await filled.ingest(readers=MANAGERS)
    with pytest.raises(ReadError, match="is for managers; reading it again does not show it to public"):
        await filled.ingest(filled.docs / "restricted", readers=("public",))
    assert SECRET not in shown(filled)
    assert [source.name for source in filled.services.knowledge.sources()] == ["docs"]


async def test_a_named_inner_source_without_readers_has_those_around_it(filled: Workspace) -> None:
    await filled.ingest(readers=MANAGERS)
    await filled.ingest(filled.docs / "restricted", source="pay")
    filled.write({"restricted/new.md": PAY})
    await filled.ingest(filled.docs / "restricted", source="pay")
    assert filled.readers("pay/new.md") == {"managers"}
    assert shown(filled) == ""


# --- folders that move -----------------------------------------------------------------------------


async def test_a_moved_folder_keeps_its_source_and_its_readers(filled: Workspace) -> None:
    await filled.ingest(readers=MANAGERS)
    place = filled.base / "data/docs"
    place.parent.mkdir()
    filled.docs.rename(place)
    filled.write({"leave.md": LEAVE + "Edited meanwhile.\n"}, place)
    report = await filled.ingest(place)
    assert report.source == "docs"
    assert statuses(report) == {
        "leave.md": "changed",
        "restricted/pay.md": "unchanged",
        "restricted/deep/more.md": "unchanged",
    }
    assert shown(filled) == ""


async def test_a_renamed_folder_keeps_its_source(filled: Workspace) -> None:
    await filled.ingest(readers=MANAGERS)
    place = filled.base / "knowledge-base"
    filled.docs.rename(place)
    report = await filled.ingest(place)
    assert (report.source, set(statuses(report).values())) == ("docs", {"unchanged"})


async def test_inner_sources_move_along_with_the_outer_one(filled: Workspace) -> None:
    await filled.ingest(filled.docs / "restricted", readers=MANAGERS)
    await filled.ingest()
    old = filled.docs
    for place in (filled.base / "container/docs", filled.base / "handbook"):
        place.parent.mkdir(exist_ok=True)
        old = old.rename(place)
        assert statuses(await filled.ingest(place)) == {"leave.md": "unchanged"}
        assert SECRET not in shown(filled)
        assert filled.live_ids() == ["docs/leave.md", "restricted/deep/more.md", "restricted/pay.md"]


async def test_inner_sources_move_along_with_a_copy_of_a_named_one(filled: Workspace) -> None:
    await filled.ingest(filled.docs / "restricted", readers=MANAGERS)
    await filled.ingest(source="kb")
    shutil.copytree(filled.docs, filled.base / "container")
    assert statuses(await filled.ingest(filled.base / "container", source="kb")) == {"leave.md": "unchanged"}
    assert SECRET not in shown(filled)


async def test_another_folder_of_a_gone_name_is_another_source(workspace: Workspace) -> None:
    workspace.write({"README.md": LEAVE, "a.md": LEAVE, "b.md": LEAVE})
    await workspace.ingest()
    workspace.docs.rename(workspace.base / "away")
    other = workspace.base / "other/docs"
    workspace.write({"README.md": PAY, "x.md": PAY, "y.md": PAY}, other)
    report = await workspace.ingest(other, readers=MANAGERS)
    assert report.source.startswith("docs-")
    assert SECRET not in shown(workspace)
    assert len(workspace.live_ids()) == 6


async def test_a_moved_folder_for_other_readers_is_refused(filled: Workspace) -> None:
    await filled.ingest()
    place = filled.base / "data/docs"
    place.parent.mkdir()
    filled.docs.rename(place)
    with pytest.raises(ReadError, match="are for public"):
        await filled.ingest(place, readers=MANAGERS)
    assert filled.services.knowledge.sources()[0].location == str(filled.docs)


async def test_of_two_gone_sources_the_one_whose_files_are_here_has_moved(workspace: Workspace) -> None:
    workspace.write({"README.md": LEAVE, "a.md": LEAVE}, workspace.base / "one/docs")
    workspace.write({"README.md": LEAVE, "pay.md": PAY}, workspace.base / "two/docs")
    await workspace.ingest(workspace.base / "one/docs")
    second = await workspace.ingest(workspace.base / "two/docs", readers=MANAGERS)
    (workspace.base / "one").rename(workspace.base / "eins")
    (workspace.base / "two").rename(workspace.base / "zwei")
    assert (await workspace.ingest(workspace.base / "zwei/docs")).source == second.source
    assert SECRET not in shown(workspace)


async def test_a_link_that_is_set_to_the_next_release_keeps_the_source(workspace: Workspace) -> None:
    for number in (1, 2):
        workspace.write({"leave.md": LEAVE + f"Release {number}.\n"}, workspace.base / f"releases/{number}")
    current = workspace.base / "current"
    current.symlink_to(workspace.base / "releases/1")
    await workspace.ingest(current)
    current.unlink()
    current.symlink_to(workspace.base / "releases/2")
    report = await workspace.ingest(current)
    assert (report.source, statuses(report)) == ("current", {"leave.md": "changed"})


# --- links into other sources ----------------------------------------------------------------------


@pytest.mark.parametrize("linked", ["folder", "file"])
async def test_a_link_does_not_show_what_another_source_keeps_closed(
    workspace: Workspace, linked: str
) -> None:
    workspace.write({"pay.md": PAY}, workspace.base / "private")
    workspace.write({"leave.md": LEAVE})
    target = workspace.base / "private" / ("pay.md" if linked == "file" else "")
    (workspace.docs / ("pay.md" if linked == "file" else "pay")).symlink_to(target)
    await workspace.ingest(workspace.base / "private", readers=MANAGERS)
    assert statuses(await workspace.ingest()) == {"leave.md": "added"}
    assert SECRET not in shown(workspace)


async def test_what_was_read_through_a_link_is_closed_with_its_folder(workspace: Workspace) -> None:
    workspace.write({"pay.md": PAY}, workspace.base / "private")
    workspace.docs.mkdir()
    (workspace.docs / "pay").symlink_to(workspace.base / "private")
    assert statuses(await workspace.ingest()) == {"pay/pay.md": "added"}
    report = await workspace.ingest(workspace.base / "private", readers=MANAGERS)
    assert statuses(report) == {"pay.md": "moved"}
    assert SECRET not in shown(workspace)
    assert workspace.live_ids() == ["docs/pay/pay.md"]


async def test_a_link_into_a_source_is_read_as_that_source(workspace: Workspace) -> None:
    workspace.write({"pay.md": PAY}, workspace.base / "private")
    workspace.docs.mkdir()
    (workspace.docs / "pay").symlink_to(workspace.base / "private")
    await workspace.ingest(workspace.base / "private", readers=MANAGERS)
    await workspace.ingest()
    report = await workspace.ingest(workspace.docs / "pay")
    assert (report.source, statuses(report)) == ("private", {"pay.md": "unchanged"})


# --- access as a setting ---------------------------------------------------------------------------


@pytest.mark.parametrize(("enforced", "found"), [(True, []), (False, ["restricted/pay.md"])])
async def test_readers_count_unless_the_settings_say_otherwise(
    workspace: Workspace, enforced: bool, found: list[str]
) -> None:
    settings: dict[str, Any] = {"memory": {"acl_enabled": enforced}}
    workspace.open(settings | {"rag": {"analyser": "dictionary_free", "relevance_threshold": 0.0}})
    workspace.write({"restricted/pay.md": PAY, "leave.md": LEAVE})
    await workspace.ingest(workspace.docs / "restricted", readers=MANAGERS)
    await workspace.ingest()
    exposed = (await workspace.find("senior engineers")).candidates
    assert [c.article.id for c in exposed if SECRET in c.chunk.text] == found
