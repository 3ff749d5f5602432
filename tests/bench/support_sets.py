"""The sets on which the support measure is fitted and measured: judged, generated, and from real pages."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from core.contribution.statements import split_statements
from tests.bench.data.generate import generate_pairs

Rows = list[dict[str, Any]]

SUPPORT_SETS = (
    "support-jhars-ja",
    "support-hagrid",
    "support-attributedqa",
    "support-begin-wow",
    "support-summedits",
    "support-jnli-ja",
    "support-jsick-ja",
)
ATTRIBUTION_SETS = ("multi-quotesum", "multi-hagrid", "multi-jhars-ja", "multi-clapnq")
FITTED_ATTRIBUTION_SETS = ("multi-quotesum", "multi-clapnq")
"""The other two hold the questions of support sets and would count them twice."""

PAIRS = "generated-pairs"
PAGES = "multi-fastapi"

_PAGE_CHARACTERS = 6000
_SENTENCES = 300
_OTHER_PAGES = 5
_LEAST_CHARACTERS = 20


def read_set(folder: Path, name: str) -> Rows:
    """Rows of one set of the development data."""
    text = (folder / name / "data.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def fitted_sets(folder: Path) -> dict[str, Rows]:
    """Every set that coefficients are fitted on, by name."""
    sets = {name: read_set(folder, name) for name in (*SUPPORT_SETS, *FITTED_ATTRIBUTION_SETS)}
    sets[PAIRS] = [dict(row) for row in generate_pairs()]
    sets[PAGES] = page_rows(folder / "docs-fastapi")
    return sets


def page_rows(folder: Path, seed: int = 0) -> Rows:
    """Sentences of a documentation, each with its own page and others of the same language.

    They teach the difference between an article that says something and one of the same field that does
    not. Which sentences and pages are drawn depends on the seed alone.
    """
    pages = {str(path.relative_to(folder)): _read(path) for path in sorted(folder.glob("*/**/*.md"))}
    generator = random.Random(seed)
    return list(_draw(pages, generator))


def _draw(pages: Mapping[str, str], generator: random.Random) -> Iterator[dict[str, Any]]:
    names = sorted(pages)
    for number in range(_SENTENCES):
        own = generator.choice(names)
        others = [name for name in names if name[:3] == own[:3] and name != own]
        drawn = [own, *generator.sample(others, _OTHER_PAGES)]
        sentences = [
            statement.text
            for statement in split_statements(pages[own])
            if statement.judged and len(statement.text) >= _LEAST_CHARACTERS
        ]
        if sentences:
            yield {
                "id": str(number),
                "lang": own[:2],
                "group": own,
                "answer_sentences": [generator.choice(sentences)],
                "passages": [{"id": name, "title": "", "text": pages[name]} for name in drawn],
                "gold": [[own]],
            }


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")[:_PAGE_CHARACTERS]
