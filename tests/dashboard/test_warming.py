"""What is loaded before the first visitor, and left out of looking for garbage."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import gc, sys
from dashboard.warming import load_pages
load_pages()
known = set(sys.modules)
assert {"pandas", "altair", "dashboard.views.calibration", "dashboard.words.lab"} <= known
print(len(gc.get_objects()) * 10 < gc.get_freeze_count())
"""


def test_pages_are_loaded_and_their_modules_are_not_looked_through_again() -> None:
    """In a process of its own, since freezing holds for good."""
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "True"
