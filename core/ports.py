"""What the core needs from the outside, as Protocols. Adapters live in providers and storage.

One colour a port: what may wait for a network is async; indexes and stores are sync and are called
through `asyncio.to_thread` by the stage that uses them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from core.config import Settings
from core.domain import (
    Answer,
    AnswerId,
    Article,
    ArticleId,
    ArticleKind,
    Candidate,
    Chunk,
    ChunkId,
    ComparedPair,
    Draft,
    Evaluation,
    GateDecision,
    GateVerdict,
    Hit,
    Language,
    Line,
    Origin,
    Principal,
    Section,
    Usage,
)
from core.memory import Memory
from core.messages import (
    Capabilities,
    CheckFinding,
    IncomingAction,
    IncomingMessage,
    Parcel,
    Part,
    Place,
    Receipt,
    Reply,
)

Vectors = NDArray[np.float32]
"""(n, dimensions), float32, unit length; a row of zeros for a text without content."""

Vector = NDArray[np.float32]
"""(dimensions,), float32, unit length or all zero."""

REMEMBERED_PAIRS = 50_000
"""Of a statement with an article, about 1 kB each."""
REMEMBERED_CLAIMS = 5_000
"""Of what a judge or a verifier said, up to 5 kB each."""

AudienceId = int
"""A distinct set of reader groups; every article has one, every search is given the readable ones."""


# --- models --------------------------------------------------------------------------------------


class Embedder(Protocol):
    """Turns text into vectors. `id` names provider, model, version and dimensions: vectors of different
    ids are never compared."""

    @property
    def id(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    @property
    def embeds_lines(self) -> bool:
        """True where a chunk is best searched by the mean of its lines' vectors: models of sentences.
        False where whole chunks are embedded: models of passages, and all that cost money a call."""
        ...

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts to be found, in order; the model's passage prefix is added here."""
        ...

    async def embed_query(self, text: str) -> Vector:
        """The vector of a question; the model's query prefix is added here."""
        ...


@dataclass(frozen=True, slots=True)
class Turn:
    """One earlier message of the thread: role "user" or "assistant". cited: articles of an answer."""

    role: str
    text: str
    cited: tuple[ArticleId, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """One numbered source in a prompt. lines are those of `text`, so that an answerer can pick from them;
    line_cosines: how near each is to the question in meaning, empty when unknown."""

    number: int
    title: str
    breadcrumb: str
    text: str
    relevance: float
    lines: tuple[Line, ...]
    article_id: ArticleId
    line_cosines: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerRequest:
    """Everything an answerer may use: it sees no other part of the knowledge base."""

    question: str
    language: Language
    sources: tuple[Source, ...]
    history: tuple[Turn, ...] = ()


class Answerer(Protocol):
    """Writes an answer with `[n]` marks from the sources it is given, or says that they do not hold it."""

    @property
    def name(self) -> str: ...

    async def answer(self, request: AnswerRequest, on_text: Callable[[str], None] | None = None) -> Draft:
        """on_text: receives pieces of the text as they come. Raises ProviderError and its children."""
        ...


class Rewriter(Protocol):
    """Makes a question stand on its own with the help of the thread."""

    async def rewrite(self, question: str, history: Sequence[Turn]) -> str: ...


class Reranker(Protocol):
    """Scores passages against a question again; higher is better, on no particular scale."""

    async def score(self, question: str, passages: Sequence[str]) -> list[float]: ...


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement of an answer, and the passage that may carry it."""

    statement: str
    passage: str


class Judge(Protocol):
    """A first witness in place of the answerer's own marks. `id` is recorded with every evaluation."""

    @property
    def id(self) -> str: ...

    async def judge(self, claims: Sequence[Claim]) -> list[bool | None]:
        """Whether each passage carries its statement; None where no usable verdict came.

        Raises ProviderError and its children when nothing came at all.
        """
        ...


class Verifier(Protocol):
    """A second opinion on pairs: it moves the independent check within bounds and never replaces it."""

    @property
    def id(self) -> str: ...

    async def verify(self, claims: Sequence[Claim]) -> list[float | None]:
        """Probability in [0, 1] that each passage carries its statement; None where it is no number.

        Raises ProviderError and its children when nothing came at all.
        """
        ...


@dataclass(frozen=True, slots=True)
class GateReviewRequest:
    """A question, the answer to it with its marks, the sources that the answerer was given, and the earlier
    turns of the thread, oldest first."""

    question: str
    answer: str
    sources: tuple[Source, ...]
    history: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True)
