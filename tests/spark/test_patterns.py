"""Patterns on Spark: tables and streams find the matches of the reference; errors name what would work.

Covers: streamframes.core.patterns.waiting
"""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import streamframes as sf
from streamframes.core.patterns.language.pattern import parse_pattern
from streamframes.errors import InvalidArgument
from tests.oracles.patterns import Sought
from tests.spark.test_bursts import Folder, run

pytestmark = pytest.mark.spark

SCHEMA = "symbol string, at timestamp, price double, note string"
DEFINE = {"DOWN": "price < PREV(price)", "UP": "price > PREV(price) and price > FIRST(DOWN.price) - 5"}
V_SHAPE = "STRT DOWN+ UP+"


def instant(tick: int) -> datetime:
    return datetime(2024, 1, 1, tzinfo=UTC) + timedelta(seconds=tick)


def ticks(seed: int, n: int = 120) -> list[tuple[Any, ...]]:
    rng = random.Random(seed)
    return [
        (symbol, instant(tick), float(rng.randint(0, 6)), f"{symbol}{tick}") for symbol in "abc" for tick in range(n)
    ]


def shuffled(rows: list[tuple[Any, ...]], late: int = 4) -> list[tuple[Any, ...]]:
    rng = random.Random(1)
    return sorted(rows, key=lambda row: row[1] + timedelta(seconds=rng.randint(0, late)))


def by_the_book(rows: list[tuple[Any, ...]]) -> set[tuple[Any, ...]]:
    """Symbol, start, end, rows and number of each match."""
    found = set()
    for symbol in "abc":
        mine = [{"ts": row[1], "price": row[2]} for row in rows if row[0] == symbol]
        define = {
            "DOWN": lambda v: v.nav(None, "price") < (v.nav(None, "price", shift=-1) or -1),
            "UP": lambda v: (
                v.nav(None, "price") > (v.nav(None, "price", shift=-1) or 0.0)
                and v.nav(None, "price") > v.nav(["DOWN"], "price", first=True) - 5
            ),
        }
        for match in Sought(parse_pattern(V_SHAPE), define, mine).matches():
            if match.number is not None:
                first, last = mine[match.start]["ts"], mine[match.path[-1][0]]["ts"]
                found.add((symbol, first, last, len(match.path), match.number))
    return found


def as_found(rows: list[Any]) -> set[tuple[Any, ...]]:
    own = ("frame_start", "frame_end", "frame_rows", "match_number")
    return {
        (row["symbol"], *(v.astimezone(UTC) if isinstance(v, datetime) else v for v in (row[name] for name in own)))
        for row in rows
    }


def test_a_table_finds_the_matches_of_the_reference(spark: Any) -> None:
    rows = ticks(3)
    table = spark.createDataFrame(shuffled(rows), SCHEMA).repartition(3)
    measures = {
        "bottom": "LAST(DOWN.price)",
        "rise": "FINAL LAST(UP.price) - LAST(DOWN.price)",
        "who": "upper(FIRST(note))",
    }
    matches = sf.match(table, V_SHAPE, define=DEFINE, measures=measures, ts="at", by="symbol")
    found = matches.toDF()
    assert found.columns == [
        "symbol", "frame_id", "frame_start", "frame_end", "frame_rows", "frame_closed_by", "match_number",
        "bottom", "rise", "who",
    ]  # fmt: skip
    collected = found.collect()
    assert as_found(collected) == by_the_book(rows)
    assert all(row.who.startswith(row.symbol.upper()) and row.rise > -6 for row in collected)
    assert len({row.frame_id for row in collected}) == len(collected)
    tagged = matches.tag().groupBy("frame_id").count().collect()
    assert {(row.frame_id, row["count"]) for row in tagged} == {(row.frame_id, row.frame_rows) for row in collected}
    everything = matches.tag(keep_outside=True)
    assert everything.count() == len(rows)
    assert "one compiled matcher" in matches.explain()
    assert matches.agg(top="max(price)").count() == len(collected)


