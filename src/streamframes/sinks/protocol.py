"""Protocol: what every target takes, a batch of rows and the rules by which they replace the rows that are there.

foreachBatch ─ Batch ─ Target.write ─┬─ databases: one Arrow table          SQLite, Postgres
                                     └─ tables and topics: one DataFrame    targets of `spark.sinks`
"""

from __future__ import annotations

from typing import Protocol, TypeVar

import pyarrow as pa

from streamframes.sinks.changes import Changes


class Batch(Protocol):
    """What arrives at once: the rows of a micro-batch, or of a table."""

    @property
    def schema(self) -> pa.Schema:
        """The columns, with the Arrow types that carry those of Spark exactly; known before anything runs."""

    @property
    def changes(self) -> Changes:
        """Which rows are the same thing, and which of two is newer."""

    @property
    def number(self) -> int | None:
        """The number of the micro-batch, which a restarted query may repeat; none for a table."""

    @property
    def bad(self) -> str:
        """What happens to a row that the target cannot hold: `"fail"` or `"aside"`."""

    def table(self) -> pa.Table:
        """The rows; carries out the query, so it is called once."""


Batch_contra = TypeVar("Batch_contra", bound=Batch, contravariant=True)


class Target(Protocol[Batch_contra]):
    """A place that keeps one row under each key.

    `write` is called once for each batch, on the driver. It writes all of it or nothing, and writing the same batch
    twice leaves what writing it once leaves. A row that is older than the stored one changes nothing.
    """

    def write(self, batch: Batch_contra) -> None:
        """Bring the target up to date; raises a `SinkError` whose first line is the reason."""
