"""Golden cases of `accuracy()`."""

from __future__ import annotations

from typing import Any

import streamframes as sf
from tests.golden.calls import accuracy
from tests.golden.given import STILL, Case, Given


def loss(given: Given) -> Any:
    scheme = sf.Threshold("drop_pct > 0.3", min_duration="2 minutes")
    windows = ["1 minute", "5 minutes", sf.Count(10)]
    return accuracy(given.rows("routers"), scheme, windows=windows, ts="rpt_time", by="router")


def numbers(given: Given) -> Any:
    return accuracy(
        given.rows("edges_bigint"),
        sf.Threshold("v > 0.2"),
        windows=[3, 7],
        ts="ts",
        by=["name", "number"],
        heuristics="avg",
    )


CASES = {"routers": Case(loss, STILL), "numbers": Case(numbers)}
