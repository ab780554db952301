"""Job files are read as the command line would be, and refused in its language."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import typer.main

from streamframes.cli.jobs import Step, steps_of
from streamframes.cli.main import app
from streamframes.errors import InvalidArgument, StreamFramesError

COMMANDS: Any = typer.main.get_command(app).commands  # type: ignore[attr-defined]


def read(folder: Path, text: str, **spark: Any) -> list[Step]:
    job = folder / "job.toml"
    job.write_text(text)
    return steps_of(job, COMMANDS, spark)


def test_a_job_of_one_command_is_its_command_line(tmp_path: Path) -> None:
    (step,) = read(
        tmp_path,
        """
        command = "frames"
        input = ["a.csv", "b.csv"]
        ts = "t"
        by = ["x", "y"]
        threshold = "v > -1"
        min-rows = 3
        overwrite = true
        gaps = false
        agg = { worst = "max(v)", n = "count(*)" }
        """,
    )
    assert step.command == "frames"
    options = "--ts=t --by=x --by=y --threshold=v > -1 --min-rows=3 --overwrite --agg=worst=max(v) --agg=n=count(*)"
    assert " ".join(step.arguments) == f"{options} -- a.csv b.csv"


def test_arguments_stand_in_the_order_of_the_command(tmp_path: Path) -> None:
    (step,) = read(tmp_path, 'command = "fill"\nother = "o.csv"\nts = "t"\ninput = "i.csv"')
    assert step.arguments == ("--ts=t", "--", "i.csv", "o.csv")


STEPS = """
[spark]
master = "local[3]"
conf = { "spark.executor.memory" = "4g" }
[[steps]]
command = "frames"
[[steps]]
command = "bursts"
"""
MEMORY = "--conf=spark.executor.memory=4g"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, ("--master=local[3]", MEMORY)),
        ({"remote": "sc://host", "master": None, "conf": []}, (MEMORY, "--remote=sc://host")),
        ({"master": "yarn", "conf": ["a=b"]}, ("--master=yarn", MEMORY, "--conf=a=b")),
    ],
)
def test_where_spark_runs_is_said_once_and_the_command_line_goes_before(
    tmp_path: Path, given: dict[str, Any], expected: tuple[str, ...]
) -> None:
    for step, name in zip(read(tmp_path, STEPS, **given), ("frames", "bursts"), strict=True):
        assert step.command == name
        assert sorted(step.arguments) == sorted([*expected, "--"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("command = ", "is not TOML: Invalid value"),
        ('command = "frame"', "command is 'frame'; choose from frames, fill"),
        ("input = 'a'", "command is None"),
        (
            "command = 'frames'\ntreshold = 'v'",
            r"\(frames\): there is no option 'treshold'; did you mean 'threshold'\?",
        ),
        ("command = 'frames'\novewrite = true", "did you mean 'overwrite'"),
        ("command = 'frames'\noverwrite = 'yes'", "overwrite is 'yes'; write true or false"),
        ("command = 'frames'\nthreshold = ['a', 'b']", "threshold has 2 values and takes one"),
        ("command = 'frames'\nmaster = 'local'", r"master belongs into \[spark\]"),
        ("[spark]\ncores = 3\n[[steps]]\ncommand = 'frames'", r"\[spark\] has master, remote, conf and nothing else"),
        ("ts = 't'\n[[steps]]\ncommand = 'frames'", r"'ts' stands outside of \[\[steps\]\]"),
        ("steps = 3", r"begin each step with \[\[steps\]\]"),
    ],
)
def test_a_job_that_says_something_wrong_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        read(tmp_path, text)


def test_a_job_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StreamFramesError, match=r"cannot read .*none.toml: No such file"):
        steps_of(tmp_path / "none.toml", COMMANDS, {})
