"""Lookback: how far before a frame's start an expression of its edges can lie at most."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
from sqlglot import exp

from streamframes.core.batch.clock import MICROSECONDS
from streamframes.core.sparksql.kernels.times import DAY, interval_of
from streamframes.core.sparksql.syntax import parsed
from streamframes.core.sparksql.terms import Untranslatable

_UNITS = {**MICROSECONDS, "month": 31 * DAY, "quarter": 92 * DAY, "year": 366 * DAY}
_UP_TO_MINUTES = ("microsecond", "millisecond", "second", "minute")
# Two clocks of one zone differ by no more than this: offsets lie within 18 hours.
_ZONE = 36 * MICROSECONDS["hour"]


def least_offset(text: str, schema: pa.Schema, start: str, end: str) -> int | None:
    """A number of ticks that `expression - start` is never below, where `end >= start`; None if none is known.

    >>> edges = pa.schema({"start": pa.timestamp("us"), "end": pa.timestamp("us")})
    >>> least_offset("least(start - interval 5 minutes, end)", edges, "start", "end")
    -300000000
    """
    try:
        return _Edges(start.lower(), end.lower(), schema.field(start).type).bound(parsed(text))
    except Untranslatable:
        return None


@dataclass(frozen=True)
class _Edges:
    start: str
    end: str
    type: pa.DataType

    def bound(self, node: exp.Expression) -> int | None:
        """The bound of one node."""
        if isinstance(node, exp.Paren | exp.Nullif):
            return self.bound(node.this)
        if isinstance(node, exp.Column):
            return 0 if not node.table and node.name.lower() in (self.start, self.end) else None
        if isinstance(node, exp.Add | exp.Sub | exp.TsOrDsAdd):
            return self._moved(node)
        if isinstance(node, exp.TimestampTrunc):
            return self._truncated(node)
        if isinstance(node, exp.Greatest):
            return self._greatest([node.this, *node.expressions])
        branches = _branches(node)
        return self._lowest(branches) if branches else None

    def _lowest(self, nodes: list[exp.Expression]) -> int | None:
        bounds = [self.bound(node) for node in nodes if not isinstance(node, exp.Null)]
        there = [bound for bound in bounds if bound is not None]
        return min(there) if there and len(there) == len(bounds) else None

    def _greatest(self, nodes: list[exp.Expression]) -> int | None:
        """The best bound among arguments that cannot be null: `greatest` passes over nulls."""
        bounds = [self.bound(node) for node in nodes if self._is_present(node)]
        there = [bound for bound in bounds if bound is not None]
        return max(there) if there else self._lowest(nodes)

    def _is_present(self, node: exp.Expression) -> bool:
        may_be_null = (exp.Nullif, exp.Case, exp.If, exp.Null)
        names = {each.name.lower() for each in node.find_all(exp.Column)}
        return names <= {self.start, self.end} and not any(node.find_all(*may_be_null))

    def _moved(self, node: exp.Expression) -> int | None:
        operands = [(node.this, node.expression, -1 if isinstance(node, exp.Sub) else 1)]
        if isinstance(node, exp.Add):
            operands.append((node.expression, node.this, 1))
        for moved, by, sign in operands:
            ticks, bound = self._ticks(by), self.bound(moved)
            if ticks is not None and bound is not None:
                return bound + sign * ticks - self._slack(ticks)
        return None

    def _ticks(self, node: exp.Expression) -> int | None:
        if pa.types.is_timestamp(self.type) or isinstance(node, exp.Interval):
            interval = interval_of(node)
            if interval is None or pa.types.is_timestamp(self.type):
                return None if interval is None else interval.micros
            return interval.micros // DAY if pa.types.is_date(self.type) and interval.whole_days else None
        return _whole(node)

    def _slack(self, ticks: int) -> int:
        """Days of a timestamp are days of a zone, and not all of them have 24 hours."""
        in_zone = pa.types.is_timestamp(self.type) and self.type.tz is not None
        return _ZONE if in_zone and abs(ticks) >= DAY else 0

    def _truncated(self, node: exp.Expression) -> int | None:
        unit, bound = node.args["unit"].name.lower(), self.bound(node.this)
        if bound is None or unit not in _UNITS or not pa.types.is_timestamp(self.type):
            return None
        return bound - (_UNITS[unit] - 1) - (0 if unit in _UP_TO_MINUTES else _ZONE if self.type.tz else 0)


def _branches(node: exp.Expression) -> list[exp.Expression]:
    """The nodes of which one is the value of this one."""
    if isinstance(node, exp.Coalesce | exp.Least):
        return [node.this, *node.expressions]
    if isinstance(node, exp.If):
        return [each for each in (node.args.get("true"), node.args.get("false")) if each is not None]
    if isinstance(node, exp.Case):
        default = node.args.get("default")
        return [branch.args["true"] for branch in node.args["ifs"]] + ([] if default is None else [default])
    return []


def _whole(node: exp.Expression) -> int | None:
    """The whole number that a constant stands for."""
    if isinstance(node, exp.Paren):
        return _whole(node.this)
    if isinstance(node, exp.Neg | exp.Mul):
        # sqlglot writes date_sub(a, 5) as a plus 5 * -1.
        inner = _whole(node.this)
        factor = -1 if isinstance(node, exp.Neg) else _whole(node.expression)
        return None if inner is None or factor is None else inner * factor
    if isinstance(node, exp.Literal) and not node.args.get("is_string") and node.name.isdigit():
        return int(node.name)
    return None
