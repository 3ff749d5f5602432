"""Find where the sentences of a Japanese or English text begin and end."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.text.abbreviations import ends_with_abbreviation, starts_small
from core.text.latin import CJK

_CLOSERS = "」』】〕〉》）］｝)\\]}\"'”’»"
_CANDIDATE = re.compile(r"[。｡！？!?．.…]+|[「『（(\[［【〔《]|\n")
_CLOSING_RUN = re.compile(f"[{_CLOSERS}*_]+")
_SAME_MARKS = re.compile(r'"+|\*+|_+')
"""These open and close alike; they close when an odd number of them stands before."""
_PARITY_WINDOW = 500
_TRAILING = re.compile(
    r"(?:[ \u3000]?[\[［【]\^?\d{1,4}(?:\s?[,、，;–-]\s?\d{1,4})*[\]］】](?![:：])"
    r"(?:\([^\s()]{1,500}\))?[。．]?"
    r"|[ \u3000]?[\u2600-\u27bf\U0001f000-\U0001faff][\ufe0f\u200d\u2600-\u27bf\U0001f000-\U0001faff]*)+"
)
"""Citation marks and emoji behind a full stop belong to its sentence."""
_PAIRS = {
    "「": "」",
    "『": "』",
    "（": "）",
    "(": ")",
    "[": "]",
    "［": "］",
    "【": "】",
    "〔": "〕",
    "《": "》",
}
_PROTECTED_LENGTH = 300
"""A bracket keeps its sentences together only if it closes within so many characters."""

_BLANK_LINE = re.compile(r"\n[^\S\n]*(?=\n)")
_BLOCK_START = re.compile(
    r"\n[^\S\n]*(?:[-*+•◦▪・●○◆■※]\s|[・●○◆■※]|\d{1,3}[.)．）]\s|[(（]\d{1,3}[)）]|[①-⑳]|#{1,6}\s|[|>]|```|~~~)"
)
_BLOCK_LINE = re.compile(r"[^\S\n]*(?:#{1,6}\s|\|)")
_ENUMERATOR = re.compile(
    r"\s*(?:[-*+•]\s+)?[*_]{0,3}[(（\[]?(?:\d{1,3}(?:[.．]\d{1,3})*|[A-Za-z]|[ivxlIVXL]{1,6}|[０-９]{1,3})[.．]?"
)
_QUOTE_GOES_ON = re.compile(
    r"(?:と(?!ころ|ても|りあえず|にかく|もに|きに|はいえ)|って|を|が(?!、)|に(?!も)|の(?!ち)|など|だ(?!が|か|け)|"
    r"です|である|は(?!い)|も(?!し|ち|っと|う)|や(?!は)|、|。|，)"
)
_CJK_CHARACTER = re.compile(f"[{CJK}]")
_CJK_OR_OPENER = re.compile(f"[{CJK}「『（【〔《“‘]")
_CAPITAL_NEXT = re.compile(r"\s+[\"'“‘(\[「『（]*(?:[A-Z]|[^\x00-\u02ff])")
_SPACE_NEXT = re.compile(r"\s")


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of characters of the text it was found in."""

    start: int
    end: int


def split_sentences(text: str) -> list[Span]:
    """Split a text into sentences, in order, without the white space around them.

    Every character that is not white space lies in exactly one span. Closing brackets, quotes and
    citation marks ([1]) after a full stop belong to the sentence before. A blank line, a list item, a
    heading or a table row ends a sentence; a plain line break does not. Sentences inside brackets that
    close soon stay together. Time grows linearly with the text.
    """
    spans: list[Span] = []
    start = 0
    for end in _ends(text):
        _append_trimmed(spans, text, start, end)
        start = end
    _append_trimmed(spans, text, start, len(text))
    return spans


def _append_trimmed(spans: list[Span], text: str, start: int, end: int) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        spans.append(Span(start, end))


