"""The visible text of an answer in blocks, whatever format it came in, with the way back to its characters.

Parsing a format is left to markdown_blocks and json_blocks; sentences and judging to statements.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

BlockRole = Literal["text", "item", "row", "heading", "code", "links", "value"]

MAX_CITED = 99
"""Source numbers above this are years or other numbers in brackets, not citations."""

_MARK = re.compile(
    r"[\[［]\s*\^?(?P<list>\d{1,3}(?:\s*[,、，;；–〜~-]\s*\^?\d{1,3})*)\s*[\]］]"
    r"|【\s*(?P<wide>\d{1,3}(?:\s*[,、，]\s*\d{1,3})*)(?:†[^】\n]{0,80})?\s*】"
)
_RANGE = re.compile(r"(\d+)\s*[–〜~-]\s*(\d+)|(\d+)")
_ONLY_NUMBER = re.compile(r"\s*[\[［]?\^?\d{1,3}[\]］]?\s*")


@dataclass(frozen=True, slots=True)
class Mark:
    """A citation mark taken out of the visible text.

    position: how many visible characters of its block stood before it. start, end: in the answer.
    """

    position: int
    numbers: tuple[int, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, item, table row, heading, code block or value of an answer.

    text: what a reader sees, without markup and citation marks. offsets: of each character, in the answer.
    start, end: of the whole block in the answer. leads: whether it introduces the list that follows.
    """

    role: BlockRole
    text: str
    offsets: Sequence[int]
    marks: tuple[Mark, ...]
    start: int
    end: int
    leads: bool = False


class BlockBuilder:
    """Collects the visible text of one block."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._offsets: list[int] = []
        self._marks: list[Mark] = []
        self._after_mark = False

    def add(self, text: str, at: int) -> None:
        """Append text whose characters stand one after another in the answer from `at`, marks taken out."""
        done = 0
        for match in _MARK.finditer(text):
            numbers = parse_numbers(match.group("list") or match.group("wide"))
            opens_block = match.group("wide") is not None and not self._offsets and match.start() == done
            if not numbers or opens_block:
                continue
            self.add_literal(text[done : match.start()], range(at + done, at + match.start()))
            self.add_mark(numbers, at + match.start(), at + match.end())
            done = match.end()
        self.add_literal(text[done:], range(at + done, at + len(text)))

    def add_mark(self, numbers: tuple[int, ...], start: int, end: int) -> None:
        """Record a citation mark here; the white space before it goes with it."""
        while self._parts and self._parts[-1].isspace():
            self._parts.pop()
            self._offsets.pop()
        self._marks.append(Mark(len(self._offsets), numbers, start, end))
        self._after_mark = True

    def add_literal(self, text: str, offsets: Sequence[int]) -> None:
        """Append text as it is; brackets in it are no citations. offsets: one a character."""
        if not text:
            return
        if (
            self._after_mark
            and self._parts
            and self._parts[-1].isalnum()
            and text[0].isascii()
            and text[0].isalnum()
        ):
            self._parts.append(" ")
            self._offsets.append(offsets[0])
        self._after_mark = False
        self._parts.extend(text)
        self._offsets.extend(offsets)

    def build(self, role: BlockRole, start: int, end: int, leads: bool = False) -> Block:
        """Make the block of what was collected."""
        return Block(role, "".join(self._parts), self._offsets, tuple(self._marks), start, end, leads)


def parse_numbers(text: str) -> tuple[int, ...]:
    """List the source numbers of a mark's inside: "1, 3-5" gives 1, 3, 4, 5; empty if it is no citation."""
    numbers: list[int] = []
    for low, high, single in _RANGE.findall(text):
        first = int(single or low)
        last = int(single or high)
        if not 1 <= first <= last <= MAX_CITED:
            return ()
        numbers.extend(range(first, last + 1))
    return tuple(dict.fromkeys(numbers))


def is_number_mark(text: str) -> bool:
    """Say whether a link's text is nothing but a source number."""
    return _ONLY_NUMBER.fullmatch(text) is not None


def prose_blocks(text: str) -> list[Block]:
    """Split plain text into blocks at blank lines."""
    blocks: list[Block] = []
    start = 0
    for match in [*re.finditer(r"\n[^\S\n]*\n\s*", text), None]:
        end = match.start() if match else len(text)
        piece = text[start:end]
        if piece.strip():
            builder = BlockBuilder()
            builder.add(piece, start)
            blocks.append(builder.build("text", start, end))
        start = match.end() if match else end
    return blocks
