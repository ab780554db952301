"""Patterns as Trino finds them: random queries to Trino 435, which runs embedded, and to the operator of patterns.

python -m tests.conformance.patterns --queries 2000 [--seed 1]
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
from hypothesis import HealthCheck, Phase, given, seed, settings

from streamframes.errors import StreamFramesError
from tests.core.patterns.at_work import plan_of, results
from tests.core.patterns.worlds import Question, questions, rows, text_of

HERE = Path(__file__).parent / "trino"
MEASURES = {
    "names": "collect_list(CLASSIFIER())",
    "total": "sum(A.x)",
    "highest": "max(S.y)",
    "mean": "avg(x)",
    "who_highest": "max_by(CLASSIFIER(), y)",
    "first": "FIRST(B.x, 1)",
    "final": "FINAL LAST(A.x, 1)",
    "before": "PREV(FIRST(x), 2)",
    "beyond": "NEXT(B.x)",
    "n_rows": "FINAL count(B.*)",
    "n_values": "count(x)",
    "who": "LAST(CLASSIFIER(S), 1)",
    "who_before": "PREV(CLASSIFIER())",
    "who_after": "NEXT(FIRST(CLASSIFIER()), 1)",
    "number": "MATCH_NUMBER()",
    "plain": "x",
    "of_b": "B.x",
}
MODES = {
    "one": "ONE ROW PER MATCH",
    "all": "ALL ROWS PER MATCH SHOW EMPTY MATCHES",
    "all omit empty": "ALL ROWS PER MATCH OMIT EMPTY MATCHES",
    "all with unmatched": "ALL ROWS PER MATCH WITH UNMATCHED ROWS",
}
Asked = tuple[Question, list[dict[str, Any]], str]


def drawn(n: int, number: int) -> list[Asked]:
    """So many random questions, each with rows and what is wanted for a match."""
    found: list[Asked] = []

    @seed(number)
    @settings(max_examples=n, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=HealthCheck)
    @given(data=st.data())
    def draw(data: Any) -> None:
        mode = data.draw(st.sampled_from([*MODES, "one", "all"]))
        history = data.draw(st.booleans())
        question = data.draw(questions(history=history, exclusion=mode != "all with unmatched"))
        if question.within is None:
            found.append((question, data.draw(rows()), mode))

    while len(found) < n:
        draw()
        number += 1
    return found[:n]


def sql(question: Question, some: Sequence[dict[str, Any]], mode: str) -> str:
    """The query for Trino."""
    values = ", ".join(
        f"({number}, {row['ts']}, {_literal(row['x'], 'bigint')}, {_literal(row['y'], 'double')}, '{row['k']}')"
        for number, row in enumerate(some)
    )
    measures = ", ".join(
        f"{text.replace('collect_list', 'array_agg')} AS m{number}" for number, text in enumerate(MEASURES.values())
    )
    define = ", ".join(f"{name} AS {text}" for name, text in question.texts.items())
    keys = ["k", *([] if mode == "one" else ["ts"]), *(f"m{number}" for number in range(len(MEASURES)))]
    return (
        f"SELECT {', '.join(keys)} FROM (VALUES {values}) AS t (seq, ts, x, y, k) MATCH_RECOGNIZE ("
        f"PARTITION BY k ORDER BY ts, seq MEASURES {measures} {MODES[mode]} AFTER MATCH SKIP {question.skip.upper()} "
        f"PATTERN ({text_of(question.pattern)}) SUBSET S = (A, B) DEFINE {define or 'A AS true'})"
    )


def _literal(value: Any, kind: str) -> str:
    return f"CAST({'NULL' if value is None else value} AS {kind})"


def own(question: Question, some: Sequence[dict[str, Any]], mode: str) -> list[tuple[str, ...]]:
    """What the operator finds, as text; an error as `error`."""
    plan, expressions, texts = plan_of(
        text_of(question.pattern),
        question.texts,
        MEASURES,
        subset=question.subset,
        rows_per_match=mode,
        after_match=question.skip,
    )
    try:
        found = results(plan, expressions, some)
    except StreamFramesError:
        return [("error",)]
    names = ["k", *([] if mode == "one" else ["ts"]), *texts.values()]
    return sorted(tuple(_shown(row[name]) for name in names) for row in found)


def _shown(value: Any) -> str:
    if value is None or value == []:
        return "null"
    if isinstance(value, list):
        return f"[{', '.join(value)}]"
    return f"{value:.9g}" if isinstance(value, float) else str(value)


def _number(text: str) -> str:
    try:
        return f"{float(text):.9g}" if "." in text or "E" in text else text
    except ValueError:
        return text


def classpath() -> str:
    """Where Trino lies, fetched by Maven, with the driver compiled."""
    target = Path(tempfile.gettempdir()) / "streamframes-trino"
    target.mkdir(exist_ok=True)
    listed = target / "classpath"
    if not listed.exists():
        command = ["mvn", "-q", "-B", "dependency:build-classpath", f"-Dmdep.outputFile={listed}"]
        subprocess.run(command, cwd=HERE, check=True)
    path = listed.read_text().strip()
    subprocess.run(["javac", "-cp", path, "-d", target, HERE / "src/main/java/Queries.java"], check=True)
    return f"{target}:{path}"


def answers(queries: Sequence[str]) -> Iterator[list[tuple[str, ...]]]:
    """What Trino answers, query by query."""
    command = ["java", "-Xmx2g", "-cp", classpath(), "Queries"]
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True)
        if process.stdin is None or process.stdout is None:
            raise OSError("no pipes")
        for query in queries:
            process.stdin.write(query + "\n")
            process.stdin.flush()
            lines = []
            while (line := process.stdout.readline().rstrip("\n")) != "":
                lines.append(tuple(_number(part) for part in line.split("\t")))
            yield sorted(lines)
        process.stdin.close()
        process.wait()


def main() -> None:
    """Compare, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shown", type=int, default=5)
    arguments = parser.parse_args()
    asked = drawn(arguments.queries, arguments.seed)
    counts: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    for (question, some, mode), answer in zip(asked, answers([sql(*each) for each in asked]), strict=True):
        mine = own(question, some, mode)
        if answer and answer[0][0].startswith("error: ") and "SKIP failed" not in answer[0][0]:
            counts["refused by Trino"] += 1
            refused[answer[0][0][:100]] += 1
        elif (answer and answer[0][0].startswith("error: ")) or mine == [("error",)]:
            agree = bool(answer) and answer[0][0].startswith("error: ") and mine == [("error",)]
            counts["agree" if agree else "differ"] += 1
            if not agree:
                print("DIFFER (error)", sql(question, some, mode), answer[:1], mine[:1], sep="\n  ")
        elif mine == answer:
            counts["agree"] += 1
            counts["rows compared"] += len(mine)
        else:
            counts["differ"] += 1
            if counts["differ"] <= arguments.shown:
                only = set(mine) ^ set(answer)
                print("DIFFER", sql(question, some, mode), "ours ", *[x for x in mine if x in only], sep="\n  ")
                print("  Trino", *[x for x in answer if x in only], sep="\n  ")
    for name, count in counts.most_common():
        print(f"{name:<20}{count:>8,}")
    for why, count in refused.most_common(10):
        print(f"  {count:>6,}  {why}")


if __name__ == "__main__":
    main()
