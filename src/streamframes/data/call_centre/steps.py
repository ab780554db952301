"""Steps: the rows that the log of a call centre can have, and what stands in their columns."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from streamframes.data.chance import Integers, addressed, generator
from streamframes.data.instants import TIMESTAMP

SCHEMA = pa.schema(
    {
        "seq": pa.int64(),
        "ts": TIMESTAMP,
        "channel": pa.int32(),
        "step_num": pa.int32(),
        "event_type": pa.int32(),
        "expression": pa.string(),
        "descr": pa.string(),
    }
)
"""The columns of the log; `seq` counts its rows from 1 and orders those of one second."""


class Step(IntEnum):
    """What a row says, in the order of `_STEPS`."""

    RING, OPEN, CALLER, SERVER = range(4)
    ATT, STARTING, FAQ, CATEGORY, CATEGORY_2, CATEGORY_3, QUESTION, QUESTION_2, QUESTION_3 = range(4, 13)
    ACCOUNT, LOCATION, STATE, CENTER, BACK, LEAVE = range(13, 19)
    SERVICE, ITEM, DONE, BYE = range(19, 23)


class _Row(NamedTuple):
    """The columns of a step, what may stand in its expression (nothing: the caller), and its mean wait in seconds."""

    step_num: int
    event_type: int
    descr: str
    expressions: tuple[str, ...]
    wait: float


_QUESTION = tuple(f"FAQ_Question = {number}" for number in (*range(1, 6), "#"))
_STATES = ("New York", "New Jersey", "Pennsylvania", "Vermont", "Maine", "Ohio", "Texas", "California")
_CENTERS = tuple(f"ATTCenter{number:04d}.wav" for number in range(120))
# Other services use words of AT&T too, so that a condition on the expression alone finds too much.
_ITEMS = ("Today", "Tomorrow", "Headlines", "Markets", "ATT", "FAQ", "Location")

_STEPS = (
    _Row(0, 107, "CID Received []", (), 0),
    _Row(0, 102, "3 %[]", tuple(str(number) for number in range(1050, 1100)), 0),
    _Row(5, 500, "Caller_ID[]", (), 0.3),
    _Row(7, 501, "ServerName[]", ("QBRICK", "QSTONE"), 5),
    _Row(41, 500, "RecognizedCateg[]", ("ATT",), 8),
    _Row(378, 500, "ATTCateg[]", ("Starting",), 0.2),
    _Row(342, 501, "ATTCateg[]", ("FAQ",), 8),
    *(_Row(380, 501, "ATTCateg[]", (f"FAQ_Categ = {category}",), 4) for category in (1, 2, 3)),
    *(_Row(step_num, 501, "ATTCateg[]", _QUESTION, 18) for step_num in (352, 354, 356)),
    _Row(342, 501, "ATTCateg[]", ("ACCOUNT",), 12),
    _Row(342, 501, "ATTCateg[]", ("Location",), 12),
    _Row(348, 501, "RecognisedATTState[]", _STATES, 12),
    _Row(381, 500, "CUSTOMER CENTER ISD[]", _CENTERS, 6),
    _Row(348, 501, "RecognisedATTState[]", ("#",), 12),
    _Row(342, 501, "ATTCateg[]", ("#",), 4),
    _Row(41, 500, "RecognizedCateg[]", ("WEATHER", "NEWS", "SPORTS"), 8),
    _Row(612, 501, "ServiceItem[]", _ITEMS, 10),
    _Row(614, 501, "ServiceItem[]", ("#",), 4),
    _Row(0, 104, "Disconnect break[]", ("1", "2", "3"), 0.5),
)

MEAN_WAIT = np.array([row.wait for row in _STEPS])
"""Seconds before a row of each step."""
_STEP_NUM, _EVENT_TYPE = (np.array([row[column] for row in _STEPS], np.int32) for column in (0, 1))
_DESCR = pa.array([row.descr for row in _STEPS])
_WORDS = pa.array([word for row in _STEPS for word in row.expressions])
_CHOICES = np.array([len(row.expressions) for row in _STEPS])
_FROM = np.cumsum(_CHOICES) - _CHOICES


def words(seed: int, block: int, step: Integers) -> Integers:
    """What stands in the expressions of a block of calls, as positions in a list of words; of callers, anything.

    Parameters
    ----------
    seed, block
        The user's seed and the number of the block.
    step
        Its rows.

    Examples
    --------
    >>> [_WORDS[word].as_py() for word in words(0, 0, np.array([Step.ATT, Step.STATE, Step.STATE]))]
    ['ATT', 'Ohio', 'Maine']
    """
    chance = generator(seed, "calls words", block).random(len(step))
    return np.asarray(_FROM[step] + (chance * _CHOICES[step]).astype(np.int64), np.int64)


def columns(seed: int, call: Integers, step: Integers, word: Integers) -> list[pa.Array]:
    """The columns from `step_num` on.

    Parameters
    ----------
    seed
        The user's seed.
    call, step, word
        Of each row: its call, counted over all, what it says, and the word.
    """
    calling = (step == Step.RING) | (step == Step.CALLER)
    known, which = np.unique(call[calling], return_inverse=True)
    number = 2_000_000_000 + (addressed(seed, "calls callers", known) * 8_000_000_000).astype(np.int64)
    expression = word.astype(np.int32)
    expression[calling] = len(_WORDS) + which
    said = pa.concat_arrays([_WORDS, pa.array(number).cast(pa.string())])
    return [
        pa.array(_STEP_NUM[step]),
        pa.array(_EVENT_TYPE[step]),
        pa.DictionaryArray.from_arrays(expression, said).dictionary_decode(),
        pa.DictionaryArray.from_arrays(step.astype(np.int32), _DESCR).dictionary_decode(),
    ]


def figure_call() -> pa.Table:
    """The call of figure 2 of the paper: 23 rows with the columns of `calls`, of 28 September 2001.

    Examples
    --------
    >>> figure_call().slice(4, 1).drop_columns(["seq", "ts"]).to_pylist()
    [{'channel': 21, 'step_num': 41, 'event_type': 500, 'expression': 'ATT', 'descr': 'RecognizedCateg[]'}]

    References
    ----------
    See `calls`.
    """
    lines = [line.split("|") for line in _FIGURE.strip().splitlines()]
    instants = [datetime.fromisoformat(f"2001-09-28T{line[0]}").replace(tzinfo=UTC) for line in lines]
    return pa.table(
        {
            "seq": range(1, len(lines) + 1),
            "ts": instants,
            "channel": [21] * len(lines),
            "step_num": [int(line[1]) for line in lines],
            "event_type": [int(line[2]) for line in lines],
            "expression": [line[3] for line in lines],
            "descr": [line[4] for line in lines],
        },
        schema=SCHEMA,
    )


_FIGURE = """
12:25:47|0|107|2126199903|CID Received []
12:25:47|0|102|1075|3 %[]
12:25:47|5|500|2126199903|Caller_ID[]
12:25:55|7|501|QBRICK|ServerName[]
12:26:03|41|500|ATT|RecognizedCateg[]
12:26:03|378|500|Starting|ATTCateg[]
12:26:11|342|501|FAQ|ATTCateg[]
12:26:15|380|501|FAQ_Categ = 1|ATTCateg[]
12:26:28|352|501|FAQ_Question = 2|ATTCateg[]
12:27:07|352|501|FAQ_Question = #|ATTCateg[]
12:27:12|380|501|FAQ_Categ = 2|ATTCateg[]
12:27:16|354|501|FAQ_Question = 3|ATTCateg[]
12:27:41|342|501|FAQ|ATTCateg[]
12:27:43|380|501|FAQ_Categ = 3|ATTCateg[]
12:27:46|356|501|FAQ_Question = 2|ATTCateg[]
12:28:04|342|501|ACCOUNT|ATTCateg[]
12:28:36|342|501|Location|ATTCateg[]
12:28:46|348|501|New York|RecognisedATTState[]
12:28:53|381|500|ATTCenter0076.wav|CUSTOMER CENTER ISD[]
12:29:14|348|501|New Jersey|RecognisedATTState[]
12:29:38|348|501|#|RecognisedATTState[]
12:29:42|342|501|#|ATTCateg []
12:29:42|0|104|2|Disconnect break[]
"""
