"""The dashboard asks for metrics that are exported, and for columns that frames have."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlglot
import yaml

from streamframes.spark.watching.exposition import METRICS, exposed
from streamframes.spark.watching.figures import Figures

GRAFANA = Path(__file__).parents[1] / "deploy" / "grafana"
DASHBOARD = json.loads((GRAFANA / "dashboards" / "streamframes.json").read_text())
MACROS = {
    "${group:doublequote}": '"router"',
    "${table:doublequote}": '"loss"',
    "${table:raw}": "loss",
    "$__timeFrom()": "timestamptz '2026-01-05 00:00:00Z'",
    "$__timeTo()": "timestamptz '2026-01-06 00:00:00Z'",
}


def targets(key: str) -> list[str]:
    """The queries of all panels."""
    return [target[key] for panel in DASHBOARD["panels"] for target in panel["targets"] if key in target]


def statements() -> Iterator[str]:
    """The SQL of panels and variables, as Grafana sends it."""
    variables = [each["query"] for each in DASHBOARD["templating"]["list"] if each["type"] == "query"]
    for text in (*targets("rawSql"), *(each for each in variables if isinstance(each, str))):
        for macro, value in MACROS.items():
            text = text.replace(macro, value)
        assert "$" not in text
        yield text


def test_every_metric_of_the_dashboard_is_exported() -> None:
    text = exposed([Figures("loss", error="down")])
    exported = {metric.name for metric in METRICS} | {line.split()[2] for line in text.splitlines() if "# TYPE" in line}
    asked = {name for expression in targets("expr") for name in re.findall(r"streamframes_\w+", expression)}
    assert asked <= exported
    assert len(asked) > 10
    for expression in targets("expr"):
        totals = re.findall(r"streamframes_\w+_total", expression)
        assert not totals or re.match(r"(rate|increase)\(", expression)


def test_the_sql_of_the_dashboard_is_that_of_postgres_and_names_columns_of_frames() -> None:
    panel, *variables = statements()
    columns = {each.name for each in sqlglot.parse_one(panel, dialect="postgres").find_all(sqlglot.exp.Column)}
    assert columns == {"router", "frame_start", "frame_end", "f", "name", "state"}
    assert len(variables) == 2
    for text in variables:
        sqlglot.parse_one(text, dialect="postgres")


def test_panels_have_names_and_places_of_their_own() -> None:
    cells: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        place = panel["gridPos"]
        own = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not own & cells
        assert panel["description"]
        cells |= own
    assert max(x for x, _ in cells) == 23
    assert len({panel["title"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])


@pytest.mark.parametrize("file", ["prometheus.yml", "provisioning/datasources/streamframes.yaml"])
def test_no_password_and_no_address_of_others_is_in_a_file(file: str) -> None:
    found: Any = yaml.safe_load((GRAFANA / file).read_text())
    if "datasources" in found:
        assert {each["type"] for each in found["datasources"]} == {"prometheus", "grafana-postgresql-datasource"}
        assert found["datasources"][1]["secureJsonData"] == {"password": "$POSTGRES_PASSWORD"}
    else:
        assert found["scrape_configs"][0]["static_configs"] == [{"targets": ["127.0.0.1:9108"]}]
