"""Environments in which the built wheel is installed, from the package index that pip and uv are set up with."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Environment:
    """A virtual environment that has nothing but what was asked for."""

    folder: Path

    def run(self, *command: str, cwd: Path | None = None, timeout: int = 900) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment, as a shell would that has activated it."""
        inherited = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "PYSPARK"))}
        path = f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        # The modules of the checkout must not be found.
        where = cwd or self.folder
        return subprocess.run(
            [str(self.folder / "bin" / command[0]), *command[1:]],
            env={**inherited, "PATH": path, "VIRTUAL_ENV": str(self.folder)},
            cwd=where,
            capture_output=True,
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


def install(folder: Path, *requirements: str, locked: bool = True) -> Environment:
    """A new environment; `locked` takes the versions of requirements.lock, otherwise they are the newest."""
    uv = [sys.executable, "-m", "uv", "--quiet"]
    subprocess.run([*uv, "venv", "--python", sys.executable, str(folder)], check=True, capture_output=True)
    versions = ["--constraints", str(ROOT / "requirements.lock")] if locked else []
    command = [*uv, "pip", "install", "--python", str(folder / "bin" / "python"), *versions, *requirements]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return Environment(folder)
