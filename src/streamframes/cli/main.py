"""The program `streamframes`, which registers every command. They load what they need when they run: help is quick."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Annotated

import typer

from streamframes.cli.commands.bursts import bursts
from streamframes.cli.commands.compare import compare
from streamframes.cli.commands.demo import demo
from streamframes.cli.commands.density import density
from streamframes.cli.commands.fill import fill
from streamframes.cli.commands.frames import frames
from streamframes.cli.commands.regions import regions
from streamframes.cli.commands.run import run
from streamframes.cli.commands.sessions import sessions
from streamframes.cli.commands.sql import sql
from streamframes.cli.commands.study import study
from streamframes.cli.commands.warmup import warmup
from streamframes.errors import MissingExtra
from streamframes.version import __version__

# Typer joins lines; a blank line keeps them apart.
FRAMES_EPILOG = """
[bold]Durations[/bold] have units where ts is a time ('2 minutes', '1 hour 30 minutes', '250 ms') and none where it is
an integer ('20'). Instants without a zone are taken as UTC. [bold]SQL[/bold] is Spark SQL over the columns of INPUT.

[bold]Examples[/bold]

streamframes frames reports.csv --ts rpt_time --by router --threshold 'drop_pct > 0.3' --min-duration '2 minutes'

streamframes frames 'data/*.parquet' --ts t --by car --delta 'speed < 5' --base first --agg 'v=avg(speed)' -o cut.csv

streamframes frames clicks.json.gz --ts at --by user --gap '30 minutes' --plot sessions.html --plot-value price
"""

FILL_EPILOG = """
[bold]Durations[/bold] have units where ts is a time ('2 minutes') and none where it is an integer ('20').
[bold]SQL[/bold] is Spark SQL: of the scheme over the columns of INPUT, of --agg over those of OTHER, of --start and
--end over those of a frame. A row of OTHER lies in each frame of its group that has begun and not ended at its instant.

[bold]Examples[/bold]

streamframes fill reports.csv commands.csv --ts rpt_time --by router --threshold 'drop_pct > 0.3'
--other-ts sent_at --before '2 minutes' --agg 'commands=count(*)'

streamframes fill jams.csv 'weather/*.json' --ts t --by road --gap '5 minutes' --other-ts at --other-by '' -o rain.csv

streamframes fill a.parquet b.parquet --ts t --by router --change state --other-by router=device_id --split '1 hour'
--agg 'n=count(*)' --agg 'who=collect_set(user)' --drop-empty
"""

BURSTS_EPILOG = """
A window of w rows alarms at a row when the aggregate of the last w rows reaches its threshold; it must be full.
[bold]Durations[/bold] have units where ts is a time ('1 second') and none where it is an integer ('20').
[bold]SQL[/bold] is Spark SQL over the columns of INPUT.

[bold]Examples[/bold]

streamframes bursts packets.parquet bytes --ts ts --by link --windows 4:400:4 --train-rows 10000 --show runs

streamframes bursts packets.parquet bytes --ts ts --by link --windows 4:400:4 --train-rows 10000 --show thresholds
-o thresholds.csv

streamframes bursts 'today/*.csv' bytes --ts ts --by link --thresholds thresholds.csv --plot bursts.png

streamframes bursts requests.json --agg count --ts at --unit '1 second' --windows '10 seconds,1 minute,10 minutes'
--threshold-per-row 50 --show latest
"""

SESSIONS_EPILOG = """
A tree has the fields of its root, and in parts the trees inside; in JSON, or the same as tables of TOML:

{"name": "System", "parts": [{"name": "Call", "key": "channel", "opens": "event = 102", "closes": "event = 104"}]}

An event opens a session where no open one takes it, and belongs to those that it closes.
[bold]Conditions[/bold] are Spark SQL over the columns of INPUT and the state of sessions, like Call.count(ATT) > 4.

[bold]Examples[/bold]

streamframes sessions log.csv --ts ts --ts seq --tree tree.toml --plot calls.png

streamframes sessions 'log/*.parquet' --ts ts --tree tree.toml --measure 'mean=System.avg(Call.duration(ts))'
--show measures -o means.csv

streamframes sessions log.csv --ts ts --tree tree.toml --show open --classes Call
"""

REGIONS_EPILOG = """
A region is a stretch of time and of places over which the condition holds in every report, and as large as it can be.
[bold]Durations[/bold] have units where ts is a time ('30 minutes') and none where it is an integer ('20').
[bold]SQL[/bold] is Spark SQL over the columns of INPUT.

[bold]Examples[/bold]

streamframes regions reports.csv --where 'speed < 20' --ts ts --space milepost --by highway --min-extent 2
--min-duration '30 minutes' --plot jams.png

streamframes regions 'reports/*.parquet' --where 'speed < 20' --ts ts --space milepost --by highway --prefer largest
--places stations.csv --bad "status <> 'ok'" --missing true --max-missing 3 --agg 'slowest=min(speed)' -o jams.csv

