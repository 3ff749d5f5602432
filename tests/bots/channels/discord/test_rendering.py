from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bots.channels.discord.rendering import LIMIT, render
from bots.channels.markup.splitting import count_utf16
from core.messages import Button, Reply


@given(st.text(alphabet="ab \n`𝄞。", max_size=400).map(lambda text: text * 12))
def test_every_message_fits_by_units_of_utf16(text: str) -> None:
    assert all(count_utf16(part.text) <= LIMIT for part in render(Reply(text, "en")))


def test_only_the_last_message_has_buttons_which_carry_kind_and_target() -> None:
    reply = Reply("word " * 900, "en", buttons=(Button("helpful", "Helpful", "a1"),))

    parts = render(reply)

    assert len(parts) > 1
    assert [len(part.body["buttons"]) for part in parts[:-1]] == [0] * (len(parts) - 1)
    assert parts[-1].body["buttons"][0]["custom_id"] == "helpful|a1|"
