"""The rows that the golden cases are about: small tables made by hand and by `streamframes.data`, as Parquet files.

Each input is a folder of files whose modification times say in which order a stream reads them.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from functools import cache, partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from streamframes import data

KINDS = {
    "bigint": pa.int64(),
    "smallint": pa.int16(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
    "ntz": pa.timestamp("us"),
}
LATE = 5
FAR = 400


def instant(tick: int | None, kind: str) -> Any:
    """Ticks as instants of a type, the first of them before 1970."""
    if tick is None:
        return None
    if kind in ("bigint", "smallint"):
        return tick - 10
    if kind == "date":
        return date(1969, 12, 20) + timedelta(days=tick)
    start = datetime(1969, 12, 31, 23, 59, 48, 250_000)
    moved = start + timedelta(seconds=tick)
    return moved.replace(tzinfo=UTC) if kind == "timestamp" else moved


def arrived(rows: list[dict[str, Any]], rng: random.Random) -> list[dict[str, Any]]:
    """The rows in an order that a lateness of `LATE` ticks allows."""
    keyed = [((row["tick"] or 0) + rng.randint(0, LATE), rng.random(), row) for row in rows]
    return [row for *_, row in sorted(keyed, key=lambda each: each[:2])]


def edges(kind: str, seed: int, late: int = 0) -> pa.Table:
    """Many small groups with ties, nulls, NaN and both zeros; a row far ahead lets streams go on."""
    rng = random.Random(seed)
    rows = [
        {
            "name": None if group % 7 == 0 else f"g{group // 2}",
            "number": group % 2 if group % 7 else group,
            "tick": None if rng.random() < 0.03 else rng.randint(0, 24),
            "w": rng.choice([True, True, True, False, None]),
            "u": rng.choice([True, False, False, None]),
            "v": rng.choice([-3.0, -1.0, -0.0, 0.0, 0.5, 2.1, 4.3, None, float("nan")]),
            "n": rng.choice([-4, -1, 0, 2, 3, None]),
            "word": rng.choice(["a", "b", "ä", None]),
            "says": None,
        }
        for group in range(24)
        for _ in range(rng.randint(0, 24))
    ]
    rows = arrived(rows, rng)
    behind = [row for row in rows if row["tick"] is not None][:late]
    far = {"name": "far", "number": 0, "tick": FAR, "w": False, "u": True, "v": 0.0, "n": 0, "word": "z", "says": None}
    return edge_table([*rows, *behind, far], kind)


def punctuated(kind: str, seed: int) -> pa.Table:
    """Rows in the order of time, with rows that say how far a group, or all of them, has come."""
    rows = edges(kind, seed).to_pylist()
    rows = [row for row in rows if row["ts"] is not None and row["name"] != "far"]
    rows = sorted(rows, key=lambda row: row["ts"])
    marked: list[dict[str, Any]] = []
    for number, row in enumerate(rows):
        marked.append({**row, "says": None})
        if number % 40 == 39:
            marked.append({**row, "w": None, "says": "done"})
    last = {**rows[-1], "name": None, "ts": instant(FAR, kind), "says": "all"}
    return pa.Table.from_pylist([*marked, last], edge_schema(kind))


def edge_schema(kind: str) -> pa.Schema:
    columns = {"name": pa.string(), "number": pa.int32(), "ts": KINDS[kind], "w": pa.bool_(), "u": pa.bool_()}
    return pa.schema(columns | {"v": pa.float64(), "n": pa.int32(), "word": pa.string(), "says": pa.string()})


def edge_table(rows: list[dict[str, Any]], kind: str) -> pa.Table:
    made = [{**row, "ts": instant(row.pop("tick"), kind)} for row in map(dict, rows)]
    return pa.Table.from_pylist(made, edge_schema(kind))


def reports(kind: str, seed: int = 5) -> pa.Table:
    """Reports every twenty ticks, some missing, some a little off, some twice, some without a value."""
    rng = random.Random(seed)
    rows = [
        {
            "router": router,
            "tick": phase + 20 * number + rng.choice([0, 0, 0, 1, -1]),
            "loss": rng.choice([0.1, 0.2, 0.6, 0.7, 0.9, None]),
            "seq": number,
        }
        for router, phase in (("r1", 0), ("r2", 7), (None, 13))
        for number in range(24)
        for _ in range(rng.choice([0, 1, 1, 1, 1, 1, 2]))
    ]
    rows.append({"router": "far", "tick": 700, "loss": 0.0, "seq": 0})
    made = [{**row, "ts": instant(row.pop("tick"), kind)} for row in arrived(rows, rng)]
    columns = {"router": pa.string(), "ts": KINDS[kind], "loss": pa.float64(), "seq": pa.int32()}
    return pa.Table.from_pylist(made, pa.schema(columns))


def series(kind: str, seed: int = 7) -> pa.Table:
    """Values of three links: whole numbers, some null, and doubles that do not add up exactly."""
    rng = random.Random(seed)
    rows = [
        {"link": link, "tick": tick, "bytes": rng.choice([0, 1, 4, 7, 12, None]), "load": rng.choice([0.1, 0.7, 3.3])}
        for link in ("a", "b", None)
        for tick in range(70)
        if rng.random() < 0.8
    ]
    rows.append({"link": "far", "tick": FAR, "bytes": 0, "load": 0.0})
    made = [{**row, "ts": instant(row.pop("tick"), kind)} for row in arrived(rows, rng)]
    columns = {"link": pa.string(), "ts": KINDS[kind], "bytes": pa.int64(), "load": pa.float64()}
    return pa.Table.from_pylist(made, pa.schema(columns))


def flat() -> pa.Table:
    """Equal doubles, whose variance is 0, and then a step."""
    values = [0.1] * 60 + [0.1, 0.1, 5.1] + [0.1] * 20
    return pa.table({"link": ["a"] * len(values), "ts": range(len(values)), "load": values})


def window_commands() -> pa.Table:
    """Commands to a search for bursts."""
    rows = [("add", 3, 21.0), ("remove", 2, None), ("add", 5, 20.0), ("remove", 99, None)]
    columns = {"action": pa.string(), "window": pa.int32(), "threshold": pa.float64()}
    return pa.Table.from_pylist([dict(zip(columns, row, strict=True)) for row in rows], pa.schema(columns))


def measure_commands() -> pa.Table:
    """Commands to a stream of sessions."""
    rows = [("add", "longest", "System.max(Call.duration(ts))"), ("drop", "mean", None), ("add", "bad", "System.avg(")]
    columns = {"action": pa.string(), "name": pa.string(), "expression": pa.string()}
    return pa.Table.from_pylist([dict(zip(columns, row, strict=True)) for row in rows], pa.schema(columns))


def web(seed: int = 11) -> pa.Table:
    """Events of users, with silences, ties, nulls, and text."""
    rng = random.Random(seed)
    tick, rows = 0, []
    for seq in range(500):
        tick += rng.choice([0, 1, 1, 2, 9])
        kind = rng.choice(["in", "get", "get", "get", "out"])
        user = rng.choice(["a", "b", "c", None])
        size = rng.choice([1.0, 2.5, 0.1, None, float("nan")])
        rows.append({"tick": tick, "seq": seq, "user": user, "page": rng.choice("pq"), "kind": kind, "size": size})
    made = [{**row, "ts": instant(row.pop("tick"), "bigint")} for row in rows]
    columns = {"ts": pa.int64(), "seq": pa.int64(), "user": pa.string(), "page": pa.string(), "kind": pa.string()}
    return pa.Table.from_pylist(made, pa.schema(columns | {"size": pa.float64()}))


def field(kind: str, places: tuple[tuple[float, float], ...], seed: int, ticks: int = 10) -> pa.Table:
    """Reports from places: most are slow, some missing, some twice, some bad."""
    rng = random.Random(seed)
    rows: list[dict[str, Any]] = [
        {"road": road, "tick": tick, "x": x, "y": y, "said": rng.choice(["slow"] * 5 + ["free", "bad"]), "seq": seq}
        for road in ("a", "b", None)
        for tick in range(ticks)
        for x, y in places
        for seq in range(rng.choice([0, 1, 1, 1, 1, 1, 1, 2]))
    ]
    rows.append({"road": "far", "tick": FAR, "x": 0.0, "y": 0.0, "said": "free", "seq": 0})
    made = [{**row, "ts": instant(row.pop("tick"), kind)} for row in arrived(rows, rng)]
    columns = {"road": pa.string(), "ts": KINDS[kind], "x": pa.float64(), "y": pa.float64()}
    return pa.Table.from_pylist(made, pa.schema(columns | {"said": pa.string(), "seq": pa.int32()}))


MILES = tuple((x, 0.0) for x in (-1.5, 0.0, 0.5, 2.0, 3.0))
LATTICE = tuple((float(x), float(y)) for x in range(4) for y in range(3))


def generated(name: str, *arguments: Any, table: str = "rows", **options: Any) -> pa.Table:
    """Rows of a generator."""
    made = data.GENERATORS[name](*arguments, **options)
    return made.table if table == "rows" else made.tables[table].table()


def first(rows: int, make: Callable[[], pa.Table]) -> pa.Table:
    return make().slice(0, rows)


INPUTS: dict[str, Callable[[], pa.Table]] = {
    **{f"edges_{kind}": partial(edges, kind, seed) for seed, kind in enumerate(KINDS)},
    **{f"others_{kind}": partial(edges, kind, 10 + seed) for seed, kind in enumerate(KINDS)},
    "late": partial(edges, "bigint", 20, 7),
    "punctuated": partial(punctuated, "timestamp", 21),
    "reports_bigint": partial(reports, "bigint"),
    "reports_timestamp": partial(reports, "timestamp"),
    "routers": partial(generated, "routers", 1_500, 3, seed=1),
    "commands": partial(generated, "routers", 1_500, 3, seed=1, table="commands"),
    "many": partial(generated, "routers", 400_000, 20, seed=2),
    "tow": partial(first, 3_000, partial(generated, "tow", 40_000, seed=1)),
    "pitch": partial(first, 4_000, partial(generated, "pitch", 2, rate=5, ball_rate=5)),
    "series_bigint": partial(series, "bigint"),
    "series_timestamp": partial(series, "timestamp"),
    "flat": flat,
    "packets": partial(generated, "packets", 6_000, 2, seed=3, background=40),
    "window_commands": window_commands,
    "calls": partial(generated, "calls", 60, 6, seed=2),
    "measure_commands": measure_commands,
    "web": web,
    "field_bigint": partial(field, "bigint", MILES, 31),
    "field_timestamp": partial(field, "timestamp", MILES, 32),
    "lattice": partial(field, "bigint", LATTICE, 33, 7),
    "freeway": partial(generated, "freeway", 8, 8, seed=3, missing=0.1, bad=0.05),
    "building": partial(generated, "building", 1, 2, people=40, seed=1),
}


@cache
def made(name: str) -> pa.Table:
    """An input in memory."""
    return INPUTS[name]()


def write_all(folder: Path, files: int = 3) -> None:
    """Every input as files of several row groups, in a folder of its name."""
    for name in INPUTS:
        target = folder / name
        target.mkdir(parents=True)
        for number, rows in enumerate(files_of(made(name), files)):
            file = target / f"rows-{number}.parquet"
            pq.write_table(rows, file, row_group_size=rows.num_rows // 3 + 1)
            os.utime(file, (1_000 + number, 1_000 + number))


def files_of(table: pa.Table, files: int) -> Iterator[pa.Table]:
    size = -(-table.num_rows // files)
    for number in range(files):
        yield table.slice(number * size, size)
