"""The prompt: statements that are typed, with history and completion, until end of input.

sql> SELECT * FROM frames(TABLE(reports),
...>                      threshold(drop_pct > 0.3), ts => rpt_time);
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import FileHistory
from prompt_toolkit.input import Input
from prompt_toolkit.output import Output

from streamframes.cli.terminal import note
from streamframes.core.sqltext.functions import FUNCTIONS
from streamframes.core.sqltext.options import OPTIONS, SCHEMES
from streamframes.errors import StreamFramesError

_WORDS = (
    *("SELECT", "FROM", "WHERE", "GROUP BY", "ORDER BY", "JOIN", "USING", "LIMIT", "WITH", "TABLE", "INTERVAL", "AS"),
    *("CREATE OR REPLACE TEMP VIEW", "SHOW TABLES", "DESCRIBE", "MATCH_RECOGNIZE", "PARTITION BY", "MEASURES"),
    *("PATTERN", "DEFINE", "MINUTES", "SECONDS", "HOURS", "DAYS"),
)
_LEAVE = ("exit", "quit", r"\q")


class Words(Completer):
    """Completes keywords, our functions, their arguments behind an open bracket, tables and their columns."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(names)

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        """What may stand at the end of what has been typed."""
        word = document.get_word_before_cursor(WORD=False)
        if not word:
            return
        for each in completions(document.text_before_cursor, word, self.names):
            yield Completion(each, start_position=-len(word))


def completions(text: str, word: str, names: Iterable[str]) -> list[str]:
    """Words that begin as the last one does: arguments of the function that is open first, then all others.

    >>> completions("SELECT * FROM fr", "fr", ["freeway"])
    ['frames(', 'freeway', 'FROM']
    >>> completions("FROM frames(TABLE(r), gap(3), la", "la", [])
    ['lateness => ', 'latest(']
    """
    known: list[str] = []
    signatures = [*FUNCTIONS.get(_open(text), {}).values()]
    signatures += [each for name, each in {**SCHEMES, **OPTIONS}.items() if name == _open(text)]
    for signature in signatures:
        known += [f"{name} => " for name in signature.parameters]
    known += sorted({f"{name}(" for name in (*FUNCTIONS, *SCHEMES, *OPTIONS)} | set(names)) + list(_WORDS)
    return list(dict.fromkeys(each for each in known if each.lower().startswith(word.lower())))


def _open(text: str) -> str:
    """The function whose brackets are open at the end of a text."""
    depth = 0
    for i in range(len(text) - 1, -1, -1):
        depth += (text[i] == ")") - (text[i] == "(")
        if depth < 0:
            found = re.search(r"(\w+)\s*$", text[:i])
            return found[1].lower() if found else ""
    return ""


def history_file() -> Path:
    """Where what was typed is kept."""
    base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(base) / "streamframes" / "sql_history"


def ask(
    carry_out: Callable[[str], None], names: Iterable[str], input: Input | None = None, output: Output | None = None
) -> None:
    """Carry out what is typed, statement by statement; what is refused is said, and the next one asked for."""
    file = history_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    session: PromptSession[str] = PromptSession(
        history=FileHistory(str(file)),
        completer=Words(names),
        complete_while_typing=False,
        input=input,
        output=output,
    )
    unfinished = Condition(lambda: not _is_complete(session.default_buffer.text))
    note("Statements end with a semicolon; exit or Ctrl-D leaves.")
    while True:
        try:
            text = session.prompt("sql> ", multiline=unfinished, prompt_continuation="...> ")
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        if text.strip().rstrip(";").lower() in _LEAVE:
            return
        if text.strip(" \n;"):
            try:
                carry_out(text)
            except StreamFramesError as error:
                note(str(error))


def _is_complete(text: str) -> bool:
    """Whether Enter ends the input: behind a semicolon, a word that leaves, or nothing."""
    stripped = text.strip()
    return not stripped or stripped.endswith(";") or stripped.lower() in _LEAVE
