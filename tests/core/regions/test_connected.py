"""Connected regions: the same as a union over all pairs of reports, however the columns come."""

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from streamframes.core.regions.connected import Connected
from streamframes.core.regions.found import BREAK, FALSE, IMPUTED, TRUE, Columns, Found
from streamframes.core.state import decode, encode

LINE = [(0.0,), (1.0,), (2.0,), (2.5,), (4.0,), (7.0,)]
PLANE = [(float(x), float(y)) for x in (0, 1, 3) for y in (0, 1, 2, 5)]
CONDITION, GAP, END_OF_DATA = 1, 2, 4


@dataclass(frozen=True)
class Report:
    k: int
    t: int
    place: tuple
    code: int

    @property
    def true(self):
        return bool(self.code & (TRUE | IMPUTED))


@dataclass
class Case:
    """Columns (instant, {place: code}), cut into feeds; of places in `early` the search hears before they report."""

    columns: list
    cuts: list
    listed: list = field(default_factory=list)
    early: list = field(default_factory=list)
    max_step: float = np.inf

    @property
    def reports(self):
        return [Report(k, t, p, c) for k, (t, said) in enumerate(self.columns) for p, c in sorted(said.items())]

    def known(self, t):
        return {*self.listed, *(r.place for r in self.reports if r.t <= t)}

    def neighbour(self, place, axis, t, sign):
        """The next known place along an axis, if it is near enough."""
        line = [p for p in self.known(t) if all(p[d] == place[d] for d in range(len(p)) if d != axis)]
        ahead = [p for p in line if (p[axis] - place[axis]) * sign > 0]
        best = min(ahead, key=lambda p: abs(p[axis] - place[axis]), default=None)
        return best if best is not None and abs(best[axis] - place[axis]) <= self.max_step else None

    def touch(self, a, b):
        """Whether two reports, the first not later than the second, are adjacent."""
        if not (a.true and b.true):
            return False
        if a.k == b.k:
            return any(
                self.neighbour(a.place, d, a.t, sign) == b.place for d in range(len(a.place)) for sign in (-1, 1)
            )
        between = [r for r in self.reports if r.place == a.place and a.k < r.k < b.k]
        return a.place == b.place and not between and not b.code & BREAK

    def components(self):
        parts = {r: {r} for r in self.reports if r.true}
        for a, b in combinations(parts, 2):
            if parts[a] is not parts[b] and self.touch(a, b):
                parts[a] |= parts[b]
                for r in parts[b]:
                    parts[r] = parts[a]
        return [sorted(part, key=lambda r: (r.k, r.place)) for part in {id(p): p for p in parts.values()}.values()]

    def closing(self, part):
        """The column that closes a component, and why."""
        for k in range(part[-1].k, len(self.columns)):
            latest = {r.place: r for r in self.reports if r.k <= k}
            if not any(r in part for r in latest.values()):
                before = {r.place: r for r in self.reports if r.k < k}
                enders = [r for p, r in latest.items() if r.k == k and before.get(p) in part]
                return k, CONDITION if any(not r.true for r in enders) else GAP
        return len(self.columns), END_OF_DATA

    def span(self, place, axis, t):
        low, high = (self.neighbour(place, axis, t, sign) for sign in (-1, 1))
        here, alone = place[axis], min(0.5, self.max_step / 2)
        below, above = (None if p is None else abs(p[axis] - here) / 2 for p in (low, high))
        sides = [side for side in (below, above) if side is not None] or [alone]
        return here - (sides[0] if below is None else below), here + (sides[-1] if above is None else above)

    def cell(self, r, last):
        """The box of a report; `last` is the last column anything is known of."""
        if len(r.place) == 2:
            (left, right), (low, high) = (self.span(r.place, d, r.t) for d in (0, 1))
            return shapely.box(left, low, right, high)
        times = [t for t, _ in self.columns]
        before = (r.t - times[r.k - 1]) / 2 if r.k else None
        after = (times[r.k + 1] - r.t) / 2 if r.k < last else None
        sides = [side for side in (before, after) if side is not None] or [0.5]
        low, high = self.span(r.place, 0, r.t)
        return shapely.box(
            r.t - (sides[0] if before is None else before), low, r.t + (sides[-1] if after is None else after), high
        )

    def expected(self):
        found = []
        for part in self.components():
            k, cause = self.closing(part)
            columns = sorted({r.t for r in part})
            at = [[r.place for r in part if r.t == t] for t in columns]
            extents = [
                (t, *(f(p[d] for p in ps) for d in range(len(ps[0])) for f in (min, max)))
                for t, ps in zip(columns, at, strict=True)
            ]
            found.append(
                {
                    "key": (k, part[0].t, part[0].place),
                    "start": part[0].t,
                    "end": part[-1].t,
                    "low": tuple(map(min, zip(*(r.place for r in part), strict=True))),
                    "high": tuple(map(max, zip(*(r.place for r in part), strict=True))),
                    "rows": len(part),
                    "places": len({r.place for r in part}),
                    "imputed": sum(r.code & IMPUTED > 0 for r in part),
                    "cause": cause,
                    "named": part[0].place,
                    "extents": extents,
                    "footprint": shapely.union_all([self.cell(r, len(self.columns) - 1) for r in part]),
                }
            )
        return sorted(found, key=lambda part: part.pop("key"))


