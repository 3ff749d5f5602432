"""Markdown as Block Kit with mrkdwn."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.channels.slack.rendering import SECTION_CHARS, render, to_mrkdwn
from core.messages import Button, Reply

LIVE = re.compile(r"<(?:[!@#]|[^<>]*\|[^<>]*<)")


def sections(reply: Reply) -> list[str]:
    return [
        str(block["text"]["text"])
        for part in render(reply)
        for block in part.body["blocks"]
        if block["type"] == "section"
    ]


@pytest.mark.parametrize(
    ("markdown", "mrkdwn"),
    [
        ("**b** *i* ~~s~~ `c`", "*b* _i_ ~s~ `c`"),
        ("# 見出し\n\n本文", "*見出し*\n\n本文"),
        ("[規程](https://example.com/a?b=1&c=2)", "<https://example.com/a?b=1&amp;c=2|規程>"),
        ("- one\n- two\n  - deep", "• one\n• two\n    • deep"),
        ("3. three\n4. four", "3. three\n4. four"),
        ("> quoted", "> quoted"),
        ("```python\nif a < b:\n```", "```\nif a &lt; b:\n```"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "```\na | b\n1 | 2\n```"),
        ("[x](javascript:alert(1))", "[x](javascript:alert(1))"),
    ],
)
def test_markdown_becomes_mrkdwn(markdown: str, mrkdwn: str) -> None:
    assert to_mrkdwn(markdown) == mrkdwn


@pytest.mark.parametrize(
    "hostile",
    [
        "<!channel>",
        "<!here>",
        "<!subteam^S1>",
        "<@U1>",
        "&lt;!here&gt;",
        "`<!channel>`",
        "[<!here>](https://a.example)",
    ],
)
def test_nothing_in_an_answer_calls_anybody(hostile: str) -> None:
    for part in render(Reply(f"Text {hostile} end.\n\n```\n{hostile}\n```", "en")):
        assert LIVE.search(str(part.body)) is None


@given(st.text(max_size=400))
def test_whatever_is_said_is_escaped(text: str) -> None:
    for section in sections(Reply(text, "en")):
        assert LIVE.search(section) is None


def test_long_answers_become_sections_and_messages_within_the_limits() -> None:
    reply = Reply("a < b & c. " * 1500, "en", buttons=(Button("helpful", "Helpful", "a1"),))
    parts = render(reply)
    assert len(parts) > 1
    assert all(0 < len(text) <= SECTION_CHARS for text in sections(reply))
    assert all(sum(b["type"] == "section" for b in part.body["blocks"]) <= 3 for part in parts)
    joined = "".join("".join(sections(reply)).split())
    assert joined == "".join(("a &lt; b &amp; c." * 1500).split())
    kinds = [[block["type"] for block in part.body["blocks"]][-1] for part in parts]
    assert kinds == ["section"] * (len(parts) - 1) + ["actions"]


def test_buttons_have_ids_of_their_own_and_short_values() -> None:
    buttons = (
        Button("helpful", "Helpful", "a1"),
        Button("edit", "Edit", "r1", "primary", "x" * 5000),
        Button("dismiss", "Dismiss", "r1", "danger"),
    )
    (part,) = render(Reply("Hello.", "en", buttons=buttons))
    elements = part.body["blocks"][-1]["elements"]
    assert [e["action_id"] for e in elements] == ["helpful:0", "edit:1", "dismiss:2"]
    assert [e.get("style") for e in elements] == [None, "primary", "danger"]
    assert [e["value"] for e in elements] == ["a1|", "r1|", "r1|"]
