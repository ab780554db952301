"""Partial results: what leaves the worker of a segment, as bytes for the partitions of the merge.

Groups are spread over buckets, and each bucket is merged in several parts, each of which emits the runs of its share of
the segments. So a single group keeps several workers busy as well. Where a segment may be wrong, every part gets what
happens at the edges of segments; where it cannot be, only the first does.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from streamframes.core.batch.groups import GroupIndex
from streamframes.core.batch.packer import Packed
from streamframes.core.frames.emitted import EmittedFrames
from streamframes.core.frames.kernel import (
    RUN_END,
    RUN_FIELDS,
    RUN_GROUP,
    RUN_IMPUTED,
    RUN_ORDINAL,
    RUN_REASON,
    RUN_ROWS,
    RUN_START,
)
from streamframes.core.operator.state_codec import encode

# What the columns of runs are called on their way; instants travel as distances.
_FIELDS = {"rows": RUN_ROWS, "imputed": RUN_IMPUTED, "reason": RUN_REASON, "ordinal": RUN_ORDINAL}

_NARROW = [(kind, np.iinfo(kind).min, np.iinfo(kind).max) for kind in (np.int8, np.int16, np.int32)]


@dataclass(frozen=True)
class Route:
    """Into how many buckets groups are spread, and how many partitions merge them, as many of each bucket."""

    buckets: int
    partitions: int

    @property
    def parts(self) -> int:
        """In how many parts each bucket is merged."""
        return self.partitions // self.buckets

    def all_parts(self, bucket: int) -> range:
        """The partitions that merge a bucket."""
        return range(bucket * self.parts, (bucket + 1) * self.parts)

    def is_first(self, partition: int) -> bool:
        """Whether a partition is the first of its bucket."""
        return partition % self.parts == 0

    def of_segment(self, bucket: int, segment: int) -> int:
        """The partition that emits the runs of a segment."""
        return bucket * self.parts + segment % self.parts


class Outbox:
    """The groups of one segment by bucket, and what is sent there."""

    def __init__(self, route: Route, segment: int, groups: GroupIndex, *, certain: bool) -> None:
        self.route = route
        self.certain = certain
        self.segment = segment
        self.groups = groups
        self.bucket = np.empty(0, np.int64)
        self.place = np.empty(0, np.int64)
        self.sizes = np.zeros(route.buckets, np.int64)

    def introduced(self) -> Iterator[Packed]:
        """Groups that are new, for all parts of their bucket."""
        known, size = self.bucket.size, len(self.groups)
        if known == size:
            return
        fresh = np.arange(known, size)
        buckets = (self.groups.first[known:] % np.uint64(self.route.buckets)).astype(np.int64)
        self.bucket = np.concatenate([self.bucket, buckets])
        self.place = np.concatenate([self.place, np.empty(fresh.size, np.int64)])
        keys = self.groups.values(fresh)
        for bucket in np.unique(buckets).tolist():
            mine = np.flatnonzero(buckets == bucket)
            self.place[fresh[mine]] = self.sizes[bucket] + np.arange(mine.size)
            self.sizes[bucket] += mine.size
            chosen = {str(i): column.take(pa.array(mine)) for i, column in enumerate(keys)}
            yield from self.to_all(
                bucket,
                {
                    "kind": "groups",
                    "first": self.groups.first[fresh[mine]],
                    "second": self.groups.second[fresh[mine]],
                    "keys": chosen,
                },
            )

    def to_all(self, bucket: int, partial_result: dict[str, Any] | bytes) -> Iterator[Packed]:
        """A partial result, or a chunk of rows, for every part of a bucket."""
        data = partial_result if isinstance(partial_result, bytes) else encode(partial_result)
        for partition in self.route.all_parts(bucket):
            yield Packed(partition, self.segment, data)

    def of_edges(self, bucket: int, partial_result: dict[str, Any] | bytes) -> Iterator[Packed]:
        """The same for the parts that must know of edges."""
        return itertools.islice(self.to_all(bucket, partial_result), 1 if self.certain else None)

    def by_bucket(self, groups: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
        """For each bucket that these groups are in, which of them are."""
        if self.route.buckets == 1:
            if groups.size:
                yield 0, np.arange(groups.size)
            return
        buckets = self.bucket[groups]
        for bucket in np.unique(buckets).tolist():
            yield bucket, np.flatnonzero(buckets == bucket)

    def runs(self, emitted: EmittedFrames) -> Iterator[Packed]:
        """Runs that are emitted as they are, by the part whose turn it is."""
        for bucket, mine in self.by_bucket(emitted.groups):
            chosen = emitted if mine.size == len(emitted) else emitted.take(mine)
            fields = chosen.fields
            low = int(fields[RUN_START].min())
            tree = {
                "kind": "runs",
                "size": len(chosen),
                "from": low,
                "start": _thrifty(fields[RUN_START] - low),
                "length": _thrifty(fields[RUN_END] - fields[RUN_START]),
                "groups": narrow(self.place[chosen.groups]),
                **{name: _thrifty(fields[field]) for name, field in _FIELDS.items()},
                "own": narrow(chosen.own),
                "values": {str(i): column for i, column in enumerate(chosen.values)},
            }
            yield Packed(self.route.of_segment(bucket, self.segment), self.segment, encode(tree, compressed=False))


def runs_of(tree: dict[str, Any], numbers: np.ndarray) -> EmittedFrames:
    """The runs of a partial result; `numbers` are the groups of the bucket here."""
    fields = np.zeros((RUN_FIELDS, tree["size"]), np.int64)
    fields[RUN_GROUP] = numbers[tree["groups"]]
    fields[RUN_START] = tree["start"]
    fields[RUN_START] += tree["from"]
    np.add(fields[RUN_START], tree["length"], out=fields[RUN_END])
    for name, field in _FIELDS.items():
        fields[field] = tree[name]
    own = tree["own"].astype(np.int64) if tree["own"].dtype.kind == "i" else tree["own"]
    return EmittedFrames(fields, own, values=list(tree["values"].values()))


def _thrifty(numbers: np.ndarray) -> np.ndarray | int:
    """One number where all are the same, else in few bytes."""
    return int(numbers[0]) if (numbers == numbers[0]).all() else narrow(numbers)


def narrow(numbers: np.ndarray) -> np.ndarray:
    """The same numbers in as few bytes as they fit into.

    >>> narrow(np.array([1, 300])).dtype, narrow(np.array([-1, 2**40])).dtype
    (dtype('int16'), dtype('int64'))
    """
    if not numbers.size or numbers.dtype != np.int64:
        return numbers
    low, high = int(numbers.min()), int(numbers.max())
    for kind, least, most in _NARROW:
        if least <= low and high <= most:
            return numbers.astype(kind)
    return numbers
