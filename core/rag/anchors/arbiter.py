"""One call of a language model over the whole pool: what it is shown, and what of its answer is believed."""

from __future__ import annotations

import json
import logging
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args
from xml.sax.saxutils import escape

from core.domain import Language
from core.ports import ArbiterCandidate, ArbiterRanking, ArbiterRequest, TocEntry
from core.prompts.loading import load_prompt
from core.rag.anchors.aggregation import AnchorCandidate
from core.rag.anchors.numbering import Numbering
from core.rag.anchors.tables import DocumentTables

Role = Literal["primary", "supporting", "tangential", "discarded"]
ROLES: tuple[Role, ...] = get_args(Role)
LINE_CHARS = 240
_BARE = re.compile(r"\d{1,6}")
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CheckedIds:
    """accepted: numbers of places that exist, without repeats. rejected: everything else, as written."""

    accepted: tuple[str, ...]
    rejected: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ParsedVerdict:
    """The model's JSON as values; problem says why it is none."""

    rankings: tuple[ArbiterRanking, ...] = ()
    not_found: bool = False
    confidence: float = 0.0
    caveats: tuple[str, ...] = ()
    problem: str = ""


def build_request(
    question: str,
    language: Language,
    documents: Sequence[DocumentTables],
    candidates: Sequence[AnchorCandidate],
    numbering: Numbering,
) -> ArbiterRequest:
    """The whole table of contents and every candidate with its methods, keywords and best lines."""
    return ArbiterRequest(
        question=question,
        language=language,
        toc=numbering.toc,
        candidates=tuple(
            ArbiterCandidate(
                id=numbering.numbers[c.document, c.unit],
                breadcrumb=_breadcrumb(documents[c.document], c.unit),
                methods=c.methods,
                keywords=c.keywords,
                lines=_shown_lines(documents[c.document], c),
            )
            for c in candidates
        ),
    )


def build_arbiter_messages(request: ArbiterRequest, model: str) -> list[dict[str, str]]:
    """System and user message; everything from documents is escaped."""
    prompt = load_prompt("arbiter", model)
    system = prompt.system.safe_substitute(language=prompt.languages[request.language])
    user = prompt.user.substitute(
        question=request.question,
        contents=render_contents(request.toc),
        candidates="\n".join(_render_candidate(candidate) for candidate in request.candidates),
    )
    return [{"role": "system", "content": system}, {"role": "user", "content": user}]


def build_toc_messages(question: str, toc: Sequence[TocEntry], model: str) -> list[dict[str, str]]:
    """Messages that ask for sections by the table of contents alone."""
    prompt = load_prompt("toc", model)
    user = prompt.user.substitute(question=question, contents=render_contents(toc))
    return [{"role": "system", "content": prompt.system.safe_substitute()}, {"role": "user", "content": user}]


def render_contents(toc: Sequence[TocEntry]) -> str:
    """One row an entry, indented by level: the number, the title, the pages."""
    rows = []
    for entry in toc:
        pages = f" (p. {entry.pages})" if entry.pages else ""
        number = f"{entry.id}: " if entry.id else ""
        rows.append(f"{'  ' * max(entry.level - 1, 0)}{number}{_clean(entry.title)}{pages}")
    return "\n".join(rows)


def parse_verdict(text: str) -> ParsedVerdict:
    """Read the JSON object in a model's answer, whatever stands around it. Never raises: what cannot be read
    is a problem, and an entry that cannot be read is left out."""
    found = _OBJECT.search(text)
    if found is None:
        return ParsedVerdict(problem="no JSON object in the answer")
    try:
        content = json.loads(found.group())
    except (ValueError, RecursionError) as error:
        return ParsedVerdict(problem=f"not valid JSON ({type(error).__name__})")
    rows = content.get("ranking")
    if not isinstance(rows, list):
        return ParsedVerdict(problem="no list `ranking` in the answer")
    rankings = tuple(_ranking(row) for row in rows if isinstance(row, dict) and "id" in row)
    not_found = content.get("not_found") is True
    if not rankings and not not_found:
        return ParsedVerdict(problem="an empty ranking without not_found")
    caveats = content.get("caveats")
    return ParsedVerdict(
        rankings=rankings,
        not_found=not_found,
        confidence=_fraction(content.get("confidence")),
        caveats=tuple(str(c)[:LINE_CHARS] for c in caveats) if isinstance(caveats, list) else (),
    )


def parse_selection(text: str) -> tuple[tuple[str, ...], str]:
    """Ids, not yet checked, and reasoning of the JSON object in an answer; nothing if there is none."""
    found = _OBJECT.search(text)
    try:
        content = json.loads(found.group()) if found else {}
    except (ValueError, RecursionError):
        return (), ""
    ids = content.get("section_ids")
    written = tuple(str(one) for one in ids) if isinstance(ids, list) else ()
    return written, str(content.get("reasoning", ""))


def check_ids(written: Sequence[str], known: Mapping[str, object]) -> CheckedIds:
    """Keep bare numbers of places that exist. "id=9", "5.2" and numbers that lead nowhere are rejected and
    logged, not repaired: a model that invents ids may have meant anything."""
    accepted = dict.fromkeys(one for one in written if _BARE.fullmatch(one) and one in known)
    rejected = tuple(one for one in written if one not in accepted)
    if rejected:
        _log.warning("the model named places that do not exist: %s", ", ".join(map(repr, rejected)))
    return CheckedIds(tuple(accepted), rejected)


def _ranking(row: Mapping[str, Any]) -> ArbiterRanking:
    role = str(row.get("role", "")).lower()
    return ArbiterRanking(
        id=str(row["id"]),
        role=role if role in ROLES else "tangential",
        reason=str(row.get("reason", ""))[:LINE_CHARS],
        line_start=_whole(row.get("line_start")),
        line_end=_whole(row.get("line_end")),
        quote=str(row.get("quote") or ""),
    )


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _fraction(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        return 0.0
    return min(max(float(value), 0.0), 1.0)


def _breadcrumb(tables: DocumentTables, unit: int) -> str:
    what = tables.units[unit]
    return tables.sections[what.number].breadcrumb if what.kind == "section" else what.title


def _shown_lines(tables: DocumentTables, candidate: AnchorCandidate) -> tuple[tuple[int, str], ...]:
    chosen = candidate.lines or tables.units[candidate.unit].lines[:2]
    return tuple((line, tables.lines[line].text[:LINE_CHARS]) for line in chosen)


def _render_candidate(candidate: ArbiterCandidate) -> str:
    head = f'<place id="{candidate.id}"> {_clean(candidate.breadcrumb)}'
    how = f"found by: {', '.join(candidate.methods)}"
    words = f"; keywords: {_clean(', '.join(candidate.keywords))}" if candidate.keywords else ""
    lines = [f"GLOBAL_LINE {number}: {_clean(text)}" for number, text in candidate.lines]
    return "\n".join([head, how + words, *lines, "</place>"])


def _clean(text: str) -> str:
    return escape(_FORBIDDEN.sub(" ", text))
