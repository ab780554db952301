"""Environments in which the built wheel is installed, from the package index that pip and uv are set up with."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Environment:
    """A virtual environment that has nothing but what was asked for."""

    folder: Path
    variables: Mapping[str, str] = field(default_factory=dict)

    def run(
        self, *command: str, cwd: Path | None = None, timeout: int = 900, output: IO[str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment, as a shell would that has activated it; all it says goes into `output`."""
        inherited = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "PYSPARK"))}
        path = f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        # The modules of the checkout must not be found.
        where = cwd or self.folder
        return subprocess.run(
            [str(self.folder / "bin" / command[0]), *command[1:]],
            env={**inherited, "PATH": path, "VIRTUAL_ENV": str(self.folder), **self.variables},
            cwd=where,
            stdout=output or subprocess.PIPE,
            stderr=subprocess.STDOUT if output else subprocess.PIPE,
            text=True,
            timeout=timeout,
            check=False,
        )

    def python(self, code: str, cwd: Path | None = None) -> str:
        """What a program prints; it has to succeed."""
        done = self.run("python", "-W", "ignore", "-c", code, cwd=cwd)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


def build(target: str, folder: Path) -> Path:
    """The wheel or the sdist of the checkout."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (file,) = folder.glob("*.whl" if target == "wheel" else "*.tar.gz")
    return file


def install(
    folder: Path,
    *requirements: str,
    locked: bool = True,
    constraints: Path = ROOT / "requirements.lock",
    python: str = sys.executable,
) -> Environment:
    """An environment, made where there is none; `locked` takes the versions of a lock file, otherwise the newest."""
    uv = [sys.executable, "-m", "uv", "--quiet"]
    if not (folder / "bin" / "python").exists():
        # pyenv finds a Python by its minor version in this variable; nobody else reads it.
        found = {**os.environ, **({} if python == sys.executable else {"PYENV_VERSION": python})}
        done = subprocess.run(
            [*uv, "venv", "--python", python, str(folder)], env=found, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    versions = ["--constraints", str(constraints)] if locked else []
    command = [*uv, "pip", "install", "--reinstall-package", "streamframes", *versions]
    command += ["--python", str(folder / "bin" / "python"), *requirements]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return Environment(folder)
