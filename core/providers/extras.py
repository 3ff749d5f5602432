"""Imports optional packages at their first use."""

from __future__ import annotations

import importlib
from typing import Any

from core.errors import ExtraMissingError


def import_extra(module: str, extra: str) -> Any:
    """Import a package of an extra. Raises ExtraMissingError, which names the extra, when it is absent."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ExtraMissingError(
            f"the package {module} is not installed; install it in Kiyo's folder: pip install -e '.[{extra}]'"
        ) from error
