"""Jars of other projects, resolved once by the Ivy that comes with PySpark, and kept in a folder of this machine."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.cluster.servers import SPARK_HOME

FOLDER = Path(os.environ.get("STREAMFRAMES_JARS", Path.home() / ".cache" / "streamframes" / "jars"))


def jars(*coordinates: str, transitive: bool = True) -> list[Path]:
    """The jars of these packages, `group:artifact:version`, and with `transitive` of all that they need."""
    return [jar for each in coordinates for jar in _jars_of(each, transitive)]


def _jars_of(coordinate: str, transitive: bool) -> Sequence[Path]:
    folder = FOLDER / f"{coordinate.replace(':', '_')}{'' if transitive else '_alone'}"
    done = folder / "complete"
    if not done.exists():
        command = ["java", "-jar", str(next((SPARK_HOME / "jars").glob("ivy-*.jar"))), "-cache", str(FOLDER / "ivy")]
        command += ["-dependency", *coordinate.split(":"), "-confs", "default", "-types", "jar", "bundle"]
        command += ["-retrieve", f"{folder}/[artifact]-[revision].[ext]", *([] if transitive else ["-notransitive"])]
        said = subprocess.run(command, capture_output=True, text=True, check=False)
        if said.returncode or "UNRESOLVED DEPENDENCIES" in said.stdout or not any(folder.glob("*.jar")):
            raise RuntimeError(f"{coordinate} cannot be had:\n{said.stdout[-2000:]}{said.stderr[-2000:]}")
        done.touch()
    return sorted(folder.glob("*.jar"))
