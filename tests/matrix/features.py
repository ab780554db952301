"""Features: what is tried on every version, and the tests that say whether it works."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

RESULTS = "tests/matrix/test_results.py"
FORMATS = "tests/matrix/test_formats.py"
SPARK = "tests/spark"


@dataclass(frozen=True)
class Feature:
    """A line of the table: the tests that must pass, as names of files or of tests in them."""

    name: str
    tests: tuple[str, ...]
    python: bool = False  # whether it is tried on other versions of Python too
    since: str = "4.0"  # the version of Spark that can do it

    def has(self, test: str) -> bool:
        """Whether a test, `file::name`, is one of its own."""
        return any(test == each or test.startswith((f"{each}::", f"{each}[")) for each in self.tests)


def results(*suites: str) -> tuple[str, ...]:
    """The results on record of a verb, such as `frames of a table`."""
    return tuple(f"{RESULTS}::test_{which}[{each}]" for which in ("first", "others") for each in suites)


def result(*suites: str) -> tuple[str, ...]:
    """The one result of a verb that has three on record at the most."""
    return tuple(f"{RESULTS}::test_first[{each}]" for each in suites)


def formats(name: str, *tests: str) -> tuple[str, ...]:
    """What is tried with a format of tables."""
    return tuple(f"{FORMATS}::test_{each}[{name}]" for each in tests)


def spark(file: str, *tests: str) -> tuple[str, ...]:
    """Tests of a file, or all of it."""
    return tuple(f"{SPARK}/test_{file}.py::test_{each}" for each in tests) or (f"{SPARK}/test_{file}.py",)


FEATURES = (
    Feature(
        "frames of tables",
        results("frames of a table")
        + spark(
            "tables",
            "only_groups_and_measures_may_be_null",
            "planted_episodes_are_found_exactly",
            "measures_equal_what_spark_computes_over_the_tagged_rows",
            "columns_work_like_text",
            "tag_keeps_every_column_of_any_type_and_on_request_every_row",
            "ties_are_broken_by_the_columns_named_in_ts",
            "explain_says_which_way_the_rows_go",
        ),
        python=True,
    ),
    Feature(
        "frames of streams",
        results("frames of a stream")
        + spark(
            "streams",
            "a_stopped_query_goes_on_and_counts_late_rows",
            "fragments_and_punctuation_come_out",
            "punctuation_needs_no_watermark_and_rows_are_tagged",
            "a_stream_is_refused_with_a_remedy",
            "the_state_store_must_be_rocksdb",
            "a_stored_watermark_is_read_as_what_it_was",
        ),
        python=True,
    ),
    Feature(
        "frames of scans",
        results("frames of a scan")
        + spark("scan", "instants_of_every_kind", "keys_of_every_kind", "hive_folders_are_columns"),
    ),
    Feature("fill: tables and scans", results("fill of a table", "fill of a scan")),
    Feature("fill: streams", results("fill of a stream")),
    Feature("bursts: tables and scans", results("bursts of a table", "bursts of a scan")),
    Feature("bursts: streams", results("bursts of a stream")),
    Feature("sessions: tables and scans", results("sessions of a table", "sessions of a scan")),
    Feature("sessions: streams", results("sessions of a stream")),
    Feature("regions, density: tables and scans", results("regions of a table", "regions of a scan")),
    Feature("regions, density: streams", results("regions of a stream")),
    Feature("algebra of frames", results("algebra of a table")),
    Feature("accuracy: tables and scans", result("accuracy of a table", "accuracy of a scan")),
    Feature("types of columns and groups", spark("versions") + spark("groups")),
    Feature("a stream killed and started again", spark("killed")),
    Feature(
        "a Spark session of one's own",
        spark(
            "session",
            "configuring_says_what_was_set_and_what_was_not",
            "what_is_read_at_the_start_only_is_refused",
            "results_do_not_depend_on_the_number_of_buckets",
            "workers_without_the_library_are_found_before_a_job_starts",
        ),
    ),
    Feature("tables over Connect", spark("tables", "frames_over_spark_connect_are_the_same")),
    Feature(
        "streams over Connect",
        spark("tables", "a_stream_over_spark_connect_has_the_frames_of_the_table"),
        since="4.1",
    ),
    Feature(
        "Delta tables, read and written",
        formats(
            "delta",
            "a_table_is_read",
            "frames_are_written",
            "the_newest_row_of_a_key_is_kept_whatever_comes_again",
            "rows_that_a_table_cannot_hold_stop_the_batch_or_are_kept_aside_once",
        ),
    ),
    Feature("Delta streams, read and written", formats("delta", "a_stream_is_read", "a_stream_is_written")),
    Feature(
        "Iceberg tables, read and written",
        formats(
            "iceberg",
            "a_table_is_read",
            "frames_are_written",
            "the_newest_row_of_a_key_is_kept_whatever_comes_again",
            "rows_that_a_table_cannot_hold_stop_the_batch_or_are_kept_aside_once",
        ),
    ),
    Feature("Iceberg streams, read and written", formats("iceberg", "a_stream_is_read", "a_stream_is_written")),
)


def names_of(features: Iterable[Feature]) -> list[str]:
    """The tests of features, each once."""
    return sorted({test for feature in features for test in feature.tests})


def quick(test: str) -> bool:
    """Whether a test belongs to the quarter that every change has to pass."""
    return test.startswith((f"{RESULTS}::test_first[", f"{SPARK}/test_versions.py"))
