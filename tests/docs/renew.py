"""Renews the outputs on pages: `python -m tests.docs.renew docs/schemes/delta.md`. Read the difference afterwards."""

from __future__ import annotations

import sys
from pathlib import Path

import streamframes as sf
from tests.docs.pages import Page, stripped


def renewed(page: Page) -> str:
    """The text of the page with what its blocks print now."""
    spark = sf.session(master="local[2]") if page.needs_spark else None
    text, parts, done = page.text, [], 0
    for block, printed in page.outputs(spark):
        body = "".join(f"{line}\n" for line in stripped(printed))
        if block.shown is not None:
            parts += [text[done : block.shown[0]], body]
            done = block.shown[1]
        elif body:
            parts += [text[done : block.end], f"\n```text\n{body}```\n"]
            done = block.end
    return "".join([*parts, text[done:]])


if __name__ == "__main__":
    for name in sys.argv[1:]:
        page = Page(Path(name).resolve())
        page.path.write_text(renewed(page), encoding="utf-8")
