"""The commands from end to end, on small files."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from streamframes.cli.main import app

pytestmark = pytest.mark.spark

ROWS = [
    {"car": "a", "t": 1, "speed": 10, "state": "go"},
    {"car": "a", "t": 2, "speed": 50, "state": "go"},
    {"car": "a", "t": 3, "speed": 60, "state": "stop"},
    {"car": "a", "t": 9, "speed": 70, "state": "stop"},
    {"car": "b", "t": 1, "speed": 55, "state": "go"},
]
FAST = ["--threshold", "speed > 40", "--by", "car", "--ts", "t"]
FRAMES = [("a", 2, 9, 3, "end of data"), ("b", 1, 1, 1, "end of data")]


@pytest.fixture
def run(spark, tmp_path, monkeypatch):
    """Run a command in a folder of its own, on the session of the tests."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(app, arguments)


def write(name, rows=ROWS):
    table = pa.Table.from_pylist(rows)
    if name.endswith(".parquet"):
        pq.write_table(table, name)
    elif name.endswith(".csv"):
        pa_csv.write_csv(table, name)
    else:
        lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
        with gzip.open(name, "wb") if name.endswith(".gz") else Path(name).open("wb") as file:
            file.write(lines)
    return name


def found(name):
    """The frames of a file that was written, without ids."""
    if name.endswith(".parquet"):
        rows = pq.read_table(name).to_pylist()
    elif name.endswith(".csv"):
        rows = pa_csv.read_csv(name).to_pylist()
    else:
        rows = [json.loads(line) for line in Path(name).read_text().splitlines()]
    names = ("car", "frame_start", "frame_end", "frame_rows", "frame_closed_by")
    return [tuple(row[name] for name in names) for row in rows]


@pytest.mark.parametrize(
    ("source", "target"), [("a.parquet", "o.csv"), ("a.csv", "o.json"), ("a.json.gz", "o.parquet")]
)
def test_frames_go_from_file_to_file_in_order(run, source, target):
    result = run("frames", write(source), *FAST, "--output", target)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == ""
    assert result.stderr.startswith(f"Wrote 2 frames to {target} in ")
    assert found(target) == FRAMES


def test_a_path_without_ending_becomes_a_folder_that_can_be_read_again(run, tmp_path):
    assert run("frames", write("a.csv"), *FAST, "--output", "deep/out", "--output-format", "json").exit_code == 0
    assert not list(tmp_path.glob("deep/.out*"))
    result = run("frames", "deep/out", "--ts", "frame_start", "--count", "9")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.splitlines()[-1].split() == ["1", "2", "2", "end", "of", "data"]


@pytest.mark.parametrize("name", ["a.csv", "a.json"])
def test_instants_with_and_without_an_offset_are_not_read_as_if_they_were_alike(run, name):
    lines = [f"2026-01-05T1{hour}:00:00{offset}" for hour, offset in enumerate(("", "+01:00", "", "Z"))]
    rows = "".join(f'{{"t":"{line}"}}\n' if name == "a.json" else f"{line}\n" for line in lines)
    Path(name).write_text(rows if name == "a.json" else f"t\n{rows}")
    result = run("frames", name, "--ts", "t", "--gap", "1 hour")
    assert result.exit_code == 1
    assert result.stderr == (
        f"streamframes: cannot read {name} as {name[2:]}: column 't' has instants with an offset, like "
        f"'2026-01-05T11:00:00+01:00' in {name}, and without, like '2026-01-05T10:00:00' in {name}; write all of them "
        "with an offset, or all without\n"
    )


@pytest.mark.parametrize("offset", ["", "Z", "+02:00"])
def test_instants_that_are_written_alike_are_read(run, offset):
    Path("a.csv").write_text(f"t,x\n2026-01-05T10:00:00{offset},1\n,2\n2026-01-05T11:00:00.5{offset},3\n")
    result = run("frames", "a.csv", "--ts", "t", "--gap", "2 hours", "-o", "o.json")
    assert result.exit_code == 0, result.stderr
    assert [json.loads(row)["frame_rows"] for row in Path("o.json").read_text().splitlines()] == [2]


def test_an_output_is_replaced_only_when_asked_even_if_it_is_the_input(run):
    write("a.parquet")
    refused = run("frames", "a.parquet", *FAST, "--output", "a.parquet")
    assert (refused.exit_code, refused.stderr) == (
        1,
        "streamframes: --output a.parquet exists already; give --overwrite to replace it\n",
    )
    assert run("frames", "a.parquet", *FAST, "--output", "a.parquet", "--overwrite").exit_code == 0
    assert found("a.parquet") == FRAMES


