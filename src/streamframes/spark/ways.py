"""Ways: how rows of files get to the core, and why not by a shorter way.

legs      workers read stretches of time and scan them; only runs cross the shuffle
chunks    workers read row groups and pack them; chunks of rows cross the shuffle
Spark     Spark's reader hands rows to the workers, because an expression is not computed there
"""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession

from streamframes.core.legs.cuts import Leg, NoOrder, legs
from streamframes.core.legs.leg import can_be_joined
from streamframes.core.legs.parcels import Route
from streamframes.core.parquet.selection import Selection
from streamframes.core.plan import FramePlan
from streamframes.spark.fold import Fold
from streamframes.spark.reading import joining, leg_pieces, route_for
from streamframes.spark.scan import Selected
from streamframes.spark.session import n_cores


@dataclass(frozen=True)
class Way:
    """Legs that are read and joined."""

    spark: SparkSession
    plan: FramePlan
    selection: Selection
    legs: tuple[Leg, ...]
    route: Route

    def pieces(self) -> DataFrame:
        """What leaves the workers that read."""
        return leg_pieces(self.spark, self.plan, self.selection, self.legs, self.route)

    @property
    def fold(self) -> Fold:
        """What is made of it."""
        return joining(self.plan, self.selection, self.legs, self.route)


def leg_way(selected: Selected, plan: FramePlan) -> Way | str:
    """The way by legs; or in words why it cannot be taken."""
    refusal = can_be_joined(plan)
    if refusal:
        return refusal
    selection = selected.selection(plan.layout)
    if isinstance(selection, str):
        return selection
    spark = selected.sparkSession
    try:
        found = legs(selection.chains, n_cores(spark))
    except NoOrder as reason:
        return str(reason)
    return Way(spark, plan, selection, tuple(found), route_for(spark, plan.keys.names))
