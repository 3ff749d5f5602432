"""`kiyo demo --scale`: made-up answers in a folder of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from bots.__main__ import run
from bots.demo_scale import FOLDER, describe_scale
from core.storage.scaling import Scale


def test_a_small_scale_is_made_and_its_figures_are_timed(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["demo", "--scale", "0.0001", "--once"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("100 made-up answers from 20 articles, 1,000 exposures: about")
    for figure in ("top 20 articles", "articles that carried nothing", "one article", "quadrants of all"):
        assert figure in out
    assert (workplace / FOLDER).is_dir()
    assert not (workplace / "demo").exists()


def test_time_and_disk_are_told_beforehand() -> None:
    assert describe_scale(Scale.of(1.0)) == (
        "1,000,000 made-up answers from 5,000 articles, 10,000,000 exposures: about 12 minutes and 6.5 GB."
    )


@pytest.mark.parametrize("fraction", ["0", "1.5", "much"])
def test_what_is_no_fraction_is_refused(workplace: Path, fraction: str) -> None:
    assert run(["demo", "--scale", fraction]) == 2
