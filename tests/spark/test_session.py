"""Settings of sessions: the library's own, and a user's on top."""

from __future__ import annotations

import pytest

from streamframes.spark.session import settings_for


def test_a_setting_is_written_as_a_keyword_or_by_its_own_name() -> None:
    found = settings_for(
        "local[2]",
        {
            "spark_sql_ansi_enabled": "false",
            "spark.sql.catalog.spark_catalog": "a.Catalog",
            "spark.sql.catalog.my_catalog.io_impl": "an.Io",
        },
    )
    assert found["spark.sql.ansi.enabled"] == "false"
    assert found["spark.sql.catalog.spark_catalog"] == "a.Catalog"
    assert found["spark.sql.catalog.my_catalog.io_impl"] == "an.Io"


@pytest.mark.parametrize(("master", "partitions"), [("local[3]", "3"), ("local", "1"), ("yarn", None)])
def test_a_local_session_has_a_partition_for_each_core(master: str, partitions: str | None) -> None:
    assert settings_for(master, {}).get("spark.sql.shuffle.partitions") == partitions
