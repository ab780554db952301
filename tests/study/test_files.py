"""The files of a study and the page of all: what is written, and that it needs nothing else."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from streamframes.errors import InvalidArgument
from streamframes.study import NAMES, study
from streamframes.study.kit import Study
from streamframes.study.report.charts import lines, panels
from streamframes.study.report.outcome import Claim, Outcome, Picture, Table
from streamframes.study.report.page import Done, write_page
from streamframes.study.report.saving import save


def drawn():
    figure, (axes,) = panels()
    lines(axes, [1, 2], {"a <b>": [3.0, 4.0]}, x_label="x, rows", y_label="y")
    return figure


TABLE = Table("toy", "A < B", ("name", "value"), [["x", 1.5], ["y", float("nan")], ["z", None]])
TOY = Study("toy", "A toy & more", "a paper", 10, "rows", (), lambda lab: OUTCOME, least=1)
OUTCOME = Outcome(
    data="ten rows",
    tables=[TABLE, Table("long", "Long", ("n",), [[n] for n in range(100)])],
    pictures=[Picture("toy", "a line", drawn)],
    claims=[Claim("It is <so>.", "3", True), Claim("It is not.", "4", False), Claim("Who knows.", "-", None)],
    settings={"n": 1},
    notes=["a note"],
)


def test_the_files_of_a_study_are_named_after_it(tmp_path):
    paths = save(TOY, OUTCOME, tmp_path / "new", seconds=1.26)
    assert sorted(path.name for path in paths) == ["toy-long.csv", "toy.csv", "toy.json", "toy.png", "toy.svg"]
    assert all(path.stat().st_size for path in paths)


def test_numbers_are_kept_as_csv_and_json(tmp_path):
    save(TOY, OUTCOME, tmp_path, seconds=1.26)
    with (tmp_path / "toy.csv").open() as file:
        assert list(csv.reader(file)) == [["name", "value"], ["x", "1.5"], ["y", "nan"], ["z", ""]]
    kept = json.loads((tmp_path / "toy.json").read_text())
    assert kept["tables"]["toy"][1] == {"name": "y", "value": None}
    assert [claim["verdict"] for claim in kept["claims"]] == ["holds", "does not hold", "undecided"]
    assert kept["seconds"] == 1.3
    assert "pyspark" in kept["versions"]


def test_the_page_holds_everything_and_fetches_nothing(tmp_path):
    save(TOY, OUTCOME, tmp_path, seconds=2)
    broken = Study("broken", "Broken", "another paper", 10, "rows", (), lambda lab: OUTCOME)
    page = write_page([Done(TOY, OUTCOME, 2.0), Done(broken, None, 0.1, "it is <broken>")], tmp_path).read_text()
    assert "A toy &amp; more" in page
    assert "It is &lt;so&gt;." in page
    assert "it is &lt;broken&gt;" in page
    assert "The first 60 of 100 rows" in page
    assert re.findall(r'src="(.{14})', page) == ["data:image/svg"]
    assert not re.search(r'(src|href)="(?!data:|#)', page)


def test_a_large_picture_is_embedded_as_pixels(tmp_path, monkeypatch):
    save(TOY, OUTCOME, tmp_path, seconds=2)
    monkeypatch.setattr("streamframes.study.report.page._LARGE", 10)
    assert 'src="data:image/png;base64,' in write_page([Done(TOY, OUTCOME, 2.0)], tmp_path).read_text()


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_a_study_that_says_what_it_needs(name):
    found = study(name)
    assert found.name == name
    assert found.title
    assert found.paper
    assert found.rows >= found.least


def test_a_study_that_is_none_is_refused():
    with pytest.raises(InvalidArgument, match="study\\(\\) got name='scater', which is no study; there are accuracy"):
        study("scater")


def test_a_table_gives_its_rows_by_their_values():
    assert TABLE.where(name="x") == [{"name": "x", "value": 1.5}]
    assert TABLE.column("name") == ["x", "y", "z"]
    assert OUTCOME.table("long").column("n")[-1] == 99


@pytest.mark.parametrize("name", NAMES)
def test_the_page_of_studies_names_the_columns_of_each(name):
    page = (Path(__file__).resolve().parents[2] / "docs" / "studies.md").read_text()
    table = page[page.index("| studies | columns of a file |") :].split("\n\n")[0]
    (line,) = [line for line in table.splitlines() if name in line.split("|")[1].replace(" ", "").split(",")]
    assert re.findall(r"`(\w+)`", line) == [need.name for need in study(name).needs]
    assert f"\n## {name}\n" in page
