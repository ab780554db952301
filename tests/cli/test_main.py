"""The program: help, version, exit status; none of it starts Spark."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

import streamframes.cli.engine
from streamframes.cli.main import app
from streamframes.errors import StreamFramesError


@pytest.fixture
def run(monkeypatch):
    def no_spark(master):
        raise StreamFramesError("Spark was started")

    monkeypatch.setattr(streamframes.cli.engine, "start", no_spark)
    monkeypatch.setenv("COLUMNS", "120")
    return lambda *arguments: CliRunner().invoke(app, arguments)


def test_help_names_the_commands(run):
    result = run("--help")
    assert result.exit_code == 0
    for command in ("frames", "fill", "bursts", "sessions", "demo"):
        assert command in result.stdout


@pytest.mark.parametrize("command", ["frames", "fill"])
def test_help_names_every_scheme(run, command):
    result = run(command, "--help").stdout
    for scheme in ("threshold", "delta", "boundary", "aggregate", "change", "gap", "every", "count"):
        assert f"--{scheme}" in result


def test_version_names_the_package_spark_and_python(run):
    import platform
    from importlib.metadata import version

    lines = run("--version").stdout.splitlines()
    assert lines == [
        f"streamframes {streamframes.__version__}",
        f"Spark {version('pyspark')}",
        f"Python {platform.python_version()}",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.csv", "--ts", "t"], "give exactly one scheme"),
        (["a.csv", "--ts", "t", "--gap", "5", "--until", "x > 1"], "--until belongs to --threshold"),
        (["a.csv", "--ts", "t", "--aggregate", "volume"], "write it like 'sum(volume) >= 25'"),
        (["a.csv", "--ts", "t", "--gap", "5", "--agg", "max(x)"], "write it like 'worst=max(drop_pct)'"),
        (["a.csv", "--ts", "t", "--gap", "5", "--tag", "--agg", "a=max(x)"], "leave out --agg or --tag"),
        (["a.csv", "--ts", "t", "--gap", "5", "--keep-outside"], "--keep-outside belongs to --tag"),
        (["a.csv", "--ts", "t", "--gap", "5", "--show", "0"], "--show 0 must be at least 1"),
        (["a.csv", "--ts", "t", "--gap", "5", "--plot-value", "x"], "belong to --plot FILE"),
        (["a.csv", "--ts", "t", "--gap", "5", "--plot", "a.jpg"], "end it in one of .png, .svg, .html"),
        (["a.csv", "--ts", "t", "--gap", "5", "--plot", "a.png", "--plot-group", "r1"], "one value for each --by"),
        (["a.csv", "--ts", "t", "--gap", "5", "--output", "a.txt"], "give --output-format"),
        (["a.txt", "--ts", "t", "--gap", "5"], "give --input-format"),
        (
            ["a.csv", "--ts", "t", "--gap", "5", "--plot", "a.png", "--output", "a.csv", "--overwrite"],
            "--output a.csv replaces INPUT, which --plot still reads",
        ),
    ],
)
def test_a_bad_argument_is_one_line_on_stderr_and_status_2(run, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("t\n1\n")
    (tmp_path / "a.txt").write_text("t\n1\n")
    result = run("frames", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.startswith("streamframes: ")
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--gap", "5", "--threshold", "x > 1"], "give exactly one scheme"),
        (["--gap", "5", "--agg", "max(x)"], "write it like 'worst=max(drop_pct)'"),
        (["--gap", "5", "--agg", "wait=max(x)"], "--agg names 'wait', which has a meaning of its own"),
        (["--gap", "5", "--drop-empty"], "--drop-empty leaves out frames, and without --agg the rows are written"),
        (["--gap", "5", "--by", "k", "--other-by", "k="], "write it like 'router' or 'router=device_id'"),
        (
            ["--gap", "5", "--by", "k", "--other-by", "x=y"],
            "begins with 'x', which is not given with --by; those are k",
        ),
        (["--gap", "5", "--other-by", "x"], "begins with 'x', which is not given with --by; there is none"),
        (["--gap", "5", "--by", "k", "--other-by", "k=a", "--other-by", "k=b"], "--other-by names 'k' twice"),
        (["--gap", "5", "--plot", "a.jpg"], "end it in one of .png, .svg, .html"),
        (["--gap", "5", "--show", "0"], "--show 0 must be at least 1"),
        (
            ["--gap", "5", "--plot", "a.png", "--output", "b.csv", "--overwrite"],
            "--output b.csv replaces OTHER, which --plot still reads",
        ),
    ],
)
def test_a_bad_argument_of_fill_is_one_line_too(run, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("t\n1\n")
    result = run("fill", "a.csv", "b.csv", "--ts", "t", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert result.stderr.startswith("streamframes: ")
    assert result.stderr.count("\n") == 1


def test_what_fills_is_distinguished_from_what_is_filled(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.csv", "b.txt"):
        (tmp_path / name).write_text("t\n1\n")
    result = run("fill", "a.csv", "b.txt", "--ts", "t", "--gap", "5")
    assert result.stderr.startswith("streamframes: OTHER 'b.txt' does not end in one of .parquet, ")
    assert result.stderr.endswith("; give --other-format\n")
    assert "unexpected extra argument" in run("fill", "a.csv", "b.csv", "c.csv", "--ts", "t", "--gap", "5").stderr


def test_a_measure_may_not_be_named_as_an_argument_of_fill():
    from inspect import signature

    from streamframes import Frames
    from streamframes.cli.commands.fill import TAKEN

    assert [*TAKEN, "measures"] == list(signature(Frames.fill).parameters)


@pytest.mark.parametrize(
    "arguments",
    [
        ["frames", "a.csv", "--gap", "5"],
        ["fill", "a.csv", "--ts", "t", "--gap", "5"],
        ["frames", "a.csv", "--nulls", "maybe"],
        ["nix"],
    ],
)
def test_a_wrong_option_is_reported_without_a_traceback(run, arguments):
    result = run(*arguments)
    assert result.exit_code == 2
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


def test_a_missing_file_is_named_with_status_1_before_spark_starts(run):
    result = run("frames", "nix.csv", "--ts", "t", "--gap", "5")
    assert (result.exit_code, result.stderr) == (1, "streamframes: cannot read nix.csv: no such file or folder\n")


def test_help_loads_neither_spark_nor_matplotlib():
    code = (
        "import sys; from streamframes.cli.main import app\n"
        "try: app(['fill', '--help'])\n"
        "except SystemExit: pass\n"
        "print([name for name in ('pyspark', 'matplotlib', 'pandas') if name in sys.modules])"
    )
    began = time.monotonic()
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert result.splitlines()[-1] == "[]"
    # Less than a second where nothing else runs.
    assert time.monotonic() - began < 15


def test_what_looks_like_markup_in_a_row_is_printed_as_it_is(capsys):
    from streamframes.cli.terminal import show

    show(["text", "list", "number"], [["starts[n] = ts[i]", ["[bold]"], 12]])
    printed = capsys.readouterr().out
    assert "starts[n] = ts[i]" in printed
    assert "[bold]" in printed
