"""From the characters of a PDF page to its printed rows, in reading order.

Which rows are headings, headers or paragraphs is left to the modules that use them.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median

_CJK = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uff9f\U00020000-\U0003ffff]")
_BOLD = re.compile(r"Bold|Heavy|Black|Semibold|Demi|CMBX|-W[6-9]\b|-(?:M|B)$", re.IGNORECASE)
_MONO = re.compile(r"Mono|Courier|Typewriter|CMTT|Consol|Menlo|LMTT|TXTT|Code", re.IGNORECASE)
_LEADERS = re.compile(r"\s*(?:[.．…・‥]\s*){4,}")
_SCRIPT_SIZE = 0.85
"""A glyph up to this share of its neighbour's size may be a subscript or superscript."""
_CELL_GAP = 2.0
"""Gap, in units of the font size, that separates the cells of a table row."""
_LEAST_COLUMN_ROWS = 8


@dataclass(frozen=True, slots=True)
class Glyph:
    """One printed character. Lengths in points; y grows downwards; baseline is where it stands."""

    text: str
    x0: float
    x1: float
    baseline: float
    size: float
    font: str


@dataclass(frozen=True, slots=True)
class Row:
    """One printed row of one column.

    page, number: 1-based; number counts the rows of the page in reading order. column: 0 across the
    page, 1 left, 2 right. x0, x1, top, baseline, size: points, y downwards; size is that of most of its
    glyphs. cells: where its parts begin that stand far apart; more than one in a table.
    """

    page: int
    number: int
    text: str
    x0: float
    x1: float
    top: float
    baseline: float
    size: float
    column: int = 0
    bold: bool = False
    mono: bool = False
    cells: tuple[tuple[float, str], ...] = ()


def build_rows(glyphs: Sequence[Glyph], page: int) -> list[Row]:
    """Build the rows of a page, left column before right column where it has two."""
    bands = _cluster(glyphs)
    gutter = _find_gutter(bands)
    ordered: list[tuple[int, list[Glyph]]] = []
    waiting: tuple[list[list[Glyph]], list[list[Glyph]]] = ([], [])
    for band in bands:
        left, right = _split_at(band, gutter)
        if gutter is None or (left is None and right is None):
            ordered.extend(_flush(waiting))
            ordered.append((0, band))
            continue
        for side, part in enumerate((left, right)):
            if part:
                waiting[side].append(part)
    ordered.extend(_flush(waiting))
    rows: list[Row] = []
    for column, band in ordered:
        row = _row(band, page, column)
        if row is not None:
            rows.append(replace(row, number=len(rows) + 1))
    return rows


def is_cjk(character: str) -> bool:
    """Say whether a character is Chinese or Japanese, or their punctuation."""
    return _CJK.match(character) is not None


def _flush(waiting: tuple[list[list[Glyph]], list[list[Glyph]]]) -> list[tuple[int, list[Glyph]]]:
    ordered = [(side + 1, band) for side in (0, 1) for band in waiting[side]]
    waiting[0].clear()
    waiting[1].clear()
    return ordered


