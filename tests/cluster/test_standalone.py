"""A standalone cluster gives what a local session gives: with workers killed, and with the library shipped to them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from streamframes.core.jit import folders
from tests.cluster.program import run, write_input
from tests.cluster.servers import LIBRARY, ROOT, Cluster, standalone, until

pytestmark = pytest.mark.spark
SITE = Path(pa.__file__).parents[1]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with standalone(tmp_path_factory.mktemp("cluster")) as started:
        yield started


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_input(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def expected(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], pa.Table]:
    """What a query of some kind writes in a local session."""

    @cache
    def local(kind: str) -> pa.Table:
        here = tmp_path_factory.mktemp("here")
        write_input(here)
        run(spark, kind, here)
        return written(here)

    return local


SOME = "frames and table"
LONG = pytest.mark.long
KINDS = ["stream", *(pytest.param(kind, marks=LONG) for kind in ("table", "scan"))]


@pytest.mark.parametrize(
    "which", [pytest.param(SOME, id="some"), pytest.param(f"not ({SOME})", id="others", marks=LONG)]
)
def test_every_verb_gives_the_results_on_record(cluster: Cluster, which: str) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "tests/golden", "--master", cluster.url, "-k", which]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-4000:]


@pytest.mark.parametrize("kind", KINDS)
def test_a_killed_worker_changes_nothing(folder: Path, expected: Callable[[str], pa.Table], kind: str) -> None:
    with standalone(folder) as cluster:
        query = start(kind, folder, cluster, *(["--gate"] if kind != "stream" else []))
        if kind == "stream":
            until(lambda: len(committed(folder)) >= 2, "no batch was done", folder / "master.log")
        else:
            until((folder / "running").exists, "no task has begun", folder / "master.log")
        cluster.kill_worker(0)
        (folder / "go").touch()
        finish(query)
    assert written(folder).equals(expected(kind))


def test_workers_without_the_library_are_told_of(cluster: Cluster, folder: Path, bare: Path) -> None:
    query = start("table", folder, cluster, python=bare / "bin" / "python")
    output, _ = query.communicate()
    assert query.returncode != 0
    assert "streamframes" in output
    assert "No module named" in output


@pytest.mark.parametrize("kind", KINDS)
def test_a_zip_of_the_library_is_enough(
    cluster: Cluster, folder: Path, bare: Path, library: Path, expected: Callable[[str], pa.Table], kind: str
) -> None:
    finish(start(kind, folder, cluster, "--conf", f"spark.submit.pyFiles={library}", python=bare / "bin" / "python"))
    assert written(folder).equals(expected(kind))


@pytest.mark.long
def test_compiled_code_is_shipped_beside_a_zip(
    cluster: Cluster, folder: Path, bare: Path, library: Path, tmp_path: Path, expected: Callable[[str], pa.Table]
) -> None:
    (tmp_path / "compiled").mkdir()
    for path in (each for kept in folders.places().read for each in kept.glob("*.nbc")):
        shutil.copyfile(path, tmp_path / "compiled" / path.name)
    archive = shutil.make_archive(str(tmp_path / "shipped"), "gztar", tmp_path, "compiled")
    options = [
        f"spark.submit.pyFiles={library}",
        f"spark.archives={archive}#shipped",
        "spark.executorEnv.STREAMFRAMES_CACHE_DIR=shipped/compiled",
    ]
    settings = [part for option in options for part in ("--conf", option)]
    finish(start("table", folder, cluster, *settings, python=bare / "bin" / "python"))
    assert written(folder).equals(expected("table"))
    # It was found, and nothing was compiled beside it.
    shipped = cluster.folder.rglob("*.nbc")
    assert {path.name for path in shipped} == {path.name for path in (tmp_path / "compiled").iterdir()}


@pytest.mark.long
def test_an_archive_of_an_environment_with_compiled_code_is_enough(
    cluster: Cluster, folder: Path, bare: Path, tmp_path: Path, expected: Callable[[str], pa.Table]
) -> None:
    for path in (library := installed(tmp_path / "installed")).rglob("*"):
        path.chmod(0o755)
    shutil.move(library / "streamframes", site_of(bare) / "streamframes")
    packed = shutil.make_archive(str(tmp_path / "environment"), "gztar", bare)
    shutil.rmtree(bare)
    archive = f"spark.archives={packed}#environment"
    finish(start("table", folder, cluster, "--conf", archive, python=Path("environment/bin/python")))
    assert written(folder).equals(expected("table"))


# Nobody, who may read what he could not otherwise, such as the Python of root. Only root can be another.
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
READING = ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
AS_NOBODY = [*NOBODY, *READING] if os.getuid() == 0 else []


def test_workers_of_another_user_write_to_caches_and_temporary_folders_alone(
    expected: Callable[[str], pa.Table],
) -> None:
    """Their library is read-only, with compiled code in it; they have no home."""
    with tempfile.TemporaryDirectory(prefix="another-user-") as named:
        place = Path(named)
        for path in [place, *(place / name for name in ("query", "cluster", "temporary", "cluster/local"))]:
            path.mkdir(exist_ok=True)
            path.chmod(0o777)
        library = installed(place / "library")
        (place / "cluster" / "worker-0").mkdir()
        (place / "cluster" / "worker-0").chmod(0o777)
        write_input(place / "query")
        before = files_of(place)
        environment = {
            "PYTHONPATH": os.pathsep.join([str(library), str(ROOT)]),
            "HOME": "/nonexistent",
            "TMPDIR": str(place / "temporary"),
            "STREAMFRAMES_CACHE_DIR": "",
        }
        with standalone(place / "cluster", workers=1, environment=environment, prefix=AS_NOBODY) as cluster:
            old = os.umask(0)  # the driver's folders are open to the workers
            try:
                query = start("table", place / "query", cluster, "--conf", "spark.hadoop.fs.permissions.umask-mode=000")
            finally:
                os.umask(old)
            finish(query)
        assert written(place / "query").equals(expected("table"))
        new = {path.relative_to(place) for path in files_of(place) - before}
        logs = {"master.log", "worker-0.log", "stdout", "stderr"}
        elsewhere = {path for path in new if path.name not in logs and path.parts[0] != "temporary"}
        assert {path.parts[:2] for path in elsewhere} <= {("query", "out"), ("cluster", "local")}


def installed(folder: Path) -> Path:
    """A copy of the library that nobody may write to, with what this process has found compiled."""
    shutil.copytree(LIBRARY, folder / "streamframes", ignore=shutil.ignore_patterns("__pycache__"))
    compiled = folder / "streamframes" / folders.INSTALLED.relative_to(LIBRARY)
    compiled.mkdir(parents=True)
    for kept in folders.places().read:
        for path in kept.glob("*.nbc"):
            shutil.copyfile(path, compiled / path.name)
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    return folder


def files_of(place: Path) -> set[Path]:
    return {path for path in place.rglob("*") if path.is_file()}


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A Python that has everything but this library."""
    made = tmp_path / "bare"
    venv.create(made, symlinks=True)
    (site_of(made) / "others.pth").write_text(f"{SITE}\n")
    return made


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library as a zip."""
    copy = tmp_path_factory.mktemp("library")
    shutil.copytree(LIBRARY, copy / "in" / "streamframes", ignore=shutil.ignore_patterns("__pycache__"))
    return Path(shutil.make_archive(str(copy / "streamframes"), "zip", copy / "in"))


def site_of(environment: Path) -> Path:
    return next(environment.glob("lib/python*/site-packages"))


def start(
    kind: str, folder: Path, cluster: Cluster, *options: str, python: Path | None = None
) -> subprocess.Popen[str]:
    """Start a query; with a Python for the workers, they find the tests but not the library beside them."""
    command = [sys.executable, "-m", "tests.cluster.program", kind, str(folder), "--master", cluster.url, *options]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYSPARK_")}
    environment["PYSPARK_PYTHON"] = str(python or sys.executable)
    if python is not None:
        command += ["--conf", f"spark.executorEnv.PYTHONPATH={ROOT}"]
    return subprocess.Popen(
        command, cwd=ROOT, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


def finish(query: subprocess.Popen[str]) -> None:
    output, _ = query.communicate()
    assert query.returncode == 0, output[-6000:]


def committed(folder: Path) -> list[Path]:
    return list((folder / "checkpoint" / "commits").glob("[0-9]*"))


def written(folder: Path) -> pa.Table:
    """What was written: of a stream only files that are in the log of the sink."""
    log = folder / "out" / "_spark_metadata"
    files = [path for path in (folder / "out").glob("*.parquet") if not log.exists() or logged(log, path.name)]
    return in_order(pa.concat_tables([pq.read_table(path, partitioning=None) for path in files]))


def logged(log: Path, name: str) -> bool:
    return any(name in path.read_text() for path in log.iterdir() if path.is_file() and not path.name.startswith("."))


def in_order(frames: pa.Table) -> pa.Table:
    """The frames in one order, whatever the engine says of their columns."""
    plain = pa.table({name: frames[name].cast(kind(frames[name].type)) for name in sorted(frames.column_names)})
    return plain.sort_by([("router", "ascending"), ("frame_start", "ascending"), ("frame_id", "ascending")])


def kind(found: pa.DataType) -> pa.DataType:
    """Instants in microseconds as Spark has them; Parquet's INT96 comes in nanoseconds."""
    return pa.timestamp("us", "UTC") if pa.types.is_timestamp(found) else found
