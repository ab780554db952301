"""Play: where the players of a match and the ball go, planned five times a second.

goal |  . .   x   |        each player (.) keeps a place in the formation, which follows the ball;
     | .   .~> o  | goal   the nearest opponents (x) and whoever shall get a pass run for the ball (o)
     |  . .   x   |
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from streamframes.data.chance import Floats, generator

WIDTH, LENGTH = 68.0, 105.0
"""Metres of an international pitch, across and along."""
STEP = 0.2
"""Seconds from one planned position to the next."""
_FASTEST, _JOG, _PUSH = 8.5, 4.0, 4.0
"""The most that anybody runs and usually runs, in m/s, and how fast speed changes, in m/s²."""
_HOLD, _KEPT = 1.8, 0.82
"""Seconds that a player keeps the ball, and the share of passes that reach the own team."""
_SLOW_PASS, _FAST_PASS = 9.0, 22.0
_PRESSING = 1
_CALM = 2.5
"""Seconds in which a player would be at the target, at ease."""
_MARGIN = 0.3
_SIZE = np.array([WIDTH, LENGTH])


@dataclass(frozen=True)
class Play:
    """The planned positions of one half, in metres from a corner: across and along the pitch.

    Parameters
    ----------
    players
        By step and player, those of the first team before those of the second.
    ball
        By step.
    """

    players: Floats
    ball: Floats


def formation(team: int) -> Floats:
    """Where the players of a team belong that attacks towards the far end: a keeper, then three lines.

    Parameters
    ----------
    team
        How many players.

    Examples
    --------
    >>> formation(4).tolist()
    [[34.0, 4.0], [34.0, 24.0], [34.0, 44.0], [34.0, 64.0]]
    """
    line = np.arange(team - 1) * 3 // max(team - 1, 3)
    places = [(WIDTH / 2, 4.0)]
    for number, along in enumerate((24.0, 44.0, 64.0)):
        size = int(np.count_nonzero(line == number))
        places += [(WIDTH * (nth + 1) / (size + 1), along) for nth in range(size)]
    return np.array(places)


def plan(seed: int, team: int, seconds: float, half: int) -> Play:
    """Play one half; teams change ends in the second.

    Parameters
    ----------
    seed
        The user's seed.
    team
        Players of each team.
    seconds
        How long.
    half
        0 or 1.

    Examples
    --------
    >>> play = plan(0, 8, 60, half=0)
    >>> play.players.shape, play.ball.shape
    ((302, 16, 2), (302, 2))
    """
    home = formation(team)
    sides = [home, _SIZE - home]
    game = _Game(generator(seed, "pitch play", half), np.concatenate(sides[:: -1 if half else 1]), team, bool(half))
    # One step more than is asked for, so that the last instant lies between two.
    steps = [game.step() for _ in range(int(np.ceil(seconds / STEP)) + 2)]
    players, ball = (np.array(part) for part in zip(*steps, strict=True))
    return Play(players, ball)


@dataclass
class _Game:
    """Who is where, how fast, and who has the ball or is about to get it."""

    random: np.random.Generator
    home: Floats
    team: int
    swapped: bool
    place: Floats = field(init=False)
    speed: Floats = field(init=False)
    whim: Floats = field(init=False)
    ball: Floats = field(init=False)
    holder: int = 1
    flight: int = 0
    landing: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.place, self.speed = self.home.copy(), np.zeros_like(self.home)
        self.whim = self.random.normal(0, 4, self.home.shape)
        self.ball, self.landing = _SIZE / 2, _SIZE / 2

    def step(self) -> tuple[Floats, Floats]:
        """Where all are now; then everybody moves on."""
        now = self.place.copy(), self.ball.copy()
        self._run(*self._targets())
        self._play()
        return now

    def _targets(self) -> tuple[Floats, Floats]:
        """Where everybody wants to be, and how fast they would run there."""
        # Whims die away within seconds, and new ones come.
        self.whim += -self.whim * STEP / 8 + self.random.normal(0, 1.6, self.whim.shape) * STEP**0.5
        keeper = np.arange(2 * self.team) % self.team == 0
        follow = np.where(keeper, 0.08, 0.38)[:, np.newaxis]
        target = self.home + follow * (self.ball - _SIZE / 2) + self.whim * np.where(keeper, 0.2, 1)[:, np.newaxis]
        limit = np.where(keeper, 3.0, _JOG)
        chasing = self._chasers(keeper)
        target[chasing], limit[chasing] = self.landing if self.flight else self.ball, _FASTEST
        if not self.flight:
            target[self.holder] = (
                self.place[self.holder] + np.array([0.0, 8.0 * self._forward()]) + self.whim[self.holder]
            )
            limit[self.holder] = 6.0
        return np.clip(target, 1, _SIZE - 1), limit

    def _chasers(self, keeper: np.ndarray) -> np.ndarray:
        """The opponents next to the ball, and whoever shall get it."""
        far = np.hypot(*(self.place - self.ball).T) + 1e3 * (keeper | self._mates())
        nearest = np.argpartition(far, _PRESSING)[:_PRESSING]
        return np.append(nearest, self.holder) if self.flight else nearest

    def _mates(self) -> np.ndarray:
        return np.asarray(np.arange(2 * self.team) // self.team == self.holder // self.team)

    def _forward(self) -> int:
        return 1 if (self.holder < self.team) != self.swapped else -1

    def _run(self, target: Floats, limit: Floats) -> None:
        """Speed changes bit by bit towards what brings each to the target."""
        wanted = _limited((target - self.place) / _CALM, limit)
        self.speed += _limited(wanted - self.speed, np.full(len(limit), _PUSH * STEP))
        place = np.clip(self.place + self.speed * STEP, _MARGIN, _SIZE - _MARGIN)
        self.speed, self.place = (place - self.place) / STEP, place

    def _play(self) -> None:
        """The ball is at the holder's feet, is passed on, or flies."""
        if self.flight:
            self.ball = self.ball + (self.landing - self.ball) / self.flight
            self.flight -= 1
            if not self.flight:
                self.holder = int(np.argmin(np.hypot(*(self.place - self.ball).T)))
            return
        self.ball = self.ball + _limited((self.place[self.holder] - self.ball)[np.newaxis], np.array([3.0]))[0]
        if self.random.random() < STEP / _HOLD:
            self._kick()

    def _kick(self) -> None:
        """A pass to somebody who is not far, mostly of the own team, to where that player will be."""
        far = np.hypot(*(self.place - self.place[self.holder]).T)
        likely = np.exp(-far / 15) * np.where(self._mates(), _KEPT, 1 - _KEPT)
        likely[self.holder] = 0
        self.holder = int(self.random.choice(len(likely), p=likely / likely.sum()))
        seconds = far[self.holder] / self.random.uniform(_SLOW_PASS, _FAST_PASS)
        self.flight = max(1, int(np.ceil(seconds / STEP)))
        self.landing = np.clip(self.place[self.holder] + self.speed[self.holder] * seconds, 0.5, _SIZE - 0.5)


def _limited(vectors: Floats, limit: Floats) -> Floats:
    """The same directions, no longer than the limit."""
    length = np.hypot(*vectors.T)
    return np.asarray(vectors * np.minimum(1, limit / np.maximum(length, 1e-9))[:, np.newaxis])
