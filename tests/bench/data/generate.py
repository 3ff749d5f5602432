"""Make statements that differ from their source in one thing only: a number, a negation, a role, ..."""

import json
import sys
import tomllib
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

TEMPLATES = Path(__file__).with_name("pairs.toml")
WORD_KINDS = ("negation", "antonym", "swap")

Row = dict[str, str]


def generate_pairs(templates: Path = TEMPLATES) -> list[Row]:
    """List rows (id, lang, group, source_text, sentence, label, error_type) in the order of the templates.

    error_type of a supported row is the kind of the slot it states, so that each kind can be measured
    against its own true statements; statements without a changed slot have kind "plain".
    """
    languages: Mapping[str, list[Mapping[str, Any]]] = tomllib.loads(templates.read_text(encoding="utf-8"))
    return [row for lang, entries in languages.items() for entry in entries for row in _rows(lang, entry)]


def rows_of_kind(rows: list[Row], *kinds: str) -> list[Row]:
    """Keep the false statements of these kinds and the true statements to compare them with.

    Numbers, dates and units are compared with true statements of the same kind, other kinds with all.
    """
    slots = [kind for kind in kinds if kind not in WORD_KINDS]
    return [row for row in rows if row["error_type"] in kinds or (row["label"] == "supported" and not slots)]


def _rows(lang: str, entry: Mapping[str, Any]) -> Iterator[Row]:
    slots: Mapping[str, Mapping[str, Any]] = entry["slots"]
    values = {name: slot["value"] for name, slot in slots.items()}
    source = entry["source"].format(**values)
    number = count()

    def row(sentence: str, label: str, kind: str) -> Row:
        return {
            "id": f"{lang}-{entry['id']}-{next(number)}",
            "lang": lang,
            "group": f"{lang}-{entry['id']}",
            "source_text": source,
            "sentence": sentence,
            "label": label,
            "error_type": kind,
        }

    for template in entry["faithful"]:
        for name, slot in slots.items():
            if f"{{{name}}}" in template:
                for same in slot["same"]:
                    yield row(template.format(**{**values, name: same}), "supported", slot["kind"])
                for changed in slot["changed"]:
                    yield row(template.format(**{**values, name: changed}), "unsupported", slot["kind"])
    for kind in WORD_KINDS:
        for sentence in entry.get(kind, ()):
            yield row(sentence, "unsupported", kind)


if __name__ == "__main__":
    for generated in generate_pairs():
        sys.stdout.write(json.dumps(generated, ensure_ascii=False) + "\n")
