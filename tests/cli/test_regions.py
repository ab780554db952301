"""`streamframes regions` and `density`: their options without Spark, then from end to end on small files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import streamframes.cli.engine
from streamframes.cli.commands.regions import places_of
from streamframes.cli.main import app
from streamframes.cli.options.regions import SpaceOptions, StationOptions
from streamframes.errors import StreamFramesError

LINE = ["--ts", "t", "--space", "m"]
PLANE = ["--ts", "t", "--space", "x", "--space", "y"]
DENSE = ["--bin", "10", "--unit", "1", "--above", "0.05"]


@pytest.fixture
def refused(monkeypatch, tmp_path):
    """Run a command on a file, without Spark; what it complains of."""

    def no_spark(master):
        raise StreamFramesError("Spark was started")

    monkeypatch.setattr(streamframes.cli.engine, "start", no_spark)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.chdir(tmp_path)
    for name in ("a.csv", "p.csv", "p.txt"):
        Path(name).write_text("t,m\n1,2\n")
    return lambda command, *arguments: CliRunner().invoke(app, [command, "a.csv", *arguments])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*LINE, "--shape", "connected", "--prefer", "largest"], "--prefer chooses among rectangles; leave it out"),
        ([*LINE, "--shape", "connected", "--method", "spans"], "--method chooses among rectangles"),
        ([*PLANE, "--space", "z"], "--space is given 3 times; space has one or two dimensions"),
        ([*PLANE, "--places", "1,2"], "--places lists numbers, and --space has two columns; give a file with both"),
        ([*LINE, "--places", "p.txt"], "--places 'p.txt' does not end in one of .parquet"),
        ([*LINE, "--places-format", "csv"], "--places-format belongs to --places FILE"),
        ([*LINE, "--tag", "--agg", "n=count(*)"], "--tag writes rows, which have no measures"),
        ([*LINE, "--tag", "--plot", "a.png"], "--plot draws regions, and --tag asks for rows"),
        ([*LINE, "--agg", "count(*)"], "--agg 'count(*)' is not name=expression"),
        ([*LINE, "--value", "v"], "--plot-value and --plot-group belong to --plot FILE"),
        ([*LINE, "--plot", "a.jpg"], "end it in one of .png, .svg, .html"),
        ([*LINE, "--plot", "a.png", "--plot-group", "x"], "--plot-group 'x' must be one value for each --by"),
        ([*LINE, "--show", "0"], "--show 0 must be at least 1"),
        ([*LINE, "--plot", "a.png", "-o", "a.csv", "--overwrite"], "--output a.csv replaces INPUT, which --plot still"),
        (
            [*LINE, "--places", "p.csv", "--plot", "a.png", "-o", "p.csv", "--overwrite"],
            "--output p.csv replaces PLACES, which --plot still reads",
        ),
    ],
)
def test_a_bad_argument_is_one_line_on_stderr_and_status_2(refused, arguments, message):
    result = refused("regions", "--where", "v < 1", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert result.stderr.startswith("streamframes: ")
    assert result.stderr.count("\n") == 1


def test_a_bad_argument_of_density_is_one_line_too(refused):
    result = refused("density", *PLANE, *DENSE, "--bin", "5", "--bin", "2")
    assert result.exit_code == 2
    assert result.stderr == "streamframes: --bin is given 3 times; give it once, or once for each --space\n"


def test_what_must_be_given_is_named(refused):
    assert "--where" in refused("regions", *LINE).stderr
    assert "--space" in refused("regions", "--where", "v < 1", "--ts", "t").stderr
    assert "--above" in refused("density", *LINE, *DENSE[:4]).stderr


def test_a_missing_file_of_places_is_named_before_spark_starts(refused):
    result = refused("regions", "--where", "v < 1", *LINE, "--places", "nix.csv")
    assert (result.exit_code, result.stderr) == (1, "streamframes: cannot read nix.csv: no such file or folder\n")


def test_places_are_a_list_or_a_file(refused):
    one = SpaceOptions(space=["m"])
    assert places_of(StationOptions(places="1, 2.5,4"), one) == ([1.0, 2.5, 4.0], None)
    assert places_of(StationOptions(), one) == (None, None)
    assert places_of(StationOptions(places="p.csv"), one)[1].format == "csv"


# Two places that are slow from 2 to 4, one of them until 5; a third that never is.
SLOW = {1.0: range(2, 5), 2.0: range(2, 6), 3.0: ()}


@pytest.fixture
def run(spark, tmp_path, monkeypatch):
    """Search the rows of a small file, in a folder of its own, on the session of the tests."""
    monkeypatch.chdir(tmp_path)
    rows = [
        {"road": "A", "t": t, "m": place, "v": 10 if t in slow else 60, "ok": not (t == 3 and place == 1.0)}
        for t in range(8)
        for place, slow in SLOW.items()
    ]
    rows += [{"road": "B", "t": 0, "m": 1.0, "v": 60, "ok": True}]
    Path("rows.json").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return lambda *arguments: CliRunner().invoke(app, ["regions", "rows.json", "--where", "v < 20", *LINE, *arguments])


def lines(result):
    """The cells of what was printed, without the heading."""
    assert result.exit_code == 0, result.stderr
    return [line.split() for line in result.stdout.splitlines()[2:]]


@pytest.mark.spark
def test_rectangles_are_printed_in_order(run):
    result = run("--by", "road")
    assert result.stdout.splitlines()[0].split()[:6] == [
        "road", "frame_start", "frame_end", "frame_low", "frame_high", "frame_rows",
    ]  # fmt: skip
    assert [cells[:6] for cells in lines(result)] == [["A", "2", "4", "1", "2", "6"], ["A", "2", "5", "2", "2", "4"]]
    assert result.stderr == "2 regions.\n"


@pytest.mark.spark
def test_minimums_and_measures_and_a_picture_of_the_group_with_most(run):
    result = run("--by", "road", "--min-extent", "1", "--agg", "slowest=min(v)", "--plot", "p.html")
    assert [[*cells[1:5], cells[-1]] for cells in lines(result)] == [["2", "4", "1", "2", "10"]]
    assert result.stderr == "1 regions.\nPicture: p.html\n"
    page = Path("p.html").read_text()
    assert "<h1>v of road A</h1>" in page


@pytest.mark.spark
def test_connected_regions_hide_their_shape_from_the_terminal_only(run):
    result = run("--by", "road", "--shape", "connected")
    assert [cells[1:6] for cells in lines(result)] == [["2", "5", "1", "2", "7"]]
    assert "outline" not in result.stdout
    written = run("--by", "road", "--shape", "connected", "-o", "out.json", "--plot", "p.png")
    assert written.stderr.startswith("Wrote 1 regions to out.json in ")
    assert json.loads(Path("out.json").read_text())["frame_outline"].startswith("POLYGON")
    assert Path("p.png").read_bytes()[:4] == b"\x89PNG"


@pytest.mark.spark
def test_bad_reports_and_places_of_a_file(run):
    Path("places.csv").write_text("road,m\nA,1\nA,2\nA,3\n")
    rows = ["--by", "road", "--bad", "NOT ok", "--places", "places.csv"]
    assert [cells[1:5] for cells in lines(run(*rows, "--min-extent", "1"))] == [
        ["2", "2", "1", "2"],
        ["4", "4", "1", "2"],
    ]
    held = lines(run(*rows, "--min-extent", "1", "--missing", "true", "--max-missing", "1"))
    assert [cells[1:5] for cells in held] == [["2", "4", "1", "2"]]


@pytest.mark.spark
def test_rows_are_tagged_and_explain_runs_nothing(run):
    result = run("--by", "road", "--min-extent", "1", "--tag", "-o", "rows.csv")
    assert result.stderr.startswith("Wrote 6 rows to rows.csv in "), result.stderr
    explained = run("--explain")
    assert explained.exit_code == 0
    assert "regions" in explained.stdout
    assert explained.stderr == ""


@pytest.mark.spark
@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--by", "nope"], 2, "nope"),
        (["--min-duration", "1 minute"], 2, "min_duration"),
        (["--bad", "nope = 1"], 2, "nope"),
        (["--plot", "p.png", "--plot-value", "nope"], 2, "--plot-value nope cannot be evaluated"),
        (["--by", "road", "--plot", "p.png", "--plot-group", "Z"], 1, "--plot finds no values of v in road Z"),
    ],
)
def test_what_cannot_work_is_one_line_on_stderr(run, arguments, status, message):
    result = run(*arguments)
    assert result.exit_code == status
    assert message in result.stderr
    assert result.stderr.splitlines()[-1].startswith("streamframes: ")
    assert "Traceback" not in result.stderr


@pytest.mark.spark
def test_a_crowd_is_found_and_drawn(spark, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    crowd = [{"t": t, "x": x + 0.5, "y": 3.0} for t in range(4) for x in range(8)]
    alone = [{"t": t, "x": 75.0, "y": 35.0} for t in range(6)]
    Path("rows.json").write_text("".join(json.dumps(row) + "\n" for row in crowd + alone))
    result = CliRunner().invoke(app, ["density", "rows.json", *PLANE, *DENSE, "--plot", "p.svg"])
    assert [cells[:2] for cells in lines(result)] == [["0", "4"]]
    assert result.stderr == "1 regions.\nPicture: p.svg\n"
