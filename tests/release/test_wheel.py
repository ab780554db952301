"""What is released: wheel and sdist have what they should, and with extras and the newest packages all of it runs."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from packaging.metadata import Metadata

import streamframes
from tests.release.environments import ROOT, Environment, build, install

pytestmark = pytest.mark.long

README = f"""
import sys
sys.path.append({str(ROOT)!r})
from tests.docs.pages import ROOT, Page, stripped
for block, printed in Page(ROOT / "README.md").outputs():
    assert stripped(printed) == stripped(block.expected), f"line {{block.line}} prints {{printed}}"
    print(block.line)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def spark_only(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return install(tmp_path_factory.mktemp("spark") / "environment", f"{wheel}[spark]", locked=False)


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_wheel_holds_the_package_and_says_what_it_is(wheel: Path) -> None:
    files = contents(wheel)
    assert {name.partition("/")[0] for name in files} == {
        "streamframes",
        f"streamframes-{streamframes.__version__}.dist-info",
    }
    modules = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src").rglob("*.py")}
    assert {name for name in files if name.endswith(".py")} == modules
    assert "streamframes/py.typed" in files
    folder = f"streamframes-{streamframes.__version__}.dist-info"
    metadata = Metadata.from_email(files[f"{folder}/METADATA"], validate=True)
    assert (metadata.name, str(metadata.version)) == ("streamframes", streamframes.__version__)
    assert (metadata.license_expression, metadata.description_content_type) == ("Apache-2.0", "text/markdown")
    assert metadata.description == (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"{folder}/licenses/LICENSE" in files


def test_the_sdist_holds_all_that_tests_need_and_makes_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    sdist = build("sdist", tmp_path)
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    folder = tmp_path / sdist.name.removesuffix(".tar.gz")
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    wanted = {name for name in tracked if not name.startswith((".ci/", ".github/"))}
    assert wanted <= {path.relative_to(folder).as_posix() for path in folder.rglob("*")}
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel"], cwd=folder, check=True)
    (again,) = (folder / "dist").glob("*.whl")
    assert contents(again) == contents(wheel)


@pytest.mark.spark
def test_every_example_of_the_readme_runs_with_spark_alone(spark_only: Environment) -> None:
    assert len(spark_only.python(README).split()) > 5


@pytest.mark.spark
@pytest.mark.parametrize("options", [[], ["--stream"]], ids=["table", "stream"])
def test_the_demo_runs_with_spark_alone(spark_only: Environment, tmp_path: Path, options: list[str]) -> None:
    done = spark_only.run("streamframes", "demo", *options, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "planted" in done.stdout
    assert options or 'pip install "streamframes[plot]"' in done.stderr


@pytest.mark.spark
@pytest.mark.parametrize("arguments", [["frames", "a.csv", "--plot", "a.png"], ["study", "timeline"]])
def test_commands_that_draw_name_what_is_missing(spark_only: Environment, tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "a.csv").write_text("t,v\n1,2\n")
    options = ["--ts", "t", "--gap", "5"] if arguments[0] == "frames" else []
    done = spark_only.run("streamframes", *arguments, *options, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("streamframes: matplotlib")
    assert done.stderr.count("\n") == 1


@pytest.mark.spark
def test_a_connect_server_without_its_packages_names_them(spark_only: Environment) -> None:
    code = """
import streamframes as sf
try:
    sf.session(master="sc://localhost:1")
except sf.MissingExtra as error:
    print(error)
"""
    assert spark_only.python(code).endswith('install with: pip install "streamframes[connect]"')


@pytest.mark.spark
def test_connected_regions_name_what_is_missing(spark_only: Environment) -> None:
    code = """
import streamframes as sf
rows = sf.session(master="local[1]").range(3).selectExpr("id AS ts", "id AS place")
try:
    sf.regions(rows, "place > 0", ts="ts", space="place", shape="connected")
except sf.MissingExtra as error:
    print(error)
print(sf.regions(rows, "place > 0", ts="ts", space="place").toDF().count())
"""
    message, count = spark_only.python(code).splitlines()
    assert message.endswith('install with: pip install "streamframes[regions]"')
    assert int(count) > 0


@pytest.mark.spark
def test_every_command_runs_with_all(wheel: Path, tmp_path: Path) -> None:
    tests = ("duckdb", "psutil", "pytest")
    everything = install(tmp_path / "environment", f"{wheel}[all]", *tests, locked=False)
    code = "import streamframes; print(streamframes.__file__)"
    assert everything.python(code).startswith(str(tmp_path))
    done = everything.run("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/cli", cwd=ROOT, timeout=3600)
    assert done.returncode == 0, done.stdout[-4000:]
