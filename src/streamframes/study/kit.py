"""Kit: what a study is, what it asks of data, and the lab that it runs in."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from textwrap import shorten
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeVar

from streamframes.errors import InvalidArgument, StreamFramesError
from streamframes.study.report.outcome import Cell, Outcome

if TYPE_CHECKING:
    import pyarrow as pa

    from streamframes.data import Generated
    from streamframes.spark import DataFrame, SparkSession

T = TypeVar("T")

_TIMES = ("timestamp", "date")
_NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal")
_WITH_NAN = ("float", "double")


class Runner(Protocol):
    """How jobs run: a command line shows how far they are."""

    def __call__(self, doing: str, job: Callable[[], T], /) -> T:
        """Run a job, which may take long."""


def quietly(doing: str, job: Callable[[], T], /) -> T:
    """Run a job and say nothing."""
    return job()


@dataclass(frozen=True)
class Need:
    """A column that a study needs of data that is not its own; of a number, NaN is none.

    `spellings` are Spark SQL over the columns of files that are known to have it under another name or in another
    unit; the first that can be evaluated is taken. One that is `optional` may be absent.
    """

    name: str
    meaning: str
    spellings: tuple[str, ...] = ()
    optional: bool = False
    kind: Literal["any", "number", "time"] = "any"

    def of(self, rows: DataFrame) -> str | None:
        """The expression of this column."""
        names = {column.lower() for column in rows.columns}
        for text in (f"`{self.name}`", *self.spellings):
            if text == f"`{self.name}`" and self.name.lower() not in names:
                continue
            if _is_evaluated(rows, text):
                return text
        return None

    def is_of_kind(self, type: str) -> bool:
        """Whether a column of a Spark type will do."""
        if self.kind == "any":
            return True
        beginnings = _TIMES if self.kind == "time" else _NUMBERS
        return type.startswith(beginnings)


class Given(NamedTuple):
    """Rows that were given, how many there are, and what they are called."""

    data: DataFrame
    rows: int
    source: str


@dataclass(frozen=True)
class Study:
    """A claim of a paper that can be repeated.

    Parameters
    ----------
    name, title
        What it is called.
    paper
        Which figures or tables of which paper.
    rows, counted
        How many rows are made where none are given, and what is counted, in words.
    needs
        The columns that given data must have.
    run
        The study itself.
    least
        The fewest rows that it makes sense for.
    """

    name: str
    title: str
    paper: str
    rows: int
    counted: str
    needs: tuple[Need, ...]
    run: Callable[[Lab], Outcome]
    least: int = 1_000

    def lab(
        self,
        spark: SparkSession,
        *,
        data: DataFrame | None = None,
        source: str = "",
        rows: int | None = None,
        seed: int = 0,
        run: Runner = quietly,
    ) -> Lab:
        """A lab for this study; of data, only the columns that it needs."""
        self.check_rows(rows)
        lab = Lab(spark, rows or self.rows, seed, run=run)
        if data is None:
            return lab
        given = self._given(data, source, run)
        return replace(lab, data=given.data, rows=given.rows, source=given.source)

    def check_rows(self, rows: int | None) -> None:
        """Refuse a number of rows that is too small."""
        if rows is not None and rows < self.least:
            raise InvalidArgument(f"study {self.name} got rows={rows}; it needs at least {self.least:,} {self.counted}")

    def _given(self, data: DataFrame, source: str, run: Runner) -> Given:
        taken: dict[str, str] = {}
        for need in self.needs:
            text = need.of(data)
            if text is not None:
                taken[need.name] = text
            elif not need.optional:
                raise InvalidArgument(
                    f"study {self.name} needs a column {need.name!r} ({need.meaning}), and {source or 'the data'} has "
                    f"{', '.join(data.columns)}; give one with --with '{need.name}=...'"
                )
        rows = self._checked(data.selectExpr(*(f"{text} AS `{name}`" for name, text in taken.items())), source)
        n_rows = run("Counting rows", rows.count)
        if n_rows < self.least:
            raise StreamFramesError(
                f"study {self.name} needs at least {self.least:,} rows, and {source or 'the data'} has {n_rows:,}"
            )
        spelled = [
            f"{name} = {shorten(text, 80, placeholder=' ...')}" for name, text in taken.items() if text != f"`{name}`"
        ]
        name = f"{n_rows:,} rows of {source or 'given data'}" + (f" with {', '.join(spelled)}" if spelled else "")
        return Given(rows, n_rows, name)

    def _checked(self, rows: DataFrame, source: str) -> DataFrame:
        """The rows, if their columns are of the kinds that are needed; what is no number is null."""
        types = dict(rows.dtypes)
        for need in (each for each in self.needs if each.name in types):
            if not need.is_of_kind(types[need.name]):
                raise InvalidArgument(
                    f"study {self.name} needs {need.name!r} ({need.meaning}) to be a {need.kind}, and in "
                    f"{source or 'the data'} it is a {types[need.name]}; give one with --with '{need.name}=...'"
                )
        numbers = {need.name for need in self.needs if need.kind == "number"}
        return rows.selectExpr(
            *(
                f"nanvl(`{name}`, null) AS `{name}`" if name in numbers and type in _WITH_NAN else f"`{name}`"
                for name, type in types.items()
            )
        )


@dataclass(frozen=True)
class Lab:
    """Where a study runs: a session, how many rows to make or rows that were given, and how jobs are run."""

    spark: SparkSession
    rows: int
    seed: int = 0
    data: DataFrame | None = None
    source: str = ""
    run: Runner = field(default=quietly)

    def rows_of(self, make: Callable[[], Generated], *, table: str = "rows") -> DataFrame:
        """The rows that were given, or those that are made."""
        if self.data is not None:
            return self.data
        made: DataFrame = self.run("Making rows", lambda: make().toDF(self.spark, table=table))
        return made

    def largest(self, rows: DataFrame, group: str) -> tuple[DataFrame, str]:
        """The rows of the group that has most, of those of equal size the first, and a word on it if it is not all."""
        if group not in rows.columns:
            return rows, ""
        sizes = rows.groupBy(group).count().orderBy("count", group, ascending=[False, True])
        found = self.run("Counting rows", lambda: sizes.take(2))
        if len(found) < 2:
            return rows, ""
        name, size = found[0]
        return rows.where(rows[group].eqNullSafe(name)), f"; of these the {size:,} of {group} {name}"

    def named(self, made: str) -> str:
        """What the data is called, where it was made so."""
        return self.source or made

    def fetch(self, doing: str, rows: DataFrame) -> pa.Table:
        """The rows of a small result."""
        return self.run(doing, rows.toArrow)

    def seconds(self, doing: str, job: Callable[[], object], *, rounds: int = 1) -> float:
        """How long a job takes, at best."""

        def timed() -> float:
            start = time.perf_counter()
            job()
            return time.perf_counter() - start

        return min(self.run(doing, timed) for _ in range(rounds))


def drop(result: DataFrame) -> None:
    """Compute all of a result, and keep none of it; it is planned anew each time, so nothing is left from before."""
    result.write.format("noop").mode("overwrite").save()


def _is_evaluated(rows: DataFrame, text: str) -> bool:
    from streamframes.spark.failures import plain_failures

    try:
        with plain_failures(text):
            return bool(rows.selectExpr(text).columns)
    except StreamFramesError:
        return False


def as_rows(table: pa.Table, columns: Sequence[str]) -> list[list[Cell]]:
    """The values of some columns, row by row."""
    picked = table.select(list(columns)).to_pydict()
    return [list(row) for row in zip(*picked.values(), strict=True)]
