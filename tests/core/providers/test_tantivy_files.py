from __future__ import annotations

from pathlib import Path

import pytest
import tantivy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.providers.tantivy_files import check_sums


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("index")
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", stored=True)
    index = tantivy.Index(builder.build(), path=str(folder))
    writer = index.writer(15_000_000, 1)
    document = tantivy.Document()
    document.add_text("text", "some words")
    writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    return folder


def test_what_tantivy_wrote_is_intact(home: Path) -> None:
    check_sums(home)


def test_files_of_an_unfinished_commit_are_not_looked_at(home: Path) -> None:
    half_written = home / f"{'0' * 32}.term"
    half_written.write_bytes(b"half")
    check_sums(home)
    half_written.unlink()


@given(which=st.integers(0, 99), where=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_one_flipped_bit_in_a_body_is_noticed(home: Path, which: int, where: float, bit: int) -> None:
    files = sorted(path for path in home.iterdir() if path.suffix in {".term", ".store", ".idx", ".fast"})
    path = files[which % len(files)]
    good = path.read_bytes()
    body = good.rindex(b'{"version"')
    damaged = bytearray(good)
    damaged[int(where * body)] ^= 1 << bit
    path.write_bytes(damaged)
    try:
        with pytest.raises(ValueError, match="differs from its checksum"):
            check_sums(home)
    finally:
        path.write_bytes(good)


def test_a_missing_folder_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        check_sums(tmp_path / "nowhere")
