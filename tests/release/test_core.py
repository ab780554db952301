"""The wheel without extras: five packages, a quick import, schemes and laws, and errors that name what is missing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from streamframes.extras import EXTRAS
from tests.release.environments import Environment, build, install

# Each extra, and a use that needs it.
USES = {
    "spark": "sf.session()",
    "cli": "import streamframes.cli.main",
    "plot": "import streamframes.draw",
    "study": "import streamframes.study",
    "laws": "sf.check_scheme(sf.Gap(3))",
    "worker": "from streamframes.extras import need; need('worker')",
    "connect": "from streamframes.extras import need; need('connect')",
    "regions": "from streamframes.extras import need; need('regions')",
    "postgres": "sf.sink.Postgres('postgresql://127.0.0.1/db', table='t')",
    "delta": "from streamframes.extras import need; need('delta')",
    "iceberg": "from streamframes.extras import need; need('iceberg')",
}


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    folder: Path = tmp_path_factory.mktemp("core")
    return install(folder / "environment", str(build("wheel", folder)))


def test_the_core_is_five_packages(core: Environment) -> None:
    code = "import importlib.metadata as m; print(*sorted(each.name for each in m.distributions()))"
    assert core.python(code).split() == ["llvmlite", "numba", "numpy", "pyarrow", "sqlglot", "streamframes"]


def test_the_import_takes_less_than_a_second(core: Environment) -> None:
    # Seconds of this process, not of a busy machine; the first import writes bytecode.
    code = "import time; import streamframes; print(time.process_time())"
    assert min(float(core.python(code)) for _ in range(2)) < 1


def test_schemes_find_frames(core: Environment) -> None:
    code = """
import streamframes as sf
print(*sf.frames_of(sf.Delta("density", "<", 0.3), ts=[1, 2, 3, 4, 5], density=[1.0, 1.1, 1.2, 1.9, 2.0]), sep="\\n")
"""
    assert core.python(code).splitlines() == [
        "Frame(start=1, end=3, rows=3, closed_by='condition')",
        "Frame(start=4, end=5, rows=2, closed_by='end of data')",
    ]


def test_a_missing_extra_is_named_with_the_command_that_installs_it(core: Environment) -> None:
    code = f"""
import json
import streamframes as sf
for extra, use in {USES}.items():
    try:
        exec(use)
    except ImportError as error:
        print(json.dumps([extra, str(error), isinstance(error, sf.MissingExtra)]))
"""
    found = [json.loads(line) for line in core.python(code).splitlines()]
    assert [extra for extra, *_ in found] == list(USES)
    for extra, message, is_ours in found:
        assert is_ours
        assert message.startswith(", ".join(EXTRAS[extra].modules))
        assert message.endswith(f'install with: pip install "streamframes[{extra}]"')


def test_every_extra_is_tried() -> None:
    assert USES.keys() == EXTRAS.keys()


@pytest.mark.parametrize("command", [["streamframes"], ["python", "-m", "streamframes"]])
def test_the_program_without_its_packages_says_so_in_one_line(core: Environment, command: list[str]) -> None:
    done = core.run(*command, "demo")
    assert (done.returncode, done.stdout) == (2, "")
    install = 'install with: pip install "streamframes[cli]"'
    missing = "typer, rich, prompt_toolkit not found"
    assert done.stderr == f"streamframes: {missing}, needed for the command line; {install}\n"
