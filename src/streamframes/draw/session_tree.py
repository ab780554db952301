"""The tree: classes of sessions as boxes, what opens and closes each, and what is computed of the sessions inside.

    +--- Call -------------+
    | key    channel       |
    | opens  event = 102   |
    +----------------------+
    | total: Call.sum(...) |        measures stand in the class that receives them
    +----------------------+
       |                |
+--- ATT ---+     +--- NEWS --+
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypedDict

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from streamframes.draw.colours import FAINT, INK, SIGNAL, colours
from streamframes.errors import InvalidArgument

# All lengths are inches. Letters of 8 points have one width, in a PNG a whole number of points.
_LETTER, _LINE = 0.07, 0.165
_TOP, _EDGE = 0.30, 0.12
_BESIDE, _BELOW, _AROUND = 0.35, 0.5, 0.25
_TITLE = 0.3
_FEWEST_LETTERS, _MOST_LETTERS = 24, 52


class SessionClass(Protocol):
    """A class of sessions, as the picture shows it; it may have `matches`, a condition, too."""

    @property
    def name(self) -> str: ...
    @property
    def key(self) -> str | Sequence[str] | None: ...
    @property
    def opens(self) -> object: ...
    @property
    def closes(self) -> object: ...
    @property
    def timeout(self) -> object: ...
    @property
    def parts(self) -> Sequence[SessionClass]: ...


class _Font(TypedDict, total=False):
    color: str
    fontsize: float
    fontweight: str
    family: str
    va: Literal["center", "top"]
    ha: Literal["left"]


_SMALL: _Font = {"fontsize": 8, "family": "monospace", "va": "center", "ha": "left"}


@dataclass
class _Box:
    """A class with its lines, and where it stands: the middle of its upper edge."""

    name: str
    facts: list[str]
    measures: list[str]
    parts: list[_Box] = field(default_factory=list)
    x: float = 0.0
    y: float = 0.0

    @property
    def width(self) -> float:
        longest = max([_FEWEST_LETTERS, *map(len, [*self.facts, *self.measures])])
        return longest * _LETTER + 2 * _EDGE

    @property
    def height(self) -> float:
        texts = [lines for lines in (self.facts, self.measures) if lines]
        return _TOP + sum(len(lines) * _LINE + _EDGE for lines in texts)

    def walk(self, depth: int = 0) -> Iterator[tuple[int, _Box]]:
        yield depth, self
        for part in self.parts:
            yield from part.walk(depth + 1)


def tree(
    classes: SessionClass | Iterable[SessionClass],
    *,
    measures: Mapping[str, str] | None = None,
    root: str = "System",
    title: str = "",
    subtitle: str = "",
    size: tuple[float, float] | None = None,
) -> Figure:
    """Draw classes of sessions as boxes, each below the one that its sessions are inside of.

    Parameters
    ----------
    classes
        A class, or several that are inside of none. A class has `name`, `key` (columns, or None), `opens`, `closes`,
        `timeout` (None where there is none) and `parts`, the classes inside; it may have `matches`.
    measures
        Name -> what is computed, such as `Call.sum(ATT.duration(ts))`; it stands in the class that it begins with.
    root
        The name of the box around several classes, and of the one that no class is but measures begin with.
    title, subtitle
        What is seen.
    size
        Inches; as large as the text needs unless given. A PNG has 100 points an inch.

    Returns
    -------
    Figure
        Not shown anywhere; see `save_picture`.
    """
    received = _received(measures or {})
    tops = [_box(each, received) for each in (classes if isinstance(classes, Iterable) else [classes])]
    if not tops:
        raise InvalidArgument("tree() got classes=[]; give at least one class of sessions")
    names = [box.name for top in tops for _, box in top.walk()]
    shades = colours(names)
    if len(tops) > 1 and root in names:
        raise InvalidArgument(f"tree() got root={root!r}, which is the name of a class; several classes need another")
    if root not in names and (len(tops) > 1 or root in received):
        shades[root] = INK
        tops, names = [_Box(root, ["always open"], received.get(root, []), tops)], [root, *names]
    unknown = [name for name in received if name not in names]
    if unknown:
        said = (measures or {})[next(name for name, text in (measures or {}).items() if _class(text) == unknown[0])]
        raise InvalidArgument(
            f"tree() got the measure {said!r}; it must begin with one of {', '.join(names)} and a dot"
        )
    return _drawn(tops[0], shades, title, subtitle, size)


def _received(measures: Mapping[str, str]) -> dict[str, list[str]]:
    """Class -> the lines of its measures."""
    lines: dict[str, list[str]] = {}
    for name, text in measures.items():
        lines.setdefault(_class(text), []).extend(_wrapped(f"{name} = ", text))
    return lines


def _class(text: str) -> str:
    return text.partition(".")[0].strip()


def _box(each: SessionClass, received: Mapping[str, list[str]]) -> _Box:
    key = each.key if isinstance(each.key, str) or each.key is None else ", ".join(each.key)
    matches = getattr(each, "matches", None)
    facts = {
        "key": key, "matches": matches, "opens": each.opens, "closes": each.closes, "timeout": each.timeout,
    }  # fmt: skip
    lines = [line for name, said in facts.items() if said for line in _wrapped(f"{name:<9}", str(said))]
    return _Box(each.name, lines, received.get(each.name, []), [_box(part, received) for part in each.parts or ()])


def _wrapped(begin: str, text: str) -> list[str]:
    """The text behind its beginning, over as many lines as it needs.

    >>> _wrapped("opens    ", "event_type = 500")
    ['opens    event_type = 500']
    """
    after = " " * min(len(begin), 9)
    return textwrap.wrap(text, _MOST_LETTERS, initial_indent=begin, subsequent_indent=after, break_on_hyphens=False)


def _drawn(top: _Box, shades: Mapping[str, str], title: str, subtitle: str, size: tuple[float, float] | None) -> Figure:
    width = _place(top, 0.0)
    heights: dict[int, float] = {}
    for depth, box in top.walk():
        heights[depth] = max(heights.get(depth, 0.0), box.height)
    for depth, box in top.walk():
        box.y = -sum(heights[above] + _BELOW for above in range(depth))
    height = sum(heights.values()) + _BELOW * (len(heights) - 1)
    above = _AROUND + _TITLE * bool(title) + 0.7 * _TITLE * bool(subtitle)
    natural = (max(width, _LETTER * len(subtitle)) + 2 * _AROUND, height + above + _AROUND)
    figure = Figure(figsize=size or natural, dpi=100, facecolor="white")
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.axis("off")
    axes.set_xlim(-_AROUND, natural[0] - _AROUND)
    axes.set_ylim(above - natural[1], above)
    axes.set_aspect("equal", adjustable="box")
    heading: _Font = {"color": INK, "va": "top", "ha": "left"}
    if title:
        axes.text(0.0, above - 0.15, title, fontsize=13, fontweight="bold", **heading)
    if subtitle:
        axes.text(0.0, above - 0.15 - _TITLE * bool(title), subtitle, fontsize=9, **heading)
    for _, box in top.walk():
        _draw_box(axes, box, shades[box.name])
    return figure


def _place(box: _Box, left: float) -> float:
    """Give every box of a tree its place from left to right; returns how wide the tree is."""
    widths: list[float] = []
    for part in box.parts:
        widths.append(_place(part, left + sum(widths) + _BESIDE * len(widths)))
    below = sum(widths) + _BESIDE * max(0, len(widths) - 1)
    if box.width > below:
        _shift(box.parts, (box.width - below) / 2)
    middles = [part.x for part in box.parts]
    whole = max(box.width, below)
    middle = (middles[0] + middles[-1]) / 2 if middles else left + whole / 2
    box.x = min(max(middle, left + box.width / 2), left + whole - box.width / 2)
    return whole


def _shift(boxes: Sequence[_Box], by: float) -> None:
    for box in boxes:
        box.x += by
        _shift(box.parts, by)


def _draw_box(axes: Axes, box: _Box, colour: str) -> None:
    left, bottom = box.x - box.width / 2, box.y - box.height
    for part in box.parts:
        turn = part.y + _BELOW / 2
        axes.plot([box.x, box.x, part.x, part.x], [bottom, turn, turn, part.y], color=SIGNAL, linewidth=1.0, zorder=0)
    axes.add_patch(Rectangle((left, bottom), box.width, box.height, facecolor="white", edgecolor=colour, linewidth=1.2))
    axes.add_patch(Rectangle((left, box.y - _TOP), box.width, _TOP, facecolor=colour, edgecolor=colour, linewidth=1.2))
    name: _Font = {"color": "white", "fontsize": 10, "fontweight": "bold", "va": "center", "ha": "left"}
    axes.text(left + _EDGE, box.y - _TOP / 2, box.name, **name)
    line = box.y - _TOP - _EDGE / 2 - _LINE / 2
    for fact in box.facts:
        axes.text(left + _EDGE, line, fact, color=INK, **_SMALL)
        line -= _LINE
    if box.facts and box.measures:
        rule = line + _LINE / 2 - _EDGE / 2
        axes.plot([left, left + box.width], [rule, rule], color=FAINT, linewidth=0.8)
        line -= _EDGE
    for measure in box.measures:
        axes.text(left + _EDGE, line, measure, color=colour, **_SMALL)
        line -= _LINE