def test_without_output_the_first_frames_are_printed(run):
    result = run("frames", write("a.csv"), *FAST, "--show", "1", "--agg", "top=max(speed)")
    header, _, first = result.stdout.splitlines()
    assert header.split() == ["car", "frame_start", "frame_end", "frame_rows", "frame_closed_by", "top"]
    assert first.split() == ["a", "2", "9", "3", "end", "of", "data", "70"]
    assert result.stderr == "The first 1 of 2 frames; --output PATH writes all of them.\n"


def test_no_frames_are_no_failure(run):
    result = run("frames", write("a.csv"), "--ts", "t", "--threshold", "speed > 999")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "0 frames.\n")
    assert run("frames", "a.csv", "--ts", "t", "--threshold", "speed > 999", "-o", "none.csv").exit_code == 0
    assert Path("none.csv").read_text() == "frame_id,frame_start,frame_end,frame_rows,frame_closed_by\n"


def test_options_reach_the_scheme_and_the_schedule(run):
    result = run("frames", write("a.csv"), *FAST, "--max-gap", "5", "--min-rows", "2", "-o", "gap.csv")
    assert result.exit_code == 0, result.stderr
    assert found("gap.csv") == [("a", 2, 3, 2, "gap")]
    result = run("frames", "a.csv", *FAST, "--schedule", "1", "--missing", "holds", "-o", "holds.csv")
    assert result.exit_code == 0, result.stderr
    assert found("holds.csv") == FRAMES


def test_lists_are_json_text_in_csv(run):
    result = run("frames", write("a.csv"), "--ts", "t", "--by", "car", "--boundary", "speed=40,65", "-o", "c.csv")
    assert result.exit_code == 0, result.stderr
    assert pa_csv.read_csv("c.csv")["frame_cell"].to_pylist() == ["[0]", "[1]", "[2]", "[1]"]


def test_tagged_rows_keep_their_columns(run):
    result = run("frames", write("a.csv"), *FAST, "--tag", "--keep-outside", "--prefix", "my_", "-o", "t.parquet")
    assert result.exit_code == 0, result.stderr
    tagged = pq.read_table("t.parquet")
    assert tagged.column_names == ["car", "t", "speed", "state", "my_id"]
    assert tagged["my_id"].is_null().to_pylist() == [True, False, False, False, False]


def test_instants_keep_their_microseconds_through_text(run):
    Path("a.csv").write_text("at,v\n2026-01-05T00:00:00.000001Z,1\n2026-01-05T00:00:30.5Z,1\n")
    result = run("frames", "a.csv", "--ts", "at", "--gap", "1 minute", "-o", "b.json")
    assert result.exit_code == 0, result.stderr
    frame = json.loads(Path("b.json").read_text())
    assert frame["frame_start"] == "2026-01-05T00:00:00.000001Z"
    assert frame["frame_end"] == "2026-01-05T00:00:30.500000Z"
    again = run("frames", "b.json", "--ts", "frame_start", "--count", "1")
    assert "2026-01-05 00:00:00.000001" in again.stdout


def test_a_derived_column_can_order_rows(run):
    rows = [{"when": f"0{hour} o'clock"} for hour in (1, 2, 9)]
    source = write("a.json", rows)
    result = run("frames", source, "--with", "h=cast(left(`when`, 2) as int)", "--ts", "h", "--gap", "3")
    assert [line.split()[:3] for line in result.stdout.splitlines()[2:]] == [["1", "2", "2"], ["9", "9", "1"]]


def test_explain_prints_the_plan_only(run):
    result = run("frames", write("a.csv"), *FAST, "--explain")
    assert result.stdout.startswith("frames Threshold(where='speed > 40')")
    assert result.stderr == ""


@pytest.mark.parametrize("picture", ["p.png", "p.svg", "p.html"])
def test_a_picture_shows_the_group_with_most_frames(run, picture):
    result = run("frames", write("a.csv"), "--ts", "t", "--by", "car", "--change", "state", "--plot", picture)
    assert result.exit_code == 0, result.stderr
    assert result.stderr.endswith(f"Picture: {picture}\n")
    drawn = Path(picture).read_bytes()
    assert drawn[:4] == b"\x89PNG" if picture.endswith("png") else b"<svg" in drawn
    if picture.endswith("html"):
        assert b"<h1>speed of car a</h1>" in drawn


def test_names_of_columns_may_differ_in_case(run):
    result = run("frames", write("a.csv"), "--ts", "T", "--by", "Car", "--gap", "5", "--plot", "p.png", "--show", "9")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.split()[0] == "car"


