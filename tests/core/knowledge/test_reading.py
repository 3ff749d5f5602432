"""Which files are read, in which encodings, and what is said of the others."""

from __future__ import annotations

import codecs
import os
from pathlib import Path

import pytest

from core.errors import ReadError
from core.knowledge.decoding import decode_text
from core.knowledge.reading import SUPPORTED_SUFFIXES, is_markdown, read_file, read_passage

JAPANESE = (
    "経費精算は、支払った日から30日以内に経費システムで申請します。\n領収書の画像を添付してください。\n"
)
SHORT = ["経費", "有給休暇とは", "ＰＣ", "カタカナ", "はい。", "内線1234", "在宅勤務は週3日まで認めます。"]


@pytest.mark.parametrize(
    "encoding",
    ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp932", "shift_jis", "euc_jp", "iso2022_jp"],
)
def test_japanese_encodings_are_recognised(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "rule.txt"
    path.write_bytes(JAPANESE.encode(encoding))
    parsed = read_file(path)
    assert parsed.text == JAPANESE
    assert parsed.language == "ja"


@pytest.mark.parametrize("encoding", ["utf-8", "cp932", "euc_jp"])
@pytest.mark.parametrize("text", SHORT)
def test_short_japanese_texts_are_recognised(text: str, encoding: str) -> None:
    assert decode_text(text.encode(encoding)) == text


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-16"])
@pytest.mark.parametrize("text", ["Plain English text.\n", "Café 経費 ok", "大日本帝国の領有宣言は何年か"])
def test_utf_16_is_recognised_with_and_without_its_mark(text: str, encoding: str) -> None:
    assert decode_text(text.encode(encoding)) == text


def test_western_text_and_declared_encodings_are_read() -> None:
    assert decode_text("Größe und Maße für Übergänge".encode("latin-1")) == "Größe und Maße für Übergänge"
    korean = "한국어 문서입니다."
    assert decode_text(korean.encode("euc_kr"), "euc_kr") == korean
    assert decode_text(b"ok", "no-such-encoding") == "ok"


def test_a_page_that_declares_its_encoding_is_read_in_it(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_bytes("<meta charset='euc-kr'><p>한국어 문서입니다.</p>".encode("euc_kr"))
    assert read_file(path).lines[0].text == "한국어 문서입니다."


def test_line_ends_become_newlines_and_everything_else_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("one\r\ntwo\rthree\tﾊﾝｶｸ \n".encode())
    assert read_file(path).text == "one\ntwo\nthree\tﾊﾝｶｸ \n"


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.txt", b"", "empty"),
        ("a.md", b" \n\t\n", "empty"),
        ("a.md", b"<!-- only a note -->\n", "no text"),
        ("a.txt", bytes(range(256)) * 20, "binary"),
        ("a.md", b"\x7fELF\x02\x01\x01" + b"\x00" * 100 + b"\x90\xff\x13" * 50, "binary"),
        ("a.txt", b"PNG\x00\x00\x01\x02\x03" * 30, "binary"),
        ("a.docx", b"x", "not supported"),
        ("noext", b"x", "not supported"),
        ("a.txt", b"x" * 1001, "0.0 MB, more than the limit"),
        ("a.py", b"\x00\x01\x02", "binary"),
    ],
)
def test_a_file_that_cannot_be_an_article_is_refused_with_a_sentence(
    name: str, content: bytes, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ReadError, match=reason) as raised:
        read_file(path, size_limit_bytes=100_000 if len(content) != 1001 else 1000)
    assert str(raised.value).endswith(".")


def test_what_is_no_file_is_refused_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "folder.md").mkdir()
    os.mkfifo(tmp_path / "pipe.md")
    for name, reason in (
        ("folder.md", "regular file"),
        ("pipe.md", "regular file"),
        ("gone.md", "not exist"),
    ):
        with pytest.raises(ReadError, match=reason):
            read_file(tmp_path / name)


def test_a_file_without_permission_is_refused_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.md"
    path.write_text("x", encoding="utf-8")

    def deny(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "read_bytes", deny)  # root may read everything, so the system says no here
    with pytest.raises(ReadError, match="permission denied"):
        read_file(path)


def test_the_title_falls_back_to_the_files_name(tmp_path: Path) -> None:
    path = tmp_path / "travel_expenses 2026.txt"
    path.write_text("Just text that says something.\n", encoding="utf-8")
    assert read_file(path).title == "travel expenses 2026"


def test_a_long_single_line_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text("y" * 300_000, encoding="utf-8")
    parsed = read_file(path)
    assert [(line.start, line.end) for line in parsed.lines] == [(0, 300_000)]


@pytest.mark.parametrize("suffix", sorted(SUPPORTED_SUFFIXES - {".pdf"}))
def test_every_supported_suffix_reads_plain_words(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"a{suffix.upper()}"
    path.write_bytes(codecs.BOM_UTF8 + b"hello there")
    assert read_file(path).lines[0].text == "hello there"


def test_a_text_without_a_suffix_is_read_as_markdown_where_it_is_written_like_it() -> None:
    page = "# 返品\n\n本文です。\n\n## 送料\n\n送料は当社が負担します。\n"
    assert [section.title for section in read_passage(page, "r-1").sections] == ["返品", "送料"]
    script = "x = 1\n# a comment\ny = 2\n"
    assert read_passage(script, "note").title == "note"
    assert len(read_passage("# 1 is the first of all numbers.", "note").sections) <= 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Title\n\n- one\n- two\n", True),
        ("Intro\n\n## A\n\n```\nx\n```\n\n## B\n", True),
        ("# comment\nx = 1\n", False),
        ("We are #1 in the market.", False),
        ("#channel is our place", False),
        ("", False),
    ],
)
def test_markdown_is_told_by_its_headings(text: str, expected: bool) -> None:
    assert is_markdown(text) is expected
