"""Saving: a picture as PNG, SVG, or a page of HTML with the picture in it and the frames below."""

from __future__ import annotations

import os
from datetime import datetime
from html import escape
from io import StringIO
from pathlib import Path

import matplotlib
from matplotlib.figure import Figure

from streamframes.draw.signal import as_table
from streamframes.errors import InvalidArgument

ENDINGS = (".png", ".svg", ".html")
MAX_ROWS = 1_000
# The same picture gives the same file.
_METADATA: dict[str, dict[str, None]] = {".png": {"Software": None}, ".svg": {"Date": None, "Creator": None}}

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
  body {{ font: 15px/1.5 system-ui, sans-serif; color: #22303c; max-width: 76rem; margin: 2rem auto; padding: 0 1rem; }}
  svg {{ width: 100%; height: auto; }}
  table {{ border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }}
  th, td {{ text-align: left; padding: .25rem 1rem .25rem 0; border-bottom: 1px solid #d8dee4; }}
  td.number {{ text-align: right; }}
</style>
<h1>{title}</h1>
{picture}
<p>{caption}</p>
<table>
<thead><tr>{head}</tr></thead>
<tbody>
{body}
</tbody>
</table>
</html>
"""


def check_picture(path: str | os.PathLike[str]) -> Path:
    """The path, if a picture can be saved under its ending."""
    place = Path(path)
    if place.suffix.lower() not in ENDINGS:
        raise InvalidArgument(f"a picture got path={str(path)!r}; end it in one of {', '.join(ENDINGS)}")
    return place


def save_picture(
    figure: Figure,
    path: str | os.PathLike[str],
    *,
    frames: object = None,
    title: str = "Frames",
    what: str = "frames",
) -> Path:
    """Save a picture in the format of its ending.

    Parameters
    ----------
    figure
        What a function of this package returned.
    path
        A name that ends in .png, .svg or .html.
    frames
        The table that a page of HTML shows below the picture.
    title, what
        The heading of the page, and what its table has one row for.

    Returns
    -------
    Path
        Where it was saved.
    """
    place = check_picture(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    ending = place.suffix.lower()
    if ending == ".html":
        place.write_text(_page(figure, frames, title, what), encoding="utf-8")
    else:
        with matplotlib.rc_context({"svg.hashsalt": "streamframes"}):
            figure.savefig(place, format=ending[1:], metadata=_METADATA[ending])
    return place


def _page(figure: Figure, frames: object, title: str, what: str) -> str:
    drawn = StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "streamframes"}):
        figure.savefig(drawn, format="svg", metadata=_METADATA[".svg"])
    picture = drawn.getvalue()
    table = as_table(frames) if frames is not None else None
    shown = [] if table is None else table.slice(0, MAX_ROWS).to_pylist()
    total = 0 if table is None else table.num_rows
    more = f", the first {len(shown):,} of them below" if len(shown) < total else ""
    names = [] if table is None else table.column_names
    return _PAGE.format(
        title=escape(title),
        picture=picture[picture.index("<svg") :],
        caption=f"{total:,} {what}{more}.",
        head="".join(f"<th>{escape(name)}</th>" for name in names),
        body="\n".join(f"<tr>{''.join(_cell(row[name]) for name in names)}</tr>" for row in shown),
    )


def _cell(value: object) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f'<td class="number">{value:.6g}</td>' if isinstance(value, float) else _number(value)
    if isinstance(value, datetime):
        value = value.replace(tzinfo=None).isoformat(sep=" ")
    return f"<td>{'' if value is None else escape(str(value))}</td>"


def _number(value: int) -> str:
    return f'<td class="number">{value}</td>'
