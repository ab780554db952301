"""Each rule of the house finds what breaks it, in a made-up package."""

import pytest

from scripts.check_house import MOST_ANY, MOST_LINES, MOST_MODULES, MOST_PARAMETERS, findings, main

DOCSTRING = '"""A noun."""\n'


@pytest.fixture
def house(tmp_path):
    """Writes files of a package into a folder; returns the advice on what is broken, by rule."""

    def write(files: dict[str, str]) -> dict[str, list[str]]:
        for name, text in ({"__init__.py": DOCSTRING} | files).items():
            path = tmp_path / "src" / "streamframes" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        found: dict[str, list[str]] = {}
        broken, any_lines = findings(tmp_path)
        for rule, path, line, advice in broken + any_lines:
            found.setdefault(rule, []).append(f"{path.name}:{line}: {advice}")
        return found

    return write


def test_a_tidy_package_has_no_findings(house, tmp_path, capsys):
    assert house({"core/__init__.py": DOCSTRING, "core/rows.py": "class Rows:\n    pass\n"}) == {}
    assert main(tmp_path) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "back",
    [
        "from streamframes.a import x",
        "import streamframes.a",
        "from streamframes import a",
        "def lazy():\n    from streamframes.a import x",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from streamframes.a import x",
    ],
)
def test_modules_that_import_each_other_are_a_cycle(house, back):
    found = house(
        {"a.py": "from streamframes.b import y\nx = 1\n", "b.py": "from streamframes.c import z\n", "c.py": back}
    )
    assert found == {"cycle": ["a.py:1: import each other: a, b, c; move what they share below both"]}


def test_a_chain_of_imports_is_no_cycle(house):
    assert (
        house({"a.py": "import streamframes.b\nimport streamframes.c\n", "b.py": "import streamframes.c\n", "c.py": ""})
        == {}
    )


def test_a_module_has_a_bounded_number_of_lines(house):
    found = house({"long.py": "x = 1\n" * (MOST_LINES + 1), "short.py": "x = 1\n" * MOST_LINES})
    assert list(found) == ["module"]
    assert found["module"][0].startswith("long.py:251: 251 lines")


def test_a_folder_has_a_bounded_number_of_modules(house):
    full = {f"full/m{n}.py": "" for n in range(MOST_MODULES)} | {"full/__init__.py": DOCSTRING}
    assert house(full) == {}
    assert house({"full/one_more.py": ""})["folder"] == ["__init__.py:1: 16 modules; make a folder of some, 15 at most"]


def test_a_folder_says_what_it_is(house):
    found = house({"silent_one/__init__.py": "", "without/module.py": ""})
    assert len(found["docstring"]) == 2


@pytest.mark.parametrize("what", ["FramePlan", "frames.FrameOperator", "(int, SessionQuery)", "int | FillPlan"])
def test_isinstance_on_operators_belongs_to_planning(house, what):
    source = f"def kind(x):\n    return isinstance(x, {what})\n"
    planning = {"spark/__init__.py": DOCSTRING, "spark/planning/__init__.py": DOCSTRING, "spark/planning/a.py": source}
    assert house(planning) == {}
    assert [line.split(" on ")[0] for line in house({"b.py": source})["isinstance"]] == ["b.py:2: isinstance"]


def test_public_functions_and_methods_have_few_parameters(house):
    many = ", ".join(f"p{n}" for n in range(MOST_PARAMETERS + 1))
    few = ", ".join(f"p{n}" for n in range(MOST_PARAMETERS))
    source = f"""
def many({many}): ...
def _private({many}): ...
def named(*, {many}): ...
def few({few}): ...
@compiled
def kernel({many}): ...
class Query:
    def __init__(self, {many}): ...
    def method(self, {few}): ...
class _Private:
    def method(self, {many}): ...
"""
    found = house({"a.py": source})
    assert [line.split()[1] for line in found["parameters"]] == ["many", "named", "Query.__init__"]


def test_exported_dataclasses_have_few_fields(house):
    def dataclass(name: str, fields: int, base: str = "") -> str:
        lines = [f"    {name.lower()}{n}: int = 0\n" for n in range(fields)]
        return f"@dataclass(frozen=True)\nclass {name}{base}:\n" + "".join(lines)

    source = dataclass("Base", 7) + dataclass("Shown", 6, "(Base)") + dataclass("Inner", 20)
    found = house({"__init__.py": DOCSTRING + "from streamframes.a import Base, Shown\n", "a.py": source})
    assert [line.split()[1] for line in found["parameters"]] == ["Shown"]


@pytest.mark.parametrize(
    "line",
    [
        "told = 1",
        "class ToldFrames: pass",
        "x = told_before",
        "# A leg ends.",
        "'two legs'",
        "def _burster(): pass",
        "'rows that are none'",
        "class Framing: pass",
        "asked = 2",
        "def f(asked_for): pass",
        "x.tell()",
    ],
)
def test_words_that_must_not_come_back(house, line):
    found = house({"a.py": f"{line}\n"})
    assert [each.partition(": ")[0] for each in found["word"]] == ["a.py:1"]


@pytest.mark.parametrize(
    "line", ["# It is asked which frames tell most.", "legend = 1", "framed = 1", "'sorted orders'"]
)
def test_words_with_a_right_meaning_stay(house, line):
    assert house({"a.py": f"{line}\n"}) == {}


def test_a_file_is_not_called_by_a_forbidden_word(house):
    assert house({"told.py": ""})["word"] == ["told.py:1: the file's name has 'told'; write emitted, or unreported"]


def test_words_are_looked_for_on_pages_too(house, tmp_path):
    page = tmp_path / "docs" / "decisions" / "one.md"
    page.parent.mkdir(parents=True)
    page.write_text("# One\n\nThe page on streams has the rest.\n")
    assert house({})["word"] == ["one.md:3: 'has the rest'; write say what stands there, or leave it out"]


def test_any_counts_once_for_each_annotation_outside_of_kernels(house):
    source = """from typing import Any
Alias = dict[str, Any]
def f(x: Any, y: tuple[Any, Any]) -> int: ...
class C:
    field: Any
@compiled
def kernel(x: Any) -> Any: ...
def _judge_less(rule: Any) -> int: ...
def by_call(x: Any) -> int: ...
pointer = cached_pointer("i8()", by_call)
"""
    assert [line.split(":")[1] for line in house({"a.py": source})["any"]] == ["2", "3", "3", "5"]


def test_too_many_anys_fail_the_check(house, tmp_path, capsys):
    house({"a.py": "x: Any\n" * MOST_ANY})
    assert main(tmp_path) == 0
    house({"b.py": "x: Any\n"})
    assert main(tmp_path) == 1
    assert "Any: 151, at most 150" in capsys.readouterr().out


def test_findings_fail_the_check_and_a_report_does_not(house, tmp_path, capsys):
    house({"a.py": "told = 1\n"})
    assert main(tmp_path) == 1
    assert capsys.readouterr().out == "src/streamframes/a.py:1: 'told'; write emitted, or unreported\n"
    assert main(tmp_path, report=True) == 0
    assert "word: 1" in capsys.readouterr().out
