"""The operator of patterns finds what the reference finds, on random patterns, definitions and rows.

Covers: streamframes.core.patterns.conditions, streamframes.core.patterns.encoding,
streamframes.core.patterns.kernels.aggregates, streamframes.core.patterns.kernels.history,
streamframes.core.patterns.kernels.matcher, streamframes.core.patterns.kernels.paths,
streamframes.core.patterns.kernels.rules, streamframes.core.patterns.kernels.stack,
streamframes.core.patterns.kernels.viability, streamframes.core.patterns.language.columns,
streamframes.core.patterns.language.definitions, streamframes.core.patterns.language.leaves,
streamframes.core.patterns.language.pattern, streamframes.core.patterns.language.reader,
streamframes.core.patterns.language.tokens, streamframes.core.patterns.language.trees,
streamframes.core.patterns.matching, streamframes.core.patterns.measures, streamframes.core.patterns.operator,
streamframes.core.patterns.plan, streamframes.core.patterns.program, streamframes.core.patterns.resolve,
streamframes.core.patterns.results
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given

from streamframes.errors import StreamFramesError
from tests.core.patterns.at_work import plan_of, results
from tests.core.patterns.worlds import KINDS, Question, questions, rows, text_of
from tests.oracles.patterns import Sought, View
from tests.thoroughness import examples

SLOW = (HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large)


def sought(question: Question, some: Sequence[Any]) -> Sought:
    define = {name: atom.holds for name, atom in question.define.items()}
    skip = " ".join(question.skip.split()[:2]) if question.skip_to else question.skip
    return Sought(question.pattern, define, some, skip, question.skip_to, question.within)


def expected(question: Question, all_rows: Sequence[Any]) -> list[tuple[Any, ...]] | None:
    """Key, start, length, number of each match, and the variables of its rows; None where skipping is an error."""
    found = []
    try:
        for kind in KINDS:
            some = [row for row in all_rows if row["k"] == kind]
            for match in sought(question, some).matches():
                names = "".join(name for _, name, _ in match.path)
                if match.number is not None:
                    found.append((kind, some[match.start]["ts"], len(match.path), match.number, names))
    except LookupError:
        return None
    return found


@pytest.mark.parametrize("history", [False, True])
@examples(400, *SLOW)
@given(data=st.data())
def test_matches_are_those_of_the_reference(history: bool, data: Any) -> None:
    question = data.draw(questions(history=history), label="question")
    some = data.draw(rows(), label="rows")
    wanted = expected(question, some)
    plan, expressions, _ = plan_of(
        text_of(question.pattern),
        question.texts,
        {"names": "collect_list(CLASSIFIER())"},
        subset=question.subset,
        after_match=question.skip,
        within=question.within,
    )
    if wanted is None:
        with pytest.raises(StreamFramesError, match="after_match"):
            results(plan, expressions, some)
        return
    found = [
        (
            row["k"],
            row["frame_start"],
            row["frame_rows"],
            row["match_number"],
            "".join(row["__sf_leaf_0"]),
        )
        for row in results(plan, expressions, some)
    ]
    assert found == wanted


MEASURES = {
    "names": "collect_list(CLASSIFIER())",
    "total": "sum(A.x)",
    "highest": "max(S.y)",
    "mean": "RUNNING avg(x)",
    "first": "FIRST(B.x, 1)",
    "after": "FINAL LAST(A.x, 1)",
    "before": "PREV(FIRST(x), 2)",
    "beyond": "NEXT(B.x)",
    "rows": "FINAL count(B.*)",
    "who": "LAST(CLASSIFIER(S), 1)",
    "number": "MATCH_NUMBER()",
}


def values_of(view: View) -> dict[str, Any]:
    """The measures, by the book."""
    xs, ys = view.values(["A"], "x"), view.values(["A", "B"], "y")
    mean = view.values(None, "x")
    return {
        "names": [view.classifier(None, i, first=True) for i in range(len(view.places(None)))],
        "total": sum(xs) if xs else None,
        "highest": max(ys, default=None),
        "mean": sum(mean) / len(mean) if mean else None,
        "first": view.nav(["B"], "x", first=True, offset=1),
        "after": view.nav(["A"], "x", offset=1, final=True),
        "before": view.nav(None, "x", first=True, shift=-2),
        "beyond": view.nav(["B"], "x", shift=1),
        "rows": len(view.places(["B"], final=True)),
        "who": view.classifier(["A", "B"], 1),
        "number": view.number,
    }


def measured(question: Question, all_rows: Sequence[Any], rows_per_match: str) -> list[dict[str, Any]]:
    """All results with their measures, by the book."""
    found = []
    for kind in KINDS:
        some = [row for row in all_rows if row["k"] == kind]
        for match in sought(question, some).matches():
            places: list[int | None] = [row for row, _, excluded in match.path if not excluded]
            if rows_per_match == "one":
                places = [match.path[-1][0]] if match.path else []
            if match.kind == "empty" and rows_per_match != "all omit empty":
                places = [None]
            if match.number is None:
                if rows_per_match == "all with unmatched":
                    found.append({"k": kind, "ts": some[match.start]["ts"], **dict.fromkeys(MEASURES)})
                continue
            for at in places:
                view = View(some, match.path, at, match.number)
                own = {"ts": some[match.start if at is None else at]["ts"]} if rows_per_match != "one" else {}
                found.append({"k": kind, **own, **values_of(view)})
    return found


@pytest.mark.parametrize("rows_per_match", ["one", "all", "all omit empty", "all with unmatched"])
@examples(60, *SLOW)
@given(data=st.data())
def test_measures_are_those_of_the_reference(rows_per_match: str, data: Any) -> None:
    excluding = rows_per_match != "all with unmatched"
    question = data.draw(questions(history=False, exclusion=excluding), label="question")
    some = data.draw(rows(), label="rows")
    if expected(question, some) is None:
        return
    plan, expressions, texts = plan_of(
        text_of(question.pattern), question.texts, MEASURES, subset=question.subset,
        rows_per_match=rows_per_match, after_match=question.skip, within=question.within,
    )  # fmt: skip
    found = results(plan, expressions, some)
    shown = ["k", "ts"] if rows_per_match != "one" else ["k"]
    made = [
        {**{name: row[name] for name in shown}, **{name: row[text] for name, text in texts.items()}} for row in found
    ]
    wanted = measured(question, some, rows_per_match)
    assert made == wanted
