"""Bytes to text: which encoding a file is in, and whether it is text at all."""

from __future__ import annotations

import codecs
import re

from core.errors import ReadError

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CANDIDATES = ("cp932", "euc_jp", "utf-16-le", "utf-16-be")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_CONTROL_BYTES = bytes((*range(9), *range(14, 27), *range(28, 32), 127))
_BINARY_SHARE = 0.01
"""Share of control characters from which a file is no text."""
_BINARY = "This file looks binary, not like text."
_SAMPLE = 65_536
_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa\u30fc]")
_COMMON = re.compile("[\u3000-\u3002\u300c-\u300f\u30fb\uff01-\uff5e\u3005]|[0-9A-Za-z \n]")
_HALF_KANA = re.compile("[\uff61-\uff9f]")
_RARE = re.compile("[\ue000-\uf8ff\u2400-\u27bf\u0080-\u009f\u0370-\u04ff]")
_KANJI = re.compile("[\u4e00-\u9fff]")
_LEVEL_ONE_LAST = b"\xcf\xd3"
"""EUC-JP code of the last kanji in everyday use (JIS level 1)."""
_LATIN_LETTER = re.compile("[A-Za-z\u00c0-\u024f]")
_ISO_2022_JP = re.compile(rb"\x1b\$[@B]|\x1b\([BJI]")


def decode_text(content: bytes, declared: str = "") -> str:
    """Decode a text file and end its lines with a single newline each.

    A byte order mark decides; else legal UTF-8; else the encoding that the file declares, if its bytes are
    legal there; else the one among Shift_JIS (CP932), EUC-JP and UTF-16 without a mark in which it reads
    most like Japanese or English; else the best guess for other encodings. Raises ReadError for what is
    no text.
    """
    text = _decode(content, declared)
    if text.startswith("\ufeff"):
        text = text[1:]
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if _looks_binary(text):
        raise ReadError(_BINARY)
    return text.replace("\x00", "")


def _decode(content: bytes, declared: str) -> str:
    for mark, encoding in _BOMS:
        if content.startswith(mark):
            return content[len(mark) :].decode(encoding, errors="replace")
    if _ISO_2022_JP.search(content[:_SAMPLE]):
        decoded = _try(content, "iso2022_jp")
        if decoded is not None:
            return decoded
    for encoding in ("utf-8", declared):
        decoded = _try(content, encoding) if encoding else None
        if decoded is not None and not _looks_binary(decoded):
            return decoded
    return _decode_likeliest(content) or _decode_other(content)


def _try(content: bytes, encoding: str) -> str | None:
    try:
        return content.decode(encoding)
    except (UnicodeError, LookupError, ValueError):
        return None


def _looks_binary(text: str) -> bool:
    sample = text[:_SAMPLE]
    controls = len(_CONTROLS.findall(sample)) + sample.count("\ufffd")
    return controls > _BINARY_SHARE * len(sample)


def _decode_likeliest(content: bytes) -> str | None:
    """Choose among the candidates by what the text would look like; None if it makes sense in none."""
    best: tuple[float, str] | None = None
    for encoding in _CANDIDATES:
        decoded = _try(content, encoding)
        if decoded is None or _looks_binary(decoded):
            continue
        wide = encoding.startswith("utf-16")
        score = _score(decoded[:_SAMPLE], wide) / (2 if wide else 1)
        if best is None or score > best[0]:
            best = (score, decoded)
    return best[1] if best is not None and best[0] > 0 else None


def _score(text: str, wide: bool) -> float:
    """Rate a decoded text per character: above 0 if it looks like Japanese (or, in UTF-16, English)."""
    score = 0.0
    for character in text:
        if character < "\x80":
            # A zero beside every letter is the sign of UTF-16; elsewhere ASCII says nothing.
            score += 1.0 if wide else 0.0
        elif _KANA.match(character):
            score += 2.0
        elif _KANJI.match(character):
            score += 0.5 if _is_everyday(character) else -1.0
        elif _HALF_KANA.match(character) or _RARE.match(character):
            score -= 0.7
        elif _COMMON.match(character):
            score += 1.0
        else:
            score -= 0.5
    return score


def _is_everyday(kanji: str) -> bool:
    """Say whether a kanji is in JIS level 1."""
    try:
        return kanji.encode("euc_jp") <= _LEVEL_ONE_LAST
    except UnicodeEncodeError:
        return False


def _decode_other(content: bytes) -> str:
    """Guess among the other encodings; a text in no Japanese or Unicode encoding is most likely Western."""
    western = _try(content, "cp1252")
    if western is not None:
        start = western[:_SAMPLE]
        letters = _LATIN_LETTER.findall(start)
        accented = sum(1 for letter in letters if not letter.isascii())
        if len(letters) >= 0.5 * len(start.strip()) and accented <= 0.3 * len(letters):
            return western
    sample = content[:_SAMPLE]
    if len(sample) - len(sample.translate(None, _CONTROL_BYTES)) > _BINARY_SHARE * len(sample):
        raise ReadError(_BINARY)
    from charset_normalizer import from_bytes

    guess = from_bytes(content[:_SAMPLE]).best()
    decoded = _try(content, guess.encoding) if guess is not None else None
    if decoded is None:
        raise ReadError("The encoding of this file is not known; please save it as UTF-8.")
    return decoded
