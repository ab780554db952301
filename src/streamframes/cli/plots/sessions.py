"""Plots of sessions: classes as boxes, and the first sessions over time, fetched no further than a picture shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from streamframes.cli.io.outputs import quoted
from streamframes.cli.options.sessions import SessionPictureOptions
from streamframes.cli.terminal import note
from streamframes.core.sessions.tree import Session
from streamframes.errors import StreamFramesError

if TYPE_CHECKING:
    import pyarrow as pa

    from streamframes.api.sessions import Sessions
    from streamframes.cli.engine import Engine
    from streamframes.spark import DataFrame

MAX_OUTERMOST = 12
# Of each level below; more could not be distinguished.
MAX_INSIDE = 2_000


def check_pictures(picture: SessionPictureOptions) -> None:
    """Refuse pictures that could not be saved."""
    from streamframes.draw.saving import check_picture

    for path in (picture.plot, picture.plot_tree):
        if path is not None:
            check_picture(path)


def draw_tree(path: Path | None, roots: Sequence[Session], measures: Mapping[str, str]) -> None:
    """Draw the classes, if that is asked for; it needs no rows."""
    if path is None:
        return
    from streamframes.draw import save_picture, tree

    save_picture(tree(list(roots), measures=measures), path, title="Classes of sessions", what="classes")
    note(f"Picture: {path}")


def draw_sessions(
    engine: Engine, path: Path | None, planned: Sessions, roots: Sequence[Session], classes: Sequence[str], prefix: str
) -> None:
    """Draw the first sessions, if that is asked for."""
    if path is None:
        return
    table, total = engine.run(
        "Drawing", lambda: first_sessions(planned.sessions(), roots, classes, prefix), failed=f"cannot draw {path}"
    )
    if not table.num_rows:
        raise StreamFramesError("--plot finds no sessions")
    from streamframes.draw import save_picture, timeline

    names = [each.name for each in outermost(roots, classes)]
    drawn = set(table[f"{prefix}class"].to_pylist())
    shown = [each.name for root in roots for each in root.walk() if each.name in drawn]
    figure = timeline(
        table,
        by=_keys(roots, names, table.column_names),
        prefix=prefix,
        at_most=MAX_OUTERMOST,
        title=f"Sessions of {', '.join(shown)}",
        subtitle=f"the first of {total:,}" if total > MAX_OUTERMOST else "",
    )
    save_picture(figure, path, frames=table.drop_columns([f"{prefix}id", f"{prefix}parent"]), what="sessions")
    note(f"Picture: {path}")


def outermost(roots: Sequence[Session], classes: Sequence[str]) -> Iterator[Session]:
    """The classes whose sessions are inside no other that is drawn; a root that never ends is not drawn.

    >>> call = Session("Call", key="channel", parts=[Session("ATT", parts=[Session("FAQ")])])
    >>> [each.name for each in outermost([Session("System", parts=[call])], [])]
    ['Call']
    >>> [each.name for each in outermost([Session("System", parts=[call])], ["FAQ", "ATT"])]
    ['ATT']
    """
    for root in roots:
        conditions = (root.matches, root.opens, root.closes, root.timeout)
        lasts = not root.keys and all(condition is None for condition in conditions)
        yield from _outermost(root, classes, passed=lasts)


def _outermost(each: Session, classes: Sequence[str], *, passed: bool) -> Iterator[Session]:
    if not passed and (not classes or each.name in classes):
        yield each
        return
    for part in each.parts:
        yield from _outermost(part, classes, passed=False)


def first_sessions(
    found: DataFrame, roots: Sequence[Session], classes: Sequence[str], prefix: str
) -> tuple[pa.Table, int]:
    """The first outermost sessions with all inside them, and how many outermost there are."""
    import pyarrow as pa

    found = found.cache()
    kind, start, number, parent = (f"{prefix}{name}" for name in ("class", "start", "id", "parent"))
    names = [each.name for each in outermost(roots, classes)]
    tops = found.where(found[kind].isin(*names))
    level = tops.orderBy(quoted(start), quoted(number)).limit(MAX_OUTERMOST).toArrow()
    tables = [level]
    while level.num_rows:
        inside = found.where(found[parent].isin(*level[number].to_pylist()))
        level = inside.orderBy(quoted(start), quoted(number)).limit(MAX_INSIDE).toArrow()
        tables.append(level)
    table = pa.concat_tables(tables)
    return adopted(table, classes, kind, number, parent) if classes else table, tops.count()


def adopted(table: pa.Table, classes: Sequence[str], kind: str, number: str, parent: str) -> pa.Table:
    """Only sessions of some classes, each inside the nearest of them that it is in."""
    import pyarrow as pa
    import pyarrow.compute as pc

    ids, parents, kinds = (table[name].to_pylist() for name in (number, parent, kind))
    above: dict[int, int | None] = dict(zip(ids, parents, strict=True))
    drawn = {each for each, name in zip(ids, kinds, strict=True) if name in classes}
    nearest = []
    for each in parents:
        while each is not None and each not in drawn:
            each = above.get(each)
        nearest.append(each)
    place = table.column_names.index(parent)
    adopted = table.set_column(place, parent, pa.array(nearest, pa.int64()))
    return adopted.filter(pc.is_in(table[kind], pa.array(list(classes))))


def _keys(roots: Sequence[Session], names: Sequence[str], columns: Sequence[str]) -> list[str]:
    """The key columns that tell outermost sessions apart, where all have the same."""
    keys = {each.keys for root in roots for each in root.walk() if each.name in names}
    spelled = {name.lower(): name for name in columns}
    return [spelled[name.lower()] for name in next(iter(keys)) if name.lower() in spelled] if len(keys) == 1 else []
