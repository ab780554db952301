"""Prints the JAVA_HOME of a Java that can run Spark, installing one where there is none.

The first that is Java 17 or newer: JAVA_HOME, `java` on the path, one installed here before;
else `apt-get` installs one (as root), else the install-jdk package puts one into the virtual environment.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

OLDEST = 17
OWN_FOLDER = Path(sys.prefix) / "java"
SYSTEM_FOLDER = Path("/usr/lib/jvm")
APT_PACKAGES = (f"openjdk-{OLDEST}-jre-headless", "default-jre-headless")


def main() -> int:
    home = find() or install()
    if home is None:
        say(f"No Java {OLDEST} or newer found or installed; install one or set JAVA_HOME to it.")
        return 1
    print(home)
    return 0


def find() -> Path | None:
    return next((home for java in candidates() if (home := home_of(java))), None)


def candidates() -> Iterator[Path]:
    if named := os.environ.get("JAVA_HOME"):
        yield Path(named) / "bin" / "java"
    if on_path := shutil.which("java"):
        yield Path(on_path)
    for folder in (OWN_FOLDER, SYSTEM_FOLDER):
        yield from sorted(folder.glob("*/bin/java"))
        yield from sorted(folder.glob("*/Contents/Home/bin/java"))  # the layout on a Mac


def home_of(java: Path) -> Path | None:
    """The home of this Java, or None if it does not run or is too old."""
    try:
        done = subprocess.run(
            [java, "-XshowSettings:properties", "-version"], capture_output=True, text=True, check=True
        ).stderr
    except (OSError, subprocess.CalledProcessError):
        say(f"{java} does not run; looking further.")
        return None
    settings = dict(re.findall(r"^\s+(java\.\S+) = (.+)$", done, re.MULTILINE))
    version = settings.get("java.specification.version", "unknown")
    if not version.isdigit() or int(version) < OLDEST:  # Java 8 calls itself 1.8
        say(f"{java} is Java {version} and Spark needs {OLDEST}; looking further.")
        return None
    return Path(settings["java.home"])


def install() -> Path | None:
    say(f"No Java {OLDEST} or newer found; installing one.")
    if not (os.geteuid() == 0 and shutil.which("apt-get") and install_with_apt()):
        install_into_venv()
    return find()


def install_with_apt() -> bool:
    apt_get("update")
    return any(apt_get("install", "--yes", "--no-install-recommends", name) for name in APT_PACKAGES)


def apt_get(*arguments: str) -> bool:
    """Runs apt-get with no questions asked and stdout kept free for our answer; True if it succeeded."""
    silent = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    return subprocess.call(["apt-get", "-qq", *arguments], env=silent, stdout=sys.stderr) == 0


def install_into_venv() -> None:
    import jdk  # the install-jdk package

    # The whole JDK: Spark asks for jdk.incubator.vector, which a JRE may lack.
    try:
        jdk.install(str(OLDEST), path=str(OWN_FOLDER))
    except (OSError, jdk.JdkError) as error:
        say(f"install-jdk failed: {error}")


def say(message: str) -> None:
    print(message, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
