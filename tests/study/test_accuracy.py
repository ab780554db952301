"""How wrong windows are: the claims on made-up data, and the verdicts on real files."""

from __future__ import annotations

from pathlib import Path

import pytest

from streamframes.study import study

pytestmark = pytest.mark.spark

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"


def csv_of(spark, name):
    path = SHARED / name
    if not path.exists():
        pytest.skip("the shared data is not there")
    return spark.read.csv(str(path), header=True, inferSchema=True)


@pytest.fixture(autouse=True)
def few_lengths(monkeypatch):
    """Each length costs time; the claims are about the shortest and the longest."""
    monkeypatch.setattr("streamframes.study.experiments.accuracy_traffic.SECONDS", (60, 960))
    monkeypatch.setattr("streamframes.study.experiments.accuracy_dye.SIZES", (5, 120))


def test_on_made_up_traffic_the_claims_hold(spark):
    chosen = study("accuracy-traffic")
    found = chosen.run(chosen.lab(spark, rows=52_000))
    assert {claim.says: claim.holds for claim in found.claims if not claim.holds} == {}
    table = found.table("accuracy-traffic")
    shortest, longest = (table.where(heuristic="min", window=length)[0] for length in (60, 960))
    assert longest["duration_error"] > longest["frame_rows"]
    assert longest["false_positives"] > shortest["false_positives"]


def test_on_made_up_dye_the_claims_hold_for_lasting_and_for_all_episodes(spark):
    chosen = study("accuracy-dye")
    found = chosen.run(chosen.lab(spark, rows=60_000))
    assert {claim.says: claim.holds for claim in found.claims if not claim.holds} == {}
    lasting, every = (found.table(f"least-{least}").rows[0] for least in (20, 1))
    assert every[2] > lasting[2]
    assert [picture.draw().axes[0].get_xlabel() for picture in found.pictures] == ["length of windows (rows)"] * 2


def test_on_the_autobahn_liberal_windows_err_by_less_than_the_frames_have(spark):
    chosen = study("accuracy-traffic")
    rows = csv_of(spark, "2_freeway/a5_frankfurt_20010611_1min.csv.gz")
    found = chosen.run(chosen.lab(spark, data=rows, source="the A5"))
    assert [claim.holds for claim in found.claims] == [True, True, False, True]
    # A run of three reports, a minute apart, spans two minutes: 97 of the 111 such runs last for three.
    assert found.table("accuracy-traffic").rows[0][2:4] == [97, 2_836]
    assert "v_avg_kmh / 1.609344" in found.data
