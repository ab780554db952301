"""Saving: the files of an outcome: numbers as CSV and JSON, pictures as PNG and SVG."""

from __future__ import annotations

import csv
import json
import math
from datetime import date, datetime
from importlib.metadata import version
from pathlib import Path

from streamframes.draw import save_picture
from streamframes.study.kit import Study
from streamframes.study.report.outcome import Cell, Outcome, Table

PACKAGES = ("streamframes", "pyspark", "pyarrow", "numpy", "numba")
ENDINGS = (".png", ".svg")


def save(study: Study, outcome: Outcome, folder: Path, *, seconds: float) -> list[Path]:
    """Write everything into a folder; the names of the files begin with that of the study."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [_write_csv(table, folder / f"{file_name(study, table.name)}.csv") for table in outcome.tables]
    whole = folder / f"{study.name}.json"
    whole.write_text(json.dumps(as_data(study, outcome, seconds), indent=2, default=_plain) + "\n", encoding="utf-8")
    paths.append(whole)
    for picture in outcome.pictures:
        figure = picture.draw()
        paths += [save_picture(figure, folder / f"{file_name(study, picture.name)}{ending}") for ending in ENDINGS]
    return paths


def file_name(study: Study, part: str) -> str:
    """The name of a file: that of the study, and of its part where that says more."""
    return study.name if part == study.name else f"{study.name}-{part}"


def as_data(study: Study, outcome: Outcome, seconds: float) -> dict[str, object]:
    """The outcome as plain values."""
    return {
        "study": study.name,
        "title": study.title,
        "paper": study.paper,
        "data": outcome.data,
        "settings": dict(outcome.settings),
        "claims": [{"says": claim.says, "figure": claim.figure, "verdict": claim.verdict} for claim in outcome.claims],
        "tables": {
            table.name: [dict(zip(table.columns, map(_finite, row), strict=True)) for row in table.rows]
            for table in outcome.tables
        },
        "notes": list(outcome.notes),
        "seconds": round(seconds, 1),
        "versions": {name: version(name) for name in PACKAGES},
    }


def _write_csv(table: Table, path: Path) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(table.columns)
        writer.writerows(table.rows)
    return path


def _finite(value: Cell) -> Cell:
    """JSON has no NaN."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _plain(value: Cell) -> Cell:
    if isinstance(value, date | datetime):
        return value.isoformat()
    return value.item() if hasattr(value, "item") else str(value)
