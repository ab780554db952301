"""What holds of every picture: its tables, its heading, its axis of time, its files, and what it refuses."""

from __future__ import annotations

from datetime import datetime, timedelta

import pyarrow as pa
import pytest

from streamframes.draw import save_picture, tree
from streamframes.draw.bands import MAX_BANDS
from streamframes.draw.regions import MAX_REGIONS
from streamframes.errors import InvalidArgument
from tests.draw.worlds import FEW, PICTURES, boxes, frames, grid, heading, sessions, table

START = datetime(2026, 1, 5, 1)
KINDS = {
    "t (UTC), 2026-01-05": pa.timestamp("us", "UTC"),
    "t, 2026-01-05": pa.timestamp("ns"),
    "t (Asia/Tokyo), 2026-01-05": pa.timestamp("us", "Asia/Tokyo"),
}
MANY = frames(*((i, i) for i in range(0, 1000, 2)))
LARGE = boxes(*[(0, 1, 1.0, 2.0)] * MAX_REGIONS, (0, 5, 1.0, 4.0))
CALLS = sessions(*(("Call", each, None, 0, 2 * each, 2 * each + 1, "condition") for each in range(2_000)))


@pytest.mark.parametrize("name", PICTURES)
def test_pandas_and_arrow_give_the_same_picture(tmp_path, name):
    picture = PICTURES[name]
    one = save_picture(picture(), tmp_path / "a.png")
    other = save_picture(picture(*(each.to_pandas() for each in picture.tables)), tmp_path / "b.png")
    assert one.read_bytes() == other.read_bytes()


@pytest.mark.parametrize("name", [*PICTURES, "tree"])
def test_an_svg_is_the_same_each_time(tmp_path, name):
    classes = type("Class", (), {"name": "A", "key": None, "opens": "x", "closes": None, "timeout": None, "parts": ()})
    draw = PICTURES.get(name, lambda: tree(classes()))
    one, other = (save_picture(draw(), tmp_path / f"{i}.svg").read_bytes() for i in range(2))
    assert one == other


@pytest.mark.parametrize("name", PICTURES)
def test_every_ending_holds_the_picture(tmp_path, name):
    picture = PICTURES[name]
    for ending in ("png", "svg", "html"):
        path = save_picture(picture(), tmp_path / f"a.{ending}", frames=picture.tables[-1], title="Jams", what="lines")
        assert path.stat().st_size > 1_000
    assert f"{picture.tables[-1].num_rows} lines" in (tmp_path / "a.html").read_text("utf-8")


def test_a_page_holds_the_picture_and_the_frames(tmp_path):
    found = frames((5, 9), who=["<b>"])
    page = save_picture(PICTURES["frames"](table(), found), tmp_path / "new" / "a.html", frames=found, title="A & B")
    text = page.read_text("utf-8")
    assert "<svg" in text
    assert "A &amp; B" in text
    assert "<td>&lt;b&gt;</td>" in text
    assert "src=" not in text


@pytest.mark.parametrize("size", [0, 1])
@pytest.mark.parametrize("name", PICTURES)
def test_nothing_and_a_single_row_can_be_drawn(tmp_path, name, size):
    picture = PICTURES[name]
    none = picture.tables[-1].slice(0, 0)
    given = (
        (picture.tables[0].slice(0, size), none) if len(picture.tables) == 2 else (picture.tables[0].slice(0, size),)
    )
    figure = picture(*given, title="Nothing")
    assert save_picture(figure, tmp_path / "nothing.png").stat().st_size > 1_000
    if len(picture.tables) == 2:
        assert heading(figure).startswith("0 ")


