from __future__ import annotations

import resource
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import ProviderError, StoreError
from core.ports import IndexDelta, IndexEntry
from core.providers.tantivy_index import TantivyIndex
from core.text.terms import Analyser, make_analyser
from tests.fake_models import FakeKeywordIndex

BIGRAM = make_analyser("bigram")
BY_BAR = Analyser("by-bar/1", lambda text: text.split("|"))

RULES = {
    "経費": "経費精算は、支払った日から30日以内に経費システムで申請します。"
    "領収書の画像を添付してください。5万円を超える支出は事前に上長の承認が必要です。",
    "有給": "有給休暇は入社6か月後に10日付与されます。"
    "取得する日の3営業日前までに勤怠システムで申請してください。半日単位でも取得できます。",
    "在宅": "在宅勤務は週3日まで認めます。前日までにチャットで上長に連絡してください。"
    "自宅のネットワーク代として月3,000円を支給します。",
    "出張": "出張の交通費は経費システムで精算します。"
    "新幹線は普通車指定席まで、飛行機はエコノミークラスまでを会社が負担します。",
    "PC": "パソコンが故障したときは、情報システム部に内線1234で連絡してください。"
    "代わりのパソコンを貸し出します。",
}
NAMES = list(RULES)


def entry(chunk_id: int, text: str, audience: int = 1) -> IndexEntry:
    return IndexEntry(chunk_id=chunk_id, audience=audience, text=text, vector=None)


def open_words(folder: Path) -> TantivyIndex:
    return TantivyIndex(folder, BY_BAR)


def filled(folder: Path, revision: int = 1) -> TantivyIndex:
    index = open_words(folder)
    index.apply(IndexDelta((), (entry(1, "a|b"), entry(2, "b|c")), revision))
    return index


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> TantivyIndex:
    index = TantivyIndex(tmp_path_factory.mktemp("rules"), BIGRAM)
    entries = tuple(entry(number, RULES[name]) for number, name in enumerate(NAMES))
    index.apply(IndexDelta((), entries, 1))
    return index


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "新幹線代はどうやって精算しますか",
            {"出張": 5.79, "経費": 1.17, "在宅": 0.41, "PC": 0.40, "有給": 0.12},
        ),
        ("休みを取りたいときの手続き", {"PC": 1.49}),
        ("有給休暇の取得の申請", {"有給": 6.87, "経費": 0.82}),
    ],
)
def test_the_five_company_rules_score_as_the_tutorial_says(
    rules: TantivyIndex, question: str, expected: dict[str, float]
) -> None:
    hits = rules.search(BIGRAM.analyse(question), [1], 10)
    assert {NAMES[hit.chunk_id]: round(hit.score, 2) for hit in hits} == expected
    assert [NAMES[hit.chunk_id] for hit in hits] == list(expected)


def test_five_of_the_six_tutorial_questions_find_their_rule_first(rules: TantivyIndex) -> None:
    gold = {
        "領収書はどうすればいいですか": "経費",
        "新幹線のグリーン車は使えますか": "出張",
        "パソコンが壊れました": "PC",
        "家で働けるのは週に何日までですか": "在宅",
        "休みを取りたいときの手続き": "有給",
        "入社してすぐ休暇はもらえますか": "有給",
    }
    found = {
        question: [NAMES[hit.chunk_id] for hit in rules.search(BIGRAM.analyse(question), [1], 10)]
        for question in gold
    }
    ranks = [
        found[question].index(name) + 1 if name in found[question] else None
        for question, name in gold.items()
    ]
    assert ranks == [1, 1, 1, 1, None, 1]


@pytest.mark.parametrize(
    "term", ["white space", "tab\there", "line\nbreak", "\\", "\ud800", "寄与", "\x00", "x" * 70_000]
)
def test_a_chunk_is_found_by_any_term_that_it_holds(tmp_path: Path, term: str) -> None:
    index = open_words(tmp_path)
    index.apply(IndexDelta((), (entry(1, f"{term}|other"), entry(2, "other")), 1))
    assert [hit.chunk_id for hit in index.search([term], [1], 10)] == [1]


def test_all_terms_of_a_very_long_question_are_scored(tmp_path: Path) -> None:
    texts = {number: "|".join(f"t{part}" for part in range(number)) for number in (100, 150, 200)}
    index, plain = open_words(tmp_path), FakeKeywordIndex(BY_BAR)
    delta = IndexDelta((), tuple(entry(number, text) for number, text in texts.items()), 1)
    index.apply(delta)
    plain.apply(delta)
    question = [f"t{part}" for part in range(200)]
    scores = [hit.score for hit in index.search(question, [1], 3)]
    assert scores == pytest.approx([hit.score for hit in plain.search(question, [1], 3)])


WORDS = st.lists(st.sampled_from("abcdef"), max_size=8).map("|".join)
STEPS = st.lists(
    st.tuples(
        st.lists(st.integers(0, 5), max_size=3),
        st.lists(st.tuples(st.integers(0, 5), st.integers(1, 2), WORDS), max_size=4),
    ),
    min_size=1,
    max_size=4,
)


