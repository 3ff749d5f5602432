"""The answerer without a language model: it quotes the lines that answer and cites each of them.

It adds no word of its own, so whatever it says stands in a source.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from core.domain import Draft, Language, Line
from core.ports import AnswerRequest, Embedder, Source
from core.prompts.loading import load_words
from core.rag.asked_words import content_terms
from core.rag.follow_ups import last_question, measure_lean
from core.text.language import detect_language

MAX_LINES = 5
MAX_SOURCES = 5
LEAST_RELEVANCE = 0.35
"""Best source below this: nothing answers. Quotes are always faithful, so they must be to the point too."""
MEANING_SHARE = 1.0
LEAST_POINT = 0.42
"""Share of the question's content words near a line, plus its cosine; less is beside the question."""
_AMOUNT_BONUS = 0.6
BORROWED = 0.5
"""Weight of a word of the question before against one of a question that leans on it fully."""
_KEEP_FRACTION = 0.7
_HEADING_SHARE = 0.5
_FOREIGN_SHARE = 0.6
_QUESTION_END = re.compile(r"[?？]\s*$|^(?:Q|質問)\s*[.:：．]", re.IGNORECASE)
_ASKS_TIME = re.compile(
    r"\bhow (?:long|soon|old)\b|何(?:日|時間|分|年|か月|ヶ月|カ月|週)|いつまで|期間は", re.IGNORECASE
)
_TIME = re.compile(
    r"\d\s*(?:years?|months?|weeks?|(?:business |working )?days?|hours?|minutes?|seconds?)\b"
    r"|[\d一二三半]\s*(?:年|か月|ヶ月|カ月|週|日|営業日|時|分|秒)",
    re.IGNORECASE,
)
_ASKS_AMOUNT = re.compile(
    r"\bhow (?:many|much|often|far)\b|いくら|幾ら|何(?:人|回|円|件|台|歳|パーセント|%)"
    r"|どれくらい|どのくらい|どれだけ",
    re.IGNORECASE,
)
_AMOUNT = re.compile(r"(?<![A-Za-z0-9.-])\d")
_MARK = re.compile(r"[\[［【]\s*\d{1,4}\s*[\]］】]")

Analyse = Callable[[str], list[str]]
CountDocuments = Callable[[Sequence[str]], tuple[int, list[int]]]


@dataclass(frozen=True, slots=True)
class ScoredLine:
    """A quotable line. score: how much of the question it covers, times the relevance of its source.

    point: share of the question's content words in the line, its heading or the question above it, plus
    its cosine.
    """

    source: Source
    line: Line
    score: float
    point: float = 1.0


@dataclass(frozen=True, slots=True)
class AskedWords:
    """Terms of a question with their idf; content: without grammar. amount: what the answer must show."""

    weights: Mapping[str, float]
    content: Mapping[str, float]
    amount: re.Pattern[str] | None = None


class ExtractiveAnswerer:
    """Implements the Answerer port; see the module's docstring.

    analyse: text -> terms. count_documents: terms -> (chunks, chunks that hold each), for their weights.
    embedder: used only where the ranking has not compared the lines with the question.
    """

    name = "extractive"

    def __init__(self, analyse: Analyse, count_documents: CountDocuments, embedder: Embedder) -> None:
        self._analyse = analyse
        self._count_documents = count_documents
        self._embedder = embedder

    async def answer(self, request: AnswerRequest, on_text: Callable[[str], None] | None = None) -> Draft:
        """Quote at most MAX_LINES lines of the best sources, each with its mark, in reading order."""
        sources = request.sources[:MAX_SOURCES]
        if max((source.relevance for source in sources), default=0.0) < LEAST_RELEVANCE:
            sources = ()
        if not all(source.line_cosines for source in sources):
            sources = await self._compare_lines(request.question, sources)
        asked = self._read_question(request.question)
        if request.history:
            asked = self._borrow(asked, request)
        scored = [item for source in sources for item in score_lines(source, asked, self._analyse)]
        scored = [item for item in scored if item.point >= LEAST_POINT]
        scored = [_prefer_language(item, request.language) for item in scored]
        text = write_quotes(pick_lines(scored, sources))
        found = bool(text)
        if not found:
            text = load_words("extractive", "not_found")[request.language]
        if on_text is not None:
            on_text(text)
        return Draft(text=text, found=found, model=self.name)

    def _read_question(self, question: str) -> AskedWords:
        terms = list(dict.fromkeys(self._analyse(question)))
        content = content_terms(question, self._analyse)
        total, frequencies = self._count_documents([*terms, *content])
        weights = [math.log1p((total - df + 0.5) / (df + 0.5)) for df in frequencies]
        return AskedWords(
            weights=dict(zip(terms, weights, strict=False)),
            content=dict(zip(content, weights[len(terms) :], strict=True)),
            amount=_amount_asked(question),
        )

    def _borrow(self, asked: AskedWords, request: AnswerRequest) -> AskedWords:
        """Words of the question before, for one that leans on it; its own words weigh more."""
        lean = measure_lean(request.question, self._analyse)
        before = last_question(request.history) if lean else ""
        if not before:
            return asked
        earlier = self._read_question(before)
        lent = {term: BORROWED * lean * weight for term, weight in earlier.content.items()}
        return AskedWords({**lent, **asked.weights}, {**lent, **asked.content}, asked.amount)

    async def _compare_lines(self, question: str, sources: Sequence[Source]) -> tuple[Source, ...]:
        """Cosines of the lines, made now: for models that embed whole chunks."""
        texts = [line.text for source in sources for line in source.lines]
        if not texts:
            return tuple(sources)
        wanted = await self._embedder.embed_query(question)
        cosines = iter((await self._embedder.embed_passages(texts) @ wanted).tolist())
        return tuple(
            replace(source, line_cosines=tuple(next(cosines) for _ in source.lines)) for source in sources
        )


