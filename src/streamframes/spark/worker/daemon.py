"""The process that Spark forks its Python workers from, with all that they need loaded: `python -m` starts it.

Spark ends workers that have had nothing to do for a minute. A new one would have to load NumPy, Arrow, Numba and this
library again, which takes longer than finding frames in twenty million rows.
"""

from __future__ import annotations

import gc

import numpy as np
import pyspark.worker  # noqa: F401
from pyspark.daemon import manager

import streamframes.spark.scan.tasks
import streamframes.spark.streaming.processor  # noqa: F401
from streamframes.core.batch.groups import number_groups


def load() -> None:
    """Load what is not loaded before the first call of a compiled function; nothing of it will be garbage."""
    number_groups(np.zeros(1, np.uint64), np.zeros(1, np.uint64))
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    load()
    manager()
