"""Markdown as text with entities."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bots.channels.telegram.rendering import LIMIT, callback_data, render, render_text
from core.messages import Button, Reply
from tests.emulators.telegram import units

LONG = "経費は**30日以内**に申請します。 " * 900


def shown(text: str, entity: dict[str, object]) -> str:
    offset, length = int(str(entity["offset"])), int(str(entity["length"]))
    return text.encode("utf-16-le")[2 * offset : 2 * (offset + length)].decode("utf-16-le")


def test_marks_become_entities_at_their_place() -> None:
    text, entities = render_text("😀 **太字** と `code`、[規程](https://example.com/a)です。")
    assert text == "😀 太字 と code、規程です。"
    assert [(one["type"], shown(text, one)) for one in entities] == [
        ("bold", "太字"),
        ("code", "code"),
        ("text_link", "規程"),
    ]


def test_lists_quotes_code_and_tables_stay_readable() -> None:
    markdown = (
        "> 注意\n\n1. one\n2. two\n   - deep\n\n```python\nx = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    )
    text, entities = render_text(markdown)
    assert text == "注意\n\n1. one\n2. two\n  • deep\n\nx = 1\n\na | b\n1 | 2"
    assert [(one["type"], one.get("language")) for one in entities] == [
        ("blockquote", None),
        ("pre", "python"),
        ("pre", None),
    ]


def test_nobody_is_called_and_no_markup_comes_from_an_answer() -> None:
    text, entities = render_text("@everyone <b>bold</b> <!channel> &amp; @kiyo_bot")
    assert "@everyone" not in text
    assert "everyone" in text
    assert "<b>bold</b> <!channel>" in text
    assert entities == []


@given(st.text(max_size=300))
def test_entities_lie_within_the_text(markdown: str) -> None:
    text, entities = render_text(markdown)
    for one in entities:
        assert one["length"] > 0
        assert one["offset"] + one["length"] <= units(text)


def test_long_answers_become_messages_within_the_limit_with_buttons_below_the_last() -> None:
    buttons = (Button("helpful", "Helpful", "a1"), Button("not_helpful", "Not", "a1"))
    parts = render(Reply(LONG + "😀" * 3000, "ja", buttons=buttons))
    assert len(parts) > 2
    assert all(units(str(part.body["text"])) <= LIMIT for part in parts)
    assert ["keyboard" in part.body for part in parts] == [False] * (len(parts) - 1) + [True]
    joined = "".join("".join(str(part.body["text"]).split()) for part in parts)
    assert joined == "".join((LONG.replace("**", "") + "😀" * 3000).split())


def test_what_a_button_sends_fits_into_64_bytes() -> None:
    data = callback_data(Button("wrong_source", "", "0198f2c3d4e5a1b2c3d4e", value="長" * 40))
    assert data == "wrong_source|0198f2c3d4e5a1b2c3d4e|"
