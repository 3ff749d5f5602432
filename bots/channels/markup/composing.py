"""The Markdown that a reply becomes: its caution above, its numbered sources below."""

from __future__ import annotations

import re

from bots.labels import labels_for
from core.messages import Reply, ReplySource

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|<>~])")
_LINKABLE = re.compile(r"https?://[^\s<>()]+$")


def compose(reply: Reply) -> str:
    """The whole reply as Markdown, in the language of the reply."""
    parts = [f"> {reply.caution}"] if reply.caution else []
    parts.append(reply.text.strip())
    if reply.sources:
        parts.append(compose_sources(reply))
    return "\n\n".join(part for part in parts if part)


def compose_sources(reply: Reply) -> str:
    """Heading and one line a source; a title is a link only where its address can be opened."""
    heading = labels_for(reply.language).sources
    return "\n".join([f"**{heading}**", "", *(f"- {_line(source)}" for source in reply.sources)])


def escape_markdown(text: str) -> str:
    """A name or title as it may stand in Markdown: it shows as it is, in one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _line(source: ReplySource) -> str:
    title = escape_markdown(source.title)
    named = f"[{title}](<{source.uri}>)" if _LINKABLE.match(source.uri) else title
    where = f" · {escape_markdown(source.where)}" if source.where else ""
    share = f" · {source.share:.0%}" if source.share is not None else ""
    return f"\\[{source.n}\\] {named}{where}{share}"
