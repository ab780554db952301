"""Running: the calls in a query become DataFrames, and Spark gets the query with names in their places.

frames(TABLE(SELECT ...), ...) f JOIN sites s ─ cut out ─┬─ TABLE(...)  ─ the same way ─ rows ─ verb ─┐
                                                         └─ {sf_0} f JOIN sites s ─────── spark.sql ──┴─ result
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias, cast

from pyspark.sql import DataFrame, SparkSession

from streamframes.core.sqltext.arguments import Call, Rows, TableText, Value, is_plain
from streamframes.core.sqltext.calls import Applied, read_call
from streamframes.core.sqltext.finder import Found, found_in
from streamframes.core.sqltext.recognize import read_clause
from streamframes.core.sqltext.rewriting import Rewritten, is_query
from streamframes.core.sqltext.scopes import Scope, scopes, visible
from streamframes.core.sqltext.signature import ROWS_ONLY
from streamframes.core.sqltext.source import Source, Span
from streamframes.core.sqltext.statements import View, statements, view_of
from streamframes.errors import InvalidArgument
from streamframes.spark.columns import is_dataframe
from streamframes.spark.sql.failures import located, placed
from streamframes.spark.sql.options import OPTION_CLASSES

Verbs = Mapping[str, Callable[..., object]]
Tables: TypeAlias = dict[str, Any]


def run_text(spark: SparkSession, text: str, verbs: Verbs, parameters: Mapping[str, object]) -> DataFrame:
    """The result of a statement in which our functions may stand."""
    source = Source(text, parameters)
    several = statements(source)
    if not any(found_in(source, span) for span in several):
        plain = {name: value for name, value in parameters.items() if is_plain(value)}
        with located(spark, Rewritten.unchanged(source)):
            return spark.sql(text, args=plain or None)
    if len(several) > 1:
        raise source.error_at(several[1], "sql() carries out one statement; call it once for each")
    return Run(spark, source, verbs).statement(several[0])


@dataclass(frozen=True)
class Planned:
    """What a verb has returned, and the measures that are wanted of it."""

    value: Any
    measures: Mapping[str, Value]

    def table(self) -> DataFrame:
        """The result as a DataFrame."""
        if self.measures:
            return cast(DataFrame, self.value.agg(**self.measures))
        if is_dataframe(self.value):
            return self.value
        return cast(DataFrame, self.value.sessions() if hasattr(self.value, "trees") else self.value.toDF())


@dataclass(frozen=True)
class Run:
    """A text that is carried out in a session."""

    spark: SparkSession
    source: Source
    verbs: Verbs

    @cached_property
    def scopes(self) -> list[Scope]:
        """What WITH defines."""
        return scopes(self.source)

    def statement(self, span: Span) -> DataFrame:
        """The result of a statement; of a view that it makes, the rows."""
        view = view_of(self.source, span)
        if view is None:
            return self.query(span)
        return self._made(view)

    def _made(self, view: View) -> DataFrame:
        rows = self.query(view.query)
        if view.columns:
            if len(view.columns) != len(rows.columns):
                raise self.source.error_at(
                    view.query, f"view {view.name} has {len(view.columns)} columns, and its query {len(rows.columns)}"
                )
            rows = rows.toDF(*view.columns)
        kind = "createOrReplace" if view.replace else "create"
        make = getattr(rows, f"{kind}{'GlobalTemp' if view.is_global else 'Temp'}View")
        with located(self.spark, Rewritten(self.source)):
            make(view.name)
        return rows

    def query(self, span: Span, *, in_from: bool = False) -> DataFrame:
        """The rows of a query, or of what stands in the place of a table."""
        cuts = visible(self.source, self.scopes, span)
        text = Rewritten(self.source)
        tables: Tables = {}
        bound: set[str] = set()
        for cut in cuts:
            self._add(text, cut, found_in(self.source, cut), tables, bound)
            text.add_words("(")
        is_table = in_from and not is_query(self.source, span)
        if is_table:
            text.add_words("SELECT * FROM")
        self._add(text, span, found_in(self.source, span, in_from=is_table), tables, bound)
        text.add_words(")" * len(cuts))
        args = {name: self.source.parameters[name] for name in sorted(bound)} or None
        with located(self.spark, text):
            return self.spark.sql(text.text, args, **tables)

    def _add(self, text: Rewritten, span: Span, found: Sequence[Found], tables: Tables, bound: set[str]) -> None:
        """Add a part of a query to the text; its calls to the tables, its parameters to those that Spark binds."""
        names = []
        for each in found:
            names.append(f"sf_{len(tables)}")
            tables[names[-1]] = self._table(each)
        text.add(span, found, names)
        ours = {i for each in found for i in range(*each.span)}
        for i in range(*span):
            name = self.source.parameter(i)
            known = name is not None and name in self.source.parameters and i not in ours
            if name is not None and known and is_plain(self.source.parameters[name]):
                bound.add(name)

    def _table(self, found: Found) -> DataFrame:
        """The rows of a call, a clause or a parameter."""
        if found.kind == "parameter":
            name = self.source.written(Span(found.span.first + 1, found.span.last))
            if name not in self.source.parameters or is_plain(self.source.parameters[name]):
                raise self.source.error_at(
                    found.span, f"the parameter :{name} is no table; give a DataFrame or a scan()"
                )
            return Planned(self.source.parameters[name], {}).table()
        applied = read_clause(self.source, found) if found.kind == "clause" else read_call(self.source, found.span)
        with placed(self.source, applied.call):
            return self.planned(applied).table()

    def planned(self, applied: Applied) -> Planned:
        """What a verb, or a method of what another verb has planned, returns."""
        call = applied.call
        receiver = self._receiver(applied)
        named = {name: self.value(value) for name, value in call.named.items()}
        unnamed = [self.value(value) for value in call.unnamed]
        is_verb = call.receiver in (ROWS_ONLY, "files")
        with placed(self.source, call):
            if is_verb and call.name == "scan":
                named["spark"] = self.spark
            function = self.verbs[call.name] if is_verb else getattr(receiver, call.name)
            arguments = [receiver, *unnamed] if is_verb else unnamed
            if applied.signature.returns == ROWS_ONLY:
                return Planned(function(*arguments, **named, **call.measures), {})
            return Planned(function(*arguments, **named), call.measures)

    def _receiver(self, applied: Applied) -> object:
        """What a call is applied to."""
        receiver = applied.receiver
        if not isinstance(receiver, Applied):
            return self.value(receiver)
        inner = self.planned(receiver)
        if inner.measures:
            name = next(iter(inner.measures))
            raise self.source.error(
                receiver.call.places[name],
                f"{receiver.call.name}() inside of {applied.call.name}() got the measure {name}, which would be lost; "
                f"write it among the arguments of {applied.call.name}()"
                if applied.signature.measures
                else f"{applied.call.name}() has no measures; leave {name} out",
            )
        return inner.value

    def value(self, value: Value) -> object:
        """A value of an argument as Python has it."""
        if isinstance(value, TableText):
            return self.query(value.span, in_from=True)
        if isinstance(value, Rows):
            if is_plain(value.value):
                raise self.source.error_at(value.span, f"the parameter :{value.name} is no table; give a DataFrame")
            return value.value
        if isinstance(value, Call):
            return self._option(value)
        if isinstance(value, dict):
            return {name: self.value(each) for name, each in value.items()}
        if isinstance(value, list):
            return [self.value(each) for each in value]
        return value

    def _option(self, call: Call) -> object:
        """A scheme, or another value of a class of ours."""
        named = {name: self.value(value) for name, value in call.named.items()}
        with placed(self.source, call):
            try:
                return OPTION_CLASSES[call.name](*[self.value(value) for value in call.unnamed], **named)
            except TypeError as error:
                raise InvalidArgument(f"{call.name}() cannot be made: {error}") from error
