"""Nested sessions, one core, no Spark: the curves of the paper's figure 4: `python -m benchmarks.sessions`.

Four levels A > B > C > D, one A and up to 100 instances in each session of the others. An event has three keys, a value
and a flag that ends its B, 40 bytes in all. H1 is A.avg(B.avg(C.avg(D.value))), H2 is A.avg(B.avg(C.value)), H3 is
A.avg(value); each change of it is reported. The lifetime of a B is its average number of events.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from rich.console import Console
from rich.progress import track

from benchmarks.kit.options import Options, parse
from benchmarks.kit.report import Report, Target, open_console, publish
from streamframes.core.batch.clock import Clock
from streamframes.core.batch.groups import fingerprints
from streamframes.core.batch.rows import Rows
from streamframes.core.sessions.language.nodes import Class, Measure, Node
from streamframes.core.sessions.language.terms import BOOLEAN, DOUBLE, Event
from streamframes.core.sessions.operator import SessionOperator, SessionPlan
from streamframes.core.sessions.partitioning import TOGETHER
from streamframes.core.sessions.plan import MEASURES
from streamframes.core.sessions.vm.machine import Machine
from tests.oracles.sessions import Reference

LIFETIMES = (10, 50, 100, 200, 500, 1000)
INSTANCES = 100
# The reference looks at all siblings and keeps every value: its time grows with the square of the events.
REFERENCE_EVENTS = 2_000
OPEN = (10_000, 100_000, 1_000_000)
ENDS, VALUE = Event(3, BOOLEAN), Event(4, DOUBLE)
CLASSES = (
    Class("A", -1, 0),
    Class("B", 0, 1, keys=(0,), closes=ENDS),
    Class("C", 1, 2, keys=(1,)),
    Class("D", 2, 3, keys=(2,)),
)


def _averages(level: int) -> tuple[Node, ...]:
    """The last value of a level, averaged in each level above it."""
    above = (Node(cls, "avg", DOUBLE, source=level - 1 - cls) for cls in range(level - 1, -1, -1))
    return (Node(level, "last", DOUBLE, argument=VALUE), *above)


AGGREGATES = {"H1": _averages(3), "H2": _averages(2), "H3": (Node(0, "avg", DOUBLE, argument=VALUE),)}


@dataclass(frozen=True)
class Timed:
    """Events in a second: of the operator, of its engine alone, and of the reference; and how many readings."""

    operator: float
    engine: float
    reference: float
    readings: int


@dataclass(frozen=True)
class Held:
    """Open sessions, the bytes of the machine's arrays, and those after all but A is closed and the state is saved."""

    n_open: int
    nbytes: int
    after: int


def main() -> None:
    """Measure, print and save."""
    options = parse(__doc__ or "", rows=1_000_000, rounds=5)
    console = open_console()
    publish(run(options, console), options.out, console)


def run(options: Options, console: Console) -> Report:
    """The report of all aggregates and lifetimes."""
    cases = [(name, lifetime) for name in AGGREGATES for lifetime in LIFETIMES]
    found = {}
    for name, lifetime in track(cases, "flowing", console=console, transient=True):
        found[name, lifetime] = timed(name, events(options.rows, lifetime), options.rounds)
    held = [held_by(n_open) for n_open in OPEN if n_open <= options.rows]
    return report_of(found, held, options)


def plan_of(name: str) -> SessionPlan:
    """One of the aggregates over all events in one place; each change of it is reported."""
    nodes = AGGREGATES[name]
    return SessionPlan(
        clock=Clock("integer"),
        keys=pa.schema([]),
        ts_type=pa.int64(),
        columns=(pa.int64(), pa.int64(), pa.int64(), pa.bool_(), pa.float64()),
        ts="ts",
        classes=CLASSES,
        nodes=nodes,
        measures=(Measure(name, len(nodes) - 1),),
        event_at=(0, 1, 2, 3, 4),
        grouped=(),
        partitioning=TOGETHER,
        output=MEASURES,
    )


def events(n: int, lifetime: float, seed: int = 0) -> Rows:
    """Events with random keys, of which every `lifetime`-th ends its B."""
    random = np.random.default_rng(seed)
    keys = [pa.array(random.integers(0, INSTANCES, n)) for _ in range(3)]
    return rows_of([*keys, pa.array(random.random(n) < 1 / lifetime), pa.array(random.random(n))])


def rows_of(columns: list[pa.Array], first: int = 0) -> Rows:
    n = len(columns[0])
    return Rows(np.zeros(1, np.int64), np.array([0, n]), np.arange(first, first + n), columns)


def operator_of(name: str) -> SessionOperator:
    """An operator for one of the aggregates."""
    return operator_of_plan(plan_of(name))


def operator_of_plan(plan: SessionPlan) -> SessionOperator:
    """An operator that knows its only group."""
    operator = SessionOperator(plan)
    operator.groups.numbers(*fingerprints([], 1), pa.RecordBatch.from_arrays([], schema=pa.schema([])))
    return operator