class GateOpinion:
    """What a reviewing model says of an answer. reason: one sentence for the people who decide."""

    verdict: GateVerdict
    reason: str
    usage: Usage = field(default_factory=Usage)


class GateReviewer(Protocol):
    """Looks over an answer beside its sources before it leaves. `id` stands in the trace of the answer."""

    @property
    def id(self) -> str: ...

    async def review(self, request: GateReviewRequest) -> GateOpinion:
        """Raises ProviderError and its children where no usable verdict came."""
        ...


# --- indexes -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A chunk as the indexes need it. text: breadcrumb and chunk text. vector: (dimensions,) float32."""

    chunk_id: ChunkId
    audience: AudienceId
    text: str
    vector: Vector | None


@dataclass(frozen=True, slots=True)
class IndexDelta:
    """What happened between two revisions. Removals are applied first."""

    removed: tuple[ChunkId, ...]
    entries: tuple[IndexEntry, ...]
    revision: int


class SearchIndex(Protocol):
    """A derived index: it can be thrown away and built again from the database."""

    @property
    def revision(self) -> int:
        """The last revision of the database that this index holds; 0 when empty."""
        ...

    def apply(self, delta: IndexDelta) -> None:
        """Bring the index to delta.revision; applying the same delta twice changes nothing."""
        ...

    def count(self) -> int: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class TermMatch:
    """How the terms of a question meet some chunks; (n,) float64 each.

    bm25: as `search` scores, 0 without a shared term. covered: sum of the idf of the terms that the chunk
    holds. pairs: share, weighted by the lower idf of the two, of the question's neighbouring terms
    that are neighbours in the chunk too. mass: sum of the idf of all terms of the question.
    """

    bm25: NDArray[np.float64]
    covered: NDArray[np.float64]
    pairs: NDArray[np.float64]
    mass: float


class KeywordIndex(SearchIndex, Protocol):
    def search(self, terms: Sequence[str], audiences: Sequence[AudienceId], limit: int) -> list[Hit]:
        """Best first by BM25 (k1 1.5, b 0.75); only chunks that share a term; ties by chunk id."""
        ...

    def match(self, terms: Sequence[str], chunk_ids: Sequence[ChunkId]) -> TermMatch:
        """Compare the distinct terms of a question, in their order, with given chunks; a chunk that is not
        in the index matches nothing."""
        ...

    def document_frequencies(self, terms: Sequence[str]) -> tuple[int, list[int]]:
        """Number of chunks, and for each term the number of chunks that hold it."""
        ...


class VectorIndex(SearchIndex, Protocol):
    def search(self, vector: Vector, audiences: Sequence[AudienceId], limit: int) -> list[Hit]:
        """Best first by cosine; ties by chunk id; an all-zero vector finds nothing."""
        ...

    def vectors(self, chunk_ids: Sequence[ChunkId]) -> Vectors:
        """(len(chunk_ids), dimensions); a row of zeros for a chunk that is not in the index."""
        ...

    def sample(self, limit: int) -> Vectors:
        """(at most limit, dimensions): vectors spread over the whole index, always the same ones."""
        ...


# --- stores --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FileState:
    """What the store remembers of an ingested file, to tell whether it changed."""

    article_id: ArticleId
    path: str
    content_hash: str
    size: int
    modified_ns: int
    origin: Origin
    settings_hash: str
    removed: bool


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """A named folder (or list of files) that owns articles."""

    name: str
    location: str
    kind: ArticleKind
    readers: frozenset[str]


