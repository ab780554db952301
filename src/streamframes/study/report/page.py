"""The report: one page of HTML with all studies, which needs no network."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from streamframes.study.kit import Study
from streamframes.study.report.outcome import Outcome, Table
from streamframes.study.report.saving import file_name

_LARGE = 400_000
_LONGEST = 60
_STYLE = """
  body { font: 15px/1.5 system-ui, sans-serif; color: #22303c; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
  img { max-width: 100%; height: auto; }
  figure { margin: 1rem 0 2rem; }
  figcaption, .small { color: #5b6b7a; font-size: 13px; }
  table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; margin: .5rem 0 1.5rem; }
  caption { text-align: left; font-weight: 600; padding: .25rem 0; }
  th, td { text-align: left; padding: .2rem 1rem .2rem 0; border-bottom: 1px solid #d8dee4; vertical-align: top; }
  td.number { text-align: right; }
  .holds { color: #15803d; } .does { color: #b91c1c; } .cannot { color: #5b6b7a; }
  section { border-top: 2px solid #d8dee4; margin-top: 2.5rem; }
"""


@dataclass(frozen=True)
class Done:
    """A study that has run, or why it did not."""

    study: Study
    outcome: Outcome | None
    seconds: float
    failure: str = ""


def write_page(done: Sequence[Done], folder: Path) -> Path:
    """Write `report.html` beside the files of the studies, whose pictures it holds."""
    body = "\n".join([*_contents(done), *(line for each in done for line in _section(each, folder))])
    page = (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>streamframes: studies</title>\n<style>{_STYLE}</style>\n{body}\n</html>\n"
    )
    path = folder / "report.html"
    path.write_text(page, encoding="utf-8")
    return path


def _contents(done: Sequence[Done]) -> Iterator[str]:
    yield "<h1>Windows that follow the data: the studies</h1>"
    yield "<p>What the papers on frames claim, repeated. Each runs alone too: <code>streamframes study NAME</code>.</p>"
    yield "<table><thead><tr><th>study</th><th>claim</th><th>found</th><th>verdict</th></tr></thead><tbody>"
    for each in done:
        name = f'<a href="#{each.study.name}">{each.study.name}</a>'
        if each.outcome is None:
            yield f'<tr><td>{name}</td><td colspan="3" class="does">{escape(each.failure)}</td></tr>'
            continue
        for claim in each.outcome.claims:
            verdict = f'<td class="{claim.verdict.partition(" ")[0]}">{claim.verdict}</td>'
            yield f"<tr><td>{name}</td><td>{escape(claim.says)}</td><td>{escape(claim.figure)}</td>{verdict}</tr>"
    yield "</tbody></table>"


def _section(done: Done, folder: Path) -> Iterator[str]:
    study = done.study
    yield f'<section id="{study.name}"><h2>{escape(study.title)}</h2>'
    yield f'<p class="small">{study.name}: {escape(study.paper)}. {done.seconds:.0f} seconds.</p>'
    if done.outcome is None:
        yield f'<p class="does">{escape(done.failure)}</p></section>'
        return
    yield f"<p>{escape(done.outcome.data)}</p>"
    for picture in done.outcome.pictures:
        source = _embedded(folder / file_name(study, picture.name))
        caption = escape(picture.caption)
        yield f'<figure><img alt="{caption}" src="{source}"><figcaption>{caption}</figcaption></figure>'
    for table in done.outcome.tables:
        yield from _table(table)
    for note in done.outcome.notes:
        yield f"<p>{escape(note)}</p>"
    yield "</section>"


def _embedded(path: Path) -> str:
    """A picture as an address that holds it: SVG, unless it is large."""
    vector = path.with_name(path.name + ".svg")
    if vector.stat().st_size <= _LARGE:
        return f"data:image/svg+xml;base64,{b64encode(vector.read_bytes()).decode()}"
    return f"data:image/png;base64,{b64encode(path.with_name(path.name + '.png').read_bytes()).decode()}"


def _table(table: Table) -> Iterator[str]:
    yield f"<table><caption>{escape(table.title)}</caption><thead><tr>"
    yield "".join(f"<th>{escape(name)}</th>" for name in table.columns) + "</tr></thead><tbody>"
    for row in table.rows[:_LONGEST]:
        yield f"<tr>{''.join(map(_cell, row))}</tr>"
    yield "</tbody></table>"
    if len(table.rows) > _LONGEST:
        yield f'<p class="small">The first {_LONGEST} of {len(table.rows):,} rows; all are in its CSV file.</p>'


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f'<td class="number">{value:,.4g}</td>' if abs(value) < 1e4 else f'<td class="number">{value:,.0f}</td>'
    if isinstance(value, int) and not isinstance(value, bool):
        return f'<td class="number">{value:,}</td>'
    return f"<td>{'' if value is None else escape(str(value))}</td>"
