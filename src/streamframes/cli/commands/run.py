"""`streamframes run`: carry out the commands of a job file."""

from __future__ import annotations

from contextlib import chdir
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from streamframes.cli.flatten import grouped
from streamframes.cli.jobs import Step, steps_of
from streamframes.cli.options.common import SparkOptions
from streamframes.cli.terminal import note, reporting
from streamframes.errors import InvalidArgument

_OWN = ("run", "demo", "warmup")  # commands that no job has
# What Typer raises of a wrong command line, whatever is wrong with it.
_USAGE: type[Exception] = typer.BadParameter.__bases__[0]


@dataclass(frozen=True)
class JobOptions:
    """Which job."""

    job: Annotated[
        Path, typer.Argument(help="A TOML file: commands with their options.", metavar="JOB", show_default=False)
    ]


@reporting
@grouped
def run(context: typer.Context, options: JobOptions, spark: SparkOptions) -> None:
    """Carry out the commands of a file, one after the other, in one session of Spark.

    Paths in it are relative to its folder.
    """
    program: Any = context.parent
    commands = {name: each for name, each in program.command.commands.items() if name not in _OWN}
    steps = steps_of(options.job, commands, asdict(spark))
    with chdir(options.job.absolute().parent):
        # All options are read before the first step begins.
        for step, ready in [(step, _parsed(step, commands[step.command], program)) for step in steps]:
            if len(steps) > 1:
                note(step.called)
            with ready:
                ready.command.invoke(ready)


def _parsed(step: Step, command: Any, program: Any) -> Any:
    """The command with its options, ready to begin."""
    try:
        return command.make_context(step.command, list(step.arguments), parent=program)
    except _USAGE as error:
        said: Any = error
        raise InvalidArgument(f"{step.called}: {said.format_message()}") from error
