"""Run the golden cases: tables and scans are collected, streams are played until all their files are read."""

from __future__ import annotations

import sys
import tempfile
import threading
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa

from tests.golden.canonical import Result, result
from tests.golden.cases import accuracy, algebra, bursts, fill, frames, regions, sessions
from tests.golden.given import ALL, STREAM, Case, Given

VERBS: dict[str, ModuleType] = {
    "frames": frames,
    "fill": fill,
    "algebra": algebra,
    "bursts": bursts,
    "sessions": sessions,
    "regions": regions,
    "accuracy": accuracy,
}
# Made of the bytecode of the functions, which differs from one minor version of Python to the next.
WITH_FUNCTIONS, RECORDED = "aggregate, fold", (3, 11)
AT_ONCE = 3  # most of the time goes to plans and small jobs, which wait for each other


def suites() -> list[tuple[str, str]]:
    """Each verb with each kind of rows that it has cases for."""
    return [(verb, kind) for verb in VERBS for kind in ALL if any(kind in each.kinds for each in cases(verb).values())]


def cases(verb: str) -> dict[str, Case]:
    """The cases of a verb that can be compared: ids of a scheme with functions are those of its Python."""
    defined: dict[str, Case] = VERBS[verb].CASES
    return {name: case for name, case in defined.items() if name != WITH_FUNCTIONS or sys.version_info[:2] == RECORDED}


def results(
    spark: Any, folder: Path, verb: str, kind: str, names: Collection[str] = ()
) -> Iterator[tuple[str, Result]]:
    """The results of all cases of a verb with rows of a kind, or of those with these names."""
    given = Given(spark, folder, kind)
    chosen = {name: case for name, case in cases(verb).items() if kind in case.kinds and (not names or name in names)}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield from zip(chosen, pool.map(lambda case: result_of(case, given), chosen.values()), strict=True)


def result_of(case: Case, given: Given) -> Result:
    made = case.call(given)
    return result(played(made) if given.kind == STREAM else made.toArrow())


def played(stream: Any) -> pa.Table:
    """All that a stream gives, with the number of the micro-batch in which it came."""
    if not hasattr(stream.sparkSession, "sparkContext"):
        return played_there(stream)
    batches: list[pa.Table] = []
    guard = threading.Lock()

    def keep(batch: Any, number: int) -> None:
        table = batch.toArrow()
        with guard:
            batches.append(table.append_column("_batch", pa.array([number] * table.num_rows, pa.int64())))

    query = stream.writeStream.foreachBatch(keep).trigger(availableNow=True).start()
    query.awaitTermination()
    return pa.concat_tables(batches)


def played_there(stream: Any) -> pa.Table:
    """The same of a Connect server, which calls what is done with a batch in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="golden-") as folder:

        def keep(batch: Any, number: int) -> None:
            batch.write.parquet(f"{folder}/_batch={number}")

        stream.writeStream.foreachBatch(keep).trigger(availableNow=True).start().awaitTermination()
        table = stream.sparkSession.read.parquet(folder).toArrow()
    place = table.schema.get_field_index("_batch")
    return table.set_column(place, "_batch", table.column(place).cast(pa.int64()))
