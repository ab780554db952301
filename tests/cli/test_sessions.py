"""`streamframes sessions`: its options and trees without Spark, then from end to end on a small file."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import streamframes.cli.engine
from streamframes.cli.main import app
from streamframes.cli.options.trees import tree_of
from streamframes.cli.plots.sessions import adopted
from streamframes.core.sessions.tree import Session
from streamframes.errors import InvalidArgument, StreamFramesError

TOML = """
name = "All"

[[parts]]
name = "Visit"
key = "user"
opens = "kind = 'in'"
closes = "kind = 'out' or Visit.count(Buy) > 1"
timeout = 5
[parts.attributes]
bytes = "sum(bytes)"

[[parts.parts]]
name = "Buy"
opens = "kind = 'buy'"
closes = "kind = 'buy'"
"""
BUY = Session("Buy", opens="kind = 'buy'", closes="kind = 'buy'")
VISIT = Session(
    "Visit",
    key="user",
    opens="kind = 'in'",
    closes="kind = 'out' or Visit.count(Buy) > 1",
    timeout=5,
    attributes={"bytes": "sum(bytes)"},
    parts=[BUY],
)


def written(path, text):
    path.write_text(text if isinstance(text, str) else json.dumps(text))
    return path


def test_a_tree_is_tables_of_toml_or_json(tmp_path):
    (content,) = tree_of(written(tmp_path / "a.toml", TOML))
    assert content == Session("All", parts=[VISIT])
    visit = {"name": "Visit", "key": ["user", "page"], "parts": [{"name": "Buy", "timeout": "1 hour"}]}
    (content,) = tree_of(written(tmp_path / "a.json", visit))
    assert content == Session("Visit", key=["user", "page"], parts=[Session("Buy", timeout="1 hour")])


def test_several_roots_are_parts_without_a_root_or_a_list(tmp_path):
    both = [{"name": "A"}, {"name": "B"}]
    for name, text in (
        ("a.json", both),
        ("b.json", {"parts": both}),
        ("c.toml", '[[parts]]\nname="A"\n[[parts]]\nname="B"'),
    ):
        assert tree_of(written(tmp_path / name, text)) == (Session("A"), Session("B"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({}, 'the root has no name; write one, like name = "Call"'),
        (["Call"], "the root is 'Call'; write a table with name, key,"),
        ({"name": "A", "open": "x"}, "'A' has 'open'; the fields of a session are name, key, matches, opens,"),
        ({"name": "A", "source": "x"}, "'A' has 'source'; the fields of a session are"),
        ({"name": "A", "opens": True}, "'A' has opens = True; write text in quotes"),
        ({"name": 5}, "5 has name = 5; write text in quotes"),
        ({"name": "A", "attributes": {"n": 1}}, "'A' has attributes.n = 1; write text in quotes"),
        ({"name": "A", "attributes": ["n"]}, "Session 'A' got attributes=['n']; give a dict"),
        ({"name": "A", "parts": {"name": "B"}}, "'A' has parts that are no list; head each with [[parts]]"),
        ({"name": "A", "parts": [{}]}, "a part of 'A' has no name"),
        ({"name": "A", "parts": [{"name": "a"}]}, "a tree with a cycle"),
        ({"name": "A", "key": "k", "matches": "x"}, "got key= and matches="),
        ({"name": "A", "timeout": "soon"}, "timeout"),
        ([], "give a Session, or a list of them"),
    ],
)
def test_a_tree_that_means_nothing_is_refused(tmp_path, content, message):
    with pytest.raises(InvalidArgument) as refused:
        tree_of(written(tmp_path / "a.json", content))
    assert message in str(refused.value)
    assert str(refused.value).startswith("--tree ")


@pytest.fixture
def refused(monkeypatch, tmp_path):
    """Run the command on a file, without Spark; what it complains of."""

    def no_spark(master):
        raise StreamFramesError("Spark was started")

    monkeypatch.setattr(streamframes.cli.engine, "start", no_spark)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("t\n1\n")
    Path("tree.toml").write_text(TOML)
    Path("bad.toml").write_text("name = A\n")
    Path("tree.txt").write_text(TOML)
    return lambda *arguments: CliRunner().invoke(app, ["sessions", *arguments])


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["nix.toml"], 1, "cannot read nix.toml: no such file"),
        (["tree.txt"], 2, "--tree 'tree.txt' does not end in one of .toml, .json"),
        (["bad.toml"], 2, "--tree bad.toml is not TOML: "),
        (["tree.toml", "--measure", "Visit.rows"], 2, "is not name=expression; write it like 'visits=Call.count(ATT)'"),
        (["tree.toml", "--measure", "a=Visit.rows", "--measure", "a=Buy.rows"], 2, "--measure names 'a' twice"),
        (["tree.toml", "--show", "measures"], 2, "--show measures needs one; give it, like --measure 'visits="),
        (["tree.toml", "--classes", "Visit,Sell"], 2, "--classes names 'Sell'; the classes are All, Visit, Buy"),
        (["tree.toml", "--first", "0"], 2, "--first 0 must be at least 1"),
        (["tree.toml", "--plot", "a.jpg"], 2, "end it in one of .png, .svg, .html"),
        (["tree.toml", "--plot-tree", "a.gif"], 2, "end it in one of .png, .svg, .html"),
        (["tree.toml", "--plot", "a.png", "-o", "a.csv", "--overwrite"], 2, "--output a.csv replaces INPUT, which"),
        (["tree.toml"], 1, "Spark was started"),
    ],
)
def test_what_cannot_work_is_one_line_on_stderr_before_spark_starts(refused, arguments, status, message):
    result = refused("a.csv", "--ts", "t", "--tree", *arguments)
    assert (result.exit_code, result.stdout) == (status, "")
    assert message in result.stderr
    assert result.stderr.startswith("streamframes: ")
    assert result.stderr.count("\n") == 1


def test_what_is_drawn_is_inside_the_nearest_session_that_is_drawn():
    kinds = {1: "Call", 2: "ATT", 3: "FAQ", 4: "FAQ", 5: "Call"}
    parents = {1: 100, 2: 1, 3: 2, 4: 9, 5: 100}
    table = pa.table({"class": list(kinds.values()), "id": list(kinds), "parent": list(parents.values())})
    drawn = adopted(table, ["Call", "FAQ"], "class", "id", "parent")
    assert drawn.to_pydict() == {
        "class": ["Call", "FAQ", "FAQ", "Call"], "id": [1, 3, 4, 5], "parent": [None, 1, None, None],
    }  # fmt: skip


def test_help_shows_a_tree(refused):
    result = refused("--help").stdout
    for name in ("--tree", "--measure", "--classes", "--plot-tree", '{"name": "System", "parts": [{"name": "Call"'):
        assert name in result


EVENTS = [
    (1, "a", "in", 1), (2, "b", "in", 0), (3, "a", "buy", 5), (4, "b", "buy", 2), (5, "b", "out", 1),
    (6, "a", "buy", 9), (7, None, "buy", 1), (8, "c", "in", 0), (9, "c", "buy", 4), (20, "d", "in", 3),
    (21, "d", "buy", 1),
]  # fmt: skip


@pytest.fixture
def run(spark, tmp_path, monkeypatch):
    """Find the sessions of a small file, in a folder of its own, on the session of the tests."""
    monkeypatch.chdir(tmp_path)
    names = ("t", "user", "kind", "bytes")
    Path("rows.json").write_text("".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in EVENTS))
    Path("tree.toml").write_text(TOML)
    return lambda *arguments: CliRunner().invoke(
        app, ["sessions", "rows.json", "--ts", "t", "--tree", "tree.toml", *arguments]
    )


def lines(result):
    """The cells of what was printed, without the heading."""
    assert result.exit_code == 0, result.stderr
    return [line.split() for line in result.stdout.splitlines()[2:]]


@pytest.mark.spark
def test_sessions_are_printed_in_order_and_drawn(run):
    measures = ["--measure", "n=Visit.count(Buy)", "--measure", "mean=All.avg(Visit.duration(t))"]
    result = run(*measures, "--classes", "visit", "--prefix", "s_", "--plot", "p.html", "--plot-tree", "tree.svg")
    assert result.stdout.splitlines()[0].split() == [
        "user", "s_start", "s_end", "s_rows", "s_closed_by", "s_class", "s_level", "bytes", "n",
    ]  # fmt: skip
    assert [line[:5] for line in lines(result)] == [
        ["a", "1", "6", "3", "condition"],
        ["b", "2", "5", "3", "condition"],
        ["c", "8", "9", "2", "timeout"],
        ["d", "20", "21", "2", "end"],
    ]
    assert [line[-2:] for line in lines(result)] == [["15", "2"], ["3", "1"], ["4", "1"], ["4", "1"]]
    assert result.stderr == "Picture: tree.svg\n4 sessions.\nPicture: p.html\n"
    assert "user d" in Path("p.html").read_text()
    assert "<svg" in Path("tree.svg").read_text()


@pytest.mark.spark
def test_measures_are_written_and_what_is_open_and_odd_is_shown(run):
    result = run("--measure", "mean=All.avg(Visit.duration(t))", "--measure", "n=Visit.count(Buy)",
                 "--show", "measures", "--classes", "All", "-o", "means.csv")  # fmt: skip
    assert result.stderr.startswith("Wrote 3 measures to means.csv in "), result.stderr
    written = [line.split(",") for line in Path("means.csv").read_text().splitlines()]
    assert [(line[0], line[1], line[3], line[4]) for line in written] == [
        ("t", "class", "measure", "value"),
        ("5", "All", "mean", "3.0"), ("6", "All", "mean", "4.0"), ("14", "All", "mean", "3.0"),
    ]  # fmt: skip
    still = run("--show", "open", "--classes", "Visit,Buy")
    assert [line[:4] for line in lines(still)] == [["d", "20", "21", "2"]]
    counts = run("--show", "diagnostics", "--classes", "Visit")
    assert lines(counts) == [["Visit", "1", "0"]]


@pytest.mark.spark
def test_a_plot_may_be_of_inner_classes_and_explain_runs_nothing(run):
    result = run("--classes", "Buy", "--plot", "p.png", "--first", "1")
    assert result.stderr == "The first 1 of 5 sessions; --output PATH writes all of them.\nPicture: p.png\n"
    assert Path("p.png").read_bytes()[:4] == b"\x89PNG"
    explained = run("--explain", "--plot-tree", "tree.png")
    assert explained.stdout.startswith("sessions of All > Visit > Buy")
    assert explained.stderr == "Picture: tree.png\n"


@pytest.mark.spark
@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--measure", "n=Visit.count(Sell)"], 2, "Sell"),
        (["--measure", "n=Visit.median(bytes)"], 2, "the functions are sum, avg"),
        (["--ts", "nope"], 2, "'nope'"),
    ],
)
def test_what_the_rows_do_not_have_is_one_line_on_stderr(run, arguments, status, message):
    result = run(*arguments)
    assert result.exit_code == status
    assert message in result.stderr
    assert result.stderr.splitlines()[-1].startswith("streamframes: ")
    assert "Traceback" not in result.stderr
