"""Configured channels as objects; the SDK of a platform is imported only when its channel is configured."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module

from core.config import Settings
from core.errors import ExtraMissingError, SettingsError
from core.ports import Channel

PLATFORMS = ("slack", "discord", "telegram", "github")


def configured(settings: Settings) -> tuple[str, ...]:
    """Names of the channels that have a table in the settings, as `kiyo serve` knows them."""
    names = (*PLATFORMS, "http")
    return tuple(name for name in names if getattr(settings.channels, name) is not None)


def choose(settings: Settings, names: Iterable[str]) -> tuple[str, ...]:
    """The named channels, or all that are configured. Raises SettingsError for one that is not."""
    there, wanted = configured(settings), tuple(dict.fromkeys(names))
    for name in wanted:
        if name not in there:
            have = f"configured are: {', '.join(there)}" if there else "none is configured"
            raise SettingsError(f"The channel {name!r} has no table [channels.{name}]; {have}.")
    return wanted or there


def make_channels(settings: Settings, names: Iterable[str]) -> dict[str, Channel]:
    """The platforms among the names, by name. Raises ExtraMissingError when an SDK is not installed."""
    return {name: make_channel(settings, name) for name in names if name in PLATFORMS}


def make_channel(settings: Settings, name: str) -> Channel:
    section = getattr(settings.channels, name)
    try:
        module = import_module(f"bots.channels.{name}.channel")
        made: Channel = module.make_channel(section)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("bots"):
            raise
        raise ExtraMissingError(
            f"The channel {name} needs the extra `{name}`; in Kiyo's folder: pip install -e '.[{name}]'."
        ) from error
    return made


def one_receiver(settings: Settings, names: Iterable[str]) -> frozenset[str]:
    """Those of the names that fetch what arrives, so that two processes would take it from each other; a
    webhook may come to any."""
    fetching = {"socket", "polling"}
    found = {name: getattr(settings.channels, name) for name in names if name in PLATFORMS}
    return frozenset(name for name, section in found.items() if name == "discord" or section.mode in fetching)