def test_a_long_signal_is_thinned_by_spark(run):
    write("long.parquet", [{"t": t, "v": 1000 if t == 7777 else t % 10} for t in range(20_000)])
    result = run("frames", "long.parquet", "--ts", "t", "--threshold", "v > 500", "--plot", "p.svg")
    assert result.exit_code == 0, result.stderr
    assert Path("p.svg").stat().st_size < 500_000


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--ts", "tt", "--gap", "5"], 2, "ts='tt', which is not a column; the columns are car, t, speed, state"),
        (["--ts", "t", "--gap", "5 minutes"], 2, "gap='5 minutes' has a unit but ts is an integer"),
        (["--ts", "t", "--threshold", "nope > 1"], 2, "`nope` cannot be resolved"),
        (["--ts", "t", "--gap", "5", "--agg", "a=max(nope)"], 2, "`nope` cannot be resolved"),
        (["--ts", "t", "--gap", "5", "--with", "a=nope"], 2, "--with a=nope cannot be evaluated"),
        (["--ts", "t", "--gap", "5", "--with", "t=1"], 2, "--with names 't', which is a column already"),
        (["--ts", "t", "--gap", "5", "--plot", "p.png", "--plot-value", "nope"], 2, "--plot-value nope cannot"),
        (["--ts", "t", "--threshold", "raise_error('boom') IS NULL"], 1, "cannot find the frames: boom"),
        (["--ts", "t", "--by", "car", "--gap", "5", "--plot", "p.png", "--plot-group", "z"], 1, "in car z"),
        (["--ts", "t", "--gap", "5", "--plot", "a.csv/p.png"], 1, "a.csv"),
        (["--ts", "t", "--gap", "5", "--output", "a.csv/b.csv"], 1, "a.csv"),
    ],
)
def test_what_cannot_work_is_one_line_on_stderr(run, arguments, status, message):
    result = run("frames", write("a.csv"), *arguments)
    assert result.exit_code == status
    assert message in result.stderr
    assert result.stderr.splitlines()[-1].startswith("streamframes: ")
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("bad.parquet", "hello", "cannot read bad.parquet as parquet: "),
        ("empty.csv", "", "cannot read empty.csv as csv: it has no columns; is it empty?"),
        ("array.json", "[1,\n2]", "cannot read array.json as json: every line must be one JSON object"),
    ],
)
def test_an_unreadable_file_is_named(run, tmp_path, name, content, message):
    (tmp_path / name).write_text(content)
    result = run("frames", name, "--ts", "t", "--gap", "5")
    assert result.exit_code == 1
    assert result.stderr.startswith(f"streamframes: {message}")
    assert result.stderr.count("\n") == 1


def test_the_demo_finds_everything_and_draws_it(run, tmp_path):
    result = run("demo", "--rows", "20000", "--seed", "3", "--output", "new", "--format", "html")
    assert result.exit_code == 0, result.stderr
    assert "exactly" in result.stdout
    assert "Picture: new/frames.html" in result.stdout
    assert (tmp_path / "new" / "frames.html").stat().st_size > 10_000
    assert result.stderr == ""
    following = result.stdout.splitlines()[-1].split()
    assert following[:3] == ["streamframes", "frames", "new/reports.parquet"]


def test_the_demo_works_where_nothing_was_planted(run):
    result = run("demo", "--rows", "5")
    assert result.exit_code == 0, result.stderr


def test_a_program_of_its_own_is_silent_but_for_results(tmp_path):
    source = tmp_path / "a.csv"
    write(str(source))
    code = "from streamframes.cli.main import app; app()"
    command = [sys.executable, "-c", code, "frames", str(source), *FAST, "--master", "local[1]"]
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=300, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stderr == "2 frames.\n"
    assert [line[:3].strip() for line in result.stdout.splitlines()] == ["car", "───", "a", "b"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv"]


JOB = """
[[steps]]
command = "frames"
input = "cars.csv"
ts = "t"
by = "car"
threshold = "speed > 40"
output = "fast.parquet"

[[steps]]
command = "bursts"
input = "cars.csv"
value = "speed"
ts = "t"
windows = "1"
threshold-per-row = 55
show = {show}
output = "bursts.json"
"""


def test_a_job_carries_out_its_steps_beside_its_file(run, tmp_path):
    (tmp_path / "jobs").mkdir()
    write("jobs/cars.csv")
    Path("jobs/job.toml").write_text(JOB.replace("{show}", "'runs'"))
    done = run("run", "jobs/job.toml")
    assert done.exit_code == 0, done.output
    assert "step 2 (bursts)" in done.stderr
    assert found("jobs/fast.parquet") == FRAMES
    assert len(Path("jobs/bursts.json").read_text().splitlines()) == 2


def test_a_job_begins_when_all_its_options_are_right(run, tmp_path):
    write("cars.csv")
    Path("job.toml").write_text(JOB.replace("{show}", "'rns'"))
    done = run("run", "job.toml")
    assert done.exit_code == 2
    assert "job.toml, step 2 (bursts): Invalid value for '--show': Value error, 'rns' is not" in done.stderr
    assert not Path("fast.parquet").exists()
