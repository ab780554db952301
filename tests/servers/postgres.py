"""A private Postgres: a cluster of its own, from the system's packages, on a free port of this machine."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PASSWORD = "S3cret%/:@'\" ü"
# Postgres refuses to run as root.
UNPRIVILEGED = "nobody"


class Missing(Exception):
    """Postgres is not there and cannot be installed."""


class Server:
    """A running cluster, which can be stopped and started."""

    def __init__(self, programs: Path, folder: Path, port: int) -> None:
        self.programs, self.folder, self.port = programs, folder, port

    @property
    def settings(self) -> dict[str, str | int]:
        """How to connect."""
        return {"host": "127.0.0.1", "port": self.port, "user": "tester", "password": PASSWORD, "dbname": "postgres"}

    @property
    def url(self) -> str:
        """The address, with the password."""
        from urllib.parse import quote

        return f"postgresql://tester:{quote(PASSWORD, safe='')}@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self.folder}"
        run(
            self.programs / "pg_ctl",
            "-D",
            self.folder / "data",
            "-l",
            self.folder / "log",
            "-w",
            "-o",
            options,
            "start",
        )

    def stop(self) -> None:
        run(self.programs / "pg_ctl", "-D", self.folder / "data", "-m", "immediate", "-w", "stop")


def run(*command: str | Path) -> None:
    """Run a program of Postgres, not as root."""
    user: dict[str, Any] = (
        {"user": UNPRIVILEGED, "group": pwd.getpwnam(UNPRIVILEGED).pw_gid} if os.getuid() == 0 else {}
    )
    # A server that goes on running keeps what it inherits, so output goes to a file and not to a pipe.
    with tempfile.TemporaryFile() as log:
        done = subprocess.run([*map(str, command)], check=False, stdout=log, stderr=log, cwd="/", **user)
        if done.returncode:
            log.seek(0)
            raise RuntimeError(f"{command[0]} failed: {log.read().decode(errors='replace')}")


def programs() -> Path:
    """Where the programs of the newest Postgres are; installed from Debian's packages if need be and allowed."""
    for attempt in range(2):
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
        if found:
            return found[-1].parent
        if on_path := shutil.which("initdb"):
            return Path(on_path).resolve().parent
        if attempt or os.getuid() != 0 or shutil.which("apt-get") is None:
            break
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (["update"], ["install", "-y", "-q", "postgresql"]):
            subprocess.run(["apt-get", *command], env=quiet, capture_output=True, check=False)
    raise Missing("no Postgres here; install it with: apt-get install postgresql")


@contextmanager
def cluster() -> Iterator[Server]:
    """A new cluster that is gone afterwards."""
    where = programs()
    folder = Path(tempfile.mkdtemp(prefix="streamframes-postgres-"))
    try:
        secret = folder / "password"
        secret.write_text(PASSWORD, encoding="utf-8")
        if os.getuid() == 0:
            for path in (folder, secret):
                shutil.chown(path, UNPRIVILEGED)
        access = ("--auth=scram-sha-256", "--username=tester", f"--pwfile={secret}")
        run(where / "initdb", "-D", folder / "data", "--encoding=UTF8", "--locale=C", "--no-sync", *access)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        server = Server(where, folder, port)
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
