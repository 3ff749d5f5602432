"""Read text without markup: paragraphs, list items, and headings where the layout leaves no doubt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.knowledge.blocks import Block, Layout, places_by_newline
from core.knowledge.slugs import Anchors, slugify

_UNDERLINE = re.compile(r"[ \t]*([=\-~^*#+\"'])\1{2,}[ \t]*|[ \t]*[─━―＝－]{3,}[ \t]*")
_RULE = re.compile(r"[ \t]*([=\-~^*#+_─━―＝－])\1{2,}[ \t]*")
_ITEM = re.compile(
    r"(?:[-*+•‣◦▪●○◎◇◆→](?=[ \t\u3000])|[・※]|\d{1,3}[.)．）](?!\d)|[(（]\d{1,3}[)）]|[①-⑳])"
    r"[ \t\u3000]*(?=\S)"
)
_NUMERAL = "[0-9０-９一二三四五六七八九十百]+"
_ARTICLE = re.compile(
    rf"第[ \u3000]*{_NUMERAL}[ \u3000]*([編部章節款条])(?:の{_NUMERAL})?"
    r"[ \t\u3000]*([（(][^（）()]{1,40}[）)])?(?=[ \t\u3000（(]|$|(?<=[）)]))"
)
"""第3条 or 第3条（目的） at the beginning of a line; 第3条に定める is none."""
_ARTICLE_LEVELS = {"編": 1, "部": 1, "章": 2, "節": 3, "款": 4, "条": 5}
_CAPTION = re.compile(r"[（(][^（）()]{1,40}[）)]")
_BRACKETED = re.compile(r"【[^【】]{1,40}】|〔[^〔〕]{1,40}〕|≪[^≪≫]{1,40}≫|\[[^\[\]]{1,40}\]")
_SQUARED = re.compile(r"[■◆●▼□◇][ \t\u3000]*(?P<title>\S.{0,39})")
_WIKI = re.compile(r"(?P<marks>={1,6})[ \t]+(?P<title>\S.{0,78}?)(?:[ \t]+={1,6})?")
_NUMBERED = re.compile(
    r"(\d{1,2}(?:[.．]\d{1,2})*)(?:[.．]?[ \t\u3000]+|[.．](?=[\u3041-\u9fff]))(\S.{0,69})"
)
_CAPITALS = re.compile(r"[A-Z][A-Z0-9 &/'()-]{2,59}")
_SENTENCE_END = re.compile(r"[。．.!?！？、,;；:：][ \t\u3000]*$")
_LONGEST_TITLE = 60
_LEAD_WIDTH = 40
_LEAST_LEADS = 2
"""Short lines above their text are headings only where there are so many of them."""
_LEAD_LEVEL = 4
_SHORT_BREAK = 0.6
"""A line shorter than this share of the paragraph's longest was broken on purpose, not wrapped."""


@dataclass(frozen=True, slots=True)
class _Row:
    """A physical line: its span and text without the white space around it."""

    start: int
    end: int
    text: str


class _Headings:
    """Makes the headings of one text: each kind of underline is one level, in order of appearance."""

    def __init__(self) -> None:
        self._anchors = Anchors()
        self._underlines: list[str] = []

    def underline_level(self, underline: str) -> int:
        """Give the level that this sign stands for."""
        sign = underline.strip()[0]
        if sign not in self._underlines:
            self._underlines.append(sign)
        return self._underlines.index(sign) + 1

    def anchor(self, title: str) -> str:
        """Give an anchor that no other heading of the text has."""
        return self._anchors.claim(slugify(title))

    def make(self, row: _Row, level: int) -> Block:
        """Make a heading of a line; brackets, squares and equals signs around it are no part of the title."""
        title = row.text
        if _BRACKETED.fullmatch(title):
            title = title[1:-1].strip()
        elif framed := (_SQUARED.fullmatch(title) or _WIKI.fullmatch(title)):
            title = framed.group("title").strip()
        return Block("heading", row.start, row.end, level, title, self.anchor(title))


def read_plain(text: str) -> Layout:
    """Find paragraphs, list items and headings of a plain text.

    Headings: a line underlined by a row of signs (RST) or led by equals signs (AsciiDoc); 第n章, 第n条; a
    line in 【】; ■ or a number before a short line, or capitals, alone between blank lines and not ending
    like a sentence; short lines above sentences or a list, if there are several. A line break ends a
    sentence only where the line was clearly broken on purpose. The title is a short first line that
    stands alone.
    """
    groups = list(_groups(text))
    blocks = list(_blocks(groups))
    title = ""
    if len(groups) > 1 and len(groups[0]) == 1 and blocks[0].kind == "paragraph":
        first = groups[0][0].text
        title = first if len(first) <= _LONGEST_TITLE and not _SENTENCE_END.search(first) else ""
    return Layout(text, title, blocks, places_by_newline(text))


def _blocks(groups: list[list[_Row]]) -> Iterator[Block]:
    headings = _Headings()
    leads = {index for index in range(1, len(groups)) if _leads(groups, index)}
    for index, group in enumerate(groups):
        level = _lone_level(groups, index) if len(group) == 1 else 0
        if level:
            yield headings.make(group[0], level)
        elif len(leads) >= _LEAST_LEADS and index in leads:
            yield headings.make(group[0], _LEAD_LEVEL)
            yield from _group_blocks(group[1:], headings)
        else:
            yield from _group_blocks(group, headings)


def _groups(text: str) -> Iterator[list[_Row]]:
    """Yield the runs of lines between blank lines."""
    group: list[_Row] = []
    for row in _rows(text):
        if row.text:
            group.append(row)
        elif group:
            yield group
            group = []
    if group:
        yield group


