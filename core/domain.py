"""Values that cross a module border: frozen, without behaviour beyond reading themselves.

Vectors, rows and vendor objects stay where they are made; what travels is here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

ArticleId = str
ChunkId = int
AnswerId = str
DetectorName = str

Language = Literal["ja", "en", "other"]
ArticleKind = Literal["core", "document", "memory", "conversation"]
Origin = Literal["file", "dashboard"]
LineKind = Literal["heading", "sentence", "item", "row", "code"]
Verdict = Literal["supported", "uncited", "unverified", "unsupported", "not_judged"]
GateDecision = Literal["send", "caution", "hand_over", "retry"]
GateVerdict = Literal["good", "doubtful", "bad"]

PUBLIC = "public"


@dataclass(frozen=True, slots=True)
class Principal:
    """Who asks: the groups decide what may be seen. Everybody is in `public`."""

    id: str
    groups: frozenset[str] = frozenset({PUBLIC})


ANONYMOUS = Principal(id="anonymous")


# --- knowledge -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Section:
    """A node of an article's table of contents.

    ordinal: 0-based in the article; section 0 is the article itself (its text before any heading).
    parent: ordinal of the enclosing section, None for section 0.
    level: 0 for section 0, then 1 for the outermost headings.
    breadcrumb: titles from the article down to this section, joined by " > ".
    anchor: fragment of a deep link ("#..."), "" where the format has none.
    page_start, page_end: 1-based, None without pages.
    """

    ordinal: int
    level: int
    title: str
    parent: int | None
    breadcrumb: str
    anchor: str = ""
    page_start: int | None = None
    page_end: int | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """The smallest citable unit: a sentence, list item, table row, code line or heading.

    ordinal: 0-based in the article. section: ordinal of its section.
    start, end: characters of the article's text, end exclusive; text == article.text[start:end],
    save that white space inside a line that was wrapped in the source may be folded in `text`.
    page: 1-based, None without pages. line_start, line_end: physical lines, 1-based, inclusive
    (in the file for text formats, in the page for PDF).
    """

    ordinal: int
    section: int
    kind: LineKind
    text: str
    start: int
    end: int
    page: int | None
    line_start: int
    line_end: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """What is indexed and put into a prompt: text == article.text[start:end].

    first_line, last_line: ordinals of the lines it touches, inclusive.
    tokens: count of `text` alone, without its breadcrumb.
    """

    ordinal: int
    section: int
    text: str
    start: int
    end: int
    first_line: int
    last_line: int
    tokens: int
    breadcrumb: str


def indexed_text(title: str, chunk: Chunk) -> str:
    """What both indexes read of a chunk: where it stands, then what it says."""
    return f"{chunk.breadcrumb or title}\n{chunk.text}"


def vector_key(text: str) -> str:
    """Content key of a text among the vectors of one model: 32 hex digits of SHA-256."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """What a reader made of one file, before it becomes an article.

    text: as written, decoded. sections[0] is the whole file. Every line's section exists.
    """

    title: str
    language: Language
    text: str
    sections: tuple[Section, ...]
    lines: tuple[Line, ...]
    pages: int | None = None


@dataclass(frozen=True, slots=True)
class Article:
    """A source document. `version` is the hash of its content, `readers` the groups that may see it."""

    id: ArticleId
    source: str
    path: str
    uri: str
    title: str
    kind: ArticleKind
    language: Language
    version: str
    readers: frozenset[str]
    updated_at: datetime
    origin: Origin = "file"


# --- retrieval -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that a detector found. `score` is on that detector's own scale (see its name)."""

    chunk_id: ChunkId
    score: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk on its way into the prompt, with everything the later stages need to know of it.

    chunk_id: negative, and different within a prompt, for a context that was expanded and is no stored chunk.
    scores: detector name -> its own score. relevance: calibrated, in [0, 1].
    lines: the chunk's lines, in order. line_cosines: of the question with each of them, empty where the
    model embeds whole chunks.
    """

    chunk_id: ChunkId
    article: Article
    chunk: Chunk
    section: Section
    lines: tuple[Line, ...]
    scores: Mapping[DetectorName, float]
    relevance: float
    line_cosines: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Exposure:
    """A span that stood in the prompt (`in_prompt`), or was retrieved and cut (`in_prompt` false).

    rank: 1-based in the order of relevance. source_number: the n of `[n]` in the prompt, None if cut.
    chunk_id is None for expanded contexts. Duplicate texts share the source number and are credited to
    every article that holds them.
    """

    article_id: ArticleId
    version: str
    chunk_id: ChunkId | None
    first_line: int
    last_line: int
    rank: int
    scores: Mapping[DetectorName, float]
    relevance: float
    tokens: int
    in_prompt: bool
    source_number: int | None = None
    cut_because: str = ""


# --- answering -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and price of the model calls for one answer; cost None means unknown, not free."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    calls: int = 0


@dataclass(frozen=True, slots=True)
class Draft:
    """What an answerer wrote: Markdown with `[n]` marks, not yet checked.

    found: False when the answerer says that its sources do not hold the answer.
    """

    text: str
    found: bool
    model: str
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class Citation:
    """A checked `[n]`: where in the knowledge base it leads."""

    n: int
    article_id: ArticleId
    title: str
    uri: str
    section: Section
    page: int | None
    line_start: int
    line_end: int
    quote: str


# --- contribution --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence of an answer. `judged` is False for greetings, questions, hedges, headings, code.

    start, end: characters of the answer. cited: source numbers of the marks that belong to it.
    reason: why it is not judged, "" if it is.
    """

    ordinal: int
    text: str
    start: int
    end: int
    cited: tuple[int, ...]
    judged: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class LineRef:
    """A line together with the article version it belongs to, as the support measure sees it.

    before, after: text of the neighbouring lines ("" at the border of a section).
    heading: the breadcrumb of its section.
    """

    article_id: ArticleId
    version: str
    line: Line
    before: str = ""
    after: str = ""
    heading: str = ""


