"""Match: the positions that sensors report of players and of the ball, and how long players stay in each cell.

half 1 |==================|   break   |==================| half 2
player   . . . . . . . . .              200 positions a second, each player's at other instants
ball     ..................             2,000 positions a second
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from streamframes.data.arguments import whole
from streamframes.data.chance import Floats, Integers, generator
from streamframes.data.generated import Generated
from streamframes.data.instants import SECOND, TIMESTAMP, timestamps
from streamframes.data.parts import ROWS_PER_PART, Parts
from streamframes.data.pitch.play import STEP, Play, plan
from streamframes.data.runs import Runs, frames

CELLS, CELL_MM = (16, 25), (4250, 4200)
"""The grid over the pitch, across and along, and how large a cell is."""
_BREAK = 15 * 60 * SECOND
_PLACE = {"x": pa.float64(), "y": pa.float64()}
_ROWS = pa.schema({"ts": TIMESTAMP, "half": pa.int64(), "team": pa.string(), "player": pa.string()} | _PLACE)
_BALL = pa.schema({"ts": TIMESTAMP, "half": pa.int64()} | _PLACE)


@dataclass(frozen=True, eq=False, repr=False)
class MatchData(Generated):
    """Positions of players, and the stays of each in the cells of a grid."""

    @cached_property
    def ball(self) -> pa.Table:
        """The positions of the ball: ts, half, x and y."""
        return self.tables["ball"].table()

    def __repr__(self) -> str:
        """What it is, in a line."""
        stays = f"{self.episodes.num_rows:,} stays in a cell"
        return f"<{self.name}: {self.num_rows:,} rows, {stays}; ts={self.ts}, by={', '.join(self.by)}>"


def pitch(minutes: int = 2, *, players: int = 8, rate: int = 200, ball_rate: int = 2_000, seed: int = 0) -> MatchData:
    """Positions of the players and the ball of a football match: two halves with a break, ends changed.

    Parameters
    ----------
    minutes
        How long is played, half of it before the break of 15 minutes.
    players
        How many in each team, 2 to 11; the first is the keeper.
    rate, ball_rate
        Positions a second of each player, and of the ball.
    seed
        The same seed, the same data.

    Returns
    -------
    MatchData
        `table` has ts, half (1 or 2), team, player, x (across, 0 to 68 m) and y (along, 0 to 105 m); `ball` has the
        positions of the ball. `episodes` are the stays of each player in the cells of a grid of 16 x 25, by half,
        player and start, with the number of the cell across and along (`cell_x`, `cell_y`, from 1).

    Examples
    --------
    >>> made = pitch(minutes=2, rate=20, seed=1)
    >>> made
    <pitch: 38,400 rows, 933 stays in a cell; ts=ts, by=half, player>
    >>> list(made.episodes.to_pylist()[0])[-4:]
    ['frame_rows', 'frame_closed_by', 'cell_x', 'cell_y']

    References
    ----------
    Grossniklaus et al., Frames: data-driven windows, DEBS 2016, sections 3.2, 4.3 and 6.2.
    Mutschler, Ziekow and Jerzak, The DEBS 2013 grand challenge, DEBS 2013.
    """
    minutes = whole("pitch", "minutes", minutes)
    players = whole("pitch", "players", players, at_least=2, at_most=11)
    rate, ball_rate = (
        whole("pitch", name, value, at_most=SECOND) for name, value in (("rate", rate), ("ball_rate", ball_rate))
    )
    match = _Match(whole("pitch", "seed", seed, at_least=0), minutes, players, rate, ball_rate)
    ticks = match.ticks(rate)
    return MatchData(
        name="pitch",
        scheme={},
        ts="ts",
        by=("half", "player"),
        num_rows=2 * ticks * 2 * players,
        tables={
            "rows": Parts(_ROWS, 2 * ticks, max(1, ROWS_PER_PART // (2 * players)), match.positions),
            "ball": Parts(_BALL, 2 * match.ticks(ball_rate), ROWS_PER_PART, match.ball),
            "episodes": Parts(_stays_schema(), 1, 1, match.stays),
        },
    )


def _stays_schema() -> pa.Schema:
    edges = {"frame_start": TIMESTAMP, "frame_end": TIMESTAMP, "frame_rows": pa.int64()}
    cell = {"cell_x": pa.int64(), "cell_y": pa.int64()}
    return pa.schema({"half": pa.int64(), "player": pa.string()} | edges | {"frame_closed_by": pa.string()} | cell)


@dataclass(frozen=True)
class _Match:
    """How long, who, and how often positions are reported; played when the first of them is asked for."""

    seed: int
    minutes: int
    team: int
    rate: int
    ball_rate: int

    def ticks(self, rate: int) -> int:
        """Positions of one sensor in one half."""
        return 30 * self.minutes * rate

    @cached_property
    def halves(self) -> list[Play]:
        """What is played."""
        return [plan(self.seed, self.team, 30 * self.minutes, half) for half in range(2)]

    @cached_property
    def phase(self) -> Integers:
        """How many microseconds after a tick each player's sensor reports."""
        random = generator(self.seed, "pitch phases")
        return np.sort(random.integers(0, SECOND // self.rate, 2 * self.team))[self._turn.argsort()]

    @cached_property
    def _turn(self) -> Integers:
        """The players in the order in which they report."""
        return generator(self.seed, "pitch turns").permutation(2 * self.team)

    @cached_property
    def names(self) -> pa.Array:
        """Of the players: A1, A2, ..., B1, ..."""
        return pa.array([f"{team}{number}" for team in "AB" for number in range(1, self.team + 1)])

    def positions(self, part: int, low: int, high: int) -> pa.Table:
        """The positions of all players in the ticks low <= tick < high, by time."""
        tables = [self._of_half(half, first, last) for half, first, last in self._by_half(low, high, self.rate)]
        return pa.concat_tables(tables)

    def _of_half(self, half: int, low: int, high: int) -> pa.Table:
        tick, player = (index.ravel() for index in np.indices((high - low, 2 * self.team)))
        tick, player = tick + low, self._turn[player]
        elapsed = tick * SECOND // self.rate + self.phase[player]
        place = smooth(self.halves[half].players, elapsed, player) / 1_000
        who = pa.array(player)
        team = pa.array(["A", "B"]).take(pa.array(player // self.team))
        columns = [*self._when(half, elapsed), team, self.names.take(who), *map(pa.array, place.T)]
        return pa.table(columns, schema=_ROWS)

    def ball(self, part: int, low: int, high: int) -> pa.Table:
        """The positions of the ball in the ticks low <= tick < high, which goes straight between planned ones."""
        tables = []
        for half, first, last in self._by_half(low, high, self.ball_rate):
            elapsed = np.arange(first, last) * SECOND // self.ball_rate
            path = self.halves[half].ball
            steps = np.arange(len(path)) * STEP
            place = [np.round(np.interp(elapsed / SECOND, steps, path[:, axis]), 3) for axis in range(2)]
            tables.append(pa.table([*self._when(half, elapsed), *map(pa.array, place)], schema=_BALL))
        return pa.concat_tables(tables)

    def stays(self, part: int, low: int, high: int) -> pa.Table:
        """The stays of all players, by half, player and start."""
        order = [(name, "ascending") for name in ("half", "player", "frame_start")]
        tables = [self._stays(half, player) for half in range(2) for player in range(2 * self.team)]
        return pa.concat_tables(tables).sort_by(order)

    def _stays(self, half: int, player: int) -> pa.Table:
        ticks = self.ticks(self.rate)
        elapsed = np.arange(ticks) * SECOND // self.rate + self.phase[player]
        place = smooth(self.halves[half].players, elapsed, np.full(ticks, player))
        # A position on a line belongs to the cell below it.
        cell = -(-place // CELL_MM)
        start = np.flatnonzero(np.append(True, (cell[1:] != cell[:-1]).any(axis=1)))
        runs = Runs(np.zeros_like(start), start, np.diff(start, append=ticks), np.zeros(len(start)))
        keys = {"half": pa.array([half + 1]), "player": self.names.slice(player, 1)}
        found = frames(runs, keys, lambda _, tick: self._when(half, elapsed[tick])[0], ticks=np.array([ticks]))
        where = cell[start]
        return found.append_column("cell_x", pa.array(where[:, 0])).append_column("cell_y", pa.array(where[:, 1]))

    def _by_half(self, low: int, high: int, rate: int) -> Iterator[tuple[int, int, int]]:
        """The half, and the ticks in it."""
        ticks = self.ticks(rate)
        for half in range(2):
            first, last = max(low - half * ticks, 0), min(high - half * ticks, ticks)
            if first < last:
                yield half, first, last

    def _when(self, half: int, elapsed: Integers) -> tuple[pa.Array, pa.Array]:
        """The instants, and the half."""
        kick_off = half * (30 * self.minutes * SECOND + _BREAK)
        return timestamps(elapsed + kick_off), pa.array(np.full(len(elapsed), half + 1))


def smooth(path: Floats, elapsed: Integers, player: Integers) -> Integers:
    """Where players are between planned positions, in millimetres; speed changes steadily.

    Parameters
    ----------
    path
        Planned positions by step and player.
    elapsed
        Microseconds since the first.
    player
        Who.

    Examples
    --------
    >>> path = np.array([[[0.0, 0.0]], [[1.0, 2.0]], [[2.0, 4.0]]])
    >>> smooth(path, np.array([0, 100_000, 200_000]), np.array([0, 0, 0])).tolist()
    [[0, 0], [500, 1000], [1000, 2000]]
    """
    step, within = np.divmod(elapsed, round(STEP * SECOND))
    share = (within / (STEP * SECOND))[:, np.newaxis]
    slope = np.gradient(path, axis=0)
    here, there = (path[step + ahead, player] for ahead in (0, 1))
    leave, arrive = (slope[step + ahead, player] for ahead in (0, 1))
    # A cubic that has the places and the slopes of both ends.
    bend = share * (1 - share) * ((1 - share) * (leave - there + here) - share * (arrive - there + here))
    return np.asarray(np.round(1_000 * (here + share * (there - here) + bend)), np.int64)
