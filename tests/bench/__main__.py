"""make bench: measure, print a table and then one line of JSON.

python -m tests.bench [PART ...]    all parts, or those named; KIYO_BENCH_DATA names the development data
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping

from tests.bench import quality, speed, startup
from tests.bench.figures import Figure, as_json, as_table

PARTS: Mapping[str, Callable[[], list[Figure]]] = {
    "retrieval": quality.retrieval,
    "support": quality.support,
    "attribution": quality.attribution,
    "reply-1k": speed.reply_1k,
    "reply-100k": speed.reply_100k,
    "ingest": speed.ingest,
    "startup": startup.startup,
    "unchanged": startup.unchanged,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], help="default: all")
    chosen = parser.parse_args().parts or list(PARTS)
    figures: list[Figure] = []
    for name in chosen:
        measured = PARTS[name]()
        print(f"\n{name}\n{as_table(measured)}", flush=True)
        figures += measured
    print(f"\n{as_json(figures)}")
    missed = [figure.name for figure in figures if figure.met is False]
    if missed:
        print(f"{len(missed)} targets not met", file=sys.stderr)


if __name__ == "__main__":
    main()
