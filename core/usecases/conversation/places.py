"""Names of places in the settings: `slack`, `slack:T1`, `slack:T1:C1`, `slack:T1:C1:THREAD`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TypeVar

from core.messages import Place

T = TypeVar("T")


def name_place(place: Place) -> str:
    """The full name of a place, without its thread."""
    return f"{place.channel}:{place.workspace}:{place.conversation}"


def names_of(place: Place) -> list[str]:
    """Every name that a setting may have for it, the narrowest first. Where a platform has no workspaces, the
    name may leave that part out."""
    names = [name_place(place)]
    if place.thread:
        names.insert(0, f"{names[0]}:{place.thread}")
    short = f"{place.channel}:{place.conversation}"
    names.append(short)
    if place.workspace:
        names.append(f"{place.channel}:{place.workspace}")
    return [*names, place.channel]


def find_for_place(values: Mapping[str, T], place: Place) -> T | None:
    """The setting of the narrowest name that is there."""
    return next((values[name] for name in names_of(place) if name in values), None)


def is_among(place: Place, names: Collection[str]) -> bool:
    return any(name in names for name in names_of(place))


def read_place(name: str) -> Place:
    """The place that a full name means; a name of two parts has no workspace."""
    parts = name.split(":")
    if len(parts) == 2:
        return Place(parts[0], "", parts[1])
    channel, workspace, *rest = parts
    return Place(channel, workspace, ":".join(rest))
