"""Ask: a chat with the bot, as oneself or as somebody whose answers one wants to see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from core.config import load_settings
from core.domain import ANONYMOUS, PUBLIC, Principal
from core.errors import KiyoError
from core.ports import Turn
from core.storage.audit import SqlAuditLog
from core.storage.job_reports import JobReports, SeenJob
from core.storage.jobs import SqlJobStore
from core.usecases.audit import Acting
from core.usecases.page_questions import QUESTION_CHARS, ask_on_page
from dashboard.filters import keep_in_address
from dashboard.job_waiting import show_failure, wait_for_job
from dashboard.markup import escape_markdown
from dashboard.pages import Page, article_link
from dashboard.runtime import Viewer
from dashboard.text import Words

_TURNS = "turns"
_SEPARATOR = "-"
MOST_TURNS = 50
SOURCES = 8
"""Articles named beside an answer; of the others it is said how many there are."""


def render(viewer: Viewer, words: Words) -> None:
    """The page; the address keeps the conversation, as the jobs that its questions are."""
    st.header(words("ask_title"))
    st.caption(words("ask_lead"))
    asked = _choose_person(viewer, words)
    numbers = _numbers_in_address()
    jobs = JobReports(viewer.database).find(numbers, viewer.person.name)
    turns = [jobs[number] for number in numbers if number in jobs and jobs[number].kind == "ask"]
    if not turns:
        st.info(words("ask_first"))
    for job in turns:
        _show_turn(viewer, job, words)
    waiting = any(job.is_open for job in turns)
    question = st.chat_input(
        words("ask_placeholder"), key="ask_input", max_chars=QUESTION_CHARS, disabled=waiting
    )
    if question:
        _ask(viewer, asked, turns, question)
    if turns and st.button(words("ask_new"), key="ask_new", icon=":material/add_comment:"):
        st.query_params.pop(_TURNS, None)
        st.rerun()


def _choose_person(viewer: Viewer, words: Words) -> Principal:
    """Oneself; for maintainers also everybody who is named in the settings."""
    if not viewer.may("maintainer"):
        return viewer.principal
    people = [viewer.principal, ANONYMOUS, *_known_people()]
    chosen = st.selectbox(
        words("ask_as"),
        range(len(people)),
        format_func=lambda index: _tell_person(index, people[index], words),
        help=words("ask_as_help"),
        key="ask_person",
    )
    asked = people[chosen]
    if asked != viewer.principal:
        st.info(words("ask_now_as", person=_tell_person(chosen, asked, words)), icon=":material/visibility:")
    return asked


def _known_people() -> list[Principal]:
    """Those of [access.people], by name."""
    named: Mapping[str, Sequence[str]] = load_settings().access.people
    return [Principal(name, frozenset({PUBLIC, *groups})) for name, groups in sorted(named.items())]


def _tell_person(index: int, person: Principal, words: Words) -> str:
    groups = ", ".join(sorted(person.groups))
    if index == 0:
        return words("ask_myself", groups=groups)
    if person == ANONYMOUS:
        return words("ask_everybody")
    return words("ask_person", person=person.id, groups=groups)


def _numbers_in_address() -> list[int]:
    parts = st.query_params.get(_TURNS, "").split(_SEPARATOR)
    return [int(part) for part in parts if part.isascii() and part.isdecimal() and len(part) < 16][
        -MOST_TURNS:
    ]


def _ask(viewer: Viewer, asked: Principal, turns: Sequence[SeenJob], question: str) -> None:
    """Follow-ups take along only what was asked as the same person."""
    history = [turn for job in turns if _is_asked_by(job, asked) for turn in _turns_of(job)]
    acting = Acting(viewer.person, SqlAuditLog(viewer.database))
    try:
        job = ask_on_page(
            SqlJobStore(viewer.database), acting, viewer.principal, asked, [*history, Turn("user", question)]
        )
    except KiyoError as error:
        st.warning(str(error))
        return
    kept = [*(str(one.id) for one in turns), str(job)][-MOST_TURNS:]
    keep_in_address(_TURNS, _SEPARATOR.join(kept))
    st.rerun()


def _is_asked_by(job: SeenJob, asked: Principal) -> bool:
    return (job.payload.get("person"), job.payload.get("groups")) == (asked.id, sorted(asked.groups))


def _turns_of(job: SeenJob) -> list[Turn]:
    result = job.result if job.state == "done" else None
    if not result:
        return []
    cited = tuple(dict.fromkeys(str(one["article_id"]) for one in result["citations"]))
    return [
        Turn("user", str(job.payload["question"])),
        Turn("assistant", str(result["answer"]), cited),
    ]


def _show_turn(viewer: Viewer, job: SeenJob, words: Words) -> None:
    with st.chat_message("user"):
        st.markdown(_paragraphs(str(job.payload.get("question", ""))))
    with st.chat_message("assistant"):
        if job.is_open:
            wait_for_job(viewer, job, words)
        elif job.state == "failed":
            show_failure(job, words)
        elif job.result:
            _show_answer(job.result, words)
        else:
            st.caption(words("ask_gone"))


def _show_answer(result: Mapping[str, Any], words: Words) -> None:
    said, beside = st.columns([3, 2], gap="large")
    with said:
        st.markdown(_paragraphs(str(result["answer"])))
        link = f"answer?{urlencode({'id': result['id'], 'lang': words.locale})}"
        st.markdown(f"[{words('ask_whole')}]({link})")
        seconds = sum(result["timings_ms"].values()) / 1000
        st.caption(words("ask_took", seconds=f"{seconds:.1f}", model=escape_markdown(str(result["model"]))))
    with beside:
        st.markdown(f"**{words('ask_sources')}**")
        _show_sources(result, words)


def _show_sources(result: Mapping[str, Any], words: Words) -> None:
    titles = {one["article_id"]: one["title"] for one in result["citations"]}
    numbers: dict[str, list[int]] = {}
    for one in result["citations"]:
        numbers.setdefault(one["article_id"], []).append(one["n"])
    items = result["contributions"]
    carried = [one for one in items if one["statements"] or one["article_id"] in numbers]
    if not carried:
        st.caption(words("ask_no_sources"))
    for one in carried[:SOURCES]:
        _show_source(one, titles.get(one["article_id"]), numbers.get(one["article_id"], []), words)
    rest = len(items) - len(carried[:SOURCES])
    if rest > 0:
        st.caption(words("ask_more", count=rest))


def _show_source(one: Mapping[str, Any], title: str | None, numbers: Sequence[int], words: Words) -> None:
    share = one["share"]
    name = escape_markdown(title or one["article_id"])
    marks = " ".join(f"\\[{number}\\]" for number in sorted(set(numbers)))
    st.markdown(f"{marks} [{name}]({article_link(one['article_id'], words)})")
    if not share:
        st.caption(words("ask_nothing"))
        return
    st.progress(
        min(1.0, share), words("ask_carried" if one["exposed"] else "ask_not_shown", share=f"{share:.0%}")
    )


def _paragraphs(text: str) -> str:
    """Text as it is, line by line; nothing in it becomes a link, a picture or a heading."""
    return "  \n".join(escape_markdown(line) for line in text.splitlines())


PAGE = Page(name="ask", role="viewer", order=65, render=render)
