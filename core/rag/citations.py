"""Check every `[n]` of an answer: what leads nowhere is removed, the rest leads to its place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.domain import Candidate, Citation, Evaluation
from core.rag.selection import Selected

QUOTE_CHARS = 240
_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]+`", re.DOTALL)
_MARK = re.compile(r"[\[［【]\s*(\d{1,4}(?:\s*[,、，\-–〜]\s*\d{1,4})*)\s*[\]］】](?!\()")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""A document's escape sequences must not reach a terminal."""
_RANGE = re.compile(r"(\d+)\s*[-–〜]\s*(\d+)")


@dataclass(frozen=True, slots=True)
class CheckedText:
    """text: only marks of existing sources, each as `[n]`. numbers: those used, in order of appearance.
    removed: how many cited numbers led nowhere."""

    text: str
    numbers: tuple[int, ...]
    removed: int


def check_citations(text: str, known: Sequence[int]) -> CheckedText:
    """Remove marks whose number is not in `known`; lists and ranges become single marks.

    Marks inside code, and `[1](link)`, are text and stay as they are. Control characters become spaces.
    """
    text = _CONTROL.sub(" ", text)
    allowed = set(known)
    used: dict[int, None] = {}
    removed = 0

    def replace(match: re.Match[str]) -> str:
        nonlocal removed
        numbers = _numbers(match.group(1))
        kept = [n for n in numbers if n in allowed]
        removed += len(numbers) - len(kept)
        used.update(dict.fromkeys(kept))
        return "".join(f"[{n}]" for n in kept)

    parts: list[str] = []
    position = 0
    for code in _CODE.finditer(text):
        parts.append(_replace_marks(replace, text[position : code.start()]))
        parts.append(code.group())
        position = code.end()
    parts.append(_replace_marks(replace, text[position:]))
    return CheckedText("".join(parts), tuple(used), removed)


def locate_citations(
    numbers: Sequence[int], sources: Sequence[Selected], evaluation: Evaluation
) -> tuple[Citation, ...]:
    """For each number the place that it leads to: the line that best supports the sentences citing it,
    else the beginning of the source."""
    by_number = {source.number: source.candidate for source in sources}
    best = _best_lines(by_number, evaluation)
    return tuple(_citation(n, by_number[n], best.get(n)) for n in numbers)


def _replace_marks(replace: object, text: str) -> str:
    assert callable(replace)
    cleaned = _MARK.sub(replace, text)
    if cleaned == text:
        return text
    return re.sub(r"[ \t]+([.,;:!?。、！？])", r"\1", cleaned)


def _numbers(inner: str) -> list[int]:
    numbers: list[int] = []
    for part in re.split(r"[,、，]", inner):
        span = _RANGE.search(part)
        if span and 0 <= int(span.group(2)) - int(span.group(1)) <= 20:
            numbers.extend(range(int(span.group(1)), int(span.group(2)) + 1))
        else:
            numbers.extend(int(n) for n in re.findall(r"\d+", part))
    return numbers


def _best_lines(by_number: Mapping[int, Candidate], evaluation: Evaluation) -> dict[int, int]:
    """number -> ordinal of the line that best supports a statement with that mark."""
    cited = {s.ordinal: s.cited for s in evaluation.statements}
    best: dict[int, tuple[float, int]] = {}
    for support in evaluation.supports:
        if support.line is None or support.probability is None:
            continue
        for n in cited[support.statement]:
            candidate = by_number.get(n)
            if candidate is None or candidate.article.id != support.article_id:
                continue
            inside = candidate.chunk.first_line <= support.line <= candidate.chunk.last_line
            if inside and support.probability > best.get(n, (-1.0, 0))[0]:
                best[n] = (support.probability, support.line)
    return {n: line for n, (_, line) in best.items()}


def _citation(n: int, candidate: Candidate, ordinal: int | None) -> Citation:
    lines = [line for line in candidate.lines if line.ordinal == ordinal] or list(candidate.lines)
    first, last = lines[0], lines[-1]
    quoted = first.text if ordinal is not None else candidate.chunk.text.strip()
    return Citation(
        n=n,
        article_id=candidate.article.id,
        title=candidate.article.title,
        uri=candidate.article.uri,
        section=candidate.section,
        page=first.page,
        line_start=first.line_start,
        line_end=last.line_end if last.page == first.page else first.line_end,
        quote=_CONTROL.sub(" ", quoted)[:QUOTE_CHARS],
    )
