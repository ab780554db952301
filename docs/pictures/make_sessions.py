"""Makes session-tree.png and session-timeline.png, the pictures of docs/sessions.md.

`python docs/pictures/make_sessions.py`
"""

from pathlib import Path

from PIL import Image

import streamframes as sf
from streamframes.data import calls
from streamframes.draw import save_picture, timeline, tree

HERE = Path(__file__)
FAQ = sf.Session("FAQ", opens="step_num = 342 and expression = 'FAQ'", closes="step_num = 342 and expression <> 'FAQ'")
ATT = sf.Session(
    "ATT",
    opens="event_type = 500 and expression = 'ATT'",
    closes="step_num = 342 and expression = '#'",
    parts=[FAQ],
)
CALL = sf.Session("Call", key="channel", opens="event_type = 102", closes="event_type = 104", parts=[ATT])
SYSTEM = sf.Session("System", parts=[CALL])
MEASURES = {
    "q1": "System.avg(Call.duration(ts))",
    "q2": "System.avg(Call.sum(ATT.duration(ts)))",
    "q5": "System.avg(FAQ.duration(ts))",
    "visits": "Call.count(ATT)",
}


def bars():
    """The first calls of a log, as sessions() finds them."""
    log = calls(30, channels=4, seed=20).toDF(sf.session())
    found = sf.sessions(log, SYSTEM, ts=["ts", "seq"]).sessions()
    return timeline(
        found.toArrow(),
        by="channel",
        at_most=6,
        title="Sessions inside sessions",
        subtitle="calls, visits to a service in them, and questions in these",
    )


def saved(figure, name):
    """Save with few colours, which are enough."""
    path = save_picture(figure, HERE.with_name(name))
    Image.open(path).convert("RGB").quantize(64).save(path, optimize=True)


if __name__ == "__main__":
    saved(tree(SYSTEM, measures=MEASURES), "session-tree.png")
    saved(bars(), "session-timeline.png")
