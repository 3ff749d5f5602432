"""Fit the support measure on the development data and print what it reaches, shipped and with a set left out.

python -m tests.bench.fit_support [--write]    needs KIYO_BENCH_DATA
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from core.contribution.support import DEFAULT_MODEL, SupportModel, format_model, load_model
from core.ports import Vector, Vectors
from core.providers.local_embeddings import LocalEmbedder
from core.usecases.calibrate import calibrate_support
from core.usecases.eval_attribution import evaluate_attribution
from core.usecases.eval_support import evaluate_support
from tests.bench.data.generate import rows_of_kind
from tests.bench.retrieval_sets import data_folder
from tests.bench.support_sets import ATTRIBUTION_SETS, PAIRS, SUPPORT_SETS, Rows, fitted_sets, read_set

COEFFICIENTS = Path("core/contribution/coefficients") / f"{DEFAULT_MODEL}.json"
PAIR_KINDS = (
    ("number",),
    ("date",),
    ("unit",),
    ("number", "date", "unit"),
    ("negation",),
    ("antonym",),
    ("swap",),
)


Figures = list[tuple[str, Mapping[str, Any]]]


class RememberingEmbedder:
    """The default embedder; a text costs once, however many sets and fits it is in."""

    embeds_lines = True

    def __init__(self) -> None:
        self._embedder = LocalEmbedder()
        self.id = self._embedder.id
        self.dimensions = self._embedder.dimensions
        self._known: dict[str, Vector] = {}

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        missing = [text for text in dict.fromkeys(texts) if text not in self._known]
        if missing:
            made = await self._embedder.embed_passages(missing)
            self._known.update(zip(missing, made, strict=True))
        return np.array([self._known[text] for text in texts], dtype=np.float32)

    async def embed_query(self, text: str) -> Vector:
        row: Vector = (await self.embed_passages([text]))[0]
        return row


async def measure_sets(
    sets: Mapping[str, Rows], models: Mapping[str, SupportModel], embedder: RememberingEmbedder
) -> Figures:
    """Figures of every set, by the model named for it."""
    found: list[tuple[str, Mapping[str, Any]]] = [
        (name, await evaluate_support(sets[name], embedder, models[name])) for name in SUPPORT_SETS
    ]
    found += [
        (name, await evaluate_attribution(sets[name], embedder, models[name])) for name in ATTRIBUTION_SETS
    ]
    for kinds in PAIR_KINDS:
        for lang in ("ja", "en"):
            rows = [row for row in rows_of_kind(sets[PAIRS], *kinds) if row["lang"] == lang]
            label = f"{PAIRS} {lang} {'+'.join(kinds)}"
            found.append((label, await evaluate_support(rows, embedder, models[PAIRS])))
    return found


def describe(name: str, figures: Mapping[str, Any]) -> str:
    """One line of the table."""
    shown = (
        "n",
        "auc",
        "auc_overlap",
        "balanced_accuracy",
        "ece",
        "top1",
        "f1",
        "f1_checked",
        "precision",
        "recall",
        "pair_auc",
    )
    parts = [
        f"{key} {figures[key]:.3f}" if isinstance(figures[key], float) else f"{key} {figures[key]}"
        for key in shown
        if key in figures and (key not in ("precision", "recall") or "top1" in figures)
    ]
    interval = figures["ci"].get("f1" if "top1" in figures else "auc")
    ends = f" [{interval[0]:.3f}, {interval[1]:.3f}]" if interval else ""
    return f"{name:<36} {'  '.join(parts)}{ends}"


async def run(folder: Path, write: bool) -> None:
    embedder = RememberingEmbedder()
    fitted = fitted_sets(folder)
    sets = {**{name: read_set(folder, name) for name in ATTRIBUTION_SETS}, **fitted}
    shipped = await calibrate_support(DEFAULT_MODEL, fitted, embedder) if write else load_model()
    if write:
        COEFFICIENTS.write_text(format_model(shipped), encoding="utf-8")
    _print("shipped coefficients", await measure_sets(sets, dict.fromkeys(sets, shipped), embedder))
    families = {name.split("-", 1)[1]: name for name in sets}
    left_out = {
        family: await calibrate_support("left-out", fitted, embedder, exclude=[name])
        for family, name in families.items()
        if any(other.split("-", 1)[1] == family for other in fitted)
    }
    models = {name: left_out[name.split("-", 1)[1]] for name in sets}
    _print("each set left out", await measure_sets(sets, models, embedder))


def _print(title: str, figures: Figures) -> None:
    sys.stdout.write(f"\n{title}\n")
    for name, values in figures:
        sys.stdout.write(f"{describe(name, values)}\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="fit anew and replace the shipped coefficients")
    folder = data_folder()
    if folder is None:
        sys.stdout.write("KIYO_BENCH_DATA names no folder: nothing to fit on\n")
        return
    asyncio.run(run(folder, parser.parse_args().write))


if __name__ == "__main__":
    main()
