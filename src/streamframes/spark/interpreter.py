"""The interpreter: whether the Python of workers on this machine has this library, asked before a job starts.

On a cluster nobody here can ask it; there a worker without the library fails by name, see `failures`.
"""

from __future__ import annotations

import os
import shutil
import site
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

from pyspark import SparkContext, SparkFiles
from pyspark.sql import SparkSession

from streamframes.errors import StreamFramesError
from streamframes.spark.buckets import context_of, local_cores
from streamframes.version import __version__

_ASK = "import sys, streamframes as s; print(*sys.version_info[:2], s.__version__)"
_EXPECTED = f"{sys.version_info[0]} {sys.version_info[1]} {__version__}"
# Interpreters that have answered well.
_known: set[str] = set()


@lru_cache(maxsize=16)
def check_workers(spark: SparkSession, *, streams: bool = False) -> None:
    """Refuse to plan where Python that Spark runs on this machine would lack the library, with the line that mends it.

    That is the Python of local workers; for `streams` it also runs beside the driver, wherever the workers are.
    Of each session it is asked once.
    """
    context = context_of(spark)
    if context is None or not sys.executable:
        return
    local = local_cores(str(context.master))
    if not (local or streams):
        return
    python = shutil.which(context.pythonExec) or context.pythonExec
    if python in _known:
        return
    if not (_is_this_one(python) or _comes_with_the_job(context)):
        why = _missing(python)
        if why:
            raise StreamFramesError(_REFUSAL[bool(local)].format(python=python, why=why, here=sys.executable))
    _known.add(python)


_REFUSAL = {
    True: "Spark's workers would run {python}, {why}; call sf.configure(spark), let sf.session() make the session, or "
    "start this program with PYSPARK_PYTHON={here}",
    False: "for a stream, Spark would also run {python} beside the driver, {why}; start this program with "
    "PYSPARK_PYTHON=... naming a Python that has the library here and on the workers, as {here} has",
}


def share_shipped_files(spark: SparkSession) -> None:
    """Let Python that Spark runs beside the driver, as it does for streams, find what is shipped to executors."""
    context = context_of(spark)
    if context is None:
        return
    names = {each.rpartition("/")[2] for each in context.listFiles}
    zips = [SparkFiles.get(name) for name in sorted(names) if name.endswith((".zip", ".egg"))]
    known = context.environment.get("PYTHONPATH", "").split(os.pathsep)
    context.environment["PYTHONPATH"] = os.pathsep.join(dict.fromkeys([*filter(None, known), *zips]))


def _is_this_one(python: str) -> bool:
    """Whether it is this interpreter, and finds the library where its workers look."""
    if Path(python).absolute() != Path(sys.executable).absolute():
        return False
    found = str(Path(__file__).parents[2])
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return found in map(os.path.abspath, filter(None, [*paths, *site.getsitepackages(), site.getusersitepackages()]))


def _comes_with_the_job(context: SparkContext) -> bool:
    """Whether files travel with the job, which may hold the library."""
    shipped = (context.getConf().get(key, "") for key in ("spark.submit.pyFiles", "spark.archives"))
    return any(shipped) or bool(context.listFiles)


def _missing(python: str) -> str:
    """What this interpreter lacks, in words; nothing if it can be used."""
    try:
        answer = subprocess.run([python, "-c", _ASK], capture_output=True, text=True, check=False)
    except OSError as error:
        return f"which does not start ({error.strerror})"
    if answer.returncode:
        lines = answer.stderr.strip().splitlines() or ["it ended without a word"]
        return f"which cannot import streamframes ({lines[-1]})"
    if answer.stdout.strip() == _EXPECTED:
        return ""
    major, minor, version = answer.stdout.split()
    here = f"{sys.version_info[0]}.{sys.version_info[1]} with {__version__}"
    return f"Python {major}.{minor} with streamframes {version}, where this is {here}"