@pytest.mark.parametrize(
    ("name", "tables", "options", "expected"),
    [
        *((name, picture.tables, {}, picture.title) for name, picture in PICTURES.items()),
        ("frames", (table(1000), MANY), {"subtitle": "Delta"}, f"Delta · the first {MAX_BANDS} of 500 frames"),
        ("regions", (grid(), LARGE), {}, f"the largest {MAX_REGIONS:,} of {MAX_REGIONS + 1:,} regions"),
        ("regions", (grid(), LARGE.slice(0, 2)), {"total": 7}, "the largest 2 of 7 regions"),
        ("regions", (grid(),), {}, ""),
        ("bursts", PICTURES["bursts"].tables, {"total": 7}, "7 alarms"),
        ("timeline", (CALLS,), {"at_most": 5, "subtitle": "calls"}, "calls · the first 5 of 2,000 Call sessions"),
        ("timeline", (sessions(FEW[1], FEW[2], FEW[5]),), {}, "2 ATT sessions"),
    ],
)
def test_the_heading_says_how_many_there_are_and_whether_they_are_all(name, tables, options, expected):
    assert heading(PICTURES[name](*tables, **options)) == expected


@pytest.mark.parametrize("label", KINDS)
@pytest.mark.parametrize("name", [name for name in PICTURES if name != "map"])
def test_the_time_axis_names_its_zone_and_the_day_that_all_share(name, label):
    picture = PICTURES[name]

    def as_times(given: pa.Table, columns: tuple[str, ...]) -> pa.Table:
        for column in columns:
            at = pa.array([START + timedelta(minutes=t) for t in given[column].to_pylist()]).cast(KINDS[label])
            given = given.set_column(given.column_names.index(column), column, at)
        return given

    figure = picture(
        *(as_times(*each) for each in zip(picture.tables, picture.instants, strict=True)),
        **({"label": "t"} if name == "timeline" else {}),
    )
    place = {"frames": 1, "bursts": 1}.get(name, 0)
    assert figure.axes[place].get_xlabel() == label


@pytest.mark.parametrize(
    ("name", "tables", "options", "message"),
    [
        ("frames", (), {"ts": "x"}, r"ts='x', which is not a column; the columns are t, v"),
        ("frames", (table(1, w=["a"]), frames((1, 2))), {"value": "w"}, r"value='w' of type string; draw a column of"),
        ("frames", ([1], frames((1, 2))), {}, r"rows of type list; give pandas or Arrow"),
        ("regions", (), {"value": None}, r"a picture of regions got no value; name the column that colours the repor"),
        ("regions", (), {"value": "w"}, r"got value='w', which is not a column; the columns are t, m, v"),
        ("regions", (), {"space": "w"}, r"got space='w', which is not a column"),
        ("regions", (), {"space": ["t", "m", "v"]}, r"draw one or two"),
        ("regions", (), {"space_label": ["a", "b"]}, r"draw one or two"),
        ("regions", (), {"colours": "red"}, r"got worst='red'; it must be one of 'low', 'high'"),
        (
            "regions",
            (grid(), boxes((0, 1, 1.0, 2.0)).drop_columns("frame_low")),
            {},
            r"got regions='frame_low', which is not a column",
        ),
        ("bursts", (table(), table()), {}, r"alarms='value', which is not a column; the columns are t, v"),
        ("timeline", (), {"prefix": "s_"}, r"sessions='s_class', which is not a column; the columns are frame_class"),
        ("timeline", (), {"by": "link"}, r"by='link', which is not a column"),
        ("timeline", (), {"at_most": 0}, r"at_most=0; it must be a whole number of at least 1"),
        ("timeline", (sessions(FEW[0], FEW[0]),), {}, r"sessions with the same frame_id; give each session once"),
        (
            "timeline",
            (sessions(("A", 1, 2, 0, 0, 1, ""), ("B", 2, 1, 1, 0, 1, "")),),
            {},
            r"inside of themselves; check their parents",
        ),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_a_remedy(name, tables, options, message):
    with pytest.raises(InvalidArgument, match=message):
        PICTURES[name](*tables, **options)


def test_a_picture_is_saved_under_a_known_ending_alone(tmp_path):
    with pytest.raises(InvalidArgument, match=r"end it in one of .png, .svg, .html"):
        save_picture(PICTURES["frames"](), tmp_path / "a.jpg")
