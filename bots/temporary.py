"""Services on a store that is thrown away, for measuring without touching the user's own."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from core.config import Settings, load_settings
from core.ports import Embedder, Services
from core.sections.memory import StorageSettings


@contextmanager
def temporary_services() -> Iterator[Services]:
    """The configured models and pipeline on an empty SQLite store in a temporary folder."""
    from core.app import build, close

    with tempfile.TemporaryDirectory(prefix="kiyo-", ignore_cleanup_errors=True) as folder:
        services = build(in_folder(load_settings(), folder))
        try:
            yield services
        finally:
            close(services)


def in_folder(settings: Settings, folder: str) -> Settings:
    """The same settings with everything that is stored in another folder."""
    return settings.model_copy(update={"storage": StorageSettings(folder=folder), "sources": {}})


def configured_embedder() -> Embedder:
    """The configured embedding model, without any store."""
    from core.app import make_embedder

    return make_embedder(load_settings())
