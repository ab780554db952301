"""A call in SQL is the Python call: random calls of every function, with nasty names and texts in them.

Covers: streamframes.core.sqltext.calls,
streamframes.core.sqltext.arguments,
streamframes.core.sqltext.kinds,
streamframes.core.sqltext.literals,
streamframes.core.sqltext.source
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from streamframes.core.sqltext.arguments import Call, TableText
from streamframes.core.sqltext.calls import Applied, read_call
from streamframes.core.sqltext.finder import found_in
from streamframes.core.sqltext.functions import FUNCTIONS
from streamframes.core.sqltext.source import Source
from streamframes.errors import InvalidArgument
from tests.core.sqltext.written import EXPRESSIONS, NASTY, Option, arguments, names, quoted
from tests.thoroughness import examples

FIRST = {
    "rows": "TABLE(reports)",
    "files": "'reports.csv'",
    "frames": "frames(TABLE(reports), threshold(x > 1), ts => t)",
    "regions": "regions(TABLE(reports), x > 1, ts => t, space => s)",
    "bursts": "bursts(TABLE(reports), x, thresholds => map(3, 5), ts => t)",
    "sessions": "sessions(TABLE(reports), session(Call), ts => t)",
    "matches": "match(TABLE(reports), 'A', ts => t)",
}
ALL = [(name, receiver) for name, forms in FUNCTIONS.items() for receiver in forms]


def read(text: str, **parameters: object) -> Applied:
    """The one call in a query."""
    source = Source(text, parameters)
    (found,) = found_in(source, source.whole)
    return read_call(source, found.span)


def call(text: str, **parameters: object) -> dict[str, Any]:
    applied = read(f"SELECT * FROM {text}", **parameters)
    return {name: python(value, "") for name, value in applied.call.named.items()}


def python(value: object, text: str) -> Any:
    """A value that was read, as the Python call has it; a table is its text."""
    if isinstance(value, TableText):
        return text
    if isinstance(value, Call):
        named = {name: python(each, text) for name, each in value.named.items()}
        return Option(value.name, tuple(python(each, text) for each in value.unnamed), named)
    if isinstance(value, dict):
        return {name: python(each, text) for name, each in value.items()}
    return type(value)(python(each, text) for each in value) if isinstance(value, list | tuple) else value


def blanked(value: object) -> Any:
    """The same with nothing for the text of tables."""
    if isinstance(value, Option):
        return Option(value.name, blanked(value.unnamed), blanked(dict(value.named)))
    if isinstance(value, dict):
        return {name: blanked(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(blanked, value))
    return "" if isinstance(value, str) and value.lower().startswith("table") else value


@pytest.mark.parametrize(("name", "receiver"), ALL)
@examples(12)
@given(data=st.data())
def test_a_call_in_sql_is_the_python_call(name: str, receiver: str, data: Any) -> None:
    signature = FUNCTIONS[name][receiver]
    made = data.draw(arguments(signature))
    measures = data.draw(st.dictionaries(names, st.sampled_from(EXPRESSIONS), max_size=2)) if signature.measures else {}
    parts = [FIRST[receiver], made.sql, *(f"{key.sql} => {text}" for key, text in measures.items())]
    where = data.draw(st.sampled_from(["SELECT a, split(b, ',') FROM t JOIN %s AS f ON a = b", "(SELECT * FROM %s)"]))
    unnamed, named = blanked(made.python)
    wanted = {key.python: text for key, text in measures.items()}
    if signature.into is not None and wanted:
        listed = named.get(signature.into, {})
        assume(not wanted.keys() & listed.keys())
        named[signature.into] = {**listed, **wanted}
        wanted = {}
    applied = read(where % f"{name}({', '.join(part for part in parts if part)})")
    assert (applied.call.name, applied.call.receiver) == (name, receiver)
    assert tuple(python(each, "") for each in applied.call.unnamed) == unnamed
    assert {key: python(value, "") for key, value in applied.call.named.items()} == named
    assert applied.call.measures == wanted


@examples(100)
@given(value=st.one_of(st.sampled_from(NASTY), st.text()), flag=st.sampled_from(["a = :v", ":v", "f(:v,:v) --\n"]))
def test_a_text_that_a_parameter_brings_is_a_literal_and_nothing_else(value: str, flag: str) -> None:
    if not value.isprintable() and any("\ud800" <= each <= "\udfff" for each in value):
        return
    where = call(f"frames(TABLE(r), threshold({flag}), ts => t)", v=value)["scheme"].named["where"]
    harmless = Source(where).tokens
    kinds = [token.token_type.name for token in harmless]
    # Nothing but what was written, and in the place of :v a text or CAST(X'...' AS STRING).
    literals = [token.text for token in harmless if token.token_type.name in ("STRING", "HEX_STRING")]
    decoded = [bytes.fromhex(text).decode() if "CAST" in where else text for text in literals]
    assert decoded == [value] * flag.count(":v")
    assert "SEMICOLON" not in kinds
    assert kinds.count("L_PAREN") == flag.count("(") + ("CAST" in where) * flag.count(":v")


def test_parameters_are_values_of_their_kind() -> None:
    scheme = object.__new__(type("Scheme", (), {}))
    got = call(
        "frames(TABLE(r), :scheme, ts => :ts, by => :by, lateness => :wait)",
        scheme=scheme, ts="a; DROP TABLE r", by=["x", "y"], wait=3,
    )  # fmt: skip
    assert got == {"scheme": scheme, "ts": "a; DROP TABLE r", "by": ["x", "y"], "lateness": 3}
    with pytest.raises(InvalidArgument, match="define => :d is not a mapping"):
        call("match(TABLE(r), 'A', ts => t, define => :d)", d={"A": "x > 1"})
    with pytest.raises(InvalidArgument, match=r"column 46: there is no parameter :limt; did you mean 'limit'\?"):
        call("frames(TABLE(r), threshold(x > :limt), ts => t)", limit=3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("frames(TABLE(r), thresold(x > 1), ts => t)", "column 32: scheme => thresold.* did you mean 'threshold'"),
        ("frames(TABLE(r), threshold(x > 1, min_duraton => 3), ts => t)", "column 49: .* did you mean 'min_duration'"),
        ("frames(TABLE(r), threshold(x > 1))", r"column 15: frames\(\) has no ts; add ts => a name"),
        ("frames(r, threshold(x > 1), ts => t)", r"column 22: .* write TABLE\(r\)"),
        ("frames(threshold(x > 1), ts => t)", r"column 22: .* its first argument is like TABLE\(reports\)"),
        ("frames(TABLE(r), threshold(x > 1), ts => 'rpt_time')", "ts => 'rpt_time' is not a name like router"),
        ("frames(TABLE(r), threshold(x > 1), ts => t, ts => u)", "column 59: .* got ts twice"),
        ("frames(TABLE(r), ts => t, threshold(x > 1))", "without a name behind named arguments"),
        ("frames(TABLE(r), threshold(x > 1), t)", r"column 50: frames\(\) got 't' without a name"),
        ("frames(TABLE(r) PARTITION BY a, threshold(x > 1), ts => t)", "column 31: .* by => router"),
        ("frames(TABLE(r), threshold(x > 1, gaps => 1), ts => t)", "gaps => 1 is not true or false"),
        ("tag(bursts(TABLE(r), thresholds => map(3, 5), ts => t))", r"column 19: tag\(\) got .* goes with frames"),
        ("runs(TABLE(r))", r"its first argument is like bursts\(\.\.\.\)"),
        ("bursts(TABLE(r), thresholds => map(3), ts => t)", "a key without a value"),
        ("frames(TABLE(r), , ts => t)", "empty argument"),
        ("frames(TABLE(), threshold(x), ts => t)", r"TABLE\(\) names no table"),
    ],
)
def test_an_error_says_where_and_what_would_work(text: str, message: str) -> None:
    with pytest.raises(InvalidArgument, match=rf"sql\(\) line 1, .*{message}"):
        call(text)


def test_names_in_backquotes_are_what_they_say() -> None:
    for name in NASTY:
        assert call(f"frames(TABLE(r), gap(3), ts => {quoted(name)})")["ts"] == name
