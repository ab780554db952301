"""What fragments of frames save: rows that wait in a fill while an episode lasts.

no fragments  ──────────────────────────> rows wait until the episode ends
fragments     ──> ──> ──> ──> ──> ──> ──> rows leave with the piece that they are in
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from streamframes.api.frames import frames
from streamframes.core.schemes import Threshold
from streamframes.options import Stream
from streamframes.study.data.sources import DYE, LEVEL, dye, groups
from streamframes.study.kit import Lab, Study
from streamframes.study.replay import progress_of, replayed, write_parts
from streamframes.study.report import charts
from streamframes.study.report.outcome import Cell, Claim, Outcome, Picture, Table

if TYPE_CHECKING:
    from streamframes.spark import DataFrame

LEAST_ROWS = (1, 20)
BATCHES = 16
LATENESS = 20
ORDER_OF_MAGNITUDE = 10
AS_LONG = 1.25
VARIANTS = {False: "no fragments", True: "fragments"}


@dataclass(frozen=True)
class Waits:
    """How many rows waited after each micro-batch, and how long these took, the first left out."""

    rows: tuple[int, ...]
    seconds: float

    @property
    def most(self) -> int:
        """The largest number of rows that waited."""
        return max(self.rows)


Found = Mapping[tuple[int, bool], Waits]


def run(lab: Lab) -> Outcome:
    """Replay the rows as two streams: one is framed, and its frames are filled with the other."""
    rows = dye(lab) if lab.data is not None else _with_a_long_stay(dye(lab), lab.rows)
    found: dict[tuple[int, bool], Waits] = {}
    with TemporaryDirectory(prefix="streamframes-study-") as folder:
        place = Path(folder) / "rows"
        lab.run("Writing the stream", lambda: write_parts(rows, place, "scan", BATCHES))
        for least, fragments in _turns():
            found[least, fragments] = _waits(lab, rows, place, least, fragments=fragments)
    spanned = _spanned(lab, rows)
    return Outcome(
        lab.named(f"{lab.rows:,} made-up scans of a tow that stays in the dye for nine tenths of its way"),
        [_table(found)],
        [Picture("fragments", "Rows that wait after each micro-batch", lambda: picture(found))],
        claims(found, spanned),
        {"level": LEVEL, "min_rows": LEAST_ROWS, "batches": BATCHES, "lateness": LATENESS, "seed": lab.seed},
        [f"The longest frame lasts for {spanned:.1f} of {BATCHES} micro-batches."],
    )


def _turns() -> list[tuple[int, bool]]:
    """What runs after what: variants swap places, so that a machine that warms up favours none."""
    return [(least, way) for place, least in enumerate(LEAST_ROWS) for way in sorted(VARIANTS, reverse=place % 2 == 1)]


def _with_a_long_stay(rows: DataFrame, n_rows: int) -> DataFrame:
    """The tow in a patch of dye that it does not leave, from a twentieth of its way to the last twentieth."""
    edge = n_rows // 20
    inside = f"scan > {edge} AND scan <= {n_rows - edge}"
    higher = f"IF({inside}, greatest(fluorescence, {LEVEL} + 0.01), fluorescence)"
    return rows.selectExpr("scan", f"{higher} AS fluorescence")


def _waits(lab: Lab, rows: DataFrame, place: Path, least: int, *, fragments: bool) -> Waits:
    from streamframes.spark.watching.batches import batch_of

    framed, filling = (replayed(lab.spark, place, rows) for _ in range(2))
    scheme = Threshold(f"fluorescence > {LEVEL}", min_rows=least)
    found = frames(framed, scheme, ts="scan", by=groups(rows), stream=Stream(LATENESS, fragments=fragments))
    filled = found.fill(filling, ts="scan", lateness=LATENESS)
    doing = f"Filling with {VARIANTS[fragments]}, {least} rows or more"
    found_of = map(batch_of, lab.run(doing, lambda: list(progress_of(filled))))
    seen = [each for each in found_of if each is not None and each.input_rows]
    waiting = tuple(int(each.figures["fill_waiting_rows"]) for each in seen)
    return Waits(waiting, sum(each.seconds for each in seen[1:]))


def _spanned(lab: Lab, rows: DataFrame) -> float:
    """For how many micro-batches the longest frame lasts."""
    found = frames(rows, Threshold(f"fluorescence > {LEVEL}"), ts="scan", by=groups(rows)).toDF()
    longest = found.selectExpr("coalesce(max(frame_end - frame_start), 0) AS scans")
    whole = rows.selectExpr("max(scan) - min(scan) AS scans")
    scans = lab.fetch("Finding the longest frame", longest.unionAll(whole))["scans"].to_pylist()
    return float(BATCHES * scans[0] / max(scans[1], 1))


def claims(found: Found, spanned: float) -> list[Claim]:
    """What the paper says of fragments; unless an episode lasts for many batches, nothing can be said."""
    saved = {least: found[least, False].most / max(found[least, True].most, 1) for least in LEAST_ROWS}
    most = ", ".join(
        f"{found[least, False].most:,} against {found[least, True].most:,} rows ({saved[least]:.1f} times) for frames "
        f"of {least} or more"
        for least in LEAST_ROWS
    )
    without, with_them = (sum(found[least, way].seconds for least in LEAST_ROWS) for way in VARIANTS)
    return [
        Claim(
            "Where episodes are long, fragments cut the rows that wait at the most by an order of magnitude.",
            most,
            min(saved.values()) >= ORDER_OF_MAGNITUDE if spanned >= ORDER_OF_MAGNITUDE else None,
        ),
        Claim(
            "Fragments cost no run time.",
            f"{with_them:.1f} s with and {without:.1f} s without, {with_them / without:.2f} times",
            with_them <= AS_LONG * without,
        ),
    ]


def _table(found: Found) -> Table:
    rows: list[list[Cell]] = [
        [least, VARIANTS[way], each.most, round(fmean(each.rows), 1), round(each.seconds, 2)]
        for (least, way), each in sorted(found.items())
    ]
    headings = ["min_rows", "way", "waiting_max", "waiting_avg", "seconds"]
    return Table(
        "fragments", "Rows that wait in the fill, and the time of all micro-batches but the first", headings, rows
    )


def picture(found: Found) -> Figure:
    """Rows that wait after each micro-batch, with fragments and without."""
    figure, panels = charts.panels(len(LEAST_ROWS), width=11, sharey=True)
    for axes, least in zip(panels, LEAST_ROWS, strict=True):
        series = {name: found[least, way].rows for way, name in VARIANTS.items()}
        for (name, waiting), colour in zip(series.items(), (charts.WINDOWS, charts.FRAMES), strict=True):
            axes.plot(range(1, len(waiting) + 1), waiting, marker="o", markersize=4, color=colour, label=name)
        axes.yaxis.set_major_formatter("{x:,.0f}")
        axes.set_ylim(bottom=0)
        charts.dress(axes, "micro-batch", "rows that wait", f"frames of {least} row{'s' * (least > 1)} or more")
    panels[0].legend(frameon=False)
    return figure


STUDY = Study(
    "fragments",
    "What fragments of frames save",
    "Maier et al., DEBS 2012, tables 1 and 2",
    48_000,
    "scans",
    DYE,
    run,
)