def score_lines(source: Source, question: AskedWords, analyse: Analyse) -> list[ScoredLine]:
    """Score every quotable line: the share of the question's term weight that it covers, plus its cosine.

    Words of its heading count half: they say what the line is about. So do words of a question just above
    it, and half as much again with every further line. A number is worth something where one is asked for.
    """
    weights = question.weights
    total = max(sum(weights.values()), 1e-9)
    scored: list[ScoredLine] = []
    about = set(analyse(source.breadcrumb))
    asked: set[str] = set()
    asked_share = _HEADING_SHARE
    cosines = source.line_cosines or (0.0,) * len(source.lines)
    for line, cosine in zip(source.lines, cosines, strict=False):
        terms = set(analyse(line.text))
        if not _is_quotable(line):
            asked, asked_share = terms, _HEADING_SHARE
            continue
        covered = sum(
            weight * _share(term, terms, about, asked, asked_share) for term, weight in weights.items()
        )
        asked_share /= 2
        score = covered / total + MEANING_SHARE * max(0.0, cosine)
        if question.amount and score > 0 and question.amount.search(line.text):
            score += _AMOUNT_BONUS
        point = _share_of(question.content, terms | about | asked) + max(0.0, cosine)
        scored.append(ScoredLine(source, line, score * (0.5 + 0.5 * source.relevance), point))
    return scored


def _amount_asked(question: str) -> re.Pattern[str] | None:
    if _ASKS_TIME.search(question):
        return _TIME
    return _AMOUNT if _ASKS_AMOUNT.search(question) else None


def _share_of(content: Mapping[str, float], near: Collection[str]) -> float:
    held = sum(weight for term, weight in content.items() if term in near)
    return held / max(sum(content.values()), 1e-9)


def _share(
    term: str, line: Collection[str], about: Collection[str], asked: Collection[str], asked_share: float
) -> float:
    if term in line:
        return 1.0
    if term in about:
        return _HEADING_SHARE
    return asked_share if term in asked else 0.0


def pick_lines(scored: Sequence[ScoredLine], sources: Sequence[Source]) -> list[tuple[Source, Line]]:
    """Take the best lines and those nearly as good, without repeats, and put them into reading order:
    by source, then by position."""
    positive = sorted(
        (item for item in scored if item.score > 0),
        key=lambda i: (-i.score, i.source.number, i.line.ordinal),
    )
    if not positive:
        return []
    floor = positive[0].score * _KEEP_FRACTION
    chosen: list[ScoredLine] = []
    seen: set[str] = set()
    for item in positive:
        if item.score >= floor and item.line.text not in seen and len(chosen) < MAX_LINES:
            chosen.append(item)
            seen.add(item.line.text)
    order = {source.number: rank for rank, source in enumerate(sources)}
    best_first: dict[int, tuple[float, int]] = {}
    for item in chosen:
        best_first.setdefault(item.source.number, (-item.score, order[item.source.number]))
    chosen.sort(key=lambda i: (best_first[i.source.number], i.line.ordinal))
    return [(item.source, item.line) for item in chosen]


def write_quotes(picked: Sequence[tuple[Source, Line]]) -> str:
    """Markdown: sentences of one source share a paragraph, items and rows become a list, code a fence."""
    blocks: list[str] = []
    previous: tuple[int, str] | None = None
    for source, line in picked:
        text = _MARK.sub("", line.text).strip()
        if line.kind in ("item", "row"):
            quoted = f"- {text.removeprefix('- ')} [{source.number}]"
        elif line.kind == "code":
            quoted = f"`{text.replace('`', '')}` [{source.number}]"
        else:
            quoted = f"{text} [{source.number}]"
        kind = "list" if line.kind in ("item", "row") else line.kind
        if previous == (source.number, kind):
            blocks[-1] += ("\n" if kind == "list" else " ") + quoted
        else:
            blocks.append(quoted)
        previous = (source.number, kind)
    return "\n\n".join(blocks)


def _prefer_language(item: ScoredLine, language: Language) -> ScoredLine:
    """A line in another language than the question's is quoted only where it says clearly more."""
    if detect_language(item.line.text) in (language, "other"):
        return item
    return replace(item, score=item.score * _FOREIGN_SHARE)


def _is_quotable(line: Line) -> bool:
    if line.kind == "heading" or not line.text.strip():
        return False
    return not _QUESTION_END.search(line.text)
