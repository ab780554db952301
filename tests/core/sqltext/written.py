"""Python calls written as SQL, and random ones, for the law that both are the same call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from streamframes.core.sqltext import kinds
from streamframes.core.sqltext.functions import FUNCTIONS
from streamframes.core.sqltext.kinds import Kind
from streamframes.core.sqltext.options import OPTIONS, SCHEMES
from streamframes.core.sqltext.signature import Signature


@dataclass(frozen=True)
class Made:
    """A value as Python has it, and as SQL writes it."""

    python: Any
    sql: str


@dataclass(frozen=True)
class Option:
    """A call of an option, by what it gets."""

    name: str
    unnamed: tuple[Any, ...] = ()
    named: Mapping[str, Any] = field(default_factory=dict)


NASTY = ["router", "a b", "select", "x`y", "r'7", 'q"q', "--", "/* c */", "é", "from)", "{x}", "a,b", ":p", ";", "a=>b"]
EXPRESSIONS = [
    "drop_pct > 0.3",
    "a = 'it, is => so' and b in (1, 2)",
    "`odd, name` < -1 or not exists(xs, x -> x > 1)",
    "max(case when a then ',' else ')' end)",
    "count(*)",
    "a[1] + f.b",
    "x between date'2026-01-05' and current_date()",
]


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


names = st.sampled_from(NASTY).map(lambda name: Made(name, quoted(name)))
plain_names = st.sampled_from(["a", "Router", "state_2"]).map(lambda name: Made(name, name))
name_values = st.one_of(names, plain_names)
expressions = st.sampled_from(EXPRESSIONS).map(lambda text: Made(text, text))
texts = st.sampled_from(["fail", "a b", "a_", "A B+ | (C){2,}?"]).map(lambda text: Made(text, f"'{text}'"))
numbers = st.one_of(st.integers(-(10**12), 10**12), st.sampled_from([0.3, -2.5, 1e-7, 1e22])).map(
    lambda number: Made(number, repr(number))
)
booleans = st.booleans().map(lambda value: Made(value, str(value).upper()))
durations = st.one_of(
    st.tuples(st.integers(2, 90), st.sampled_from(["seconds", "minutes", "hours"])).map(
        lambda given: Made(f"{given[0]} {given[1]}", f"INTERVAL {given[0]} {given[1].upper()}")
    ),
    st.integers(2, 90).map(lambda n: Made(f"1 hour {n} minutes", f"interval '1:{n % 60:02d}' hour to minute"))
    .filter(lambda made: int(made.python.split()[2]) < 60),
    st.integers(1, 90).map(lambda n: Made(n, str(n))),
)  # fmt: skip
instants = st.sampled_from(
    [
        Made("2026-01-05 00:00:00", "TIMESTAMP'2026-01-05 00:00:00'"),
        Made("2026-01-05", "DATE '2026-01-05'"),
        Made(7, "7"),
    ]
)
tables = st.sampled_from(["TABLE(reports)", "TABLE(SELECT a, b FROM `x)` WHERE c = ')')", "table (a.`b c`)"]).map(
    lambda text: Made(text, text)
)
sequences = st.tuples(st.integers(1, 9), st.integers(10, 50), st.integers(1, 5)).map(
    lambda given: Made(range(given[0], given[1] + 1, given[2]), f"sequence({', '.join(map(str, given))})")
)


def several(one: st.SearchStrategy[Made], size: int = 3) -> st.SearchStrategy[Made]:
    """A list, in one of its two forms."""
    listed = st.lists(one, min_size=2, max_size=size, unique_by=lambda each: each.sql)
    return st.tuples(listed, st.sampled_from(["(%s)", "array(%s)"])).map(
        lambda given: Made([each.python for each in given[0]], given[1] % ", ".join(each.sql for each in given[0]))
    )


def mapping(keys: st.SearchStrategy[Made], values: st.SearchStrategy[Made]) -> st.SearchStrategy[Made]:
    pairs = st.lists(st.tuples(keys, values), min_size=1, max_size=3, unique_by=lambda pair: str(pair[0].python))
    return pairs.map(
        lambda given: Made(
            {key.python: value.python for key, value in given},
            f"map({', '.join(f'{key.sql}, {value.sql}' for key, value in given)})",
        )
    )


def options(signatures: Mapping[str, Signature]) -> st.SearchStrategy[Made]:
    return st.one_of([option(each) for each in signatures.values()])


@st.composite
def option(draw: st.DrawFn, signature: Signature) -> Made:
    made = draw(arguments(signature))
    return Made(Option(signature.name, made.python[0], made.python[1]), f"{signature.name}({made.sql})")


@st.composite
def arguments(draw: st.DrawFn, signature: Signature) -> Made:
    """Arguments of a function, some of them without a name, in any order behind."""
    optional = [name for name in signature.parameters if name not in signature.required]
    chosen = [*signature.required, *draw(st.lists(st.sampled_from(optional), max_size=3, unique=True) if optional
                                         else st.just([]))]  # fmt: skip
    values = {name: draw(value_of(signature.parameters[name])) for name in chosen}
    rest = draw(st.lists(value_of(signature.rest), min_size=1, max_size=2)) if signature.rest is not None else []
    in_place = []
    for name in signature.unnamed:
        if name not in values or not draw(st.booleans()):
            break
        in_place.append(name)
    behind = draw(st.permutations([name for name in values if name not in in_place]))
    spelled = [draw(st.sampled_from([name, name.upper()])) for name in behind]
    parts = [each.sql for each in rest] + [values[name].sql for name in in_place]
    parts += [f"{word} => {values[name].sql}" for word, name in zip(spelled, behind, strict=True)]
    glue = draw(st.sampled_from([", ", ",\n  ", " /* , */ , "]))
    return Made(
        (tuple(each.python for each in rest), {name: made.python for name, made in values.items()}), glue.join(parts)
    )


def value_of(kind: Kind) -> st.SearchStrategy[Made]:
    """Values of a kind."""
    if kind not in STRATEGIES:
        raise KeyError(f"no strategy for {kind.wanted}")
    return STRATEGIES[kind]()


def _kind(function: str, name: str, receiver: str = "rows") -> Kind:
    return FUNCTIONS[function][receiver].parameters[name]


def session_trees() -> st.SearchStrategy[Made]:
    plain = {name: kind for name, kind in OPTIONS["session"].parameters.items() if name not in ("parts", "source")}
    leaf = option(Signature("session", plain, ("name",), ("name",)))
    return st.recursive(
        leaf,
        lambda inner: st.tuples(plain_names, several(inner, 2)).map(
            lambda given: Made(
                Option("session", (), {"name": given[0].python, "parts": given[1].python}),
                f"session({given[0].sql}, parts => {given[1].sql})",
            )
        ),
        max_leaves=3,
    )


STRATEGIES: dict[Kind, Any] = {
    kinds.NAME: lambda: name_values,
    kinds.TEXT: lambda: texts,
    kinds.NUMBER: lambda: numbers,
    kinds.BOOLEAN: lambda: booleans,
    kinds.DURATION: lambda: durations,
    kinds.EXPRESSION: lambda: expressions,
    kinds.ROWS: lambda: tables,
    kinds.COLUMNS: lambda: st.one_of(name_values, several(name_values)),
    kinds.GROUPS: lambda: st.one_of(name_values, several(name_values), mapping(name_values, name_values)),
    kinds.NUMBERS: lambda: st.one_of(numbers, several(numbers)),
    _kind("frames", "scheme"): lambda: options(SCHEMES),
    _kind("frames", "schedule"): lambda: st.one_of(durations, option(OPTIONS["schedule"])),
    _kind("frames", "stream"): lambda: option(OPTIONS["stream"]),
    _kind("bursts", "windows"): lambda: st.one_of(sequences, several(durations)),
    _kind("bursts", "thresholds"): lambda: st.one_of(mapping(durations, numbers), option(OPTIONS["learn"]), tables),
    _kind("bursts", "search"): lambda: st.one_of(texts, option(OPTIONS["search"])),
    _kind("sessions", "tree"): lambda: st.one_of(session_trees(), several(session_trees(), 2)),
    _kind("sessions", "measures"): lambda: mapping(name_values, expressions),
    _kind("regions", "shape"): lambda: st.one_of(texts, option(OPTIONS["rectangles"])),
    _kind("regions", "reports"): lambda: option(OPTIONS["reports"]),
    _kind("match", "define"): lambda: mapping(name_values, expressions),
    _kind("match", "subset"): lambda: mapping(plain_names, st.one_of(plain_names, several(plain_names))),
    _kind("accuracy", "windows"): lambda: several(
        st.one_of(durations, options({name: SCHEMES[name] for name in ("every", "count")}))
    ),
    _kind("accuracy", "heuristics"): lambda: st.one_of(texts, several(texts)),
    _kind("overlaps", "sides"): lambda: st.lists(texts, min_size=2, max_size=2).map(
        lambda two: Made(tuple(each.python for each in two), f"({two[0].sql}, {two[1].sql})")
    ),
    _kind("complement", "within"): lambda: st.one_of(tables, several(instants)),
    _kind("at", "points"): lambda: st.one_of(tables, several(instants), instants),
    OPTIONS["stream"].parameters["control"]: lambda: tables,
    OPTIONS["reports"].parameters["places"]: lambda: st.one_of(tables, several(numbers)),
    OPTIONS["session"].parameters["attributes"]: lambda: mapping(name_values, expressions),
    SCHEMES["delta"].parameters["value"]: lambda: st.one_of(expressions, mapping(expressions, numbers)),
    SCHEMES["boundary"].parameters["grid"]: lambda: mapping(expressions, st.one_of(numbers, several(numbers))),
}
