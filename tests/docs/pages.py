"""Pages: Markdown whose Python blocks run, in order and in one namespace, and print what the page says they do.

```python          a block
print(1 + 1)
```

```text            what it prints; a block without one prints nothing
2
```

A block whose first line is the name of a file, `# src/streamframes/...`, is that module, which other blocks import.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from types import ModuleType
from typing import Any

from pyspark import cloudpickle

ROOT = Path(__file__).parents[2]

_MODULE = re.compile(r"# src/(?P<path>[\w/]+?)(?P<folder>/__init__)?\.py\n")
_FENCED = re.compile(r"^```(?P<kind>\w*)[^\n]*\n(?P<text>.*?)^```[ ]*$\n?", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A Python block: its code, where the code starts, and the output that the page shows, where that stands."""

    code: str
    line: int
    expected: str
    end: int
    shown: tuple[int, int] | None


@dataclass(frozen=True)
class Page:
    """A Markdown file."""

    path: Path

    @property
    def name(self) -> str:
        """The path within the project, with forward slashes."""
        return self.path.relative_to(ROOT).as_posix()

    @property
    def text(self) -> str:
        """All of it."""
        return self.path.read_text(encoding="utf-8")

    @property
    def prose(self) -> str:
        """The page without its fenced blocks."""
        return _FENCED.sub("", self.text)

    @property
    def blocks(self) -> list[Block]:
        """The Python blocks, each with the output that follows directly."""
        text = self.text
        fenced = list(_FENCED.finditer(text))
        found = []
        for this, following in zip_longest(fenced, fenced[1:]):
            if this["kind"] != "python":
                continue
            shows = (
                following is not None
                and following["kind"] == "text"
                and not text[this.end() : following.start()].strip()
            )
            line = text.count("\n", 0, this.start("text")) + 1
            expected, shown = (following["text"], following.span("text")) if shows else ("", None)
            found.append(Block(this["text"], line, expected, this.end(), shown))
        return found

    @property
    def needs_spark(self) -> bool:
        """Whether a block mentions the session that it is given."""
        return any(re.search(r"\bspark\b", block.code) for block in self.blocks)

    def outputs(self, spark: Any = None) -> Iterator[tuple[Block, str]]:
        """Run the blocks one by one; yields each with what it printed."""
        namespace: dict[str, Any] = {"__name__": "__main__", "spark": spark}
        modules: list[ModuleType] = []
        try:
            for block in self.blocks:
                printed = io.StringIO()
                # Empty lines in front make the line numbers of an error those of the page.
                code = compile("\n" * (block.line - 1) + block.code, self.name, "exec", dont_inherit=True)
                if named := _MODULE.match(block.code):
                    modules.append(_made_module(named))
                with contextlib.redirect_stdout(printed):
                    exec(code, modules[-1].__dict__ if named else namespace)
                yield block, printed.getvalue()
        finally:
            for module in modules:
                cloudpickle.unregister_pickle_by_value(module)
                del sys.modules[module.__name__]


def _made_module(named: re.Match[str]) -> ModuleType:
    """An empty module that can be imported here, and whose classes travel to workers as they are."""
    module = ModuleType(named["path"].replace("/", "."))
    if named["folder"]:
        module.__path__ = []
    sys.modules[module.__name__] = module
    cloudpickle.register_pickle_by_value(module)
    return module


def stripped(text: str) -> list[str]:
    """The lines of an output without what an eye does not see."""
    return [line.rstrip() for line in text.rstrip().splitlines()]


def all_pages() -> list[Page]:
    """Every page of the project."""
    paths = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*.md")]
    return [Page(path) for path in sorted(paths)]