@dataclass(frozen=True, slots=True)
class ArticleRecord:
    """One article with everything derived from it, written in one transaction.

    chunk_vectors: stored under `embedder_id`; chunk i belongs to row i.
    span_vectors: for each chunk what `core.rag.spans.pack_rows` made of its heading, its article and
    its lines, or empty where the model embeds whole chunks.
    settings_hash: of what made chunks and vectors (chunking settings, reader version).
    """

    article: Article
    text: str
    content_hash: str
    size: int
    modified_ns: int
    settings_hash: str
    sections: tuple[Section, ...]
    lines: tuple[Line, ...]
    chunks: tuple[Chunk, ...]
    embedder_id: str
    chunk_vectors: Vectors
    span_vectors: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk with its surroundings, as the later stages of retrieval need it."""

    chunk_id: ChunkId
    article: Article
    chunk: Chunk
    section: Section
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class KnowledgeCounts:
    articles: int
    chunks: int
    lines: int
    revision: int


class KnowledgeStore(Protocol):
    """Articles and what is derived from them; the only source of truth."""

    def save_source(self, source: SourceRecord) -> SourceRecord:
        """Create it or change it; who must not change a known source looks at `sources` first."""
        ...

    def sources(self) -> list[SourceRecord]: ...

    def file_states(self, source: str) -> dict[str, FileState]:
        """By path, removed articles included (they may come back)."""
        ...

    def save_article(self, record: ArticleRecord) -> int:
        """Insert or replace the article's content under its id, in one transaction; returns the new
        revision. Readers of an existing article are kept as they are stored."""
        ...

    def touch_article(self, article_id: ArticleId, *, size: int, modified_ns: int) -> None:
        """The file was rewritten with the same content."""
        ...

    def move_article(self, article_id: ArticleId, path: str, uri: str) -> int: ...

    def remove_article(self, article_id: ArticleId, at: datetime) -> int:
        """Take it out of every search; its past stays."""
        ...

    def get_article(self, article_id: ArticleId) -> Article | None: ...

    def article_text(self, article_id: ArticleId) -> str | None: ...

    def article_sections(self, article_id: ArticleId) -> tuple[Section, ...]: ...

    def article_lines(self, article_id: ArticleId) -> tuple[Line, ...]: ...

    def readable_audiences(self, principal: Principal) -> list[AudienceId]: ...

    def load_chunks(
        self, chunk_ids: Sequence[ChunkId], audiences: Sequence[AudienceId]
    ) -> dict[ChunkId, StoredChunk]:
        """Only what exists now and may be read."""
        ...

    def delta_since(self, revision: int, embedder_id: str, limit: int) -> IndexDelta:
        """Changes after `revision`, at most about `limit` entries; delta.revision tells how far it got."""
        ...

    def counts(self, audiences: Sequence[AudienceId] | None = None) -> KnowledgeCounts:
        """audiences: count only what these may read; None counts all, for whoever runs Kiyo."""
        ...

    def revision(self) -> int:
        """Raised by every change of an article; what the indexes follow."""
        ...

    def set_readers(self, article_id: ArticleId, readers: Iterable[str]) -> int:
        """The only way to change who may see an existing article; returns the new revision."""
        ...

    def known_vectors(self, embedder_id: str, keys: Sequence[str]) -> dict[str, Vector]:
        """Vectors by content key (see `vector_key`), for chunks, titles and lines alike."""
        ...

    def save_vectors(self, embedder_id: str, vectors: Mapping[str, Vector]) -> None: ...

    def span_vectors(self, embedder_id: str, chunk_ids: Sequence[ChunkId]) -> dict[ChunkId, bytes]:
        """Packed vectors of heading and lines, for the chunks that have them."""
        ...

    def save_span_vectors(self, embedder_id: str, packed: Mapping[ChunkId, bytes]) -> None: ...

    def articles_without_vectors(self, embedder_id: str, *, spans: bool, limit: int) -> list[ArticleId]:
        """Live articles with a chunk that this model has not embedded yet; with `spans`, also those whose
        lines it has not embedded."""
        ...

    def article_chunks(self, article_id: ArticleId) -> dict[ChunkId, Chunk]: ...


@dataclass(frozen=True, slots=True)
class Job:
    """Work that another process asked for."""

    id: int
    kind: str
    payload: Mapping[str, object]
    created_by: str


class JobStore(Protocol):
    def enqueue(self, kind: str, payload: Mapping[str, object], created_by: str) -> int: ...

    def keep_done(self, kind: str, result: Mapping[str, object], created_by: str) -> int:
        """Tell what came of work that was done without having waited here."""
        ...

    def claim(self, worker: str, lease_seconds: float, kinds: Iterable[str]) -> Job | None:
        """The oldest job that is waiting, or whose lease ran out; no two workers get the same."""
        ...

    def renew(self, job_id: int, worker: str, lease_seconds: float) -> bool:
        """Keep a job that takes long; False when it is no longer this worker's."""
        ...

    def finish(self, job_id: int, result: Mapping[str, object]) -> None: ...

    def fail(self, job_id: int, error: str) -> None: ...

    def result(self, job_id: int) -> tuple[str, Mapping[str, object] | None]:
        """(state, result); state is waiting, running, done or failed (result then holds `error`)."""
        ...


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """One line of an import: an answer that another bot gave, with what it was supplied."""

    question: str
    answer: str
    supplied: tuple[str, ...]
    model: str
    channel: str
    at: datetime
    example: bool = False


