"""Decide whether the quantities of a statement stand in its source."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from core.text.quantity import Quantity

_SECONDS_PER_DAY = 86_400
_SMALLEST_BARE = 10
"""A source number without a unit, as in a table cell, stands for one with a unit from this value on."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """The quantities of a statement, sorted by what the source says of them; in order, each once.

    matched: the source has an equal value. conflicting: the source speaks of this kind and unit, but
    only with other values. missing: it does not speak of it.
    """

    matched: tuple[Quantity, ...]
    conflicting: tuple[Quantity, ...]
    missing: tuple[Quantity, ...]


def sort_by_agreement(stated: Sequence[tuple[Quantity, bool]], source: Sequence[Quantity]) -> Agreement:
    """Sort the quantities of a statement by their agreement with those of the source.

    stated: each quantity, and whether the statement calls it approximate; then a source value that
    rounds to it agrees.
    """
    matched, conflicting, missing = [], [], []
    for quantity, approximate in stated:
        if any(agrees(quantity, other, approximate) for other in source):
            matched.append(quantity)
        elif any(contradicts(quantity, other) for other in source):
            conflicting.append(quantity)
        else:
            missing.append(quantity)
    return Agreement(tuple(matched), tuple(conflicting), tuple(missing))


def agrees(stated: Quantity, source: Quantity, approximate: bool = False) -> bool:
    """Say whether the source quantity is equal to the stated one, or more exact than it."""
    if stated.kind != source.kind:
        return _agrees_across_kinds(stated, source)
    if stated.kind == "date":
        return _comparable(stated, source) and _date_covers(source.value, stated.value)
    if stated.kind == "time":
        return _times_agree(stated, source)
    if not _comparable(stated, source):
        return False
    if _in_base(stated) == _in_base(source):
        return True
    return approximate and _rounds_to(stated, source)


def contradicts(stated: Quantity, source: Quantity) -> bool:
    """Say whether the source has the same kind and unit with another value."""
    if stated.kind != source.kind or not _comparable(stated, source) or agrees(stated, source):
        return False
    if stated.kind == "date" and stated.unit == "":
        # A source that only leaves parts out is silent on them.
        return not _date_covers(stated.value, source.value) and _share_a_part(stated.value, source.value)
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


def _in_base(quantity: Quantity) -> Decimal | str:
    try:
        return Decimal(quantity.value) if quantity.kind not in ("code", "version") else quantity.value
    except InvalidOperation:
        return quantity.value


def _agrees_across_kinds(stated: Quantity, source: Quantity) -> bool:
    if stated.unit == "" and stated.kind in ("number", "ordinal", "version", "code"):
        named = source.kind in ("number", "ordinal", "version", "code")
        return stated.value == source.value and (named or stated.kind == "number")
    if (
        source.kind == "number"
        and source.unit == ""
        and stated.kind in ("money", "duration", "percent", "measure")
    ):
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
    one, other = _in_base(stated), _in_base(source)
    if isinstance(one, str) or isinstance(other, str) or not one:
        return False
    exponent = one.normalize().as_tuple().exponent
    return isinstance(exponent, int) and abs(one - other) * 2 <= Decimal(10) ** exponent


def _date_parts(value: str) -> dict[str, str]:
    """Split 2026-04-01, 2026-04, 2026, --04-01 or --04 into the parts that it tells."""
    year, rest = ("", value[1:]) if value.startswith("-") else (value[:4], value[4:])
    pieces = rest.strip("-").split("-") if rest else []
    parts = dict(zip(("month", "day"), pieces, strict=False))
    return parts | ({"year": year} if year else {})


def _date_covers(exact: str, rough: str) -> bool:
    if exact == rough:
        return True
    parts = _date_parts(exact)
    return all(parts.get(name) == value for name, value in _date_parts(rough).items())


def _share_a_part(one: str, other: str) -> bool:
    return bool(_date_parts(one).keys() & _date_parts(other).keys())
