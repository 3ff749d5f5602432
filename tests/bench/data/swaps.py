"""Make statements in which two names stand in each other's place, beside true ones with the same words."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.bench.data.generate import Row

TEMPLATES = Path(__file__).with_name("swaps.toml")


def generate_swaps(templates: Path = TEMPLATES) -> list[Row]:
    """List rows (id, lang, group, source_text, sentence, label, error_type) in the order of the templates.

    error_type: the kind of the names, of true statements too.
    """
    languages: Mapping[str, Mapping[str, Any]] = tomllib.loads(templates.read_text(encoding="utf-8"))
    return [
        row
        for lang, data in languages.items()
        for number, entry in enumerate(data["pair"])
        for place, names in enumerate(data["names"][0][entry["kind"]])
        for row in _rows(lang, entry, names, f"{lang}-{number}-{place}")
    ]


def _rows(lang: str, entry: Mapping[str, Any], names: list[str], group: str) -> Iterator[Row]:
    first, second = names
    said = [
        (template.format(A=one, B=other), label)
        for template in entry["faithful"]
        for one, other, label in ((first, second, "supported"), (second, first, "unsupported"))
    ]
    for number, (sentence, label) in enumerate(said):
        yield {
            "id": f"{group}-{number}",
            "lang": lang,
            "group": group,
            "source_text": _sentence(entry["source"].format(A=first, B=second)),
            "sentence": _sentence(sentence),
            "label": label,
            "error_type": entry["kind"],
        }


def _sentence(text: str) -> str:
    """As it is written at the beginning of a sentence: "the seller" becomes "The seller"."""
    return text[0].upper() + text[1:]