@given(
    steps=STEPS,
    question=st.lists(st.sampled_from("abcdefg"), max_size=4),
    audiences=st.sets(st.integers(1, 3)),
)
@settings(max_examples=15, deadline=None)
def test_any_history_gives_the_hits_of_the_plain_formula(
    tmp_path_factory: pytest.TempPathFactory,
    steps: list[tuple[list[int], list[tuple[int, int, str]]]],
    question: list[str],
    audiences: set[int],
) -> None:
    index, plain = open_words(tmp_path_factory.mktemp("history")), FakeKeywordIndex(BY_BAR)
    for revision, (removed, written) in enumerate(steps, start=1):
        entries = tuple(entry(chunk_id, text, audience) for chunk_id, audience, text in written)
        for target in (index, plain):
            target.apply(IndexDelta(tuple(removed), entries, revision))
        index.search(question, sorted(audiences), 10)
    hits, expected = (target.search(question, sorted(audiences), 10) for target in (index, plain))
    assert {hit.chunk_id: round(hit.score, 9) for hit in hits} == {
        hit.chunk_id: round(hit.score, 9) for hit in expected
    }
    assert index.document_frequencies(question) == plain.document_frequencies(question)


def test_another_analyser_starts_from_an_empty_index_and_leaves_no_old_one(tmp_path: Path) -> None:
    filled(tmp_path)
    changed = TantivyIndex(tmp_path, Analyser("by-bar/2", lambda text: text.split("|")))
    assert (changed.revision, changed.count()) == (0, 0)
    assert len([path for path in tmp_path.iterdir() if path.is_dir()]) == 1


def _cut_short(home: Path) -> None:
    for path in home.iterdir():
        if path.suffix:
            path.write_bytes(path.read_bytes()[:7])


def _overwrite(home: Path) -> None:
    for path in home.iterdir():
        path.write_bytes(b"\xff" * 100)


def _lose_segments(home: Path) -> None:
    for path in home.iterdir():
        if path.suffix in {".term", ".store", ".idx"}:
            path.unlink()


def _flip_a_bit_of_the_stored_terms(home: Path) -> None:
    (path,) = home.glob("*.store")
    content = bytearray(path.read_bytes())
    content[len(content) // 5] ^= 0x10
    path.write_bytes(content)


def _become_a_file(home: Path) -> None:
    shutil.rmtree(home)
    home.write_text("not an index")


@pytest.mark.parametrize(
    "damage", [_cut_short, _overwrite, _lose_segments, _flip_a_bit_of_the_stored_terms, _become_a_file]
)
def test_a_damaged_folder_starts_empty_and_can_be_filled_again(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    filled(tmp_path).close()
    (home,) = (path for path in tmp_path.iterdir() if path.is_dir())
    damage(home)
    index = open_words(tmp_path)
    assert (index.revision, index.search(["a"], [1], 10)) == (0, [])
    assert [hit.chunk_id for hit in filled(tmp_path).search(["a"], [1], 10)] == [1]


def test_a_folder_that_vanishes_while_open_is_noticed_by_its_revision(tmp_path: Path) -> None:
    index = filled(tmp_path)
    for path in tmp_path.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
    assert index.revision == 0
    assert index.count() == 0


def test_a_commit_of_another_process_is_seen_after_asking_for_the_revision(tmp_path: Path) -> None:
    writer, reader = open_words(tmp_path), open_words(tmp_path)
    writer.apply(IndexDelta((), (entry(1, "a"),), 3))
    assert reader.revision == 3
    assert [hit.chunk_id for hit in reader.search(["a"], [1], 10)] == [1]


def test_two_first_ingests_at_once_both_succeed(tmp_path: Path) -> None:
    def ingest(number: int) -> None:
        open_words(tmp_path).apply(IndexDelta((), (entry(1, "a"), entry(2, "a")), 4))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(ingest, range(4)))
    index = open_words(tmp_path)
    assert (index.revision, index.count()) == (4, 2)


def test_a_writer_that_never_ends_is_reported_in_a_sentence(tmp_path: Path) -> None:
    index = TantivyIndex(tmp_path, BY_BAR, lock_seconds=0.01)
    with FileLock(tmp_path / "writer.lock"), pytest.raises(StoreError, match="another process keeps writing"):
        index.apply(IndexDelta((), (entry(1, "a"),), 1))


def test_a_chunk_that_was_found_before_is_scored_by_its_new_text(tmp_path: Path) -> None:
    index = filled(tmp_path)
    assert [hit.chunk_id for hit in index.search(["b"], [1], 10)] == [1, 2]
    index.apply(IndexDelta((), (entry(2, "b|b|b"),), 2))
    assert [hit.chunk_id for hit in index.search(["b"], [1], 10)] == [2, 1]


@contextmanager
def full_disk() -> Iterator[None]:
    """No file can grow meanwhile."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_an_index_that_cannot_be_written_says_so_and_is_as_before(tmp_path: Path) -> None:
    index = filled(tmp_path)
    change = IndexDelta((1,), (entry(3, "a|d"),), 2)
    with full_disk(), pytest.raises(ProviderError, match="cannot be written"):
        index.apply(change)
    for opened in (index, open_words(tmp_path)):
        assert (opened.revision, opened.count()) == (1, 2)
        assert [hit.chunk_id for hit in opened.search(["a"], [1], 5)] == [1]
    index.apply(change)
    assert [hit.chunk_id for hit in index.search(["a"], [1], 5)] == [3]
