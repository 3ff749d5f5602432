from __future__ import annotations

import errno
from pathlib import Path

import pytest

from core.errors import ProviderError
from core.providers.full_disk import refuse_full_disk


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, "No space left on device"),
        ValueError("An IO error occurred: 'No space left on device (os error 28)'"),
        ValueError("database or disk is full"),
    ],
)
def test_a_full_disk_is_a_sentence_that_names_the_folder(error: Exception) -> None:
    with pytest.raises(ProviderError, match="no space left on the disk of indexes"):
        refuse_full_disk(error, Path("indexes"))


def test_damage_is_something_else() -> None:
    refuse_full_disk(ValueError("corrupted"), Path("indexes"))
    refuse_full_disk(FileNotFoundError("meta.json"), Path("indexes"))
