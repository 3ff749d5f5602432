"""Split an answer into its sentences and decide which of them are statements, that is, can be judged."""

import re
from collections.abc import Callable, Sequence
from typing import Literal

from core.contribution.blocks import Block, Mark, prose_blocks
from core.contribution.json_blocks import find_json, json_blocks
from core.contribution.markdown_blocks import markdown_blocks
from core.contribution.reasons import reason_not_judged
from core.domain import Statement
from core.text.latin import CJK
from core.text.sentences import Span, split_sentences

AnswerFormat = Literal["markdown", "json", "prose"]

_MARKUP = re.compile(
    r"^ {0,3}(?:#{1,6}\s|[-*+]\s|\d{1,3}[.)]\s|>|```|~~~|\|)"
    r"|\*\*|__|`[^`\n]+`|\]\(|[*_]\S|\\[*_#\[\]]|&\w+;|<\w",
    re.MULTILINE,
)
_FOLDABLE = re.compile(rf"(?<=[{CJK}、。])\s*\n\s*(?=[{CJK}])|\s+")
_BULLET = re.compile(r"(?:[-*+•・●○■◆▪]\s*|\d{1,3}[.)．）]\s+|#{1,6}\s+|>\s+)+")


def detect_format(text: str) -> AnswerFormat:
    """Tell the format of an answer: JSON only if all of it parses, Markdown if any of its marks occurs."""
    if find_json(text) is not None:
        return "json"
    return "markdown" if _MARKUP.search(text) else "prose"


def split_statements(answer_text: str, format: AnswerFormat | None = None) -> tuple[Statement, ...]:
    """Split an answer into sentences in order, with their characters, citations and whether they are judged.

    format: None to detect it; an answer that is not valid JSON is read as Markdown even if called JSON.
    A citation mark belongs to the sentence it stands in or after; alone at the very beginning, to the first
    one. Table rows and list items are statements of their own. `text` is free of markup and marks and its
    white space is folded; start and end are characters of answer_text. Time grows linearly with the text.
    """
    chosen = detect_format(answer_text) if format is None else format
    statements: list[Statement] = []
    for block in _BLOCKS_OF[chosen](answer_text):
        _append_sentences(statements, block)
    return tuple(statements)


def _json_or_markdown(text: str) -> list[Block]:
    found = find_json(text)
    if found is None:
        return markdown_blocks(text)
    offset, body = found
    return json_blocks(body, offset)


_BLOCKS_OF: dict[AnswerFormat, Callable[[str], list[Block]]] = {
    "markdown": markdown_blocks,
    "json": _json_or_markdown,
    "prose": prose_blocks,
}


def _append_sentences(statements: list[Statement], block: Block) -> None:
    """Add the sentences of a block; a block of marks alone gives them to the sentence before it."""
    spans = _spans(block)
    if not spans:
        cited = _numbers(block.marks)
        if statements and cited and block.role != "value":
            last = statements[-1]
            statements[-1] = _with_citations(last, cited)
            cited = ()
        statements.append(_statement(len(statements), "", (block.start, block.end), cited, "citation_only"))
        return
    marks_of: list[list[Mark]] = [[] for _ in spans]
    index = 0
    for mark in block.marks:
        while index + 1 < len(spans) and spans[index + 1].start < mark.position:
            index += 1
        marks_of[index].append(mark)
    for index, (span, marks) in enumerate(zip(spans, marks_of, strict=True)):
        text = _fold(block.text[span.start : span.end])
        is_last = index == len(spans) - 1
        reason = reason_not_judged(text, block.role, block.leads and is_last)
        where = (block.offsets[span.start], block.offsets[span.end - 1] + 1)
        statements.append(_statement(len(statements), text, where, _numbers(marks), reason))


def _spans(block: Block) -> list[Span]:
    if block.role in ("code", "row", "heading", "links"):
        stripped = block.text.strip()
        start = block.text.find(stripped)
        return [Span(start, start + len(stripped))] if stripped else []
    return split_sentences(block.text)


def _fold(text: str) -> str:
    folded = _FOLDABLE.sub(lambda match: "" if "\n" in match.group() and _joins(text, match) else " ", text)
    return _BULLET.sub("", folded, count=1) if _BULLET.match(folded) else folded.strip()


def _joins(text: str, match: re.Match[str]) -> bool:
    before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
    return bool(before and after) and not before.isascii() and not after.isascii()


def _numbers(marks: Sequence[Mark]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(number for mark in marks for number in mark.numbers))


def _with_citations(statement: Statement, cited: tuple[int, ...]) -> Statement:
    merged = tuple(dict.fromkeys(statement.cited + cited))
    return Statement(
        statement.ordinal,
        statement.text,
        statement.start,
        statement.end,
        merged,
        statement.judged,
        statement.reason,
    )


def _statement(
    ordinal: int, text: str, where: tuple[int, int], cited: tuple[int, ...], reason: str
) -> Statement:
    return Statement(ordinal, text, where[0], where[1], cited, reason == "", reason)
