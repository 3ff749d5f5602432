"""What stands above and below an answer."""

from __future__ import annotations

from bots.channels.markup.composing import compose, escape_markdown
from bots.channels.markup.tree import parse
from core.messages import Reply, ReplySource

SOURCES = (
    ReplySource(1, "Travel [rules]", "https://wiki.example.com/travel#cars", "page 3"),
    ReplySource(2, "旅費 *規程*", "file:///srv/travel.pdf", share=0.5),
)


def test_sources_are_numbered_and_linked_where_they_can_be_opened() -> None:
    text = compose(Reply("Take the train. [1]", "en", sources=SOURCES))
    assert text.startswith("Take the train. [1]\n\n**Sources**")
    assert r"\[1\] [Travel \[rules\]](<https://wiki.example.com/travel#cars>) · page 3" in text
    assert "file:///" not in text
    assert "50%" in text


def test_a_caution_stands_in_front_in_the_language_of_the_reply() -> None:
    text = compose(Reply("電車です。", "ja", sources=SOURCES[:1], caution="確認が必要です。"))
    assert text.startswith("> 確認が必要です。\n\n電車です。")
    assert "**出典**" in text


def test_titles_cannot_write_markup() -> None:
    hostile = "a](https://evil.example) **b** <c> `d`\n# e"
    tree = parse(escape_markdown(hostile))
    kinds = {node.type for node in tree.walk()}
    assert kinds <= {"root", "paragraph", "inline", "text"}