@dataclass(frozen=True, slots=True)
class Deferral:
    """What is needed to evaluate an answer after it left.

    shown: source number -> what stood in the prompt under it. audiences: those of whoever asked.
    relevance: of the best source. gate_basis: what the gate decided on meanwhile.
    """

    shown: Mapping[int, Sequence[Candidate]]
    audiences: Sequence[AudienceId]
    relevance: float
    gate_basis: str


@dataclass(frozen=True, slots=True)
class PendingEvaluation:
    """An answer that a worker has claimed for evaluation. text: None once the message is gone.

    gone: source number -> articles (with version) that stood under it and were erased since.
    attempt: number of the claim; only the last one may record a result.
    """

    answer_id: AnswerId
    text: str | None
    found: bool
    gate: GateDecision
    relevance: float
    shown: Mapping[int, Sequence[Candidate]]
    gone: Mapping[int, Sequence[tuple[ArticleId, str]]]
    audiences: Sequence[AudienceId]
    worker: str
    attempt: int


@dataclass(frozen=True, slots=True)
class LateOutcome:
    """The evaluation of an answer that has left already. share: of its statements that are supported.

    warned_gate: what the gate would have decided, if that is less than what it did; else None.
    """

    evaluation: Evaluation
    confidence: float
    share: float | None
    warned_gate: GateDecision | None


@dataclass(frozen=True, slots=True)
class LateWarning:
    """For staff: an answer left that the gate would have held back had it known the evaluation."""

    answer_id: AnswerId
    gate_sent: GateDecision
    gate_measured: GateDecision
    share: float | None
    at: datetime
    seen_by: str | None


class AnswerStore(Protocol):
    def record_answer(self, answer: Answer, *, example: bool = False) -> None:
        """The whole turn in one transaction; recording the same id again changes nothing."""
        ...

    def get_answer(self, answer_id: AnswerId, audiences: Sequence[AudienceId] | None = None) -> Answer | None:
        """audiences: leave out what these may not read; None leaves out nothing."""
        ...

    def recent_answers(self, limit: int, audiences: Sequence[AudienceId] | None = None) -> list[Answer]: ...

    def defer_answer(self, answer: Answer, deferral: Deferral) -> None:
        """Record a turn without its evaluation and queue that, in one transaction."""
        ...

    def claim_evaluation(self, worker: str, lease_seconds: float) -> PendingEvaluation | None:
        """The oldest answer that waits for its evaluation, or whose lease ran out."""
        ...

    def finish_evaluation(self, pending: PendingEvaluation, outcome: LateOutcome) -> bool:
        """Record the result of a claim; False without effect when another worker has the answer by now."""
        ...

    def fail_evaluation(self, pending: PendingEvaluation, reason: str) -> None:
        """Give a claimed answer back, to be tried after a pause, or up after several attempts."""
        ...

    def retry_evaluations(self) -> int:
        """Let what failed or pauses be tried at once; returns how many answers."""
        ...

    def evaluation_states(self) -> Mapping[str, int]:
        """How many deferred answers are waiting, running, done and failed."""
        ...

    def late_warnings(self, limit: int, *, unseen: bool = False) -> list[LateWarning]:
        """Latest first."""
        ...

    def mark_warnings_seen(self, answer_ids: Sequence[AnswerId], who: str) -> int: ...