def rows_of(found: Found):
    table = [
        {
            "start": int(found.start[i]),
            "end": int(found.end[i]),
            "low": tuple(found.low[i]),
            "high": tuple(found.high[i]),
            "rows": int(found.rows[i]),
            "places": int(found.places[i]),
            "imputed": int(found.imputed[i]),
            "cause": int(found.cause[i]),
            "named": tuple(found.named[i]),
            "extents": [tuple(column.values()) for column in found.more["extents"][i].as_py()],
            "area": float(found.more["area"][i]),
            "hull": found.more["hull"][i].as_py(),
            "outline": found.more["outline"][i].as_py(),
        }
        for i in range(len(found))
    ]
    assert all(len(column) == len(found) for column in found.more.values())
    return table


def told(case: Case, *, moved: bool = False, **settings):
    """What a search tells, feed after feed; with `moved`, it goes on in another search each time."""
    ndim = len(next(iter((*case.listed, *case.columns[0][1]))))
    search, told, heard = Connected(ndim, max_step=case.max_step, **settings), [], []
    for first, last in zip([0, *case.cuts], [*case.cuts, len(case.columns)], strict=True):
        columns = case.columns[first:last]
        places = sorted({*heard, *case.listed, *case.early, *(p for _, said in columns for p in said)})
        if places != heard:
            listed = np.array([p in case.listed for p in places])
            search.widen(np.array([places.index(p) for p in heard], np.int64), np.array(places), listed)
            heard = places
        told += rows_of(search.feed(packed(columns, places)))
        if moved:
            data = encode(search.save())
            search = Connected(ndim, max_step=case.max_step, **settings)
            search.load(decode(data))
    told += rows_of(search.finish(END_OF_DATA))
    assert len(search.live()) == 0
    return told


def packed(columns, places):
    slots = [sorted((places.index(p), code) for p, code in said.items()) for _, said in columns]
    return Columns(
        np.array([t for t, _ in columns], np.int64),
        np.append(0, np.cumsum([len(column) for column in slots])).astype(np.int64),
        np.array([s for column in slots for s, _ in column], np.int64),
        np.array([code for column in slots for _, code in column], np.uint8),
    )


@st.composite
def cases(draw, pool, most):
    code = st.sampled_from([FALSE, TRUE, TRUE, TRUE, IMPUTED, TRUE | BREAK, IMPUTED | BREAK, FALSE | BREAK])
    n = draw(st.integers(1, most))
    steps = draw(st.lists(st.integers(1, 4), min_size=n, max_size=n))
    said = st.dictionaries(st.sampled_from(pool), code, min_size=1, max_size=len(pool))
    full = st.fixed_dictionaries(dict.fromkeys(pool, code))
    columns = [(int(t), draw(said | full)) for t in np.cumsum(steps)]
    cuts = sorted(draw(st.sets(st.integers(0, n), max_size=4)))
    some = st.lists(st.sampled_from(pool), unique=True, max_size=3)
    return Case(columns, cuts, draw(some), draw(some), draw(st.sampled_from([np.inf, 1.0, 0.4, 2.0])))


def check(case):
    everywhere = LINE if len(next(iter(case.columns[0][1]))) == 1 else PLANE
    once = told(Case(case.columns, [], case.listed, everywhere, case.max_step))
    assert told(case) == once
    assert told(case, moved=True) == once
    expected = case.expected()
    for row, right in zip(once, expected, strict=True):
        footprint = right.pop("footprint")
        outline, hull = shapely.from_wkt(row.pop("outline")), shapely.from_wkt(row.pop("hull"))
        assert shapely.is_valid(outline)
        assert shapely.equals(outline, footprint)
        assert shapely.equals(hull, shapely.convex_hull(footprint))
        assert row.pop("area") == pytest.approx(shapely.area(outline))
        assert row == right


@given(cases(LINE, 9))
def test_components_on_a_line_are_those_of_a_union_over_all_pairs(case):
    check(case)


@given(cases(PLANE, 5))
def test_components_in_a_plane_are_those_of_a_union_over_all_pairs(case):
    check(case)


@given(cases(LINE, 9), st.integers(0, 4), st.sampled_from([0.0, 1.0, 2.0]), st.integers(1, 3), st.integers(1, 3))
def test_minimums_leave_out_what_is_smaller(case, min_duration, min_extent, min_places, min_times):
    found = told(case, min_duration=min_duration, min_extent=min_extent, min_places=min_places, min_times=min_times)
    assert found == [
        row
        for row in told(case)
        if row["end"] - row["start"] >= min_duration
        and row["high"][0] - row["low"][0] >= min_extent
        and row["places"] >= min_places
        and len(row["extents"]) >= min_times
    ]