def timed(name: str, rows: Rows, rounds: int) -> Timed:
    """The fastest of some rounds, after one that compiles; the three take turns."""
    few = rows_of([column[:REFERENCE_EVENTS] for column in rows.columns])
    log = list(zip(few.ts.tolist(), zip(*(column.to_pylist() for column in few.columns), strict=True), strict=True))
    words = operator_of(name).encoder.events(rows)

    reference = Reference(CLASSES, AGGREGATES[name], plan_of(name).measures, 1.0)
    reference_rate = len(few) / _seconds(lambda: reference.feed(log))

    def machine(fresh: Machine) -> int:
        return sum(len(found.emitted) for found in fresh.flow(words, 1))

    def fed(fresh: SessionOperator, rows: Rows) -> int:
        return sum(batch.num_rows for batch in fresh.feed(rows))

    readings = fed(operator_of(name), rows)
    if machine(operator_of(name).machine) != readings or len(reference.emitted) != fed(operator_of(name), few):
        raise AssertionError(f"{name}: the engine and the reference report different numbers of readings")
    rates = []
    for _ in range(rounds):
        operator, engine = operator_of(name), operator_of(name).machine
        rates.append(
            (
                len(rows) / _seconds(lambda operator=operator: fed(operator, rows)),
                len(rows) / _seconds(lambda engine=engine: machine(engine)),
            )
        )
    return Timed(*(max(each) for each in zip(*rates, strict=True)), reference_rate, readings)


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def held_by(n_open: int) -> Held:
    """What the machine holds for so many open sessions: each B has 100 C, each C 100 D, B are as many as needed."""
    number = np.arange(n_open)
    columns = [
        pa.array(number // INSTANCES**2),
        pa.array(number // INSTANCES % INSTANCES),
        pa.array(number % INSTANCES),
    ]
    rest = [pa.array(np.zeros(n_open, np.bool_)), pa.array(np.ones(n_open))]
    operator = operator_of("H1")
    list(operator.feed(rows_of([*columns, *rest])))
    machine = operator.machine
    opened, nbytes = machine.n_open, machine.nbytes
    parents = np.unique(number // INSTANCES**2)
    zeros = pa.array(np.zeros(parents.size, np.int64))
    ends = [pa.array(parents), zeros, zeros, pa.array(np.ones(parents.size, np.bool_)), pa.array(np.ones(parents.size))]
    list(operator.feed(rows_of(ends, first=n_open)))
    operator.snapshot()
    if machine.n_open != 1:
        raise AssertionError(f"{machine.n_open} sessions are open, not only A")
    return Held(opened, nbytes, machine.nbytes)


def report_of(found: dict[tuple[str, int], Timed], held: list[Held], options: Options) -> Report:
    """What was measured, and what was promised."""
    return Report(
        name="sessions",
        title="Nested sessions: million events a second, one core",
        header=["aggregate", "lifetime of B", "operator", "engine alone", "reference", "engine / reference"],
        cells=[
            [
                name,
                f"{lifetime:,}",
                *(f"{rate / 1e6:.2f}" for rate in (each.operator, each.engine)),
                f"{each.reference / 1e6:.4f}",
                f"{each.engine / each.reference:.0f}",
            ]
            for (name, lifetime), each in found.items()
        ],
        measurements=[
            *({"aggregate": name, "lifetime": lifetime, **vars(each)} for (name, lifetime), each in found.items()),
            *(vars(each) for each in held),
        ],
        targets=list(targets_of(found, held)),
        settings={"events": options.rows, "rounds": options.rounds, "events of the reference": REFERENCE_EVENTS},
        notes=(
            "The operator turns columns into words and keys into fingerprints, and readings into rows.",
            *(
                f"{each.n_open:,} open sessions: {each.nbytes / each.n_open:.0f} bytes for each; {each.after:,} bytes "
                "in all when they are closed and the state is saved."
                for each in held
            ),
        ),
    )


def targets_of(found: dict[tuple[str, int], Timed], held: list[Held]) -> Iterator[Target]:
    """The promises."""
    for name in AGGREGATES:
        slowest = min(each.engine for (which, _), each in found.items() if which == name)
        yield Target(f"{name}: the engine, slowest lifetime", ">=", 2, slowest / 1e6, "M/s")
        ratio = min(
            min(each.engine, each.operator) / each.reference for (which, _), each in found.items() if which == name
        )
        yield Target(f"{name}: engine and operator / reference", ">=", 20, ratio)
    for each in held:
        yield Target(f"{each.n_open:,} open: bytes for each", "<=", 1000, each.nbytes / each.n_open, "bytes")
        yield Target(f"{each.n_open:,} open: kept after closing", "<=", 0.25, each.after / each.nbytes)