class CalibrationStore(Protocol):
    """Coefficients of the support measure that were made here and published."""

    def published(self) -> str | None:
        """The coefficients in use, as JSON; None for those that Kiyo ships."""
        ...


# --- what a use case is given -----------------------------------------------------------------------


ExportRows = Callable[[Mapping[str, Any], Sequence[AudienceId]], Iterator[Mapping[str, object]]]


@dataclass(frozen=True, slots=True)
class Services:
    """Everything a use case may call; built once by `core.app`.

    analyse: text -> search terms, by the configured analyser. now: aware UTC.
    rewriter, reranker, judge, verifier and gate_reviewer are None where none is configured; without
    `calibrations` the shipped coefficients are used. close: releases the database. drop_old_indexes: removes
    the folders of indexes that other models, analysers or databases left here; returns how many.
    export_rows: a filter of answers and audiences -> their rows, one by one.
    pairs, labels, opinions: what was compared, judged or verified before, by content, so it is done once.
    """

    settings: Settings
    knowledge: KnowledgeStore
    answers: AnswerStore
    jobs: JobStore
    embedder: Embedder
    keyword: KeywordIndex
    vector: VectorIndex
    answerer: Answerer
    analyse: Callable[[str], list[str]]
    now: Callable[[], datetime]
    rewriter: Rewriter | None = None
    reranker: Reranker | None = None
    arbiter: Arbiter | None = None
    toc_reader: TocReader | None = None
    traces: TraceStore | None = None
    judge: Judge | None = None
    verifier: Verifier | None = None
    gate_reviewer: GateReviewer | None = None
    calibrations: CalibrationStore | None = None
    privacy: PrivacyStore | None = None
    export_rows: ExportRows | None = None
    close: Callable[[], None] = lambda: None
    drop_old_indexes: Callable[[], int] = lambda: 0
    pairs: Memory[bytes, ComparedPair | None] = field(default_factory=lambda: Memory(REMEMBERED_PAIRS))
    labels: Memory[tuple[str, Claim], bool] = field(default_factory=lambda: Memory(REMEMBERED_CLAIMS))
    opinions: Memory[tuple[str, Claim], float] = field(default_factory=lambda: Memory(REMEMBERED_CLAIMS))


# --- progress ------------------------------------------------------------------------------------

Progress = Callable[[int, int | None, str], None]
"""Told while long work goes on: (done, total or None when unknown, what)."""


def no_progress(done: int, total: int | None, what: str) -> None:
    """For callers that show nothing."""


# --- anchors and traces --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TocEntry:
    """A row of the table of contents as a model is shown it. id: bare, unique in a request. pages: "4-5"."""

    id: str
    level: int
    title: str
    pages: str = ""


@dataclass(frozen=True, slots=True)
class ArbiterCandidate:
    """A place that detectors found. lines: the best ones with their ordinals, in order."""

    id: str
    breadcrumb: str
    methods: tuple[str, ...]
    keywords: tuple[str, ...]
    lines: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class ArbiterRequest:
    """The whole table of contents and all candidates, for one question."""

    question: str
    language: Language
    toc: tuple[TocEntry, ...]
    candidates: tuple[ArbiterCandidate, ...]


@dataclass(frozen=True, slots=True)
class ArbiterRanking:
    """One judgement. id: as the model wrote it, not yet checked. role: primary, supporting, tangential or
    discarded. line_start, line_end: ordinals of the lines of `quote`, None where it quoted nothing."""

    id: str
    role: str
    reason: str
    line_start: int | None = None
    line_end: int | None = None
    quote: str = ""


@dataclass(frozen=True, slots=True)
class ArbiterVerdict:
    """What the model answered, best first. problem: why its output could not be read, "" if it could.

    raw: what it wrote, for the audit. prompt: name@version of the wording. caveats: contradictions and
    omissions that it noticed.
    """

    rankings: tuple[ArbiterRanking, ...]
    not_found: bool
    confidence: float
    raw: str
    prompt: str
    model: str
    usage: Usage
    problem: str = ""
    caveats: tuple[str, ...] = ()


