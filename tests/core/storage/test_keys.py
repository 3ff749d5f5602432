from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from core.storage.keys import day_date, day_number, day_of, from_ms, storable, text_hash, to_ms

MOMENTS = st.timedeltas(timedelta(days=-30_000), timedelta(days=90_000)).map(
    lambda since: datetime(1970, 1, 1, tzinfo=UTC) + since
)


@given(MOMENTS)
def test_times_keep_their_milliseconds(moment: datetime) -> None:
    back = from_ms(to_ms(moment))
    assert timedelta(0) <= moment - back < timedelta(milliseconds=1)
    assert from_ms(to_ms(back)) == back


@given(MOMENTS)
def test_the_day_is_the_day_in_utc(moment: datetime) -> None:
    tokyo = moment.astimezone(timezone(timedelta(hours=9)))
    assert day_date(day_of(to_ms(tokyo))) == moment.date()


def test_days_are_counted_from_1970() -> None:
    assert day_number(date(1970, 1, 2)) == 1
    assert day_date(0) == date(1970, 1, 1)


@given(st.text(st.characters(exclude_categories=[])))
def test_stored_text_keeps_its_length_and_every_position(text: str) -> None:
    stored = storable(text)
    assert len(stored) == len(text)
    stored.encode("utf-8")
    assert "\0" not in stored
    assert all(new in (old, "\ufffd") for old, new in zip(text, stored, strict=True))


def test_a_hash_fits_a_signed_64_bit_column_and_does_not_change() -> None:
    assert text_hash("有給休暇は10日です。") == text_hash("有給休暇は10日です。")
    assert text_hash("a") != text_hash("b")
    assert all(-(2**63) <= text_hash(str(n)) < 2**63 for n in range(100))
    assert text_hash("Leave is ten days.") == EXPECTED


EXPECTED = -4308246932687872092
"""Stored hashes are compared over years: this one may never change."""