def _rows(text: str) -> Iterator[_Row]:
    position = 0
    while position <= len(text):
        stop = text.find("\n", position)
        stop = len(text) if stop < 0 else stop
        raw = text[position:stop]
        words = raw.strip()
        start = position + len(raw) - len(raw.lstrip()) if words else position
        yield _Row(start, start + len(words), words)
        position = stop + 1


def _group_blocks(group: list[_Row], headings: _Headings) -> Iterator[Block]:
    """Yield the blocks of one run of lines between blank lines."""
    prose: list[_Row] = []
    rows = iter(range(len(group)))
    for index in rows:
        row = group[index]
        following = group[index + 1].text if index + 1 < len(group) else ""
        article = _ARTICLE.match(row.text)
        if not prose and _is_underlined(row.text, following):
            yield headings.make(row, headings.underline_level(following))
            next(rows)
        elif article:
            caption = prose.pop() if prose and _CAPTION.fullmatch(prose[-1].text) else None
            yield from _prose_blocks(prose)
            heading, prose = _article(row, article, caption, headings)
            yield heading
        elif level := _heading_level(row.text):
            yield from _prose_blocks(prose)
            prose = []
            yield headings.make(row, level)
        elif not _RULE.fullmatch(row.text):
            prose.append(row)
    yield from _prose_blocks(prose)


def _article(
    row: _Row, article: re.Match[str], caption: _Row | None, headings: _Headings
) -> tuple[Block, list[_Row]]:
    """Make the heading of 第n条: the whole line if it is short, else its marker; with its caption.

    Returns the heading and the rest of the line as the beginning of a paragraph.
    """
    rest = row.text[article.end() :].strip()
    captioned = caption is not None or article.group(2) is not None
    short = len(rest) <= 20 and "、" not in rest and not _SENTENCE_END.search(rest)
    titled = not rest or (short and not captioned)
    words = row.text if titled else article.group().strip()
    start = caption.start if caption else row.start
    title = f"{words}{caption.text}" if caption else words
    level = _ARTICLE_LEVELS[article.group(1)]
    heading = Block("heading", start, row.start + len(words), level, title, headings.anchor(title))
    left = [] if titled else [_Row(row.end - len(rest), row.end, rest)]
    return heading, left


def _is_underlined(line: str, following: str) -> bool:
    if not _UNDERLINE.fullmatch(following) or _RULE.fullmatch(line) or len(line) > 80:
        return False
    return len(following.strip()) >= min(len(line), 4)


def _heading_level(line: str) -> int:
    """Give the level of a heading that may stand directly above its text, 0 for no heading."""
    if wiki := _WIKI.fullmatch(line):
        return len(wiki.group("marks"))
    return 2 if _BRACKETED.fullmatch(line) and line[0] != "[" else 0


def _lone_level(groups: Sequence[list[_Row]], index: int) -> int:
    """Give the level of a heading that stands alone between blank lines, 0 for no heading."""
    line = groups[index][0].text
    if index + 1 == len(groups) or _SENTENCE_END.search(line) or _RULE.fullmatch(line):
        return 0
    if _SQUARED.fullmatch(line) or (line[0] == "[" and _BRACKETED.fullmatch(line)):
        return 3
    if _CAPITALS.fullmatch(line):
        return 2
    numbered = _NUMBERED.fullmatch(line)
    if not numbered:
        return 0
    depth = _depth(numbered.group(1))
    before = _NUMBERED.fullmatch(groups[index - 1][0].text) if index and len(groups[index - 1]) == 1 else None
    after = _NUMBERED.match(groups[index + 1][0].text)
    # A number before a neighbouring line as well makes a list, unless one is nested in the other.
    listed = (before and _depth(before.group(1)) >= depth) or (after and _depth(after.group(1)) <= depth)
    return 0 if listed else 2 + depth


def _leads(groups: Sequence[list[_Row]], index: int) -> bool:
    """Say whether a group begins with a short line that reads like the heading of what follows it."""
    group = groups[index]
    line = group[0].text
    short = _width(line) <= _LEAD_WIDTH and any(character.isalpha() for character in line)
    if not short or _SENTENCE_END.search(line) or _ITEM.match(line):
        return False
    if len(group) > 1:
        return _ITEM.match(group[1].text) is not None
    following = groups[index + 1] if index + 1 < len(groups) else []
    return any(_SENTENCE_END.search(row.text) or _ITEM.match(row.text) for row in following)


def _depth(number: str) -> int:
    return len(re.split("[.．]", number))


def _prose_blocks(rows: list[_Row]) -> Iterator[Block]:
    """Yield paragraphs and items; a line that was broken on purpose begins a new block."""
    if not rows:
        return
    widest = max(_width(row.text) for row in rows)
    first = 0
    for index in range(1, len(rows) + 1):
        if index < len(rows) and not _breaks(rows[index - 1], rows[index], widest):
            continue
        start, end = rows[first].start, rows[index - 1].end
        marker = _ITEM.match(rows[first].text)
        if marker:
            start += marker.end()
        yield Block("item" if marker else "paragraph", start, end)
        first = index


def _breaks(before: _Row, after: _Row, widest: int) -> bool:
    if _ITEM.match(after.text):
        return True
    return _width(before.text) < widest * _SHORT_BREAK or widest < 30


def _width(line: str) -> int:
    """Columns of a line; Japanese characters take two."""
    return len(line) + sum(1 for character in line if character > "\u2e7f")
