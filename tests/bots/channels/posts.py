"""What labs of channels have in common."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Post:
    """What people see of one message of the bot. thread: "" outside of threads."""

    text: str
    thread: str
    ids: tuple[str, ...]
    buttons: tuple[str, ...] = ()
