"""The frames that the algebra is measured on: two tables, made once, kept as Parquet files in a cache folder.

apart       a [--]      [--]      [--]        nobody meets anybody
            b      [--]      [--]      [--]
neighbours  a [-------------]                 each meets both neighbours of its own table, and two frames of the
            b      [-------------]            other
covered     as apart, but in both tables one frame of each key covers all others
"""

from __future__ import annotations

import hashlib
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.kit.options import CACHE
from streamframes.study.baselines.generated import FILES, FIRST_INSTANT

# Where the frames of b start, and how long frames are, in units of the distance from one frame to the next.
CASES = {"apart": (0.5, 0.3), "neighbours": (0.5, 1.4), "covered": (0.5, 0.3)}
STEP_MICROSECONDS = 1_000_000

SCHEMA = pa.schema(
    [
        ("key", pa.string()),
        ("frame_id", pa.int64()),
        ("frame_start", pa.timestamp("us", tz="UTC")),
        ("frame_end", pa.timestamp("us", tz="UTC")),
    ]
)


@dataclass(frozen=True)
class FrameShape:
    """How many frames of how many keys each table has, and how they lie."""

    case: str
    frames: int
    keys: int

    @property
    def name(self) -> str:
        """What tells these tables from others in the cache, the generator's own code included."""
        code = hashlib.blake2b(Path(__file__).read_bytes(), digest_size=4).hexdigest()
        return f"{self.frames}-frames-{self.keys}-keys-{self.case}-{code}"


def frame_files(shape: FrameShape, side: str, cache: Path = CACHE) -> list[str]:
    """The Parquet files of table a or b, in the order of time; they are made if they are not there."""
    folder = cache / shape.name / side
    if not folder.exists():
        unfinished = folder.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        table = frame_table(shape, side)
        for number, rows in enumerate(np.array_split(np.arange(table.num_rows), FILES)):
            pq.write_table(table.slice(rows[0], rows.size), unfinished / f"part-{number:03d}.parquet")
        unfinished.rename(folder)
    return sorted(str(path.resolve()) for path in folder.glob("*.parquet"))


def frame_table(shape: FrameShape, side: str) -> pa.Table:
    """All frames of a table: keys take turns, and each frame moves a little at random, but never into another."""
    late, length = CASES[shape.case]
    numbers = np.arange(shape.frames)
    key, place = numbers % shape.keys, numbers // shape.keys
    shaken = np.random.default_rng(side == "b").uniform(0, 0.1, shape.frames)
    start = ((place + shaken + (late if side == "b" else 0)) * STEP_MICROSECONDS).astype(np.int64)
    end = start + int(length * STEP_MICROSECONDS)
    if shape.case == "covered":
        first = place == 0
        start[first], end[first] = 0, (shape.frames // shape.keys + 1) * STEP_MICROSECONDS
    names = pa.array([f"key-{number:03d}" for number in range(shape.keys)])
    edges = [pa.array(edge + FIRST_INSTANT).cast(SCHEMA.field("frame_start").type) for edge in (start, end)]
    return pa.Table.from_arrays([names.take(pa.array(key)), pa.array(numbers), *edges], schema=SCHEMA)
