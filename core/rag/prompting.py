"""Question and sources become messages for a language model; the wording itself is in `core.prompts`.

Everything from the knowledge base is escaped, so that no document can close the context or pose as us.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from xml.sax.saxutils import escape, quoteattr

from core.domain import Candidate
from core.ports import AnswerRequest, Source, Turn
from core.prompts.loading import load_prompt
from core.text.tokens import count_tokens

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
HISTORY_TURNS = 6


def build_answer_messages(request: AnswerRequest, model: str) -> list[dict[str, str]]:
    """System and user message for an answer from the request's sources alone."""
    prompt = load_prompt("answer", model)
    system = prompt.system.substitute(
        language=prompt.languages[request.language], marker=prompt.words["not_found_marker"]
    )
    user = prompt.user.substitute(context=render_context(request.sources), question=request.question)
    history = [{"role": t.role, "content": t.text} for t in request.history[-HISTORY_TURNS:]]
    return [{"role": "system", "content": system}, *history, {"role": "user", "content": user}]


def build_rewrite_messages(question: str, history: Sequence[Turn], model: str) -> list[dict[str, str]]:
    """Messages that ask for the question in a form that stands alone."""
    prompt = load_prompt("rewrite", model)
    lines = "\n".join(f"{turn.role}: {turn.text}" for turn in history[-HISTORY_TURNS:])
    user = prompt.user.substitute(history=lines, question=question)
    return [{"role": "system", "content": prompt.system.substitute()}, {"role": "user", "content": user}]


def build_rerank_messages(question: str, passages: Sequence[str], model: str) -> list[dict[str, str]]:
    """Messages that ask for one figure a passage."""
    prompt = load_prompt("rerank", model)
    listed = "\n".join(f'<passage n="{n}">{clean(p)}</passage>' for n, p in enumerate(passages, start=1))
    user = prompt.user.substitute(question=question, passages=listed)
    return [{"role": "system", "content": prompt.system.substitute()}, {"role": "user", "content": user}]


def render_context(sources: Sequence[Source]) -> str:
    """All sources as `<context><memory n=... source=... relevance=...>`; the best stand first and last."""
    parts = ["<context>"]
    parts.extend(_render_memory(source) for source in order_for_attention(sources))
    parts.append("</context>")
    return "\n".join(parts)


def order_for_attention(sources: Sequence[Source]) -> list[Source]:
    """Best first, second best last, and so on inwards: models read the middle of a long context least
    (Liu et al., TACL 2024). sources: best first."""
    return [*sources[0::2], *reversed(sources[1::2])]


def cost_of_frame() -> int:
    """Tokens of a context without any source."""
    return count_tokens(render_context(()))


def cost_in_prompt(candidate: Candidate) -> int:
    """Tokens that a candidate takes in the prompt, its markup included; never less than what is sent.

    The text was counted when it was cut; it is counted again only where markup characters are escaped.
    """
    text = candidate.chunk.text
    escaped = clean(text)
    frame = _render_memory(replace(to_source(999, candidate), text=""))
    tokens = candidate.chunk.tokens if escaped == text else count_tokens(escaped)
    return count_tokens(frame) + tokens + 2


def to_source(number: int, candidate: Candidate) -> Source:
    """The numbered source that an answerer sees of a candidate."""
    return Source(
        number=number,
        title=candidate.article.title,
        breadcrumb=candidate.chunk.breadcrumb,
        text=candidate.chunk.text,
        relevance=candidate.relevance,
        lines=candidate.lines,
        article_id=candidate.article.id,
        line_cosines=candidate.line_cosines,
    )


def _render_memory(source: Source) -> str:
    where = quoteattr(_FORBIDDEN.sub(" ", source.breadcrumb or source.title))
    opening = f'<memory n="{source.number}" source={where} relevance="{source.relevance:.2f}">'
    return f"{opening}\n{clean(source.text)}\n</memory>"


def clean(text: str) -> str:
    return escape(_FORBIDDEN.sub(" ", text))