class Arbiter(Protocol):
    """Ranks the places where an answer may stand, with reasons."""

    async def judge(self, request: ArbiterRequest) -> ArbiterVerdict:
        """Exactly one call of a model, without a second try. Raises ProviderError and its children."""
        ...


@dataclass(frozen=True, slots=True)
class TocSelection:
    """The sections that a model would look into, by the table of contents alone; ids not yet checked."""

    ids: tuple[str, ...]
    reasoning: str
    raw: str
    prompt: str
    model: str
    usage: Usage


class TocReader(Protocol):
    """Says which sections of a table of contents a question leads to: a tool for debugging."""

    @property
    def id(self) -> str:
        """Model and wording; together with question and table it decides what is written."""
        ...

    async def select(self, question: str, toc: Sequence[TocEntry]) -> TocSelection:
        """One call of a model. Raises ProviderError and its children."""
        ...


class TraceStore(Protocol):
    """How each answer came about, kept for a limited time."""

    def save_trace(self, answer_id: AnswerId, trace: Mapping[str, object]) -> None:
        """Keep it with the answer, in place of an earlier one; expired traces go. Nothing happens when no
        such answer is recorded or traces are not kept."""
        ...

    def get_trace(self, answer_id: AnswerId) -> dict[str, object] | None: ...

    def save_selection(self, digest: str, selection: Mapping[str, object]) -> None:
        """Keep what a model selected in a table of contents. digest: of everything that decided it."""
        ...

    def get_selection(self, digest: str) -> dict[str, object] | None: ...


@dataclass(frozen=True, slots=True)
class TextsRemoved:
    """How many texts went. messages: questions and answers. traces: with selections from tables of
    contents. drafts: what people made of them. jobs: with their questions and results."""

    messages: int = 0
    traces: int = 0
    drafts: int = 0
    jobs: int = 0


class PrivacyStore(Protocol):
    """Removes texts; ids, figures and verdicts stay."""

    def expire(self, keep_messages_days: int, keep_traces_days: int) -> TextsRemoved:
        """Remove texts that are older; 0 days: all that no longer wait for an evaluation, a decision or
        their delivery."""
        ...

    def erase_person(self, person: str, accounts: Collection[tuple[str, str]] = ()) -> TextsRemoved:
        """Remove what a person asked and was answered, their name and opinions.

        accounts: (channel or channel:workspace, id there) under which the person wrote.
        """
        ...


# --- channels ------------------------------------------------------------------------------------


class Inbox(Protocol):
    """Where a channel puts what arrives. Both return once the event is claimed in the database, before any
    work on it starts, so that the platform can be told at once; an event that came before is dropped."""

    async def take_message(self, message: IncomingMessage) -> None: ...

    async def take_action(self, action: IncomingAction) -> str:
        """A short sentence for the person who acted, "" when there is nothing to say."""
        ...

    async def last_heard(self, channel: str) -> Sequence[tuple[Place, str]]:
        """Places with the newest message of each, for platforms that do not repeat what nobody received."""
        ...


class Channel(Protocol):
    """One connected platform: it verifies, normalises, renders and delivers, and decides nothing else."""

    @property
    def name(self) -> str: ...

    @property
    def capabilities(self) -> Capabilities: ...

    async def run(self, inbox: Inbox) -> None:
        """Connect and receive until cancelled. Raises ChannelDownError when the platform is lost,
        OperatorError when a person must act first (token, scope, intent)."""
        ...

    def render(self, reply: Reply, place: Place) -> tuple[Part, ...]:
        """Parts within the platform's limits, in order; no text is lost."""
        ...

    async def deliver(self, parcel: Parcel) -> Receipt:
        """Hand one part over. Raises RateLimitedError, AmbiguousSendError, RefusedError, ChannelDownError."""
        ...

    async def find_delivered(self, parcel: Parcel) -> Receipt | None:
        """The part of this key, if the platform has it; only asked where capabilities.look_up."""
        ...

    async def show_progress(self, place: Place, message_id: str) -> None:
        """Show that work goes on, where the platform can; failures are swallowed."""
        ...

    async def check(self) -> list[CheckFinding]:
        """Findings for `kiyo doctor`: token, scopes, intents, webhook."""
        ...
