"""An answer as plain text for a terminal: the answer, its sources, what carried it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bots.console import one_line
from bots.labels import Labels, labels_for
from core.domain import ArticleId
from core.usecases.answer_json import AnswerJson, CitationJson, ContributionJson

TITLE_WIDTH = 44
IDLE_ROWS = 5
Titles = Mapping[ArticleId, str]


def render_answer(answer: AnswerJson, titles: Titles) -> str:
    """Everything about one answer. titles: of the articles by id; the id stands in where one is missing."""
    labels = labels_for(answer["language"])
    blocks = [answer["answer"].strip(), render_sources(answer), render_contributions(answer, titles)]
    confidence = answer["confidence"]
    blocks.append(
        labels.confidence.format(
            confidence=labels.not_measured if confidence is None else f"{confidence:.2f}",
            model=answer["model"],
            milliseconds=f"{sum(answer['timings_ms'].values()):.0f}",
        )
    )
    return "\n\n".join(block for block in blocks if block)


def render_sources(answer: AnswerJson, *, quotes: bool = False) -> str:
    """The numbered places that the answer cites, with what stands there if asked; "" without any."""
    if not answer["citations"]:
        return ""
    labels = labels_for(answer["language"])
    lines = [labels.sources]
    for citation in answer["citations"]:
        lines.append(f"  [{citation['n']}] {one_line(_heading(citation))} · {_place(citation, labels)}")
        lines.append(f"      {one_line(citation['uri'])}")
        if quotes:
            lines.append(f"      {labels.quote.format(quote=' '.join(citation['quote'].split()))}")
    return "\n".join(lines)


def render_contributions(answer: AnswerJson, titles: Titles) -> str:
    """A table of the articles that were shown or carried something; "" without any."""
    if not answer["contributions"]:
        return ""
    labels = labels_for(answer["language"])
    header = (labels.article, labels.exposed, labels.carried, labels.statements)
    shown, left_out = _worth_showing(answer["contributions"])
    rows = [header, *(_row(item, titles, labels) for item in shown)]
    lines = [labels.contributions, *(f"  {line}" for line in align_columns(rows))]
    if left_out:
        lines.append(f"  {labels.more.format(count=left_out)}")
    return "\n".join(lines)


def align_columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows as lines with aligned columns; wide characters take two cells. The first column is cut."""
    from rich.cells import cell_len, set_cell_size

    cut = [(_cut(row[0]), *row[1:]) for row in rows]
    widths = [max(cell_len(row[i]) for row in cut) for i in range(len(rows[0]))]
    for row in cut:
        yield "  ".join(set_cell_size(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _cut(text: str) -> str:
    from rich.cells import cell_len, set_cell_size

    return text if cell_len(text) <= TITLE_WIDTH else set_cell_size(text, TITLE_WIDTH - 1).rstrip() + "…"


def _heading(citation: CitationJson) -> str:
    breadcrumb = citation["section"]["breadcrumb"]
    if not breadcrumb or breadcrumb == citation["title"]:
        return citation["title"]
    return breadcrumb if breadcrumb.startswith(citation["title"]) else f"{citation['title']} > {breadcrumb}"


def _place(citation: CitationJson, labels: Labels) -> str:
    first, last = citation["line_start"], citation["line_end"]
    lines = (labels.line if first == last else labels.lines).format(first=first, last=last)
    page = citation["page"]
    return lines if page is None else f"{labels.page.format(page=page)}, {lines}"


def _worth_showing(contributions: Sequence[ContributionJson]) -> tuple[list[ContributionJson], int]:
    """All that carried something, then a few that did not; and how many were left out."""
    carried = [item for item in contributions if item["statements"]]
    idle = [item for item in contributions if not item["statements"]]
    return [*carried, *idle[:IDLE_ROWS]], max(0, len(idle) - IDLE_ROWS)


def _row(item: ContributionJson, titles: Titles, labels: Labels) -> tuple[str, str, str, str]:
    share = item["share"]
    return (
        one_line(titles.get(item["article_id"], item["article_id"])),
        labels.yes if item["exposed"] else labels.no,
        labels.not_measured if share is None else f"{share:.0%}",
        str(item["statements"]),
    )
