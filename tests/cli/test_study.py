"""`streamframes study`: what it refuses before Spark starts, then one from end to end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import streamframes.cli.engine
from streamframes.cli.main import app
from streamframes.errors import StreamFramesError
from streamframes.study import NAMES


@pytest.fixture
def refused(monkeypatch, tmp_path):
    """Run a study without Spark; what it complains of."""

    def no_spark(master):
        raise StreamFramesError("Spark was started")

    monkeypatch.setattr(streamframes.cli.engine, "start", no_spark)
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("t,v\n1,2\n")
    return lambda *arguments: CliRunner().invoke(app, ["study", *arguments])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["scater"], "there is no study 'scater'; did you mean scatter? There are accuracy-traffic, accuracy-dye"),
        (["everything"], "there is no study 'everything'. There are accuracy-traffic"),
        (["regions", "--data", "a.csv", "--rows", "10"], "--rows 10 is how many rows are made, and --data brings its"),
        (["all", "--data", "a.csv"], "study all makes its own rows; give --data to one study"),
        (["regions", "--with", "speed=v"], "--with is about the files of --data; give these too"),
        (["regions", "--input-format", "csv"], "--input-format is about the files of --data"),
        (["regions", "--out", "a.csv"], "--out a.csv cannot be made, since a.csv is a file; give a folder"),
        (["regions", "--out", "a.csv/new"], "--out a.csv/new cannot be made, since a.csv is a file"),
        (["regions", "--rows", "10"], "study regions got rows=10; it needs at least 4,320 reports"),
        (["all", "--rows", "10"], "study heatmap got rows=10; it needs at least 48,000 positions"),
        (["regions", "--seed", "-1"], "--seed -1 must be at least 0"),
    ],
)
def test_a_bad_argument_is_one_line_on_stderr_and_status_2(refused, arguments, message):
    result = refused(*arguments)
    assert message in result.stderr
    assert result.exit_code == 2


def test_the_help_names_every_study(refused):
    result = " ".join(refused("--help").stdout.replace("│", " ").split())
    assert ", ".join(NAMES) in result


def test_a_file_that_is_not_there_is_reported_before_spark_starts(refused):
    result = refused("regions", "--data", "b.csv")
    assert "cannot read b.csv: no such file or folder" in result.stderr
    assert result.exit_code == 1


def test_files_whose_columns_are_in_another_order_are_refused(refused):
    Path("b.csv").write_text("v,t\n1,2\n")
    Path("empty.csv").write_text("")
    result = refused("regions", "--data", "a.csv", "--data", "empty.csv", "--data", "b.csv")
    assert (
        "cannot read b.csv with a.csv: its columns are v, t, those of the other t, v; give files with" in result.stderr
    )
    assert result.exit_code == 1


@pytest.mark.spark
def test_a_study_of_made_up_rows_prints_its_verdict_and_saves_its_files(spark, tmp_path):
    result = CliRunner().invoke(app, ["study", "regions", "--rows", "50000", "--seed", "1", "--out", str(tmp_path)])
    assert result.exit_code == 0, result.stderr
    assert "Jams in time and space" in result.stdout
    assert "holds" in result.stdout
    assert {path.suffix for path in tmp_path.iterdir()} == {".csv", ".json", ".png", ".svg"}
    assert json.loads((tmp_path / "regions.json").read_text())["tables"]["regions"]


@pytest.mark.spark
def test_a_file_that_lacks_a_column_or_rows_is_named(spark, tmp_path):
    (tmp_path / "a.csv").write_text("ts,milepost,pace\n" + "2026-01-05 00:00:00,1.0,50\n" * 3)
    study = ["study", "regions", "--data", str(tmp_path / "a.csv"), "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(app, study)
    assert "study regions needs a column 'speed' (miles per hour), and " in result.stderr
    assert "has ts, milepost, pace; give one with --with 'speed=...'" in result.stderr
    assert result.exit_code == 2
    result = CliRunner().invoke(app, [*study, "--with", "speed=pace"])
    assert "study regions needs at least 4,320 rows, and " in result.stderr
    assert "has 3" in result.stderr
    assert result.exit_code == 1


@pytest.mark.spark
def test_a_column_can_be_replaced(spark, tmp_path):
    (tmp_path / "a.csv").write_text("ts,milepost,speed\n" + "2026-01-05 00:00:00,1.0,50\n" * 3)
    result = CliRunner().invoke(
        app, ["study", "regions", "--data", str(tmp_path / "a.csv"), "--with", "speed=speed / 2"]
    )
    assert "study regions needs at least 4,320 rows, and " in result.stderr
