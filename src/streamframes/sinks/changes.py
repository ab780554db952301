"""Changes: which rows of a batch are about the same thing, and which of two rows is newer.

A row of a frame replaces the stored row under its key, unless that is newer: of a later fragment, of a later version,
or of a later value of the columns that the user names. Among the rows of a batch `newest` decides; against the stored
row the database does, by `_not_older` of `sqlite`, `postgres.merge` and `spark.sinks.merge`.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streamframes.errors import InvalidArgument, SinkError

BAD = ("fail", "aside")
RETRACTED = ("delete", "mark")


@dataclass(frozen=True)
class Changes:
    """The rules by which rows replace rows.

    `order` are the columns that rise with each change of a key; without any, rows of one key are equal. `retracted`
    names the column that says that a row is no more, where its key is then deleted. `rows` names a column that only
    rows about frames have, where there may be others.
    """

    key: tuple[str, ...]
    order: tuple[str, ...] = ()
    retracted: str | None = None
    rows: str | None = None


def changes_of(names: Collection[str], key: tuple[str, ...], order: tuple[str, ...] | None, retracted: str) -> Changes:
    """The rules for rows with these columns: where `order` is not given, fragments and versions say what is newer."""
    for argument, columns in (("key", key), ("order", order or ())):
        missing = [name for name in columns if name not in names]
        if missing:
            raise InvalidArgument(
                f"upsert() got {argument}={missing[0]!r}, which is not a column; the columns are {', '.join(names)}"
            )
    prefix = key[0].removesuffix("id") if len(key) == 1 and key[0].endswith("id") else "frame_"
    version, fragments = f"{prefix}version", (f"{prefix}fragment", f"{prefix}final")
    if order is None:
        order = (version,) if version in names else tuple(name for name in fragments if name in names)
    gone = f"{prefix}retracted"
    deletes = retracted == "delete" and gone in names
    rows = f"{prefix}rows"
    return Changes(key, order, gone if deletes else None, rows if rows in names else None)


def newest(table: pa.Table, changes: Changes) -> pa.Table:
    """One row of each key, the newest, sorted by key; rows that only say how far a stream is are left out.

    Of rows that are equally new the last one stays. Without an order they must be equal: which one is right is unknown.
    """
    if changes.rows is not None:
        is_punctuation = pc.and_(pc.is_null(table[changes.key[0]]), pc.is_null(table[changes.rows]))
        table = table.filter(pc.invert(is_punctuation))
    if not len(table):
        return table
    table = table.take(_order(table, changes.key)).combine_chunks()
    follows = _same_key_as_next(table, changes.key)
    if not follows.any():
        return table
    if changes.order:
        table = table.take(_order(table, (*changes.key, *changes.order)))
    else:
        _refuse_different(table, follows, changes.key)
    return table.filter(pa.array(~follows))


def _order(table: pa.Table, names: tuple[str, ...]) -> pa.Array:
    """The rows in order of some columns, and of their place where these are equal."""
    if len(names) == 1 and table[names[0]].type == pa.int64() and not table[names[0]].null_count:
        return pa.array(np.argsort(table[names[0]].to_numpy(), kind="stable"))
    keyed = pa.table({f"c{i}": table[name] for i, name in enumerate(names)})
    keyed = keyed.append_column("at", pa.array(np.arange(len(table))))
    return pc.sort_indices(keyed, [(name, "ascending") for name in keyed.column_names])


def _same_key_as_next(table: pa.Table, key: tuple[str, ...]) -> np.ndarray:
    """Of each row whether the next one has the same key; rows without a key stand alone."""
    same = np.ones(len(table), np.bool_)
    same[-1] = False
    for name in key:
        column = table[name].combine_chunks()
        equal = pc.equal(column.slice(0, len(table) - 1), column.slice(1))
        same[:-1] &= equal.fill_null(False).to_numpy(zero_copy_only=False)
    return same


def _refuse_different(table: pa.Table, follows: np.ndarray, key: tuple[str, ...]) -> None:
    at = np.flatnonzero(follows)
    pairs = zip(table.take(pa.array(at)).to_pylist(), table.take(pa.array(at + 1)).to_pylist(), strict=True)
    for one, other in pairs:
        if repr(one) != repr(other):
            different = [name for name in one if repr(one[name]) != repr(other[name])]
            where = ", ".join(f"{name}={one[name]!r}" for name in key)
            raise SinkError(
                f"two rows of one batch have {where}, but different {', '.join(different)}; name all columns that tell "
                f"rows apart, as upsert(..., key=[...]), or a column that rises with each change, as order="
            )
