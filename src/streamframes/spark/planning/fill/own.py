"""Frames that are filled with the rows they were found in: those of searches, which overlap."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import DataFrame

from streamframes.errors import InvalidArgument
from streamframes.spark.planning.fill.verbs import fill_own
from streamframes.spark.planning.query import Plan, PlannedQuery, Query


class FilledQuery(PlannedQuery[Plan], Query):
    """A query whose frames overlap: measures and tags come by filling them with the rows they were found in."""

    def aggregate(self, measures: Mapping[str, Any]) -> DataFrame:
        """The frames with measures over the rows they hold."""
        return fill_own(self, (), measures)

    def tag(self, *, keep_outside: bool) -> DataFrame:
        """The rows with the ids of the frames they are in."""
        if keep_outside:
            raise InvalidArgument("tag() got keep_outside=True for frames that may overlap; leave it out")
        return fill_own(self, (), {})
