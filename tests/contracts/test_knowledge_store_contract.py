"""What every KnowledgeStore does."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from core.domain import ANONYMOUS, Principal, vector_key
from core.errors import StoreError
from core.ports import KnowledgeCounts, KnowledgeStore, SourceRecord
from core.storage.engine import Database
from core.storage.knowledge import SqlKnowledgeStore
from tests.samples import SOURCE, START, article_record, toy_vectors

STAFF = Principal("ana", frozenset({"public", "staff"}))


@pytest.fixture
def store(database: Database) -> SqlKnowledgeStore:
    store = SqlKnowledgeStore(database)
    store.save_source(SOURCE)
    return store


def test_it_is_a_knowledge_store(store: SqlKnowledgeStore) -> None:
    port: KnowledgeStore = store
    assert port.counts() == KnowledgeCounts(0, 0, 0, 0)
    assert store.revision() == 0


# --- sources ---------------------------------------------------------------------------------------


def test_sources_are_listed_by_name_with_their_latest_readers(store: SqlKnowledgeStore) -> None:
    store.save_source(SourceRecord("archive", "/srv/archive", "core", frozenset({"hr"})))
    changed = replace(SOURCE, readers=frozenset({"staff", "hr"}), location="/srv/new")
    assert store.save_source(changed) == changed
    assert [source.name for source in store.sources()] == ["archive", "docs"]
    assert store.sources()[1] == changed


def test_an_article_of_an_unknown_source_is_refused(store: SqlKnowledgeStore) -> None:
    record = article_record("rules.md", ["Leave is ten days."])
    with pytest.raises(StoreError):
        store.save_article(replace(record, article=replace(record.article, source="nowhere")))
    assert store.counts().articles == 0


# --- one article -----------------------------------------------------------------------------------


def test_an_article_comes_back_as_it_was_saved(store: SqlKnowledgeStore) -> None:
    record = article_record(
        "rules.md", ["Leave is ten days.", "有給休暇は10日です。"], readers=["staff", "hr"]
    )
    assert store.save_article(record) == 1
    assert store.get_article("docs:rules.md") == record.article
    assert store.article_text("docs:rules.md") == record.text
    assert store.article_sections("docs:rules.md") == record.sections
    assert store.article_lines("docs:rules.md") == record.lines
    assert store.counts() == KnowledgeCounts(articles=1, chunks=2, lines=2, revision=1)
    assert store.revision() == 1


def test_an_unknown_article_has_nothing(store: SqlKnowledgeStore) -> None:
    assert store.get_article("docs:none.md") is None
    assert store.article_text("docs:none.md") is None
    assert store.article_sections("docs:none.md") == ()
    assert store.article_lines("docs:none.md") == ()


def test_an_edited_article_keeps_its_id_and_loses_its_old_lines(store: SqlKnowledgeStore) -> None:
    store.save_article(article_record("rules.md", ["Leave is ten days.", "Ask in chat."]))
    edited = article_record("rules.md", ["Leave is twelve days."], title="New rules")
    assert store.save_article(edited) == 2
    assert store.get_article("docs:rules.md") == edited.article
    assert store.article_text("docs:rules.md") == "Leave is twelve days."
    assert store.article_lines("docs:rules.md") == edited.lines
    assert store.counts() == KnowledgeCounts(articles=1, chunks=1, lines=1, revision=2)


def test_saving_again_never_changes_the_readers(store: SqlKnowledgeStore) -> None:
    store.save_article(article_record("pay.md", ["Pay day is the 25th."], readers=["hr"]))
    store.save_article(article_record("pay.md", ["Pay day is the 24th."], readers=["public"]))
    article = store.get_article("docs:pay.md")
    assert article is not None
    assert article.readers == {"hr"}


def test_vectors_must_be_as_many_as_chunks(store: SqlKnowledgeStore) -> None:
    record = article_record("rules.md", ["Leave is ten days.", "Ask in chat."])
    with pytest.raises(ValueError, match="2 chunks"):
        store.save_article(replace(record, chunk_vectors=record.chunk_vectors[:1]))
    with pytest.raises(ValueError, match="2 chunks"):
        store.save_article(replace(record, span_vectors=(b"1",)))
    assert store.counts().articles == 0


def test_control_characters_and_lone_surrogates_are_stored_as_replacements(store: SqlKnowledgeStore) -> None:
    store.save_article(article_record("odd.txt", ["a\0b \ud800 c"], title="o\0dd"))
    assert store.article_text("docs:odd.txt") == "a\ufffdb \ufffd c"
    assert [line.text for line in store.article_lines("docs:odd.txt")] == ["a\ufffdb \ufffd c"]
    assert store.articles_without_vectors("toy", spans=False, limit=10) == []


# --- files -----------------------------------------------------------------------------------------


def test_file_states_tell_what_was_ingested(store: SqlKnowledgeStore) -> None:
    record = article_record("rules.md", ["Leave is ten days."])
    store.save_article(record)
    state = store.file_states("docs")["rules.md"]
    assert (state.article_id, state.path, state.removed) == ("docs:rules.md", "rules.md", False)
    assert (state.content_hash, state.size) == (record.content_hash, record.size)
    assert (state.modified_ns, state.settings_hash) == (record.modified_ns, "recursive-512")
    assert state.origin == "file"
    assert store.file_states("other") == {}


def test_a_touched_file_has_new_times_and_no_new_revision(store: SqlKnowledgeStore) -> None:
    store.save_article(article_record("rules.md", ["Leave is ten days."]))
    store.touch_article("docs:rules.md", size=99, modified_ns=1_800_000_000_000_000_001)
    state = store.file_states("docs")["rules.md"]
    assert (state.size, state.modified_ns) == (99, 1_800_000_000_000_000_001)
    assert store.counts().revision == 1


def test_a_moved_article_keeps_everything_but_its_place(store: SqlKnowledgeStore) -> None:
    store.save_article(article_record("rules.md", ["Leave is ten days."]))
    assert store.move_article("docs:rules.md", "hr/leave.md", "file:///srv/docs/hr/leave.md") == 2
    article = store.get_article("docs:rules.md")
    assert article is not None
    assert (article.path, article.uri) == ("hr/leave.md", "file:///srv/docs/hr/leave.md")
    assert list(store.file_states("docs")) == ["hr/leave.md"]
    delta = store.delta_since(1, "toy", 10)
    assert (delta.removed, delta.entries, delta.revision) == ((), (), 2)


def test_what_is_not_there_cannot_be_touched_moved_or_removed(store: SqlKnowledgeStore) -> None:
    with pytest.raises(StoreError, match=r"docs:none\.md"):
        store.touch_article("docs:none.md", size=1, modified_ns=1)
    with pytest.raises(StoreError, match=r"docs:none\.md"):
        store.move_article("docs:none.md", "a", "b")
    with pytest.raises(StoreError, match=r"docs:none\.md"):
        store.remove_article("docs:none.md", START)


def test_a_path_written_anew_under_another_id_tells_of_the_living_article(store: SqlKnowledgeStore) -> None:
    record = article_record("rules.md", ["Leave is ten days."])
    store.save_article(replace(record, article=replace(record.article, id="docs:second")))
    store.save_article(record)
    store.remove_article("docs:rules.md", START)
    assert store.file_states("docs")["rules.md"].article_id == "docs:second"


# --- removal ---------------------------------------------------------------------------------------


def test_a_removed_article_leaves_every_search_and_keeps_its_past(store: SqlKnowledgeStore) -> None:
    record = article_record("rules.md", ["Leave is ten days.", "Ask in chat."])
    store.save_article(record)
    ids = [entry.chunk_id for entry in store.delta_since(0, "toy", 10).entries]
    assert store.remove_article("docs:rules.md", START + timedelta(days=1)) == 2
    delta = store.delta_since(1, "toy", 10)
    assert (delta.removed, delta.entries, delta.revision) == (tuple(ids), (), 2)
    assert store.load_chunks(ids, store.readable_audiences(ANONYMOUS)) == {}
    assert store.counts() == KnowledgeCounts(0, 0, 0, 2)
    assert store.file_states("docs")["rules.md"].removed
    assert store.article_text("docs:rules.md") == record.text
    assert store.get_article("docs:rules.md") == record.article


def test_removing_twice_changes_nothing(store: SqlKnowledgeStore) -> None:
    store.save_article(article_record("rules.md", ["Leave is ten days."]))
    assert store.remove_article("docs:rules.md", START) == 2
    assert store.remove_article("docs:rules.md", START) == 2
    assert store.counts().revision == 2


def test_a_removed_article_that_comes_back_has_new_chunk_ids_and_its_old_readers(
    store: SqlKnowledgeStore,
) -> None:
    record = article_record("pay.md", ["Pay day is the 25th."], readers=["hr"])
    store.save_article(record)
    old = store.delta_since(0, "toy", 10).entries[0].chunk_id
    store.remove_article("docs:pay.md", START)
    store.save_article(replace(record, article=replace(record.article, readers=frozenset({"public"}))))
    new = store.delta_since(0, "toy", 10).entries[0].chunk_id
    assert new > old
    assert store.counts(store.readable_audiences(ANONYMOUS)).articles == 0
    assert store.counts().articles == 1


# --- who may see what ------------------------------------------------------------------------------


def test_chunks_are_loaded_in_the_order_asked_for_with_their_lines(store: SqlKnowledgeStore) -> None:
    first = article_record("rules.md", ["Leave is ten days.", "Ask in chat."])
    second = article_record("travel.md", ["Trains are second class."], title="Travel")
    store.save_article(first)
    store.save_article(second)
    ids = [entry.chunk_id for entry in store.delta_since(0, "toy", 10).entries]
    found = store.load_chunks([ids[2], ids[0], 999], store.readable_audiences(ANONYMOUS))
    assert list(found) == [ids[2], ids[0]]
    assert found[ids[0]].article == first.article
    assert found[ids[0]].chunk == first.chunks[0]
    assert found[ids[0]].section == first.sections[0]
    assert found[ids[0]].lines == first.lines[:1]
    assert found[ids[2]].article == second.article
    assert found[ids[2]].lines == second.lines


def test_only_readable_articles_are_loaded_and_counted(store: SqlKnowledgeStore) -> None:
    store.save_article(article_record("rules.md", ["Leave is ten days."]))
    store.save_article(article_record("pay.md", ["On the 25th.", "Ask Ana."], readers=["staff", "hr"]))
    store.save_article(article_record("nobody.md", ["Nobody reads this."], readers=[]))
    ids = [entry.chunk_id for entry in store.delta_since(0, "toy", 10).entries]
    public, staff = store.readable_audiences(ANONYMOUS), store.readable_audiences(STAFF)
    assert set(public) < set(staff)
    assert list(store.load_chunks(ids, public)) == ids[:1]
    assert list(store.load_chunks(ids, staff)) == ids[:3]
    assert store.load_chunks(ids, []) == {}
    assert store.counts(public) == KnowledgeCounts(1, 1, 1, 3)
    assert store.counts(staff) == KnowledgeCounts(2, 3, 3, 3)
    assert store.counts() == KnowledgeCounts(3, 4, 4, 3)


def test_everybody_reads_what_is_public(store: SqlKnowledgeStore) -> None:
    nobody = store.readable_audiences(Principal("eve", frozenset()))
    assert nobody == store.readable_audiences(ANONYMOUS)


def test_new_readers_take_the_chunks_to_their_audience(store: SqlKnowledgeStore) -> None:
    store.save_article(article_record("pay.md", ["Pay day is the 25th."]))
    before = store.delta_since(0, "toy", 10)
    assert store.set_readers("docs:pay.md", ["hr"]) == 2
    delta = store.delta_since(before.revision, "toy", 10)
    assert delta.removed == (before.entries[0].chunk_id,)
    assert [entry.chunk_id for entry in delta.entries] == [before.entries[0].chunk_id]
    hr = store.readable_audiences(Principal("eva", frozenset({"hr"})))
    assert delta.entries[0].audience in hr
    assert delta.entries[0].audience not in store.readable_audiences(ANONYMOUS)
    assert store.set_readers("docs:pay.md", ["hr"]) == 2


# --- deltas ----------------------------------------------------------------------------------------


def test_a_delta_holds_what_the_indexes_read(store: SqlKnowledgeStore) -> None:
    record = article_record("rules.md", ["Leave is ten days."])
    bare = replace(record, chunks=(replace(record.chunks[0], breadcrumb=""),))
    store.save_article(bare)
    entry = store.delta_since(0, "toy", 10).entries[0]
    assert entry.text == "Rules\nLeave is ten days."
    assert entry.vector is not None
    np.testing.assert_allclose(entry.vector, record.chunk_vectors[0], atol=1e-3)
    assert entry.vector.dtype == np.float32
    assert float(np.linalg.norm(entry.vector)) == pytest.approx(1, abs=1e-6)
    assert store.delta_since(0, "other", 10).entries[0].vector is None


def test_an_edit_tells_the_indexes_only_of_the_chunks_that_read_otherwise(store: SqlKnowledgeStore) -> None:
    store.save_article(article_record("rules.md", ["One.", "Two.", "Three."]))
    one, two, three = (entry.chunk_id for entry in store.delta_since(0, "toy", 10).entries)
    store.save_article(article_record("rules.md", ["Zero.", "One.", "Three.", "Four."]))
    delta = store.delta_since(1, "toy", 10)
    assert delta.removed == (two,)
    assert [entry.text for entry in delta.entries] == ["Rules\nZero.", "Rules\nFour."]
    assert min(entry.chunk_id for entry in delta.entries) > three
    kept = store.load_chunks([one, three], store.readable_audiences(ANONYMOUS))
    assert [kept[one].chunk.ordinal, kept[three].chunk.ordinal] == [1, 2]
    assert [kept[one].lines[0].ordinal, kept[three].lines[0].ordinal] == [1, 2]


def test_equal_chunks_of_one_article_keep_an_id_each(store: SqlKnowledgeStore) -> None:
    store.save_article(article_record("rules.md", ["Same.", "Same.", "Same."]))
    ids = [entry.chunk_id for entry in store.delta_since(0, "toy", 10).entries]
    store.save_article(article_record("rules.md", ["Same.", "Same."]))
    delta = store.delta_since(1, "toy", 10)
    assert (delta.removed, delta.entries) == ((ids[2],), ())


def test_a_new_title_changes_what_the_indexes_read(store: SqlKnowledgeStore) -> None:
    store.save_article(article_record("rules.md", ["Leave is ten days."]))
    store.save_article(article_record("rules.md", ["Leave is ten days."], title="Handbook"))
    delta = store.delta_since(1, "toy", 10)
    assert len(delta.removed) == 1
    assert [entry.text for entry in delta.entries] == ["Handbook\nLeave is ten days."]


def test_deltas_come_in_pages_of_whole_revisions(store: SqlKnowledgeStore) -> None:
    for n in range(5):
        store.save_article(article_record(f"{n}.md", ["One.", "Two."]))
    first = store.delta_since(0, "toy", 4)
    assert (len(first.entries), first.revision) == (4, 2)
    second = store.delta_since(2, "toy", 3)
    assert (len(second.entries), second.revision) == (2, 3)
    tiny = store.delta_since(3, "toy", 1)
    assert (len(tiny.entries), tiny.revision) == (2, 4)
    last = store.delta_since(4, "toy", 100)
    assert (len(last.entries), last.revision) == (2, 5)
    assert store.delta_since(5, "toy", 100).revision == 5


def test_an_index_ahead_of_the_database_is_told_so(store: SqlKnowledgeStore) -> None:
    store.save_article(article_record("rules.md", ["Leave is ten days."]))
    delta = store.delta_since(40, "toy", 10)
    assert (delta.removed, delta.entries, delta.revision) == ((), (), 1)


# --- vectors ---------------------------------------------------------------------------------------


def test_vectors_are_known_by_content_whoever_brought_them(store: SqlKnowledgeStore) -> None:
    store.save_article(article_record("rules.md", ["Leave is ten days."]))
    line = vector_key("Leave is ten days.")
    chunk = vector_key("Rules\nLeave is ten days.")
    vector = toy_vectors(["a line"])[0]
    store.save_vectors("toy", {line: vector, vector_key(""): np.zeros(8, dtype=np.float32)})
    found = store.known_vectors("toy", [line, chunk, vector_key(""), vector_key("other"), line])
    assert set(found) == {line, chunk, vector_key("")}
    np.testing.assert_allclose(found[line], vector, atol=1e-3)
    assert not found[vector_key("")].any()
    assert store.known_vectors("other", [line]) == {}


def test_many_vectors_are_found_in_one_call(store: SqlKnowledgeStore) -> None:
    texts = [f"text {n}" for n in range(1200)]
    store.save_vectors("toy", dict(zip(map(vector_key, texts), toy_vectors(texts), strict=True)))
    assert len(store.known_vectors("toy", [vector_key(text) for text in texts])) == 1200


def test_articles_without_vectors_of_a_new_model_are_listed_until_they_have_all(
    store: SqlKnowledgeStore,
) -> None:
    store.save_article(article_record("rules.md", ["One.", "Two."]))
    store.save_article(article_record("same.md", ["One."], title="Rules"))
    store.save_article(article_record("old.md", ["Gone."]))
    store.remove_article("docs:old.md", START)
    assert store.articles_without_vectors("toy", spans=False, limit=10) == []
    assert store.articles_without_vectors("new", spans=False, limit=1) == ["docs:rules.md"]
    texts = ["Rules\nOne.", "Rules\nTwo."]
    store.save_vectors("new", dict(zip(map(vector_key, texts[:1]), toy_vectors(texts[:1]), strict=True)))
    assert store.articles_without_vectors("new", spans=False, limit=9) == ["docs:rules.md"]
    store.save_vectors("new", dict(zip(map(vector_key, texts[1:]), toy_vectors(texts[1:]), strict=True)))
    assert store.articles_without_vectors("new", spans=False, limit=9) == []
    assert store.articles_without_vectors("new", spans=True, limit=9) == ["docs:rules.md", "docs:same.md"]
    chunks = store.article_chunks("docs:rules.md")
    assert [chunk.text for chunk in chunks.values()] == ["One.", "Two."]
    store.save_span_vectors("new", dict.fromkeys(chunks, b"packed"))
    assert store.articles_without_vectors("new", spans=True, limit=9) == ["docs:same.md"]


def test_packed_line_vectors_belong_to_their_chunk_and_model(store: SqlKnowledgeStore) -> None:
    record = article_record("rules.md", ["One.", "Two."])
    store.save_article(replace(record, span_vectors=(b"one", b"two")))
    one, two = (entry.chunk_id for entry in store.delta_since(0, "toy", 10).entries)
    assert store.span_vectors("toy", [one, two, 999]) == {one: b"one", two: b"two"}
    assert store.span_vectors("new", [one]) == {}
    store.save_span_vectors("new", {one: b"eins", 999: b"gone meanwhile"})
    store.save_span_vectors("toy", {two: b"second"})
    assert store.span_vectors("new", [one, two]) == {one: b"eins"}
    assert store.span_vectors("toy", [two]) == {two: b"second"}


def test_packed_line_vectors_stay_with_a_chunk_that_reads_as_before(store: SqlKnowledgeStore) -> None:
    record = article_record("rules.md", ["One.", "Two."])
    store.save_article(replace(record, span_vectors=(b"one", b"two")))
    one, two = (entry.chunk_id for entry in store.delta_since(0, "toy", 10).entries)
    store.save_span_vectors("new", {one: b"eins", two: b"zwei"})
    edited = article_record("rules.md", ["One.", "Three."])
    store.save_article(replace(edited, span_vectors=(b"one again", b"three")))
    assert store.span_vectors("new", [one, two]) == {one: b"eins"}
    assert store.span_vectors("toy", [one, two]) == {one: b"one again"}


def test_packed_line_vectors_go_when_lines_are_cut_otherwise(store: SqlKnowledgeStore) -> None:
    record = article_record("rules.md", ["One."])
    store.save_article(replace(record, span_vectors=(b"one",)))
    (entry,) = store.delta_since(0, "toy", 10).entries
    store.save_span_vectors("new", {entry.chunk_id: b"eins"})
    store.save_article(replace(record, settings_hash="another reader", span_vectors=(b"one",)))
    assert store.span_vectors("new", [entry.chunk_id]) == {}
    assert store.span_vectors("toy", [entry.chunk_id]) == {entry.chunk_id: b"one"}
