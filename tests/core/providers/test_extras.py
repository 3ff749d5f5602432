from __future__ import annotations

import pytest

from core.errors import ExtraMissingError
from core.providers.extras import import_extra


def test_a_missing_package_names_the_extra_to_install() -> None:
    with pytest.raises(ExtraMissingError, match=r"pip install -e '\.\[fastembed\]'"):
        import_extra("a_package_that_nobody_has", "fastembed")


def test_a_package_that_is_there_is_given() -> None:
    assert import_extra("json", "any").loads("1") == 1
