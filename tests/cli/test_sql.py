"""`streamframes sql`: statements over files, printed and written; and the prompt."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer.main
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from typer.testing import CliRunner

import streamframes.cli.engine
from streamframes.cli.jobs import steps_of
from streamframes.cli.main import app
from streamframes.cli.prompt import ask, completions
from streamframes.errors import StreamFramesError

CALL = "frames(TABLE(r), threshold(v > :limit), ts => at)"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "r.csv").write_text("at,v\n1,0.5\n2,0.6\n3,0.1\n4,0.9\n")
    (tmp_path / "q.sql").write_text(
        f"-- the frames; of r\nCREATE TEMP VIEW found AS SELECT * FROM {CALL};\n"
        "SELECT frame_start, frame_end, 'a;b' AS t FROM found ORDER BY frame_start DESC;\n"
    )
    return tmp_path


@pytest.mark.spark
def test_statements_are_printed_and_the_last_one_is_written_in_its_order(spark: Any, files: Path) -> None:
    table = ["--table", f"r={files}/r.csv", "--param", "limit=0.3"]
    written = CliRunner().invoke(app, ["sql", f"{files}/q.sql", *table, "-o", f"{files}/out.json"])
    assert written.exit_code == 0, written.output
    lines = [json.loads(line) for line in (files / "out.json").read_text().splitlines()]
    assert [(each["frame_start"], each["frame_end"], each["t"]) for each in lines] == [(4, 4, "a;b"), (1, 2, "a;b")]
    printed = CliRunner().invoke(app, ["sql", "-e", f"SELECT frame_rows FROM {CALL}; SELECT 7 AS seven", *table])
    assert printed.exit_code == 0, printed.output
    assert sorted(word for word in printed.stdout.split() if word.isdigit()) == ["1", "2", "7"]
    wrong = CliRunner().invoke(app, ["sql", "-e", f"SELECT 1;\nSELECT * FROM {CALL.replace('=> at', '=> x')}", *table])
    assert wrong.exit_code == 2
    assert "sql() line 2, column 55: frames() got ts='x'" in wrong.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["q.sql", "-e", "SELECT 1"], "give one of them"),
        (["-e", "SELECT 1", "--table", "r"], "write it like 'reports=reports.csv'"),
        (["-e", "SELECT 1", "--table", "r=r.csv", "--table", "r=r.csv"], "names 'r' twice"),
        (["-e", "SELECT 1", "--param", "3"], "write it like 'limit=0.3'"),
        (["nothing.sql"], "cannot read nothing.sql"),
    ],
)
def test_wrong_options_are_refused_before_spark_starts(
    files: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    def no_spark(options: object) -> None:
        raise StreamFramesError("Spark was started")

    monkeypatch.setattr(streamframes.cli.engine, "start", no_spark)
    monkeypatch.chdir(files)
    result = CliRunner().invoke(app, ["sql", *arguments])
    assert result.exit_code in (1, 2)
    assert message in result.stderr


def test_the_prompt_takes_statements_of_several_lines_and_keeps_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    carried_out: list[str] = []

    def carry_out(text: str) -> None:
        carried_out.append(text)
        raise StreamFramesError("and what is refused ends nothing")

    with create_pipe_input() as typed:
        typed.send_text("SELECT 1\r, 2;\rSELECT 3;\rexit\r")
        ask(carry_out, ["reports"], input=typed, output=DummyOutput())
    assert carried_out == ["SELECT 1\n, 2;", "SELECT 3;"]
    assert "SELECT 3;" in (tmp_path / "streamframes" / "sql_history").read_text()


def test_a_job_may_have_sql_as_a_step(tmp_path: Path) -> None:
    (tmp_path / "job.toml").write_text(
        'command = "sql"\nexecute = "SELECT 1"\ntable = {r = "r.csv"}\nparam = {x = 3}\n'
    )
    (step,) = steps_of(tmp_path / "job.toml", typer.main.get_command(app).commands, {})  # type: ignore[attr-defined]
    assert step.arguments == ("--execute=SELECT 1", "--table=r=r.csv", "--param=x=3", "--")


def test_completion_knows_functions_their_arguments_and_tables() -> None:
    assert "reports" in completions("SELECT * FROM re", "re", ["reports"])
    assert completions("FROM frames(TABLE(r), threshold(x > 1, min_d", "min_d", [])[0] == "min_duration => "
