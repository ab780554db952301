"""Words that must not come back, each with what to write in its place.

A text rule looks at names, docstrings, comments, strings and pages; a name rule only at the parts of identifiers,
because the word has a right meaning in prose or in data.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from typing import NamedTuple


class Found(NamedTuple):
    """A forbidden word where it stands."""

    line: int
    word: str
    instead: str


TEXT = {
    r"(re|un)?told": "emitted, or unreported",
    r"legs?": "segment (of time)",
    r"strands?": "key-partitioned read",
    r"seams?": "boundary run",
    r"parcels?": "partial result",
    r"shel(f|ves)": "row buffer",
    r"meetings?": "overlapping pairs, or interval join",
    r"(framer|burster|sessioner|regioner)s?": "FrameOperator, BurstOperator, SessionOperator, RegionOperator",
    r"(dis)?obey(s|ed|ing)?": "apply",
    r"sieve[ds]?": "prefilter",
    r"doors?": "protocol, or public module",
    r"silences?": "idleness",
    r"fates?": "membership",
    r"horizons?": "min_unreported_start, or output_watermark",
    r"rows? that (is|are) none": "control rows",
    r"has the rest": "say what stands there, or leave it out",
}

NAMES = {
    r"framings?": "FrameQuery, query",
    r"burstings?": "BurstQuery, query",
    r"nestings?": "SessionQuery, query",
    r"regionings?": "RegionQuery, query",
    r"asked": "arguments",
    r"tell|tells|telling": "emit, emits",
    r"news": "control rows",
    r"stray": "unmatched closes",
    r"spanning": "merge",
    r"orders": "commands",
    r"ways": "strategy",
}

_TEXT = re.compile("|".join(f"(?<![a-z])(?P<_{n}>{word})(?![a-z])" for n, word in enumerate(TEXT)))
_NAMES = [(re.compile(word), instead) for word, instead in NAMES.items()]
_REFERENCE = re.compile(r"_?literal_(?!unroll)\w+")  # `literal` alone is one of SQL, literal_unroll is Numba's


def forbidden_in_text(text: str) -> Iterator[Found]:
    """The forbidden words of a text, in any spelling: `told_before`, `ToldFrames`, `Told`."""
    instead = list(TEXT.values())
    for number, line in enumerate(text.splitlines(), 1):
        for hit in _TEXT.finditer(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", line).lower()):
            yield Found(number, hit[0], instead[int(str(hit.lastgroup)[1:])])


def forbidden_names(source: str) -> Iterator[Found]:
    """The identifiers of a module that have a forbidden part."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.NAME:
            for instead in _instead_of(token.string):
                yield Found(token.start[0], token.string, instead)


def _instead_of(name: str) -> Iterator[str]:
    if _REFERENCE.fullmatch(name):
        yield "reference"
    parts = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().split("_")
    for word, instead in _NAMES:
        if any(word.fullmatch(part) for part in parts):
            yield instead
