"""Resolving: pattern, definitions, measures and options as a user writes them become the parts of a plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from streamframes.core.patterns.language.columns import Definition, RowColumns, Shifted
from streamframes.core.patterns.language.definitions import Definitions
from streamframes.core.patterns.language.leaves import (
    CLASSIFIER,
    EVERY,
    MATCH_NUMBER,
    ROWS,
    Aggregate,
    Leaf,
    Navigation,
)
from streamframes.core.patterns.language.pattern import Exclusion, Pattern, parse_pattern, subpatterns, variables
from streamframes.core.patterns.language.reader import Reader
from streamframes.core.patterns.plan import ALL_UNMATCHED, LeafColumn, type_of_leaf
from streamframes.core.patterns.program import program_of
from streamframes.core.validation import check_choice
from streamframes.errors import InvalidArgument

MOST_VARIABLES = 60
# The type of an expression over a row's columns; the second text says where it stands.
TypeOf = Callable[[str, str], pa.DataType]


@dataclass(frozen=True)
class Resolved:
    """A pattern with every name resolved: what a plan needs, the expressions that travel, and measures as texts."""

    pattern: Pattern
    names: tuple[str, ...]
    definitions: tuple[Definition, ...]
    inputs: tuple[Shifted, ...]
    leaves: tuple[Leaf, ...]
    leaf_inputs: tuple[int, ...]
    measured: tuple[LeafColumn, ...]
    measures: Mapping[str, str]
    expressions: tuple[str, ...]
    skip: str
    skip_mask: int


@dataclass(frozen=True)
class PatternText:
    """What a user writes of a pattern."""

    pattern: str
    define: Mapping[str, str]
    measures: Mapping[str, str]
    subset: Mapping[str, Sequence[str]]
    rows_per_match: str
    after_match: str


def resolve(text: PatternText, columns: Sequence[str], type_of: TypeOf) -> Resolved:
    """Check a pattern, and resolve the names in it to the columns of rows."""
    pattern = parse_pattern(text.pattern)
    names = variables(pattern)
    if len(names) > MOST_VARIABLES:
        raise InvalidArgument(f"pattern= has {len(names)} variables; at most {MOST_VARIABLES} are possible")
    if not names:
        raise InvalidArgument(f"pattern={text.pattern!r} has no variable; write one like 'A+'")
    program_of(pattern, names)
    masks = _masks(names, text.subset)
    if text.rows_per_match == ALL_UNMATCHED and any(isinstance(part, Exclusion) for part in subpatterns(pattern)):
        raise InvalidArgument(
            f"pattern={text.pattern!r} excludes rows with {{- -}}, which rows_per_match={ALL_UNMATCHED!r} would have "
            "to show as unmatched; use rows_per_match='all'"
        )
    row_columns = RowColumns(type_of)
    reading = Definitions(row_columns)
    definitions = _definitions(text.define, names, masks, columns, reading)
    leaf_inputs = tuple(
        -1 if not isinstance(leaf, Navigation | Aggregate) else reading.input_of(leaf) for leaf in reading.leaves
    )
    measures, measured = _measures(text.measures, masks, columns, row_columns)
    skip, skip_mask = _skip(text.after_match, masks)
    return Resolved(
        pattern,
        names,
        definitions,
        tuple(reading.inputs),
        tuple(reading.leaves),
        leaf_inputs,
        measured,
        measures,
        tuple(row_columns.types),
        skip,
        skip_mask,
    )


def _masks(names: Sequence[str], subset: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """The mask of each variable and subset, by lower-case name."""
    masks = {name.lower(): 1 << number for number, name in enumerate(names)}
    for name, parts in _mapping(subset, "subset", "{'U': ['A', 'B']}").items():
        if name.lower() in masks:
            raise InvalidArgument(f"subset= got {name!r}, which is a variable or subset already; rename it")
        wanted = [parts] if isinstance(parts, str) else list(parts)
        mask = 0
        for part in wanted:
            if str(part).lower() not in (each.lower() for each in names):
                raise InvalidArgument(f"subset={name!r} got {part!r}; the variables are {', '.join(names)}")
            mask |= masks[part.lower()]
        if not mask:
            raise InvalidArgument(f"subset={name!r} is empty; name variables of the pattern")
        masks[name.lower()] = mask
    return masks


def _mapping(value: object, argument: str, example: str) -> Mapping[str, str]:
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise InvalidArgument(f"{argument}={value!r} is no mapping of names; write {argument}={example}")
    return value


def _definitions(
    define: Mapping[str, str],
    names: Sequence[str],
    masks: Mapping[str, int],
    columns: Sequence[str],
    reading: Definitions,
) -> tuple[Definition, ...]:
    """What each variable is; one without a definition is any row."""
    given: dict[str, str] = {}
    for name, condition in _mapping(define, "define", "{'A': 'price < PREV(price)'}").items():
        if name.lower() not in (each.lower() for each in names):
            raise InvalidArgument(f"define= got {name!r}; the variables of the pattern are {', '.join(names)}")
        if name.lower() in given:
            raise InvalidArgument(f"define= got {name!r} twice")
        given[name.lower()] = condition
    found = []
    for name in names:
        if name.lower() not in given:
            found.append(Definition())
            continue
        reader = Reader(masks, columns, f"define[{name!r}]", own=name)
        found.append(reading.read(given[name.lower()], reader))
    return tuple(found)


def _measures(
    measures: Mapping[str, str], masks: Mapping[str, int], columns: Sequence[str], row_columns: RowColumns
) -> tuple[dict[str, str], tuple[LeafColumn, ...]]:
    """Measures as texts over their leaves, and the leaves."""
    leaves: dict[str, Leaf] = {}
    texts, where = {}, {}
    for name, text in _mapping(measures, "measures", "{'bottom': 'LAST(DOWN.price)'}").items():
        reader = Reader(masks, columns, f"measures[{name!r}]", leaves=leaves)
        texts[name] = reader.read(text).text
        where.update({each: reader.what for each in leaves if each not in where})
    return texts, tuple(_leaf_column(name, leaf, where[name], row_columns) for name, leaf in leaves.items())


def _leaf_column(name: str, leaf: Leaf, what: str, row_columns: RowColumns) -> LeafColumn:
    texts = [] if not isinstance(leaf, Navigation | Aggregate) else [leaf.what]
    texts += [leaf.by] if isinstance(leaf, Aggregate) and leaf.by is not None else []
    numbers = [-1 if text in (CLASSIFIER, MATCH_NUMBER, ROWS) else row_columns.number(text, what) for text in texts]
    kind = type_of_leaf(leaf, row_columns.types)
    if kind is None and isinstance(leaf, Aggregate):
        spelled = f"{leaf.function}({leaf.what})"
        raise InvalidArgument(f"{what}: {spelled} cannot be computed over rows of a match; cast it to double or bigint")
    return LeafColumn(name, leaf, kind or pa.int64(), *numbers)


def _skip(after_match: object, masks: Mapping[str, int]) -> tuple[str, int]:
    """Where the next match may begin: the kind, and the variables of the row to skip to."""
    if not isinstance(after_match, str):
        raise InvalidArgument(f"after_match={after_match!r} is no text; write 'past last row' or 'to next row'")
    words = after_match.lower().split()
    words = words[1:] if words[:1] == ["skip"] else words
    text = " ".join(words)
    if text in ("past last row", "to next row"):
        return text, EVERY
    if len(words) == 2 and words[0] == "to":
        words = ["to", "last", words[1]]
    kind = " ".join(words[:2])
    if len(words) != 3 or kind not in ("to first", "to last"):
        forms = "'past last row', 'to next row', 'to first A', 'to last A' or 'to A'"
        raise InvalidArgument(f"after_match={after_match!r}; write {forms}")
    check_choice(words[2], "after_match", tuple(masks))
    return kind, masks[words[2]]
