"""Others: the rows that fill frames, and which of their columns go with those of the framed rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamframes.cli.options.fill import OtherOptions
from streamframes.errors import InvalidArgument

if TYPE_CHECKING:
    from streamframes.spark import DataFrame
    from streamframes.spark.planning.query import Query

_WHOLE = ("tinyint", "smallint", "int", "bigint")


@dataclass(frozen=True)
class Others:
    """Rows that fill: the columns that order them, and what they call the group columns of the frames."""

    rows: DataFrame
    ts: Sequence[str]
    by: Mapping[str, str]


def pairs_of(texts: Sequence[str], by: Sequence[str]) -> dict[str, str]:
    """Which group columns of both inputs go together: names, or pairs of them; all of `by` unless any is given.

    >>> pairs_of([], ["router"]), pairs_of(["router=device_id"], ["router", "port"]), pairs_of([""], ["router"])
    ({'router': 'router'}, {'router': 'device_id'}, {})
    """
    if not texts or list(texts) == [""]:
        return {name: name for name in by if not texts}
    known = {name.lower() for name in by}
    pairs: dict[str, str] = {}
    for text in texts:
        name, pair, other = (part.strip() for part in text.partition("="))
        if not name or (pair and not other):
            raise InvalidArgument(f"--other-by {text!r} names no column; write it like 'router' or 'router=device_id'")
        if name.lower() not in known:
            groups = f"those are {', '.join(by)}" if by else "there is none"
            raise InvalidArgument(f"--other-by {text!r} begins with {name!r}, which is not given with --by; {groups}")
        if name in pairs:
            raise InvalidArgument(f"--other-by names {name!r} twice; each group column may be used once")
        pairs[name] = other if pair else name
    return pairs


def others_of(rows: DataFrame, query: Query, options: OtherOptions) -> Others:
    """The rows that fill, after a look at the names and types of what both inputs share."""
    order = [_spelled(rows, name, "--other-ts") for name in options.other_ts or (query.ts, *query.ties)]
    kinds, framed = dict(rows.dtypes), dict(query.data.dtypes)
    _check_type("--other-ts", order[0], kinds[order[0]], f"--ts {query.ts}", framed[query.ts])
    own = {name.lower(): name for name in query.by}
    by = {}
    for name, other in pairs_of(options.other_by, query.by).items():
        ours, theirs = own[name.lower()], _spelled(rows, other, "--other-by")
        _check_type("--other-by", theirs, kinds[theirs], f"--by {ours}", framed[ours])
        by[ours] = theirs
    return Others(rows, order, by)


def _spelled(rows: DataFrame, name: str, option: str) -> str:
    alike = [name] if name in rows.columns else [each for each in rows.columns if each.lower() == name.lower()]
    if len(alike) != 1:
        known = ", ".join(rows.columns)
        raise InvalidArgument(f"OTHER has no column {name!r}; name one of its columns with {option}: {known}")
    return alike[0]


def _check_type(option: str, name: str, kind: str, wanted: str, wanted_kind: str) -> None:
    if kind == wanted_kind or (option == "--other-ts" and kind in _WHOLE and wanted_kind in _WHOLE):
        return
    raise InvalidArgument(
        f"{option} {name} is {kind}, but {wanted} is {wanted_kind}; add a column that fits, for example with "
        f"--other-with '{name}_2=cast({name} as {wanted_kind})'"
    )