def test_all_rows_of_matches_come_with_their_variable(spark: Any) -> None:
    rows = [("a", instant(i), float(x), "n") for i, x in enumerate([5, 3, 2, 4, 6, 6, 1])]
    table = spark.createDataFrame(rows, SCHEMA)
    found = sf.match(
        table,
        V_SHAPE,
        define=DEFINE,
        measures={"so_far": "count(*)", "rows": "FINAL count(*)"},
        ts="at",
        by="symbol",
        rows_per_match="all with unmatched",
    ).toDF()
    shown = [
        (row.price, row.classifier, row.so_far, row.rows, row.match_number) for row in found.orderBy("at").collect()
    ]
    assert shown == [
        (5.0, "STRT", 1, 5, 1),
        (3.0, "DOWN", 2, 5, 1),
        (2.0, "DOWN", 3, 5, 1),
        (4.0, "UP", 4, 5, 1),
        (6.0, "UP", 5, 5, 1),
        (6.0, None, None, None, None),
        (1.0, None, None, None, None),
    ]


@pytest.mark.filterwarnings("ignore:match.. got a stream without within=:UserWarning")
def test_a_stream_finds_the_matches_of_its_table_over_a_restart(spark: Any, tmp_path: Path) -> None:
    folder = Folder(spark, tmp_path, SCHEMA)
    rows = ticks(5, 60)
    given = shuffled(rows)
    folder.add(given[: len(given) // 2], files=2)
    planned = sf.match(
        folder.stream, V_SHAPE, define=DEFINE, measures={"low": "LAST(DOWN.price)"}, ts="at", by="symbol",
        stream=sf.Stream(lateness="5 seconds"),
    )  # fmt: skip
    run(planned.toDF(), tmp_path)
    folder.add(given[len(given) // 2 :], files=2)
    folder.add([(symbol, instant(500), 0.0, "end") for symbol in "abc"])
    folder.add([("~", instant(900), 0.0, "end")])
    result = planned.toDF()
    run(result, tmp_path)
    found = spark.read.parquet(str(tmp_path / "out")).collect()
    wanted = by_the_book(sorted([*rows, *((symbol, instant(500), 0.0, "end") for symbol in "abc")], key=lambda r: r[1]))
    assert as_found(found) == {each for each in wanted if each[2] < instant(500)}


def wrong(spark: Any, match: str, **given: Any) -> None:
    table = spark.createDataFrame([], SCHEMA)
    arguments: dict[str, Any] = {"pattern": "A B", "define": {"A": "price > 1"}, "ts": "at", **given}
    with pytest.raises(InvalidArgument, match=match):
        sf.match(table, **arguments)


def test_what_cannot_be_meant_is_refused_before_a_job_starts(spark: Any) -> None:
    wrong(spark, "bracket|understood", pattern="A (B")
    wrong(spark, "variables of the pattern are A, B", define={"C": "price > 1"})
    wrong(spark, "no condition", define={"A": "price"})
    wrong(spark, "Spark cannot evaluate", define={"A": "cost > 1"})
    wrong(spark, "FINAL", define={"A": "price > FINAL LAST(B.price)"})
    wrong(spark, "stddev", measures={"m": "stddev(A.price)"})
    wrong(spark, "mixes variables", measures={"m": "sum(A.price + B.price)"})
    wrong(spark, "after_match", after_match="to the moon")
    wrong(spark, "within", timeouts=True)
    wrong(spark, "rows_per_match", rows_per_match="some")
    wrong(spark, "excludes", pattern="A {- B -}", rows_per_match="all with unmatched")
    wrong(spark, "more than can be done", define={"A": "upper(FIRST(note)) = 'X'"})


def test_a_stream_that_would_wait_for_ever_is_refused_or_warned_of(spark: Any, tmp_path: Path) -> None:
    stream = Folder(spark, tmp_path, SCHEMA).stream
    late = sf.Stream(lateness="1 minute")
    with pytest.raises(InvalidArgument, match="no match is ever certain"):
        sf.match(stream, "A B*", define={"A": "price > 1"}, ts="at", stream=late)
    with pytest.raises(InvalidArgument, match=r"\$ is the last row"):
        sf.match(stream, "A $", ts="at", stream=late)
    with pytest.warns(UserWarning, match=r"A\+ may go on for ever"):
        sf.match(stream, "A+", define={"A": "price > 1"}, ts="at", stream=late)
    sf.match(stream, "A+", define={"A": "price > 1"}, ts="at", within="1 hour", stream=late)
