"""Take pictures of the pages of the dashboard for the documentation, from the sample knowledge base.

    python -m tests.tools.take_screenshots        writes docs/img/page-*.png

The demo is run once in a temporary folder and served on loopback; Debian's Chromium looks at it (it is looked
for on the PATH and never downloaded). Pages are drawn at 1440 pixels in English, one at 390 in Japanese.
"""

from __future__ import annotations

import io
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from bots.serving import GROUPS_VARIABLE, find_free_port, running_dashboard
from tests.browser.chromium import find_chromium, opened_browser, settle

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "img"
SHOWN = {
    "overview": 1000,
    "quadrants": 1300,
    "article": 1500,
    "unused": 940,
    "gaps": 1000,
    "knowledge": 1000,
    "answer": 1100,
    "ask": 700,
    "reviews": 700,
    "labelling": 900,
    "calibration": 900,
    "lab": 800,
}
"""Page -> height in pixels."""
WIDTH = 1440
NARROW = (390, 844)
COLOURS = 192
CHOSEN = {
    ("article", "en"): ("article", "knowledge/product/en/api-reference.md"),
    ("article", "ja"): ("article", "knowledge/company/ja/paid-leave.md"),
    ("answer", "en"): ("id", "recorded-ee1c593318f068f3aa58"),
}
"""Page and language -> what its address chooses."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture: its file in docs/img, the page, what stands in the address, the size in pixels."""

    name: str
    page: str
    query: tuple[tuple[str, str], ...]
    size: tuple[int, int]


def pictures() -> list[Picture]:
    """Those of SHOWN in English, and the page of one article in Japanese on a telephone."""
    wide = [
        Picture(f"page-{page}", page, _query(page, "en"), (WIDTH, height)) for page, height in SHOWN.items()
    ]
    return [*wide, Picture("page-article-ja", "article", _query("article", "ja"), NARROW)]


def _query(page: str, language: str) -> tuple[tuple[str, str], ...]:
    chosen = [CHOSEN[page, language]] if (page, language) in CHOSEN else []
    return (*chosen, ("period", "all"), ("lang", language))


@contextmanager
def served_demo(folder: Path) -> Iterator[str]:
    """The address of a dashboard over the demo, run once in this folder."""
    subprocess.run(  # our own command line, no shell
        [sys.executable, "-m", "bots", "demo", "--once"],
        cwd=folder,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    settings = {"KIYO_CONFIG": str(folder / "demo" / "kiyo.toml"), GROUPS_VARIABLE: "managers"}
    with closing(sqlite3.connect(folder / "demo" / "kiyo.db")) as connection, connection:
        # A picture names no folder of the machine it was taken on.
        connection.execute("UPDATE sources SET location = '/srv/' || name")
    with running_dashboard(find_free_port(), settings) as address:
        yield address


def take(browser: Browser, address: str, picture: Picture) -> bytes:
    """PNG of what is seen first, in few colours so that it stays small."""
    width, height = picture.size
    locale = dict(picture.query)["lang"]
    page = browser.new_page(
        viewport={"width": width, "height": height},
        color_scheme="light",
        locale=locale,
        device_scale_factor=1,
    )
    page.goto(f"{address}/{picture.page}?{urlencode(picture.query)}")
    settle(page)
    page.wait_for_load_state("networkidle")
    taken = page.screenshot()
    page.close()
    return compress(taken)


def compress(png: bytes) -> bytes:
    """The same picture with a palette of COLOURS."""
    from PIL import Image

    written = io.BytesIO()
    Image.open(io.BytesIO(png)).convert("RGB").quantize(COLOURS).save(written, "PNG", optimize=True)
    return written.getvalue()


def main() -> int:
    """Write them all; 1 where no browser is found."""
    chromium = find_chromium()
    if chromium is None:
        sys.stderr.write("Pictures need Chromium. On Debian: apt-get install chromium\n")
        return 1
    with (
        tempfile.TemporaryDirectory() as folder,
        served_demo(Path(folder)) as address,
        opened_browser(chromium) as browser,
    ):
        for picture in pictures():
            target = PICTURES / f"{picture.name}.png"
            target.write_bytes(take(browser, address, picture))
            sys.stdout.write(f"{target.relative_to(ROOT)}  {target.stat().st_size // 1024} kB\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
