"""How an answer came about: what was found, by which detector, what was cut and why, time and cost."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from core.domain import Answer, Exposure
from dashboard.markup import escape_markdown
from dashboard.runtime import SeenAnswer
from dashboard.text import Words
from dashboard.words.answers import WORDS


def show_trace(seen: SeenAnswer, trace: Mapping[str, object] | None, words: Words) -> None:
    """trace: the audit record of a search for anchors, None without one."""
    answer = seen.answer
    with st.expander(words("trace")):
        st.caption(words("trace_lead"))
        if answer.exposures:
            ordered = sorted(answer.exposures, key=lambda one: one.rank)
            rows = [_row(one, seen, words) for one in ordered]
            st.dataframe(rows, hide_index=True, width="stretch")
        else:
            st.caption(words("trace_empty"))
        _show_usage(answer, words)
        show_gate_review(trace, words)
        if trace is not None:
            st.markdown(f"###### {words('audit')}")
            st.json(dict(trace), expanded=1)


def show_gate_review(trace: Mapping[str, object] | None, words: Words) -> None:
    """What a model said that looked over the answer before it left; nothing where none was asked."""
    told = None if trace is None else trace.get("gate_review")
    if isinstance(told, Mapping):
        said = words(f"gate_review_{told.get('verdict')}", reason=str(told.get("reason", "")))
        st.caption(escape_markdown(said))


def _row(one: Exposure, seen: SeenAnswer, words: Words) -> dict[str, object]:
    article = seen.articles.get(one.article_id)
    return {
        words("rank"): one.rank,
        words("article"): article.title if article else one.article_id,
        words("lines"): f"{one.first_line}–{one.last_line}",
        words("outcome"): _outcome(one, words),
        words("relevance"): round(one.relevance, 3),
        words("detectors"): " · ".join(f"{name} {score:.3g}" for name, score in sorted(one.scores.items())),
        words("tokens"): one.tokens,
    }


def _outcome(one: Exposure, words: Words) -> str:
    if one.in_prompt:
        number = one.source_number
        return words("in_prompt") if number is None else words("source_number", number=number)
    if not one.cut_because:
        return words("cut")
    reason = words(one.cut_because) if one.cut_because in WORDS else one.cut_because
    return words("cut_because", reason=reason)


def _show_usage(answer: Answer, words: Words) -> None:
    usage = answer.usage
    cost = words("unknown_cost") if usage.cost_usd is None else f"{usage.cost_usd:.4f} USD"
    with st.container(horizontal=True):
        st.metric(words("calls"), f"{usage.calls:,}")
        st.metric(words("input_tokens"), f"{usage.input_tokens:,}")
        st.metric(words("output_tokens"), f"{usage.output_tokens:,}")
        st.metric(words("cost"), cost)
    steps = " · ".join(f"{name} {value:,.0f} ms" for name, value in answer.timings_ms.items())
    if steps:
        st.caption(words("timings", steps=steps).replace("_", r"\_"))
