"""What detectors report: where something matched, by which method, how well; and which detectors ran."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Method = Literal[
    "keyword_lines",
    "keyword_pages",
    "keyword_titles",
    "values",
    "title_embeddings",
    "line_embeddings",
    "unit_embeddings",
    "named",
]
METHODS: tuple[Method, ...] = get_args(Method)
"""`named`: the question names the page or section itself."""


@dataclass(frozen=True, slots=True)
class AnchorHit:
    """One match.

    document: index among the scanned documents. unit: index among its units, None for a page that is none.
    page, line, section: where it is, None where the method does not say. score: on the method's own scale,
    the number of distinct keywords or a cosine. density: occurrences of all keywords there. keywords: as
    shown. strong: False for a cosine that unrelated texts reach as well.
    """

    document: int
    method: Method
    score: float
    unit: int | None = None
    page: int | None = None
    line: int | None = None
    section: int | None = None
    density: int = 0
    keywords: tuple[str, ...] = ()
    strong: bool = True


@dataclass(frozen=True, slots=True)
class DetectorRun:
    """A detector that ran or was skipped. found: how many hits it reported; reason: why it was skipped."""

    method: Method
    ran: bool
    found: int = 0
    milliseconds: float = 0.0
    reason: str = ""
