"""How an answer came about, as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bots.console import one_line
from bots.rendering import align_columns

HITS = 20


def render_explanation(found: Mapping[str, Any]) -> str:
    """found: as `core.usecases.explain` makes it."""
    trace = found["trace"] or {}
    lines = [
        one_line(f"{found['id']}  {found['question'] or '(the question is no longer kept)'}"),
        f"{found['at']}  {found['mode'] or 'unknown'}  {found['model']}  {found['gate']}",
        "",
        *_table("What was retrieved", _exposures(found["exposures"])),
    ]
    if "gate_review" in trace:
        told = trace["gate_review"]
        said = f"Review: {told['verdict']}, by {told['by']}, where the figures said {told['before']}"
        lines += [one_line(f"{said}. {told['reason']}".rstrip(". ") + "."), ""]
    if "detectors" in trace:
        lines += _anchors(trace)
    elif found["trace"] is None and found["mode"] == "anchors":
        lines.append("The record of how the places were found is no longer kept.")
    lines += _table("Milliseconds", [[name, f"{spent:g}"] for name, spent in found["timings_ms"].items()])
    return "\n".join(lines).rstrip()


def _anchors(trace: Mapping[str, Any]) -> Iterator[str]:
    keywords = ", ".join(one_line(keyword["text"]) for keyword in trace["question"]["keywords"])
    yield f"Question: {trace['question']['shape']}; keywords: {keywords or 'none'}"
    for document in trace["documents"]:
        title = one_line(document["title"])
        yield f"Document: {title} ({document['lines']} lines, gathered by {document['gathered_by']})"
    yield ""
    yield from _table("Detectors", [_detector(one) for one in trace["detectors"]])
    yield from _table(f"Hits ({trace['hits_total']} in all)", [_hit(one) for one in trace["hits"][:HITS]])
    yield from _table("Places", [_place(one) for one in trace["candidates"]])
    yield from _arbitration(trace)
    yield from _table("Shown", [_context(one) for one in trace["contexts"]])


def _arbitration(trace: Mapping[str, Any]) -> Iterator[str]:
    arbitration = trace["arbitration"]
    yield f"Order by: {arbitration['order']} ({arbitration['calls']} calls of a model)"
    if arbitration["fallback"]:
        yield f"The model's answer was not used: {one_line(arbitration['fallback'])}"
    if arbitration["rejected"]:
        yield f"Rejected ids: {one_line(', '.join(arbitration['rejected']))}"
    if arbitration["prompt"]:
        yield f"Prompt: {arbitration['prompt']} with {arbitration['model']}"
    if arbitration["raw"]:
        yield f"It wrote: {one_line(' '.join(arbitration['raw'].split()))}"
    if trace["not_found"]:
        tried = ", ".join(trace["methods_tried"])
        yield f"Not found: {one_line(trace['not_found_reason'])} (tried: {tried})"
    yield from (f"Caveat: {one_line(caveat)}" for caveat in trace["caveats"])
    yield ""


def _exposures(exposures: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    return [
        [
            str(one["rank"]),
            f"[{one['source_number']}]" if one["in_prompt"] else one["cut_because"],
            one_line(one["article_id"]),
            f"lines {one['first_line']}-{one['last_line']}",
            f"{one['relevance']:.2f}",
            " ".join(f"{name}={score:g}" for name, score in one["scores"].items()),
            f"{one['tokens']} tokens",
        ]
        for one in exposures
    ]


def _detector(one: Mapping[str, Any]) -> list[str]:
    what = f"{one['found']} hits, {one['milliseconds']:g} ms" if one["ran"] else "skipped"
    return [one["method"], what, one_line(one["reason"])]


def _hit(one: Mapping[str, Any]) -> list[str]:
    where = [f"p. {one['page']}" if one["page"] else "", f"line {one['line']}" if one["line"] else ""]
    return [one["method"], f"{one['score']:g}", " ".join(filter(None, where)), ", ".join(one["keywords"])]


def _place(one: Mapping[str, Any]) -> list[str]:
    pages = f"p. {one['pages']}" if one["pages"] else ""
    return [
        one["role"],
        f"{one['score']:.2f}",
        one_line(one["section"]["breadcrumb"]),
        pages,
        ", ".join(one["methods"]),
        one_line(one["reason"]),
    ]


def _context(one: Mapping[str, Any]) -> list[str]:
    return [
        one_line(one["title"]),
        f"lines {one['first_line']}-{one['last_line']}",
        one["why"],
        f"{one['tokens']} tokens",
    ]


def _table(title: str, rows: Sequence[Sequence[str]]) -> list[str]:
    if not rows:
        return []
    return [title, *(f"  {line}" for line in align_columns(rows)), ""]
