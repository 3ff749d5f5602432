"""Decide whether the quantities of a statement stand in its source."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from core.text.quantity import Quantity

_SECONDS_PER_DAY = 86_400
_SMALLEST_BARE = 10
"""A source number without a unit, as in a table cell, stands for one with a unit from this value on."""

_NAMES = ("number", "ordinal", "version", "code")
_MEASURES = ("money", "duration", "percent", "measure")
_DATE = re.compile(r"(?P<year>\d{4})?-?(?:-(?P<month>\d\d))?(?:--?(?P<day>\d\d))?")
_DECIMAL = re.compile(r"-?\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Agreement:
    """The quantities of a statement, sorted by what the source says of them; in order, each once.

    matched: the source has an equal value. conflicting: the source speaks of this kind and unit, but
    only with other values. missing: it does not speak of it.
    """

    matched: tuple[Quantity, ...]
    conflicting: tuple[Quantity, ...]
    missing: tuple[Quantity, ...]


@dataclass(frozen=True, slots=True)
class Mention:
    """A quantity where it stands: whether it is called approximate, and the words beside a bare number."""

    quantity: Quantity
    is_approximate: bool
    beside: frozenset[str]


def sort_by_agreement(stated: Sequence[Mention], source: Sequence[Mention]) -> Agreement:
    """Sort the quantities of a statement by their agreement with those of the source."""
    matched, conflicting, missing = [], [], []
    for mention in stated:
        if any(_agree(mention, other) for other in source):
            matched.append(mention.quantity)
        elif any(_contradict(mention, other) for other in source):
            conflicting.append(mention.quantity)
        else:
            missing.append(mention.quantity)
    return Agreement(tuple(matched), tuple(conflicting), tuple(missing))


def _agree(mention: Mention, other: Mention) -> bool:
    """Say whether the source quantity is equal to the stated one, or more exact than it."""
    stated, source = mention.quantity, other.quantity
    if stated.kind != source.kind:
        return _agrees_across_kinds(stated, source)
    if stated.kind == "date" and stated.unit == source.unit == "":
        return _date_covers(source.value, stated.value)
    if stated.kind == "time":
        return _times_agree(stated, source)
    if stated.kind == "duration" and {stated.unit, source.unit} == {"day", "s"}:
        return _seconds(stated) == _seconds(source)
    if not _comparable(stated, source):
        return False
    return stated.value == source.value or (mention.is_approximate and _rounds_to(stated, source))


def _contradict(mention: Mention, other: Mention) -> bool:
    """Say whether the source gives another value for what may be the same: kind, unit and words beside."""
    stated, source = mention.quantity, other.quantity
    if stated.kind != source.kind or not _comparable(stated, source):
        return False
    if stated.kind == "date" and stated.unit == "":
        # A source that only leaves parts out is silent on them.
        return not _date_covers(stated.value, source.value) and _share_a_part(stated.value, source.value)
    if stated.kind == "number" and "" in (stated.unit, source.unit):
        same_words = mention.beside == other.beside or bool(mention.beside & other.beside)
        return stated.unit == source.unit and same_words
    return True


def _comparable(stated: Quantity, source: Quantity) -> bool:
    if stated.unit == source.unit:
        return True
    if stated.kind == "time":
        return True
    if stated.kind in ("number", "ordinal"):
        return "" in (stated.unit, source.unit)
    # A code without a unit may be a phone number or an extension.
    return stated.kind == "code" and "" in (stated.unit, source.unit)


def _seconds(duration: Quantity) -> Decimal:
    return Decimal(duration.value) * (_SECONDS_PER_DAY if duration.unit == "day" else 1)


def _agrees_across_kinds(stated: Quantity, source: Quantity) -> bool:
    kinds = {stated.kind, source.kind}
    if kinds == {"date", "duration"}:
        date, duration = (stated, source) if stated.kind == "date" else (source, stated)
        # 25日 is a day of the month or a number of days.
        return date.value == f"---{duration.value:0>2}" and duration.unit == "day"
    if kinds == {"date", "number"}:
        date, number = (stated, source) if stated.kind == "date" else (source, stated)
        year_only = date is source or "-" not in date.value
        return number.unit == "" and year_only and date.value[:4] == number.value
    if stated.unit == "" and stated.kind in _NAMES:
        return stated.value == source.value and (source.kind in _NAMES or stated.kind == "number")
    if source.kind == "number" and source.unit == "" and stated.kind in _MEASURES:
        return stated.value == source.value and abs(Decimal(stated.value)) >= _SMALLEST_BARE
    return False


def _times_agree(stated: Quantity, source: Quantity) -> bool:
    if stated.value == source.value:
        return True
    if "clock12" not in (stated.unit, source.unit):
        return False
    hours = [int(quantity.value[:2]) % 12 for quantity in (stated, source)]
    return hours[0] == hours[1] and stated.value[2:] == source.value[2:]


def _rounds_to(stated: Quantity, source: Quantity) -> bool:
    """Say whether the source value is the stated one at the stated number of digits: about 1.5 and 1.512."""
    if not (_DECIMAL.fullmatch(stated.value) and _DECIMAL.fullmatch(source.value)):
        return False
    one, other = Decimal(stated.value), Decimal(source.value)
    exponent = one.normalize().as_tuple().exponent
    return bool(one) and isinstance(exponent, int) and abs(one - other) * 2 <= Decimal(10) ** exponent


def _date_parts(value: str) -> dict[str, str]:
    """Split 2026-04-01, 2026-04, 2026, --04-01, --04 or ---25 into the parts that it tells."""
    match = _DATE.fullmatch(value)
    return {name: part for name, part in match.groupdict().items() if part} if match else {}


def _date_covers(exact: str, rough: str) -> bool:
    if exact == rough:
        return True
    parts = _date_parts(exact)
    return all(parts.get(name) == value for name, value in _date_parts(rough).items())


def _share_a_part(one: str, other: str) -> bool:
    return bool(_date_parts(one).keys() & _date_parts(other).keys())
