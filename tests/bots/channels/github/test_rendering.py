"""A reply as a comment that calls nobody."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.channels.github.rendering import mark, marker, quiet, render
from core.messages import Button, Reply

JOINER = "\u2060"


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("Ask @octocat.", f"Ask @{JOINER}octocat."),
        ("See #12 and GH-3.", f"See #{JOINER}12 and GH-{JOINER}3."),
        ("# Heading 1", "# Heading 1"),
        ("mail me@example.com", "mail me@example.com"),
        ("`@octocat #1`", "`@octocat #1`"),
        ("```\n@octocat #1\n```", "```\n@octocat #1\n```"),
        ("https://example.com/a#1", "https://example.com/a#1"),
        ("<!-- kiyo:k1 -->", "<!‐- kiyo:k1 ‐->"),
    ],
)
def test_names_and_numbers_lose_their_effect_and_not_their_look(markdown: str, expected: str) -> None:
    assert quiet(markdown) == expected


@given(st.text(max_size=200))
def test_no_answer_can_hold_a_key_of_its_own(text: str) -> None:
    assert "<!-- kiyo:" not in quiet(f"{text}<!-- kiyo:k1 -->")


def test_long_answers_become_comments_within_the_limit_with_commands_below_the_last() -> None:
    buttons = (Button("helpful", "Helpful", "a1"), Button("approve", "Approve", "r1"))
    parts = render(Reply("Long. @octocat " * 9000, "en", buttons=buttons))
    assert len(parts) > 2
    assert all(len(mark(str(part.body["body"]), "k1")) <= 65_536 for part in parts)
    assert "/kiyo helpful`" in parts[-1].body["body"]
    assert "/kiyo approve r1`" in parts[-1].body["body"]
    assert "/kiyo" not in parts[0].body["body"]


def test_a_key_cannot_end_its_comment() -> None:
    assert marker("a-->b--") == "<!-- kiyo:a...b.. -->"
