"""An answer as a reply, a draft as a notice for staff."""

from __future__ import annotations

import re

from core.channel_ports import NewReview, Outgoing
from core.config import Settings
from core.domain import Answer, Citation, Language
from core.messages import Button, IncomingMessage, Place, Reply, ReplySource
from core.usecases.conversation.people import is_staff_place
from core.usecases.conversation.places import name_place, read_place
from core.usecases.conversation.wording import say

_MARK = re.compile(r"\[(\d{1,3})\]")
_QUOTE_CHARS = 280


def reply_sources(answer: Answer, text: str, *, shares: bool) -> tuple[ReplySource, ...]:
    """The sources that the marks in `text` lead to, by number. shares: for staff places only."""
    shown = {int(number) for number in _MARK.findall(text)}
    share_of = {one.article_id: one.share for one in answer.evaluation.contributions}
    first: dict[int, Citation] = {}
    for citation in answer.citations:
        first.setdefault(citation.n, citation)
    return tuple(
        ReplySource(
            n=n,
            title=citation.title,
            uri=_link(citation),
            where=_where(citation),
            share=share_of.get(citation.article_id) if shares else None,
        )
        for n, citation in sorted(first.items())
        if n in shown
    )


def answer_reply(settings: Settings, answer: Answer, place: Place, *, caution: bool) -> Reply:
    """What leaves: the answer with numbered sources and buttons for feedback."""
    sources = reply_sources(answer, answer.text, shares=is_staff_place(settings, place))
    return Reply(
        text=answer.text,
        language=answer.language,
        sources=sources,
        buttons=_feedback_buttons(answer, bool(sources)),
        caution=say("caution", answer.language) if caution else "",
        answer_id=answer.id,
        citations=answer.citations,
    )


def notice(text: str, language: Language) -> Reply:
    """A sentence about what happens."""
    return Reply(text=text, language=language, stage="notice")


def review_notices(
    settings: Settings, review: NewReview, answer: Answer, message: IncomingMessage
) -> tuple[Outgoing, ...]:
    """The draft with question and evidence, for every place of [reviews]."""
    reply = Reply(
        text=_describe_draft(answer, message),
        language=answer.language,
        stage="review",
        sources=reply_sources(answer, answer.text, shares=True),
        buttons=_review_buttons(review.id, answer),
        answer_id=answer.id,
    )
    return tuple(
        Outgoing(f"review-notice:{review.id}:{name_place(place)}", place, reply)
        for place in staff_targets(settings)
    )


def staff_targets(settings: Settings) -> tuple[Place, ...]:
    """Where staff is told of something."""
    return tuple(read_place(name) for name in settings.reviews.notify)


def staff_notices(settings: Settings, key: str, text: str) -> tuple[Outgoing, ...]:
    """A sentence for staff in every place of [reviews]. key: the same for the same event."""
    return tuple(
        Outgoing(f"staff:{key}:{name_place(place)}", place, notice(text, "en"))
        for place in staff_targets(settings)
    )


def quote(text: str) -> str:
    """The text as a Markdown quotation, so that it can neither end it nor pass for Kiyo's words."""
    return "\n".join(f"> {line}" for line in text.strip().splitlines()) or ">"


def _describe_draft(answer: Answer, message: IncomingMessage) -> str:
    language = answer.language
    asker = message.author.name or message.author.id
    where = message.place.name or name_place(message.place)
    parts = [
        f"**{say('question', language)}** ({say('asked_by', language)} {asker}, {where})",
        quote(answer.question),
        f"**{say('draft', language)}**",
        answer.text,
        *(f"[{c.n}] {c.title}\n\n{quote(c.quote[:_QUOTE_CHARS])}" for c in _first_of_each(answer)),
    ]
    return "\n\n".join(parts)


def _first_of_each(answer: Answer) -> list[Citation]:
    first: dict[int, Citation] = {}
    for citation in answer.citations:
        first.setdefault(citation.n, citation)
    return [first[n] for n in sorted(first)]


def _feedback_buttons(answer: Answer, has_sources: bool) -> tuple[Button, ...]:
    language = answer.language
    buttons = [
        Button("helpful", say("helpful", language), answer.id),
        Button("not_helpful", say("not_helpful", language), answer.id),
    ]
    if has_sources:
        buttons.append(Button("wrong_source", say("wrong_source", language), answer.id))
    buttons.append(Button("human", say("human", language), answer.id))
    return tuple(buttons)


def _review_buttons(review_id: str, answer: Answer) -> tuple[Button, ...]:
    """`edit` carries the draft, for platforms that open a window with it."""
    language = answer.language
    return (
        Button("approve", say("approve", language), review_id, "primary"),
        Button("edit", say("edit", language), review_id, value=answer.text),
        Button("dismiss", say("dismiss", language), review_id, "danger"),
        Button("take_over", say("take_over", language), review_id),
    )


def _link(citation: Citation) -> str:
    if citation.section.anchor and "#" not in citation.uri:
        return f"{citation.uri}{citation.section.anchor}"
    if citation.page is not None and "#" not in citation.uri:
        return f"{citation.uri}#page={citation.page}"
    return citation.uri


def _where(citation: Citation) -> str:
    section = citation.section.title if citation.section.ordinal else ""
    page = "" if citation.page is None else f"p. {citation.page}"
    return ", ".join(part for part in (section, page) if part)
