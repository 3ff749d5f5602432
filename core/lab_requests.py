"""What the retrieval lab is asked: questions, settings to try, and for whom. Plain values for a job.

Nothing here needs an index, so that a page can write it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

from core.domain import ArticleId, Principal
from core.errors import AskerError

LabMode = Literal["hybrid", "anchors", "auto"]
LabFusion = Literal["learned", "weighted", "rrf"]
LabStrategy = Literal["top_k", "mmr"]
MOST_QUESTIONS = 500
QUESTION_CHARS = 2_000


@dataclass(frozen=True, slots=True)
class LabSettings:
    """Settings of [rag] to try; None is the configured one."""

    mode: LabMode | None = None
    fusion: LabFusion | None = None
    selection_strategy: LabStrategy | None = None
    max_results: int | None = None
    relevance_threshold: float | None = None

    @property
    def changed(self) -> dict[str, object]:
        """Those that differ from the configured ones, by name."""
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True, slots=True)
class LabQuestion:
    """articles: ids of those that answer it, in no order."""

    text: str
    articles: tuple[ArticleId, ...] = ()


@dataclass(frozen=True, slots=True)
class LabRequest:
    """principal: among whose articles is searched. detailed: tell everything of the one question."""

    questions: tuple[LabQuestion, ...]
    principal: Principal
    settings: LabSettings = LabSettings()
    detailed: bool = False


def lab_payload(request: LabRequest) -> dict[str, object]:
    """The payload of a `lab` job. Raises AskerError for what cannot be asked."""
    if not request.questions or len(request.questions) > MOST_QUESTIONS:
        raise AskerError(f"A set has between 1 and {MOST_QUESTIONS} questions.")
    if any(not one.text.strip() or len(one.text) > QUESTION_CHARS for one in request.questions):
        raise AskerError(f"A question has between 1 and {QUESTION_CHARS} characters.")
    return {
        "questions": [
            {"text": one.text.strip(), "articles": list(one.articles)} for one in request.questions
        ],
        "person": request.principal.id,
        "groups": sorted(request.principal.groups),
        "settings": request.settings.changed,
        "detailed": request.detailed,
    }


def read_lab(payload: Mapping[str, Any]) -> LabRequest:
    """The other way round. Raises AskerError for settings that the lab does not know."""
    return LabRequest(
        questions=tuple(LabQuestion(str(q["text"]), tuple(q["articles"])) for q in payload["questions"]),
        principal=Principal(str(payload["person"]), frozenset(payload["groups"])),
        settings=read_settings(payload["settings"]),
        detailed=bool(payload["detailed"]),
    )


def read_settings(values: Mapping[str, Any]) -> LabSettings:
    """From names and values, as a job or a saved run holds them."""
    unknown = set(values) - {field.name for field in fields(LabSettings)}
    known = {"mode": LabMode, "fusion": LabFusion, "selection_strategy": LabStrategy}
    wrong = {name for name, kind in known.items() if values.get(name) not in (None, *get_args(kind))}
    if unknown | wrong:
        raise AskerError(f"The lab does not know {', '.join(sorted(unknown | wrong))}.")
    return LabSettings(**values)


def read_question_lines(text: str) -> tuple[LabQuestion, ...]:
    """One question a line, after a tab the ids of the articles that answer it, separated by commas or spaces.

    Raises AskerError naming the line, counted from 1, that names no article.
    """
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        question, _, rest = line.partition("\t")
        articles = tuple(rest.replace(",", " ").split())
        if not question.strip() or not articles:
            raise AskerError(
                f"Line {number}: write the question, a tab, then the ids of the articles that answer it."
            )
        found.append(LabQuestion(question.strip(), articles))
    return tuple(found)


def write_question_lines(questions: Iterable[LabQuestion]) -> str:
    return "\n".join(f"{one.text}\t{', '.join(one.articles)}" for one in questions)


def measure_ranks(ranks: Sequence[int | None]) -> dict[str, float | int]:
    """Figures of a set. ranks: of the first article that answers each question, from 1; None if it was not
    found.

    recall_at_k: share of the questions of which an article that answers is among the first k. mrr: mean of
    1 / rank, 0 where nothing was found (Voorhees 1999).
    """
    count = max(len(ranks), 1)
    recall = {f"recall_at_{k}": sum(r is not None and r <= k for r in ranks) / count for k in (1, 5, 10)}
    return {"n": len(ranks), **recall, "mrr": sum(1 / rank for rank in ranks if rank) / count}
