"""The demo of a stream: its folder, the order of arrival, what it draws, and one run from end to end."""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from streamframes.cli.commands.demo_stream import Batch, arrivals, certain, fresh, latest
from streamframes.cli.main import app
from streamframes.data import routers
from streamframes.errors import StreamFramesError

DAY = datetime(2026, 1, 5)


def frame(number, *, final, fragment=0):
    start = DAY + timedelta(minutes=number)
    end = start + timedelta(minutes=5)
    return {
        "router": f"r{number}",
        "frame_id": number,
        "frame_start": start,
        "frame_end": end,
        "frame_rows": 16,
        "frame_final": final,
        "frame_fragment": fragment,
        "worst": 0.75,
    }


def drawn(frames):
    console = Console(width=120, color_system=None)
    with console.capture() as capture:
        console.print(latest(frames))
    return [line.rstrip() for line in capture.get().splitlines()]


def test_the_latest_frames_are_drawn_with_their_state():
    frames = [frame(2, final=False, fragment=3), frame(1, final=True)]
    assert drawn(frames)[2:] == [
        "r1      2026-01-05 00:01:00  2026-01-05 00:06:00    16   0.75  final",
        "r2      2026-01-05 00:02:00  2026-01-05 00:07:00    16   0.75  open, fragment 3",
    ]


def test_a_frame_that_goes_on_stays_in_sight():
    old = {**frame(0, final=False), "frame_end": DAY + timedelta(hours=2)}
    routers_drawn = [line.split()[0] for line in drawn([old, *(frame(n, final=True) for n in range(1, 30))])[2:]]
    assert routers_drawn == ["r0", *(f"r{n}" for n in range(19, 30))]


def test_a_batch_is_one_line():
    reported = (frame(1, final=True, fragment=1), frame(2, final=False), frame(3, final=False))
    batch = Batch(7, 1_000, reported, open=2, waiting=31, late=0)
    assert str(batch) == ("batch 7: rows read 1,000, fragments 2, final 1, open frames 2, waiting rows 31, late rows 0")


def test_reports_arrive_out_of_order_but_never_later_than_the_lateness_allows():
    made = routers(2_000, seed=4)
    arrived = arrivals(made.table, 4)
    instants = arrived["rpt_time"].to_pylist()
    newest, behind = instants[0], []
    for instant in instants:
        newest = max(newest, instant)
        behind.append(newest - instant)
    assert timedelta(seconds=20) < max(behind) < timedelta(minutes=1)
    order = [("rpt_time", "ascending"), ("router", "ascending")]
    assert arrived.sort_by(order) == made.table.sort_by(order)
    assert arrived == arrivals(made.table, 4)


def test_episodes_are_certain_once_the_watermark_has_passed_their_end():
    made = routers(3_000, seed=20, calm=120)
    last = max(made.table["rpt_time"].to_pylist())
    left_out = [row for row in made.episodes.to_pylist() if row not in certain(made).to_pylist()]
    assert {row["frame_closed_by"] for row in left_out} == {"condition", "end of data"}
    assert all(last - row["frame_end"] <= timedelta(seconds=80) for row in left_out)


def test_only_what_the_demo_made_is_removed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = fresh(Path("out/stream"))
    (folder / "reports").mkdir()
    (folder / "reports" / "00.parquet").touch()
    (folder / "mine.txt").touch()
    fresh(folder)
    assert sorted(path.name for path in folder.iterdir()) == ["made-by-streamframes-demo", "mine.txt"]
    theirs = Path("stream/reports")
    theirs.mkdir(parents=True)
    with pytest.raises(StreamFramesError, match=r"^stream exists already and was not made by the demo; give another"):
        fresh(Path("stream"))
    assert theirs.exists()


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--format", "png"], 2, "--format png is that of the picture, and --stream draws none; leave it out"),
        (["--output", "theirs"], 1, "theirs/stream exists already and was not made by the demo"),
        (["--output", "a.txt"], 1, "a.txt/stream"),
    ],
)
def test_what_cannot_work_is_one_line_on_stderr(tmp_path, monkeypatch, arguments, status, message):
    monkeypatch.chdir(tmp_path)
    Path("theirs/stream/reports").mkdir(parents=True)
    Path("a.txt").touch()
    result = CliRunner().invoke(app, ["demo", "--stream", *arguments])
    assert (result.exit_code, result.stdout) == (status, "")
    assert result.stderr.startswith(f"streamframes: {message}")
    assert result.stderr.count("\n") == 1


@pytest.mark.spark
def test_frames_of_a_stream_are_shown_batch_by_batch_and_nothing_else(tmp_path):
    # A program of its own, because only such a one hides what Spark and its workers write. The folder looks like a
    # pattern, and some episodes end so late that they are not certain.
    fewer = "from streamframes.cli.commands import demo_stream; demo_stream.FILES = 4"
    code = f"{fewer}\nfrom streamframes.cli.main import app; app()"
    command = [sys.executable, "-c", code, "demo", "--stream", "--rows", "3000", "--seed", "20", "--output", "o[1]"]
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=300, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    batches = re.findall(r"^batch (\d+): rows read (\d+), .* late rows 0$", result.stdout, re.MULTILINE)
    assert batches == [("0", "750"), ("1", "750"), ("2", "750"), ("3", "750"), ("4", "0")]
    assert "Found all 11 of the 11 episodes that were planted and have ended, exactly" in result.stdout
    assert re.search(r"while they went on: [1-9]\d*\. Planted, and open where the reports end: 4\.", result.stdout)
    assert 'stream=sf.Stream("1 minute", fragments=True)' in result.stdout
    assert str(tmp_path) not in result.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["o[1]"]