ComparedPair = tuple[int, float, Mapping[str, float]]
"""A statement compared with an article: place of the best line among those given, probability, features."""


@dataclass(frozen=True, slots=True)
class Support:
    """The pair (statement, article): the best line of the article, both witnesses, the verdict.

    label: the first witness, did the answerer cite that article for this statement.
    probability: the second witness, calibrated, of the best line; None when not judged.
    features: by name, of the best line; empty when not judged.
    """

    statement: int
    article_id: ArticleId
    version: str
    line: int | None
    line_text: str
    label: bool
    probability: float | None
    verdict: Verdict
    features: Mapping[str, float] = field(default_factory=dict)
    exposed: bool = True


@dataclass(frozen=True, slots=True)
class Contribution:
    """How much of an answer an article carried. share is None when no statement could be judged."""

    article_id: ArticleId
    version: str
    share: float | None
    sole_share: float | None
    statements: int
    strongest: float | None
    exposed: bool


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The measured answer: every statement, every pair that matters, every article's share."""

    statements: tuple[Statement, ...]
    verdicts: tuple[Verdict, ...]
    supports: tuple[Support, ...]
    contributions: tuple[Contribution, ...]
    evaluator: str


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole turn: what was asked, answered, shown and carried."""

    id: AnswerId
    question: str
    text: str
    language: Language
    found: bool
    citations: tuple[Citation, ...]
    removed_citations: int
    exposures: tuple[Exposure, ...]
    evaluation: Evaluation
    confidence: float | None
    gate: GateDecision
    model: str
    usage: Usage
    timings_ms: Mapping[str, float]
    asked_by: str
    channel: str
    created_at: datetime


# --- ingest --------------------------------------------------------------------------------------

IngestStatus = Literal["added", "changed", "unchanged", "moved", "removed", "skipped", "conflict"]


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """What became of one path in an ingest; `reason` says why it was skipped, in a sentence."""

    path: str
    status: IngestStatus
    reason: str = ""
    article_id: ArticleId | None = None
