"""Tell a full disk from a damaged index: the one needs room, the other is thrown away and filled again."""

from __future__ import annotations

import errno
from pathlib import Path

from core.errors import ProviderError


def refuse_full_disk(error: Exception, folder: Path) -> None:
    """Raise ProviderError if the error, or what caused it, is that of a full disk."""
    full = getattr(error, "errno", None) == errno.ENOSPC
    if full or "No space left" in str(error) or "disk is full" in str(error):
        sentence = f"There is no space left on the disk of {folder}; make some and try again."
        raise ProviderError(sentence) from error
