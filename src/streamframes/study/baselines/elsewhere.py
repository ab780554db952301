"""A job in the Python of another environment: it reads one JSON text and its last line is another."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

PATIENCE_SECONDS = 600
# What points Python and Spark to this environment.
_OURS = ("PYTHONPATH", "PYTHONHOME", "SPARK_HOME", "PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON", "VIRTUAL_ENV")


def answer(python: str, job: Path, question: str) -> Any:
    """What the job says; raises `subprocess.SubprocessError` where it fails or takes too long."""
    environment = {name: value for name, value in os.environ.items() if name not in _OURS}
    done = subprocess.run(
        [python, str(job)],
        input=question,
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE_SECONDS,
        env=environment,
    )
    return json.loads(done.stdout.strip().splitlines()[-1])
