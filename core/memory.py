"""A bounded memory of what was computed, by content: the values used last stay."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Memory(Generic[Key, Value]):
    """May be used from several threads. A key must name everything that its value depends on.

    made: how often `recall` had to compute a value. Two threads that ask for the same new key at the same
    moment both compute it; the values are equal, so either may stay.
    """

    def __init__(self, capacity: int) -> None:
        self.made = 0
        self._capacity = capacity
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._values)

    def recall(self, key: Key, make: Callable[[], Value]) -> Value:
        """The value of a key, computed if it is not there; a failure to compute it is not kept."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = make()
        with self._lock:
            self.made += 1
            self._keep(key, value)
        return value

    def find(self, key: Key) -> Value | None:
        """The value of a key, None if it is not there."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def keep(self, key: Key, value: Value) -> None:
        """Keep a value that was computed elsewhere."""
        with self._lock:
            self._keep(key, value)

    def _keep(self, key: Key, value: Value) -> None:
        self._values[key] = value
        self._values.move_to_end(key)
        while len(self._values) > self._capacity:
            self._values.popitem(last=False)
