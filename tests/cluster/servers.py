"""Servers of Spark on this machine: a standalone cluster and a Connect server, made from PySpark's own files."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pyspark

import streamframes as sf

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = Path(sf.__file__).parent
HOST = "127.0.0.1"
SPARK_HOME = Path(pyspark.__file__).parent
PATIENCE = 600.0
# A busy machine may take long to start a worker, or to let it answer.
PATIENT = {"spark.python.authenticate.socketTimeout": "600s", "spark.network.timeout": "1200s"}
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@dataclass
class Cluster:
    """A master and its workers."""

    url: str
    folder: Path
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def kill_worker(self, number: int) -> None:
        """End a worker with its executors and their Python, as a machine that loses power does."""
        kill(self.workers[number])


@contextmanager
def standalone(
    folder: Path, workers: int = 2, environment: Mapping[str, str] | None = None, prefix: Sequence[str] = ()
) -> Iterator[Cluster]:
    """A standalone cluster whose workers have one core each; `prefix` stands before the command that starts one."""
    port = free_port()
    master = [*spark_class("deploy.master.Master"), "--host", HOST, "--port", str(port), "--webui-port", "0"]
    started = [start("master", master, folder, {})]
    cluster = Cluster(f"spark://{HOST}:{port}", folder)
    try:
        wait_for(port, started[0], folder / "master.log")
        for number in range(workers):
            name = f"worker-{number}"
            command = [*prefix, *spark_class("deploy.worker.Worker"), "--host", HOST, "--cores", "1", "--memory", "2g"]
            command += ["--work-dir", str(folder / name), "--webui-port", "0", cluster.url]
            cluster.workers.append(start(name, command, folder, environment or {}))
        until(lambda: _registered(folder) >= workers, "the workers have not found their master", folder / "master.log")
        yield cluster
    finally:
        for each in [*cluster.workers, *started]:
            kill(each)


@contextmanager
def connect_server(
    folder: Path, conf: Mapping[str, str] | None = None, environment: Mapping[str, str] | None = None
) -> Iterator[str]:
    """A Connect server with a local master of two cores; gives its URL."""
    port = free_port()
    settings = {
        "spark.connect.grpc.binding.address": HOST,
        "spark.connect.grpc.binding.port": str(port),
        "spark.driver.memory": "2g",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        **PATIENT,
        **(conf or {}),
    }
    command = [str(SPARK_HOME / "bin" / "spark-submit"), "--master", "local[2]"]
    command += [part for key, value in settings.items() for part in ("--conf", f"{key}={value}")]
    command += ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal"]
    server = start("connect", command, folder, environment or {})
    try:
        wait_for(port, server, folder / "connect.log")
        yield f"sc://{HOST}:{port}"
    finally:
        kill(server)


def spark_class(name: str) -> list[str]:
    """The command that starts a class of Spark's."""
    return [str(SPARK_HOME / "bin" / "spark-class"), f"org.apache.spark.{name}"]


def start(name: str, command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """A process of its own group that logs into the folder."""
    whole = {
        **{key: value for key, value in os.environ.items() if not key.startswith(("SPARK_", "PYSPARK_", "PYTHONPATH"))},
        "SPARK_HOME": str(SPARK_HOME),
        "SPARK_LOCAL_IP": HOST,
        "SPARK_LOCAL_DIRS": str(folder / "local"),
        "SPARK_DAEMON_MEMORY": "512m",
        "SPARK_DAEMON_JAVA_OPTS": JAVA,
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(LIBRARY.parent)]),
        **environment,
    }
    with (folder / f"{name}.log").open("wb") as log:
        return subprocess.Popen(
            command, cwd=folder, env=whole, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )


def kill(process: subprocess.Popen[bytes]) -> None:
    """End a process and all that it has started in its group."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def free_port() -> int:
    """A port of this machine that nobody listens to."""
    with socket.socket() as found:
        found.bind((HOST, 0))
        port: int = found.getsockname()[1]
        return port


def wait_for(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until the process listens."""

    def listens() -> bool:
        if process.poll() is not None:
            raise RuntimeError(f"ended before it listened:\n{log.read_text()[-4000:]}")
        with socket.socket() as tried:
            return tried.connect_ex((HOST, port)) == 0

    until(listens, f"nobody listens to port {port}", log)


def until(happened: object, otherwise: str, log: Path) -> None:
    """Wait until something is so."""
    end = time.monotonic() + PATIENCE
    while not happened():  # type: ignore[operator]
        if time.monotonic() > end:
            raise TimeoutError(f"{otherwise}:\n{log.read_text()[-4000:]}")
        time.sleep(0.1)


def _registered(folder: Path) -> int:
    return (folder / "master.log").read_text().count("Registering worker")
