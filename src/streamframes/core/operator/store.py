"""Stores: where a bucket of a stream keeps its state, and two buckets that share one."""

from __future__ import annotations

from typing import Protocol


class Store(Protocol):
    """Where a bucket keeps its state: a record, and waiting chunks by number."""

    def read(self) -> bytes | None:
        """The record, if there is one."""

    def write(self, data: bytes) -> None:
        """Replace the record."""

    def get(self, number: int) -> bytes:
        """A waiting chunk."""

    def put(self, number: int, data: bytes) -> None:
        """Keep a chunk."""

    def remove(self, number: int) -> None:
        """Forget a chunk."""


class Half:
    """One of two stores in one: its record is a part of the record, its chunks have every second number."""

    def __init__(self, store: Store, which: int, record: bytes) -> None:
        self.store = store
        self.which = which
        self.record = record

    def read(self) -> bytes | None:
        """The record, if there is one."""
        return self.record or None

    def write(self, data: bytes) -> None:
        """Keep the record until both halves are written."""
        self.record = data

    def get(self, number: int) -> bytes:
        """A waiting chunk."""
        return self.store.get(2 * number + self.which)

    def put(self, number: int, data: bytes) -> None:
        """Keep a chunk."""
        self.store.put(2 * number + self.which, data)

    def remove(self, number: int) -> None:
        """Forget a chunk."""
        self.store.remove(2 * number + self.which)


class Halves:
    """A store for two: `first` and `second` are read together and written together."""

    def __init__(self, store: Store) -> None:
        data = store.read() or bytes(8)
        size = 8 + int.from_bytes(data[:8], "little")
        self.store = store
        self.first, self.second = Half(store, 0, data[8:size]), Half(store, 1, data[size:])

    def write(self) -> None:
        """Write the record of both."""
        size = len(self.first.record).to_bytes(8, "little")
        self.store.write(size + self.first.record + self.second.record)
