"""The page says what the last run of the matrix has found; every verb is in it."""

from __future__ import annotations

from tests.golden.run import suites
from tests.matrix.features import FEATURES, names_of, quick, result, results
from tests.matrix.page import PAGE, cell, recorded, with_table
from tests.matrix.test_results import third
from tests.matrix.versions import VERSIONS, without_spark
from tests.release.environments import ROOT


def test_the_table_of_the_page_is_that_of_the_record() -> None:
    assert with_table(PAGE.read_text(), recorded()) == PAGE.read_text()


def test_what_is_on_record_works() -> None:
    features = {version.name: [each.name for each in version.features] for version in VERSIONS}
    for name, found in recorded().items():
        assert list(found["features"]) == features[name]
        assert {cell(each) for each in found["features"].values()} == {"yes"}


def test_every_verb_with_every_kind_of_rows_is_tried() -> None:
    tests = names_of(FEATURES)
    for verb, kind in suites():
        name = f"{verb} of a {kind}"
        assert {*(results(name) if len(third(verb, kind)) > 1 else result(name))} <= {*tests}
    assert len([test for test in tests if quick(test)]) == len(suites()) + 1


def test_the_tests_of_features_are_there() -> None:
    for test in names_of(FEATURES):
        file, _, name = test.partition("::")
        assert f"def {name.partition('[')[0]}" in (ROOT / file).read_text()


def test_a_feature_has_its_own_tests_alone() -> None:
    tables = next(each for each in FEATURES if each.name == "frames of tables")
    assert tables.has("tests/matrix/test_results.py::test_first[frames of a table]")
    assert tables.has("tests/spark/test_tables.py::test_planted_episodes_are_found_exactly")
    assert not tables.has("tests/matrix/test_results.py::test_first[fill of a table]")
    types = next(each for each in FEATURES if each.name.startswith("types"))
    assert types.has("tests/spark/test_groups.py::test_groups[1]")


def test_a_feature_without_a_test_that_ran_does_not_work() -> None:
    assert [cell(each) for each in ({"passed": 0}, {"passed": 1, "failed": ["a"]}, {"passed": 2}, None)] == [
        "no",
        "no",
        "yes",
        "-",
    ]


def test_the_version_of_spark_is_not_taken_from_the_lock() -> None:
    lock = (ROOT / "requirements.lock").read_text()
    kept = without_spark(lock)
    assert "\npyspark==" in lock
    assert "\npyspark==" not in kept
    assert lock.count("==") - kept.count("==") == 1


def test_the_oldest_and_the_newest_but_one_are_tried_with_every_change() -> None:
    sparks = list(dict.fromkeys(each.spark for each in VERSIONS))
    assert [each.spark for each in VERSIONS if each.quick] == [sparks[0], sparks[-2]]
