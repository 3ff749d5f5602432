"""One search of the lab: each detector's hits side by side, their common order, and what became of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from dashboard.markup import escape_markdown
from dashboard.pages import article_link
from dashboard.text import Words

DETECTORS = ("keyword", "vector", "anchors")


def show_result(result: Mapping[str, Any], words: Words) -> None:
    """result: what the job `lab` says of one question (`core.usecases.lab.explain_search`)."""
    terms = escape_markdown(" · ".join(result["terms"]))
    st.markdown(f"##### {escape_markdown(result['question'])}")
    read = words("lab_read", language=result["language"], terms=terms or "–")
    spent = words("lab_time", milliseconds=f"{result['milliseconds']:,.0f}", mode=result["mode"])
    st.caption(f"{read} · {spent}")
    for column, name in zip(st.columns(len(DETECTORS), gap="medium"), DETECTORS, strict=True):
        with column:
            st.markdown(f"###### {words(f'detector_{name}')}")
            _show_hits(result["detectors"].get(name, []), words)
    st.markdown(f"###### {words('fused_title')}")
    _show_fused(result["fused"], words)
    if result["trace"]:
        with st.expander(words("lab_trace")):
            st.json(result["trace"], expanded=1)


def _show_hits(hits: Sequence[Mapping[str, Any]], words: Words) -> None:
    if not hits:
        st.caption(words("nothing_hit"))
        return
    rows = [
        {
            words("rank"): rank,
            words("article"): hit["title"],
            words("section"): hit["section"],
            words("score"): hit["score"] if "score" in hit else hit["relevance"],
            words("gap_text"): hit["text"],
        }
        for rank, hit in enumerate(hits, start=1)
    ]
    st.dataframe(rows, hide_index=True, width="stretch")


def _show_fused(fused: Sequence[Mapping[str, Any]], words: Words) -> None:
    if not fused:
        st.caption(words("nothing_hit"))
        return
    rows = [
        {
            words("rank"): rank,
            words("article"): one["title"],
            words("open_article"): article_link(one["article_id"], words),
            words("section"): one["section"],
            words("outcome"): _outcome(one, words),
            words("relevance"): one["relevance"],
            words("found_by"): _found_by(one["ranks"], words),
            words("features"): " · ".join(f"{name} {value:.3g}" for name, value in one["scores"].items()),
            words("gap_text"): one["text"],
        }
        for rank, one in enumerate(fused, start=1)
    ]
    link = st.column_config.LinkColumn(display_text=words("open_article"))
    share = st.column_config.ProgressColumn(min_value=0, max_value=1, format="%.2f")
    st.dataframe(
        rows,
        hide_index=True,
        width="stretch",
        column_config={words("open_article"): link, words("relevance"): share},
    )


def _outcome(one: Mapping[str, Any], words: Words) -> str:
    if one["number"] is not None:
        return f"● {words('lab_source', number=one['number'])}"
    if one["cut_because"]:
        return f"○ {words('lab_cut', reason=words(one['cut_because']))}"
    return f"– {words('lab_next')}"


def _found_by(ranks: Mapping[str, int], words: Words) -> str:
    return " · ".join(f"{words(f'detector_{name}')} {rank}" for name, rank in ranks.items()) or "–"
