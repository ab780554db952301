"""Results: what was found, printed or written, in order."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamframes.cli.options.common import DeliveryOptions, ResultOptions
from streamframes.cli.terminal import note, show
from streamframes.errors import InvalidArgument

if TYPE_CHECKING:
    from streamframes.cli.engine import Engine
    from streamframes.cli.io.outputs import Target
    from streamframes.spark import DataFrame


@dataclass(frozen=True)
class Result:
    """A table of frames, of rows that were tagged, or of what is named; what it is sorted by, and how it is made.

    Columns that are `hidden` are written, but not printed.
    """

    table: DataFrame
    is_rows: bool
    order: Sequence[str]
    doing: str
    failed: str
    name: str = ""
    hidden: Sequence[str] = ()

    @property
    def what(self) -> str:
        """What the table has one row for."""
        return self.name or ("rows" if self.is_rows else "frames")


def target_for(options: DeliveryOptions, *, shown: str = "--show") -> Target | None:
    """Where results are to be written, if not to the terminal; refuses what could not be written later."""
    from streamframes.cli.io.outputs import target_of

    if options.first < 1:
        raise InvalidArgument(f"{shown} {options.first} must be at least 1")
    if options.output is None:
        return None
    return target_of(options.output, options.output_format, overwrite=options.overwrite)


def deliver(engine: Engine, result: Result, target: Target | None, options: DeliveryOptions, began: float) -> None:
    """Print the first of the results, or write all of them."""
    if target is None:
        _print(engine, result, options)
    else:
        _write(engine, result, target, began)


def _print(engine: Engine, result: Result, options: DeliveryOptions) -> None:
    from streamframes.cli.io.outputs import quoted
    from streamframes.spark.progress import counted

    counting, total = counted(result.table)
    ordered = counting.orderBy(*map(quoted, result.order)) if result.order else counting
    first = ordered.limit(options.first)
    table = engine.run(result.doing, first.toArrow, failed=result.failed)
    # Ids are for joining, not for reading.
    prefix = options.prefix if isinstance(options, ResultOptions) else ""
    ids = () if result.is_rows else (f"{prefix}id", f"{prefix}parent")
    names = [name for name in table.column_names if name not in (*ids, *result.hidden)]
    if table.num_rows:
        show(names, [[row[name] for name in names] for row in table.to_pylist()])
    if table.num_rows < total():
        note(f"The first {table.num_rows} of {total():,} {result.what}; --output PATH writes all of them.")
    else:
        note(f"{total():,} {result.what}.")


def _write(engine: Engine, result: Result, target: Target, began: float) -> None:
    from streamframes.cli.io.outputs import write
    from streamframes.spark.progress import counted

    counting, total = counted(result.table)
    engine.run(
        result.doing,
        lambda: write(counting, target, result.order),
        failed=f"cannot write {target.path}",
    )
    note(f"Wrote {total():,} {result.what} to {target.path} in {time.monotonic() - began:.1f} s.")
