"""Loads fastembed's models: from its cache, else by downloading them once."""

from __future__ import annotations

import socket
import urllib.parse
import urllib.request
from collections.abc import Callable

from core.errors import ProviderError
from core.providers.extras import import_extra

_HUB_SECONDS = 3.0


def load_model(model_class: Callable[..., object], model: str) -> object:
    """Look into the cache first: fastembed asks an absent hub for 40 seconds, and logs errors of its own.

    model_class: of fastembed. Raises ProviderError when the model is not there and cannot be fetched.
    """
    import_extra("loguru", "fastembed").logger.disable("fastembed")
    try:
        return model_class(model, local_files_only=True)
    except (OSError, ValueError) as absent:
        if not _hub_answers():
            raise ProviderError(
                f"the model {model} is not in the cache and its hub cannot be reached; "
                "connect once to download it, or choose another provider"
            ) from absent
    try:
        return model_class(model)
    except (OSError, ValueError) as error:
        raise ProviderError(f"fastembed cannot load the model {model}: {error}") from error


def _hub_answers() -> bool:
    """Ask the hub's port, not the hub; behind a proxy assume that it can be reached."""
    if urllib.request.getproxies().get("https"):
        return True
    endpoint = import_extra("huggingface_hub.constants", "fastembed").ENDPOINT
    parts = urllib.parse.urlsplit(endpoint)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        with socket.create_connection((parts.hostname or "", port), timeout=_HUB_SECONDS):
            return True
    except OSError:
        return False
