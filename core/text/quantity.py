"""The value in which numbers, dates and codes of a text are compared."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal

Kind = Literal[
    "number",
    "money",
    "date",
    "time",
    "duration",
    "percent",
    "measure",
    "ordinal",
    "code",
    "version",
    "url",
    "email",
]


@dataclass(frozen=True, slots=True)
class Quantity:
    """One number, date, code or address in a text, in canonical form.

    value: plain decimal ("50000", "-1.5"), fraction ("1/3"), ISO date with missing parts left out
    ("2026-04-01", "2026-04", "--04-01", "---25"), clock time ("15:00") or the code itself in capitals.
    unit: base unit ("JPY", "day", "s", "month", "g", "m", "byte", "%"), counter ("person"), or "".
    start, end: characters of the text as given.
    """

    kind: Kind
    value: str
    unit: str
    start: int
    end: int


def plain(number: Decimal | Fraction) -> str:
    """Write a number in the one way in which equal ones are equal strings."""
    if isinstance(number, Fraction):
        return str(number)
    text = format(number.normalize(), "f")
    return "0" if text in ("-0", "") else text
