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
_JAPANESE_ENCODINGS = ("cp932", "euc_jp")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_CONTROL_BYTES = bytes((*range(9), *range(14, 27), *range(28, 32), 127))
_BINARY_SHARE = 0.01
"""Share of control characters from which a file is no text."""
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


def decode_text(content: bytes) -> str:
    """Decode a text file and end its lines with a single newline each.

    A byte order mark decides; else legal UTF-8; else UTF-16 if every other byte of ordinary text is zero
    or the characters make sense as such; else the likelier of Shift_JIS (CP932) and EUC-JP; else the
    best guess for other Western encodings. Raises ReadError for what is no text.
    """
    text = _decode(content)
    if text.startswith("\ufeff"):
        text = text[1:]
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    _refuse_binary(text)
    return text.replace("\x00", "")


def _decode(content: bytes) -> str:
    for mark, encoding in _BOMS:
        if content.startswith(mark):
            return content[len(mark) :].decode(encoding, errors="replace")
    if _ISO_2022_JP.search(content[:_SAMPLE]):
        decoded = _try(content, "iso2022_jp")
        if decoded is not None:
            return decoded
    wide = _decode_utf16(content)
    if wide is not None:
        return wide
    decoded = _try(content, "utf-8")
    if decoded is not None:
        return decoded
    if _control_share(content) > _BINARY_SHARE:
        raise ReadError("This file looks binary, not like text.")
    return _decode_japanese(content) or _decode_other(content)


def _try(content: bytes, encoding: str) -> str | None:
    try:
        return content.decode(encoding)
    except (UnicodeDecodeError, ValueError):
        return None


def _decode_utf16(content: bytes) -> str | None:
    """Recognise UTF-16 without a mark: zeros (or the kana and CJK blocks) on one side of each pair."""
    sample = content[: _SAMPLE - _SAMPLE % 2]
    if len(content) % 2 or len(sample) < 2:
        return None
    for encoding, high in (("utf-16-le", sample[1::2]), ("utf-16-be", sample[0::2])):
        low = sample[0::2] if encoding == "utf-16-le" else sample[1::2]
        if _wide_share(high, low) < 0.9:
            continue
        decoded = _try(content, encoding)
        if decoded is not None and "\x00" not in decoded:
            return decoded
    return None


def _wide_share(high: bytes, low: bytes) -> float:
    """Share of byte pairs that are ASCII text or Japanese, if at least one newline, space or kana is."""
    ascii_pairs = sum(
        1
        for upper, lower in zip(high, low, strict=True)
        if upper == 0 and (32 <= lower < 127 or lower in b"\t\n\r")
    )
    kana = sum(1 for h in high if h in (0x30, 0xFF))
    kanji = sum(1 for h in high if 0x4E <= h <= 0x9F)
    if ascii_pairs == 0 and kana * 4 < len(high):
        return 0.0
    return (ascii_pairs + kana + kanji) / len(high)


def _control_share(content: bytes) -> float:
    sample = content[:_SAMPLE]
    return 1 - len(sample.translate(None, _CONTROL_BYTES)) / len(sample) if sample else 0.0


def _decode_japanese(content: bytes) -> str | None:
    """Choose between CP932 and EUC-JP by what the text would look like; None if neither fits."""
    best: tuple[float, str] | None = None
    for encoding in _JAPANESE_ENCODINGS:
        decoded = _try(content, encoding)
        if decoded is None:
            continue
        score = _japanese_score(decoded[:_SAMPLE])
        if best is None or score > best[0]:
            best = (score, decoded)
    return best[1] if best is not None and best[0] > 0 else None


def _japanese_score(text: str) -> float:
    """Rate how much a decoded text looks like Japanese prose: above 0 if it does, higher is better."""
    score = 0.0
    for character in text:
        if character < "\x80":
            continue
        if _KANA.match(character):
            score += 2.0
        elif _KANJI.match(character):
            score += 0.5 if _is_everyday(character) else -1.0
        elif _HALF_KANA.match(character) or _RARE.match(character):
            score -= 0.7
        elif _COMMON.match(character):
            score += 1.0
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
        sample = western[:_SAMPLE]
        letters = len(_LATIN_LETTER.findall(sample))
        if letters >= 0.5 * len(sample.strip()):
            return western
    from charset_normalizer import from_bytes

    guess = from_bytes(content[:_SAMPLE]).best()
    decoded = _try(content, guess.encoding) if guess is not None else None
    if decoded is None:
        raise ReadError("The encoding of this file is not known; please save it as UTF-8.")
    return decoded


def _refuse_binary(text: str) -> None:
    sample = text[:_SAMPLE]
    controls = len(_CONTROLS.findall(sample)) + sample.count("\ufffd")
    if controls > max(_BINARY_SHARE * len(sample), 0):
        raise ReadError("This file looks binary, not like text.")
