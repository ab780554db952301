import duckdb
import numpy as np
import pytest

from streamframes.data import tow
from streamframes.data.tow.seawater import density, pressure_at, surface_density
from tests.data.brute import threshold_frames


def dyed(made, at_least):
    return threshold_frames(
        made.table,
        lambda row: row["fluorescence"] > 0.2,
        lambda _start, _end, rows: rows >= at_least,
        ts="scan",
        by=(),
    )


@pytest.mark.parametrize(("rows", "seed"), [(60_000, 0), (60_000, 1), (1, 2), (700, 3), (300_000, 4)])
def test_the_episodes_are_what_brute_force_finds(rows, seed):
    made = tow(rows=rows, seed=seed)
    found = dyed(made, 20)
    assert made.episodes.to_pylist() == found
    assert found or rows < 1_000


@pytest.mark.parametrize(("layers", "noise", "seed"), [(4, 0.05, 0), (4, 1, 1), (1, 0, 2), (9, 0.5, 3), (0, 0.05, 4)])
def test_the_episodes_are_what_brute_force_finds_in_layers_too(layers, noise, seed):
    made = tow(rows=60_000, seed=seed, layers=layers, noise=noise)
    assert made.episodes.to_pylist() == dyed(made, 20)
    assert made.episodes.num_rows > 5


def test_layers_change_the_water_and_leave_the_path_of_the_sensor_and_the_length_of_dye():
    smooth, stepped = (tow(rows=60_000, seed=1, layers=layers, noise=0.05) for layers in (0, 4))
    assert smooth.table["depth_m"] == stepped.table["depth_m"]
    assert smooth.episodes["frame_rows"] == stepped.episodes["frame_rows"]
    assert smooth.table["density"] != stepped.table["density"]


def test_dye_gathers_in_the_layers():
    shares = []
    for layers in (0, 4):
        table = tow(rows=200_000, seed=2, layers=layers, noise=0.05).table
        dye = np.where(table["fluorescence"].to_numpy() > 0.2, table["fluorescence"].to_numpy(), 0)
        mass, _ = np.histogram(table["density"].to_numpy(), bins=40, weights=dye)
        shares.append(np.sort(mass)[-4:].sum() / mass.sum())
    assert shares[1] > 1.5 * shares[0]


@pytest.mark.parametrize("name", ["fluorescence", "depth_m", "density"])
def test_with_little_noise_values_change_little_from_scan_to_scan(name):
    quiet, usual = (np.abs(np.diff(tow(rows=20_000, noise=noise).table[name])).mean() for noise in (0.05, 1))
    assert quiet < usual


def test_some_tows_end_inside_the_dye():
    closed_by = set()
    for seed in range(40):
        made = tow(rows=2_500, seed=seed)
        assert made.episodes.to_pylist() == dyed(made, 20)
        closed_by |= set(made.episodes["frame_closed_by"].to_pylist())
    assert closed_by == {"condition", "end of data"}


def test_there_are_long_and_short_runs_and_next_to_nothing_elsewhere():
    made = tow(rows=400_000, seed=5)
    values = made.table["fluorescence"].to_numpy()
    lengths = [run["frame_rows"] for run in dyed(made, 1)]
    assert min(lengths) < 10
    assert max(lengths) > 400
    assert values[values <= 0.2].max() <= 0.11
    assert values[values <= 0.2].mean() < 0.05
    assert 50 <= made.episodes.num_rows <= 300


def test_the_sensor_goes_up_and_down_and_meets_dye_in_the_layer():
    table = tow(rows=100_000, seed=6).table
    depth, fluorescence = table["depth_m"].to_numpy(), table["fluorescence"].to_numpy()
    assert depth.min() < 4
    assert 24 < depth.max() < 39
    smooth = depth[::100]
    turns = (np.diff(np.sign(np.diff(smooth))) != 0).sum()
    assert 70 < turns < 145
    assert 10 < np.median(depth[fluorescence > 0.2]) < 17
    assert (table["scan"].to_numpy() == np.arange(1, 100_001)).all()


def test_deeper_water_is_colder_saltier_and_denser():
    table = tow(rows=50_000, seed=7).table
    depth = table["depth_m"].to_numpy()
    for name, sign in (("temp_c", -1), ("salinity_psu", 1), ("density", 1)):
        assert sign * np.corrcoef(depth, table[name].to_numpy())[0, 1] > 0.8


def test_the_density_column_follows_from_the_other_columns():
    table = tow(rows=1_000, seed=8).table
    depth, temp, salinity, rho = (table[name].to_numpy() for name in ("depth_m", "temp_c", "salinity_psu", "density"))
    assert np.abs(density(salinity, temp, pressure_at(depth)) - rho).max() <= 0.5001e-4


@pytest.mark.parametrize(
    ("salinity", "temperature", "bar", "published"),
    [
        (0, 5, 0, 999.96675),
        (0, 5, 1000, 1044.12802),
        (0, 25, 0, 997.04796),
        (0, 25, 1000, 1037.90204),
        (35, 5, 0, 1027.67547),
        (35, 5, 1000, 1069.48914),
        (35, 25, 0, 1023.34306),
        (35, 25, 1000, 1062.53817),
    ],
)
def test_density_agrees_with_the_check_values_of_the_unesco_report(salinity, temperature, bar, published):
    rho = density(np.array(float(salinity)), np.array(float(temperature)), np.array(10.0 * bar))
    assert abs(float(rho) - published) < 1e-5


def test_density_at_the_surface_is_that_without_pressure_in_any_sql():
    rng = np.random.default_rng(0)
    salinity, temperature = rng.uniform(0, 42, 50), rng.uniform(-2, 40, 50)
    text = f"SELECT {surface_density('s', 't')} FROM (SELECT unnest($s) AS s, unnest($t) AS t)"
    found = duckdb.execute(text, {"s": salinity.tolist(), "t": temperature.tolist()}).fetchall()
    expected = density(salinity, temperature, np.zeros(50))
    assert np.abs(np.array(found)[:, 0] - expected).max() < 1e-9


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rows": 0}, "rows=0"),
        ({"seed": -3}, "seed=-3"),
        ({"layers": -1}, "layers=-1; it must be a whole number of at least 0"),
        ({"noise": 1.5}, "noise=1.5; it must be a number from 0 to 1"),
    ],
)
def test_an_impossible_argument_is_named(arguments, message):
    with pytest.raises(ValueError, match=rf"tow\(\) got {message}"):
        tow(**arguments)