streamframes regions probes.json --where 'speed < 40' --ts ts --space milepost --shape connected --max-step 0.5
--max-gap '2 minutes'
"""

DENSITY_EPILOG = """
Rows of each unit of time are counted in cells. A region is grown from the densest cell, as long as that does not lower
its mean density; those of units that follow each other and share a cell are one.

[bold]Example[/bold]

streamframes density people.parquet --ts ts --space x --space y --by floor --bin 10 --unit '1 minute' --above 0.05
--min-area 400 --min-duration '5 minutes' --plot gatherings.png
"""

COMPARE_EPILOG = """
A window is selected if the condition holds for its smallest value (min), its largest (max) or its average (avg). Rows
are wrong that are in a frame or in a selected window, but not in both; a frame is missed that meets no selected window,
and a selected window that meets no frame is a false alarm. [bold]SQL[/bold] is Spark SQL over the columns of INPUT.

[bold]Examples[/bold]

streamframes compare reports.csv --ts ts --by station --threshold 'speed < 40' --min-duration '3 minutes'

streamframes compare tow.parquet --ts scan --threshold 'fluorescence > 0.2' --min-rows 20 --windows 5,20,60,120
--plot errors.png -o errors.csv
"""

STUDY_EPILOG = """
[bold]Studies[/bold]: accuracy-traffic, accuracy-dye, timeline, runtime, fragments, scatter, histogram, heatmap, points,
patterns, regions, bursts, nested. Without --data each makes its own rows. One that needs a column which FILE has under
another name says so; give it with --with.

[bold]Examples[/bold]

streamframes study accuracy-traffic

streamframes study scatter --data casts.parquet --with 'density=sigma + 1000' --out scatter

streamframes study all --out studies
"""

SQL_EPILOG = """
The verbs are functions in FROM: frames(TABLE(reports), threshold(drop_pct > 0.3), ts => rpt_time). The rest is Spark
SQL. Statements are separated by semicolons; with --output the last one is written. Without FILE and -e they are read
from stdin, or at a prompt if that is a terminal.

[bold]Examples[/bold]

streamframes sql --table reports=reports.csv -e 'SELECT * FROM frames(TABLE(reports), threshold(drop_pct > 0.3),
ts => rpt_time, by => router)'

streamframes sql loss.sql --table 'reports=data/*.parquet' --param limit=0.3 -o loss.parquet

streamframes sql --table reports=reports.csv
"""

RUN_EPILOG = """
A job has a command and its options, named as on the command line; steps are carried out in their order. Lists repeat an
option, tables repeat it as name=value.

command = "frames"

input = "reports.csv"

ts = "rpt_time"

agg = {worst = "max(drop_pct)"}

output = "loss.parquet"

[bold]Examples[/bold]

streamframes run job.toml

streamframes run job.toml --master spark://host:7077 --conf spark.executor.memory=4g

spark-submit --master spark://host:7077 "$(streamframes --program)" run job.toml
"""

WARMUP_EPILOG = """
Compiled code is for one kind of processor and one version of Python, NumPy and Numba: run this where they are those of
the workers, such as in the image or the environment that is shipped. What is not found there is compiled when needed.

[bold]Examples[/bold]

streamframes warmup

streamframes warmup frames bursts --into compiled
"""

app = typer.Typer(
    name="streamframes",
    help="Windows that follow the data: cut files of events where something happens.",
    epilog="Results go to stdout, the rest to stderr. Status: 0 done, 1 failed, 2 a wrong option or a missing package.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(no_args_is_help=True, epilog=FRAMES_EPILOG)(frames)
app.command(no_args_is_help=True, epilog=FILL_EPILOG)(fill)
app.command(no_args_is_help=True, epilog=BURSTS_EPILOG)(bursts)
app.command(no_args_is_help=True, epilog=SESSIONS_EPILOG)(sessions)
app.command(no_args_is_help=True, epilog=REGIONS_EPILOG)(regions)
app.command(no_args_is_help=True, epilog=DENSITY_EPILOG)(density)
app.command(no_args_is_help=True, epilog=COMPARE_EPILOG)(compare)
app.command(epilog=SQL_EPILOG)(sql)
app.command(no_args_is_help=True, epilog=STUDY_EPILOG)(study)
app.command(no_args_is_help=True, epilog=RUN_EPILOG)(run)
app.command(epilog=WARMUP_EPILOG)(warmup)
app.command()(demo)


@app.callback(invoke_without_command=True)
def main(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the versions of streamframes, Spark and Python, and leave.", is_eager=True
        ),
    ] = False,
    program: Annotated[
        bool, typer.Option("--program", help="Print the file that spark-submit can run, and leave.", is_eager=True)
    ] = False,
) -> None:
    """Answer what concerns no command."""
    if program:
        typer.echo(Path(__file__).parents[1] / "__main__.py")
        raise typer.Exit
    if version:
        typer.echo(f"streamframes {__version__}\nSpark {_spark_version()}\nPython {platform.python_version()}")
        raise typer.Exit


def _spark_version() -> str:
    try:
        from streamframes.spark import SPARK_VERSION
    except MissingExtra:
        return "not installed"
    return SPARK_VERSION