def _cluster(glyphs: Iterable[Glyph]) -> list[list[Glyph]]:
    """Group glyphs into bands by their baselines, top to bottom; scripts go with their word."""
    groups: dict[tuple[float, float], list[Glyph]] = defaultdict(list)
    for glyph in glyphs:
        groups[round(glyph.baseline, 1), round(glyph.size, 1)].append(glyph)
    bands: list[tuple[float, float, list[Glyph]]] = []
    by_bucket: dict[int, list[int]] = defaultdict(list)
    for (baseline, size), members in sorted(
        groups.items(), key=lambda item: (-item[0][1], -len(item[1]), item[0][0])
    ):
        index = _band_of(baseline, size, bands, by_bucket)
        if index is None:
            by_bucket[int(baseline // 20)].append(len(bands))
            bands.append((baseline, size, list(members)))
        else:
            bands[index][2].extend(members)
    return [members for _, _, members in sorted(bands, key=lambda band: band[0])]


def _band_of(
    baseline: float,
    size: float,
    bands: Sequence[tuple[float, float, list[Glyph]]],
    by_bucket: dict[int, list[int]],
) -> int | None:
    bucket = int(baseline // 20)
    best: tuple[float, int] | None = None
    for near in (bucket - 1, bucket, bucket + 1):
        for index in by_bucket.get(near, ()):
            band_baseline, band_size, _ = bands[index]
            drop = baseline - band_baseline
            if size > band_size * _SCRIPT_SIZE:
                fits = abs(drop) <= 0.3 * band_size
            else:
                fits = size >= band_size * 0.4 and -0.6 * band_size <= drop <= 0.35 * band_size
            if fits and (best is None or abs(drop) < best[0]):
                best = (abs(drop), index)
    return best[1] if best is not None else None


def _find_gutter(bands: Sequence[list[Glyph]]) -> float | None:
    """Find the middle of the white stripe between two columns of running text, None if there is none."""
    glyphs = [glyph for band in bands for glyph in band]
    if not glyphs:
        return None
    left, right = min(glyph.x0 for glyph in glyphs), max(glyph.x1 for glyph in glyphs)
    width = right - left
    counts = _crossings(bands, left, right)
    middle = range(int(width * 0.35), int(width * 0.65))
    if not middle:
        return None
    fewest = min(counts[x] for x in middle)
    calm = [x for x in middle if counts[x] == fewest]
    gutter = left + calm[len(calm) // 2] + 0.5
    sides: tuple[list[float], list[float]] = ([], [])
    for band in bands:
        parts = _split_at(band, gutter)
        for side, part in enumerate(parts):
            if part:
                sides[side].append(max(g.x1 for g in part) - min(g.x0 for g in part))
    if min(len(side) for side in sides) < _LEAST_COLUMN_ROWS or fewest > 0.35 * len(bands):
        return None
    widths = (gutter - left, right - gutter)
    # Running text fills its column; the cells of a table do not.
    full = all(median(side) >= 0.75 * width for side, width in zip(sides, widths, strict=True))
    return gutter if full else None


def _crossings(bands: Sequence[list[Glyph]], left: float, right: float) -> list[int]:
    """For each point of width, how many bands have ink (or a narrow gap) there."""
    counts = [0] * (int(right - left) + 2)
    for band in bands:
        for first, last in _stretches(band):
            for x in range(int(first - left), min(int(last - left) + 1, len(counts))):
                counts[x] += 1
    return counts


def _stretches(band: Sequence[Glyph]) -> list[tuple[float, float]]:
    """Parts of a band without gaps as wide as a letter."""
    stretches: list[tuple[float, float]] = []
    for glyph in sorted((g for g in band if not g.text.isspace()), key=lambda g: g.x0):
        if stretches and glyph.x0 - stretches[-1][1] < 0.8 * glyph.size:
            stretches[-1] = (stretches[-1][0], max(stretches[-1][1], glyph.x1))
        else:
            stretches.append((glyph.x0, glyph.x1))
    return stretches


def _split_at(band: list[Glyph], gutter: float | None) -> tuple[list[Glyph] | None, list[Glyph] | None]:
    """Split a band at the gutter; (None, None) if it runs across."""
    if gutter is None or any(first < gutter < last for first, last in _stretches(band)):
        return None, None
    return [g for g in band if g.x1 <= gutter], [g for g in band if g.x1 > gutter]


def _row(band: Sequence[Glyph], page: int, column: int) -> Row | None:
    glyphs = sorted(band, key=lambda glyph: (glyph.x0, glyph.baseline))
    inked = [glyph for glyph in glyphs if not glyph.text.isspace()]
    if not inked:
        return None
    size = Counter(round(glyph.size, 1) for glyph in inked).most_common(1)[0][0]
    cells = _cells(glyphs, size)
    text = _LEADERS.sub(" … ", (" | " if len(cells) > 2 else " ").join(words for _, words in cells))
    baselines = Counter(round(glyph.baseline, 1) for glyph in inked)
    baseline = baselines.most_common(1)[0][0]
    latin = [glyph for glyph in inked if not is_cjk(glyph.text[0])]
    return Row(
        page=page,
        number=0,
        text=text.strip(),
        x0=inked[0].x0,
        x1=max(glyph.x1 for glyph in inked),
        top=baseline - size,
        baseline=baseline,
        size=size,
        column=column,
        bold=2 * sum(1 for glyph in inked if _BOLD.search(glyph.font)) > len(inked),
        mono=5 * len(latin) > 4 * len(inked) and _is_monospaced(latin),
        cells=tuple(cells),
    )


def _is_monospaced(glyphs: Sequence[Glyph]) -> bool:
    """Judge by the fonts' names, or by the widths if enough different letters are there."""
    if sum(1 for glyph in glyphs if _MONO.search(glyph.font)) > 0.8 * len(glyphs):
        return True
    letters = {glyph.text for glyph in glyphs if glyph.text.isalpha()}
    widths = [(glyph.x1 - glyph.x0) / glyph.size for glyph in glyphs]
    return len(letters) >= 5 and max(widths) - min(widths) < 0.02


def _cells(glyphs: Sequence[Glyph], size: float) -> list[tuple[float, str]]:
    """Cut a row where its gaps are wide, and write out each part."""
    cells: list[list[Glyph]] = []
    right = 0.0
    for glyph in glyphs:
        if glyph.text.isspace():
            continue
        if not cells or glyph.x0 - right > _CELL_GAP * size:
            cells.append([])
        cells[-1].append(glyph)
        right = max(right, glyph.x1) if cells[-1][:-1] else glyph.x1
    spaces = [glyph for glyph in glyphs if glyph.text.isspace()]
    return [(cell[0].x0, _write(cell, spaces)) for cell in cells]


def _write(glyphs: Sequence[Glyph], spaces: Sequence[Glyph]) -> str:
    """Write glyphs, sorted from left to right, as text with spaces and folded scripts."""
    stops = sorted(glyph.x0 for glyph in spaces)
    written: list[str] = []
    scripts: tuple[list[str], list[str]] = ([], [])
    base: Glyph | None = None
    previous: Glyph | None = None
    stop = 0
    for glyph in glyphs:
        while stop < len(stops) and previous is not None and stops[stop] < previous.x0:
            stop += 1
        spaced = stop < len(stops) and previous is not None and stops[stop] < glyph.x0 + 0.1
        wide = previous is not None and glyph.x0 - previous.x1 > _space_width(previous, glyph)
        script = _script(base, glyph) if base is not None and not wide else 0
        if script and base is not None:
            scripts[0 if script > 0 else 1].append(glyph.text)
        else:
            _write_scripts(written, scripts, "" if wide or spaced else glyph.text)
            if written and (spaced or wide):
                written.append(" ")
            written.append(glyph.text)
            base = glyph
        previous = glyph
    _write_scripts(written, scripts, "")
    return "".join(written)


def _space_width(before: Glyph, after: Glyph) -> float:
    """Gap beyond which two glyphs are separate words; Japanese is set with wide gaps inside words."""
    size = min(before.size, after.size)
    japanese = is_cjk(before.text[-1]) + is_cjk(after.text[0])
    return size * (0.15, 0.5, 0.8)[japanese]


def _script(base: Glyph, glyph: Glyph) -> int:
    """Say how a glyph stands beside the last full-size one: 1 lowered, -1 raised, 0 as one of its kind."""
    if glyph.size > base.size * _SCRIPT_SIZE or is_cjk(glyph.text[0]):
        return 0
    drop = glyph.baseline - base.baseline
    if drop > 0.08 * base.size:
        return 1
    return -1 if drop < -0.15 * base.size else 0


def _write_scripts(written: list[str], scripts: tuple[list[str], list[str]], following: str) -> None:
    """Write what hangs on the last letter: d_k, n^2; a raised letter inside a logo stays plain."""
    lowered, raised = "".join(scripts[0]), "".join(scripts[1])
    scripts[0].clear()
    scripts[1].clear()
    on_word = bool(written) and written[-1][-1].isalnum()
    if lowered:
        written.append(f"_{lowered}" if on_word and lowered[0].isalnum() else lowered)
    if raised:
        inside = raised.isalpha() and following[:1].isalpha()
        written.append(f"^{raised}" if on_word and not inside else raised)