def _ends(text: str) -> Iterator[int]:
    """Yield the positions after which a new sentence begins."""
    start = 0
    line_start = 0
    protected = 0
    position = 0
    while match := _CANDIDATE.search(text, position):
        mark = match.group()
        position = match.end()
        end: int | None = None
        if mark == "\n":
            if _ends_block(text, match.start(), line_start):
                end = match.end()
            line_start = match.end()
        elif mark in _PAIRS:
            if match.start() >= protected:
                protected = _closing_position(text, match.start())
        else:
            end = _sentence_end(text, start, match.start(), match.end(), protected)
        if end is not None:
            yield end
            start = position = end
            protected = 0


def _ends_block(text: str, newline: int, line_start: int) -> bool:
    return (
        _BLANK_LINE.match(text, newline) is not None
        or _BLOCK_START.match(text, newline) is not None
        or _BLOCK_LINE.match(text, line_start) is not None
    )


def _closing_position(text: str, opener: int) -> int:
    """Return where the bracket opened here closes, or 0 if it does not close soon."""
    opening, closing = text[opener], _PAIRS[text[opener]]
    limit = min(len(text), opener + _PROTECTED_LENGTH)
    if text.find(closing, opener, limit) < 0:
        return 0
    depth = 0
    for match in re.finditer(f"[{re.escape(opening + closing)}]|\n[^\\S\n]*\n", text[opener:limit]):
        if match.group()[0] == "\n":
            return 0
        depth += 1 if match.group() == opening else -1
        if depth == 0:
            return opener + match.start()
    return 0


def _sentence_end(text: str, start: int, mark: int, after: int, protected: int) -> int | None:
    """Return the end of the sentence that the mark text[mark:after] closes, None if it closes none."""
    closed = _closing_end(text, start, mark, after)
    if closed <= protected:
        return None
    trailing = _TRAILING.match(text, closed)
    end = trailing.end() if trailing else closed
    if end >= len(text):
        return end
    last = text[after - 1]
    if last in "。｡！？":
        goes_on = closed > after and not trailing and _QUOTE_GOES_ON.match(text, closed)
        return None if goes_on else end
    if trailing and _CJK_OR_OPENER.match(text, end):
        return end
    if last in "!?":
        ends = _exclamation_ends(text, mark, closed > after, end)
    elif last == "…" or text[mark:after] in ("...", "．．．"):
        ends = _CAPITAL_NEXT.match(text, end) is not None
    else:
        ends = _period_ends(text, start, mark, end)
    return end if ends else None


def _closing_end(text: str, start: int, mark: int, after: int) -> int:
    """Return the position after the brackets, quotes and emphasis that close right behind the mark."""
    run = _CLOSING_RUN.match(text, after)
    if not run:
        return after
    begin = max(start, mark - _PARITY_WINDOW)
    for token in _SAME_MARKS.finditer(text, after, run.end()):
        before_space = token.end() == len(text) or text[token.end()].isspace()
        if not before_space and text.count(token.group(), begin, after) % 2 == 0:
            return token.start()
    return run.end()


def _exclamation_ends(text: str, mark: int, quoted: bool, end: int) -> bool:
    if _SPACE_NEXT.match(text, end):
        return not (quoted and starts_small(text, end))
    return _between_japanese(text, mark, end) and not (quoted and _QUOTE_GOES_ON.match(text, end))


def _period_ends(text: str, start: int, mark: int, end: int) -> bool:
    if mark - start < 16 and _ENUMERATOR.fullmatch(text, start, mark):
        return False
    if not _SPACE_NEXT.match(text, end):
        return _between_japanese(text, mark, end)
    return not ends_with_abbreviation(text, mark, end)


def _between_japanese(text: str, mark: int, end: int) -> bool:
    """Say whether a mark without a space behind it stands between Japanese: no a.b, no Yahoo!知恵袋."""
    before = text[mark - 1] if mark else ""
    japanese_before = _CJK_CHARACTER.match(before) is not None
    if text[mark] == "．" and (japanese_before or before.isdigit()):
        return _CJK_OR_OPENER.match(text, end) is not None or (japanese_before and text[end].isalnum())
    return japanese_before and _CJK_OR_OPENER.match(text, end) is not None