def drawn(picture, *, t0=0, step=1):
    """Columns of a picture: `#` is satisfied, `.` is not, a blank is no report; the lowest line is place 0."""
    lines = picture.strip("\n").split("\n")[::-1]
    said = [
        {(float(y),): TRUE if line[x] == "#" else FALSE for y, line in enumerate(lines) if line[x] != " "}
        for x in range(len(lines[0]))
    ]
    return [(t0 + step * x, column) for x, column in enumerate(said)]


def test_a_jam_that_grows_upstream_and_dissolves_is_one_triangle():
    jam = drawn("""
.....
..#..
.##..
###..
""")
    (row,) = told(Case(jam, []))
    assert row["outline"] == (
        "POLYGON ((-0.5 -0.5, -0.5 0.5, 0.5 0.5, 0.5 1.5, 1.5 1.5, 1.5 2.5, 2.5 2.5, 2.5 -0.5, -0.5 -0.5))"
    )
    assert row["hull"] == "POLYGON ((-0.5 -0.5, -0.5 0.5, 1.5 2.5, 2.5 2.5, 2.5 -0.5, -0.5 -0.5))"
    assert row["area"] == 6.0
    assert row["extents"] == [(0, 0.0, 0.0), (1, 0.0, 1.0), (2, 0.0, 2.0)]
    assert (row["rows"], row["places"], row["cause"]) == (6, 3, CONDITION)


def test_a_hole_is_a_ring_of_its_own_even_where_it_touches_the_outside():
    (whole,) = told(Case(drawn("###.\n#.#.\n###."), []))
    assert whole["outline"] == (
        "POLYGON ((-0.5 -0.5, -0.5 2.5, 2.5 2.5, 2.5 -0.5, -0.5 -0.5), (0.5 0.5, 1.5 0.5, 1.5 1.5, 0.5 1.5, 0.5 0.5))"
    )
    (open_at_a_corner,) = told(Case(drawn("##..\n#.#.\n###."), []))
    shape = shapely.from_wkt(open_at_a_corner["outline"])
    assert shapely.is_valid(shape)
    assert (shape.geom_type, shapely.get_num_interior_rings(shape), shape.area) == ("Polygon", 1, 7.0)


def test_pieces_that_touch_at_two_corners_enclose_no_hole():
    (row,) = told(Case(drawn(".##.\n# #.\n# #.\n.##."), []))
    shape = shapely.from_wkt(row["outline"])
    assert shapely.is_valid(shape)
    assert (shape.geom_type, shapely.get_num_geometries(shape), shape.area) == ("MultiPolygon", 2, 8.0)


def test_a_piece_may_lie_in_the_hole_of_another():
    (row,) = told(Case(drawn("#####.\n#   #.\n# # #.\n#   #.\n#####."), []))
    shape = shapely.from_wkt(row["outline"])
    assert shapely.is_valid(shape)
    assert (shape.geom_type, shape.area) == ("MultiPolygon", 17.0)


def test_outlines_count_time_in_units():
    minute = 60_000_000
    (row,) = told(Case(drawn("##.", t0=1_000_000_000_000_000, step=minute), []), per_unit=1e6)
    assert row["outline"] == (
        "POLYGON ((999999970 -0.5, 999999970 0.5, 1000000090 0.5, 1000000090 -0.5, 999999970 -0.5))"
    )
    assert row["area"] == 120.0


def test_a_known_place_without_a_report_separates_but_holds_on():
    apart = told(Case(drawn("###\n# #\n###"), []))
    assert [(row["rows"], row["cause"]) for row in apart] == [(8, END_OF_DATA)]
    never = told(Case(drawn("##\n  \n##"), [], listed=[(1.0,)]))
    assert [row["low"] for row in never] == [(0.0,), (2.0,)]
    unknown = told(Case(drawn("##\n  \n##"), [], early=[(1.0,)]))
    assert [row["low"] for row in unknown] == [(0.0,)]


def test_memory_is_bounded_by_what_is_open():
    rng = np.random.default_rng(5)
    search, n = Connected(min_places=1000), 200
    search.widen(np.empty(0, np.int64), np.arange(n, dtype=float)[:, None])
    for feed in range(40):
        code = (rng.random((500, n)) < 0.4).astype(np.uint8)
        times = np.arange(500, dtype=np.int64) + 500 * feed
        slot = np.tile(np.arange(n, dtype=np.int64), 500)
        search.feed(Columns(times, np.arange(501, dtype=np.int64) * n, slot, code.ravel()))
    assert len(encode(search.save())) < 50_000
    live = search.live()
    assert 0 < len(live) < n
    assert (np.diff(live.start) >= 0).all()
    assert (live.low <= live.high).all()
