"""`streamframes sql`: carry out SQL in which the verbs are functions, over files as tables."""

from __future__ import annotations

import re
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from streamframes.cli.flatten import grouped
from streamframes.cli.options.common import DeliveryOptions, SparkOptions
from streamframes.cli.options.sql import SqlOptions
from streamframes.cli.terminal import note, reporting
from streamframes.errors import InvalidArgument, StreamFramesError

if TYPE_CHECKING:
    from streamframes.cli.engine import Engine
    from streamframes.cli.io.outputs import Target
    from streamframes.spark import DataFrame


@reporting
@grouped
def sql(query: SqlOptions, spark: SparkOptions, delivery: DeliveryOptions) -> None:
    """Carry out SQL over files, in which frames(), fill(), bursts(), sessions() and the other verbs are functions."""
    from streamframes.cli.engine import start
    from streamframes.cli.io.inputs import read, source_of
    from streamframes.cli.io.results import target_for
    from streamframes.cli.options.sql import parameters_of, tables_of

    text = _text(query)
    target = target_for(delivery)
    if text is None and target is not None:
        raise InvalidArgument("--output belongs to a query; give FILE or -e TEXT")
    files = {name: source_of([path], query.table_format, argument="--table", option="--table-format")
             for name, path in tables_of(query.table).items()}  # fmt: skip
    parameters = parameters_of(query.param)
    session = Session(start(spark), parameters, delivery)
    for name, source in files.items():
        session.add(name, read(session.engine, source, ()))
    if text is not None:
        session.carry_out(text, target)
        return
    from streamframes.cli.prompt import ask

    ask(session.carry_out, session.names)


def _text(query: SqlOptions) -> str | None:
    """The statements; None where they are to be asked for."""
    if query.file is not None and query.text is not None:
        raise InvalidArgument("FILE and --execute both hold statements; give one of them")
    if query.text is not None:
        return query.text
    if query.file is not None:
        try:
            return query.file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise StreamFramesError(f"cannot read {query.file}: {getattr(error, 'strerror', None) or error}") from error
    return None if sys.stdin.isatty() else sys.stdin.read()


@dataclass(frozen=True)
class Session:
    """Statements that are carried out one after the other."""

    engine: Engine
    parameters: dict[str, object]
    delivery: DeliveryOptions
    names: set[str] = field(default_factory=set)

    def add(self, name: str, rows: DataFrame) -> None:
        """Rows as a table."""
        table = rows.select("*")
        table.createOrReplaceTempView(name)
        self.names.update((name, *table.columns))

    def carry_out(self, text: str, target: Target | None = None) -> None:
        """Carry out statements: what each returns is printed, and the last of it written if there is a target."""
        from streamframes.core.sqltext.source import Source
        from streamframes.core.sqltext.statements import statements, view_of

        source = Source(text, self.parameters)
        spans = statements(source)
        if not spans:
            raise InvalidArgument("there is no statement; write a query like 'SELECT * FROM frames(TABLE(r), ...)'")
        for number, span in enumerate(spans, 1):
            # Blanks in the place of what stands before keep lines and columns as they are.
            before = re.sub(r"[^\n]", " ", text[: source.start(span.first)])
            is_last = number == len(spans)
            silent = source.word(span.first) == "CREATE" and view_of(source, span) is not None
            self._statement(before + source.written(span), target if is_last else None, silent=silent)

    def _statement(self, text: str, target: Target | None, *, silent: bool) -> None:
        from streamframes.api.sql import sql
        from streamframes.cli.io.results import Result, deliver

        began = time.monotonic()
        table = sql(text, self.engine.spark, args=self.parameters)
        if silent or not table.columns:
            note("Done.")
            return
        if table.isStreaming:
            raise InvalidArgument("the result is a stream, which has no end; write it with sf.sql(...).writeStream")
        result = Result(table, True, [], "Carrying out", "cannot carry it out")
        deliver(self.engine, result, target, self.delivery, began)
