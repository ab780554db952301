"""Makes peers.png and the table of docs/speed.md from the saved results: `python docs/pictures/make_peers.py`."""

import json
from pathlib import Path

from benchmarks.kit.report import markdown_table
from benchmarks.peers import chart as peer_chart
from benchmarks.peers.report import cells_of
from benchmarks.peers.targets import TASK_NAMES

ROOT = Path(__file__).resolve().parents[2]
BEGIN, END = "<!-- peers: written by docs/pictures/make_peers.py -->\n", "<!-- end of peers -->"
KEYS = 100


def main() -> None:
    """Draw the speeds with 100 keys and write those of the largest table as text."""
    saved = json.loads((ROOT / "benchmarks" / "results" / "peers.json").read_text())
    speeds = {
        (each["rows"], each["keys"], each["task"], each["tool"]): each["mrows_per_second"]
        for each in saved["measurements"]
        if each.get("mrows_per_second")
    }
    peer_chart.save(speeds, TASK_NAMES, KEYS, Path(__file__).parent)
    most = max(rows for rows, *_ in speeds)
    largest = {place: speed for place, speed in speeds.items() if place[0] == most}
    page = ROOT / "docs" / "speed.md"
    before, _, rest = page.read_text().partition(BEGIN)
    machine = saved["machine"]
    told = f"{machine['cpu']}, {machine['cores']} cores; million rows a second, reading included; {saved['date']}."
    table = markdown_table(["rows", "keys", "tool", *TASK_NAMES], cells_of(largest, TASK_NAMES))
    picture = f"![Million rows a second of every tool, {KEYS} keys](pictures/peers.png)"
    page.write_text(f"{before}{BEGIN}{picture}\n\n{told}\n\n{table}\n{END}{rest.partition(END)[2]}")


if __name__ == "__main__":
    main()
