"""Jobs: commands and their options in a TOML file, as the command line would have them."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, time
from pathlib import Path
from typing import Any

from streamframes.errors import InvalidArgument, StreamFramesError

SPARK = ("master", "remote", "conf")


@dataclass(frozen=True)
class Step:
    """A command of a job: what messages call it, its name, and what follows the name on a command line."""

    called: str
    command: str
    arguments: tuple[str, ...]


def steps_of(job: Path, commands: Mapping[str, Any], spark: Mapping[str, Any]) -> list[Step]:
    """The steps of a job file; what `spark` says of where Spark runs goes before what the file says of it."""
    content = _read(job)
    named = content.pop("spark", {})
    if not isinstance(named, dict) or set(named) - set(SPARK):
        raise InvalidArgument(f"{job}: [spark] has {', '.join(SPARK)} and nothing else, not {named!r}")
    steps = content.pop("steps", None)
    if steps is None:
        steps, content = [content], {}
    if content:
        raise InvalidArgument(f"{job}: {next(iter(content))!r} stands outside of [[steps]]; move it into a step")
    if not isinstance(steps, list) or not steps or not all(isinstance(step, dict) for step in steps):
        raise InvalidArgument(f"{job}: steps is not a list of tables; begin each step with [[steps]]")
    where = _where(named, spark)
    return [_step(_called(job, steps, place), step, commands, where) for place, step in enumerate(steps, 1)]


def _read(job: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(job.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise InvalidArgument(f"{job} is not TOML: {error}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise StreamFramesError(f"cannot read {job}: {getattr(error, 'strerror', None) or error}") from error


def _called(job: Path, steps: list[Any], place: int) -> str:
    return f"{job}, step {place}" if len(steps) > 1 else str(job)


def _where(named: Mapping[str, Any], spark: Mapping[str, Any]) -> dict[str, Any]:
    """Where Spark runs, as all steps have it: those on the command line replace those of the file."""
    given = {key: value for key, value in spark.items() if value}
    kept = {key: value for key, value in named.items() if key not in given}
    if given.keys() & {"master", "remote"}:
        kept = {key: value for key, value in kept.items() if key == "conf"}
    both = {**kept, **given}
    if "conf" in named and "conf" in given:
        both["conf"] = [*_texts(named["conf"]), *given["conf"]]
    return both


def _step(called: str, step: Mapping[str, Any], commands: Mapping[str, Any], where: Mapping[str, Any]) -> Step:
    own = dict(step)
    name = own.pop("command", None)
    if name not in commands:
        raise InvalidArgument(f"{called}: command is {name!r}; choose from {', '.join(commands)}")
    called = f"{called} ({name})"
    for key in SPARK:
        if key in own:
            raise InvalidArgument(f"{called}: {key} belongs into [spark], for all steps")
    parameters = {_key(parameter): parameter for parameter in commands[name].params}
    for key in own:
        if key not in parameters:
            near = difflib.get_close_matches(key, parameters, 1)
            remedy = f"did you mean {near[0]!r}?" if near else f"choose from {', '.join(sorted(parameters))}"
            raise InvalidArgument(f"{called}: there is no option {key!r}; {remedy}")
    settings = {key: value for key, value in where.items() if key in parameters}
    options = [text for key, value in {**own, **settings}.items() for text in _options(called, parameters[key], value)]
    positional = [
        text
        for key, parameter in parameters.items()
        if parameter.param_type_name == "argument" and key in own
        for text in _texts(own[key])
    ]
    return Step(called, str(name), (*options, "--", *positional))


def _key(parameter: Any) -> str:
    """What a parameter is called in a file: `--min-duration` is `min-duration`, INPUT is `input`."""
    if parameter.param_type_name == "argument":
        return str(parameter.metavar or parameter.name).strip("[].").lower()
    return str(max(parameter.opts, key=len)).removeprefix("--")


def _options(called: str, parameter: Any, value: object) -> Iterator[str]:
    if parameter.param_type_name == "argument":
        return
    name = str(max(parameter.opts, key=len))
    if parameter.is_flag:
        if not isinstance(value, bool):
            raise InvalidArgument(f"{called}: {_key(parameter)} is {value!r}; write true or false")
        if value:
            yield name
        return
    texts = _texts(value)
    if len(texts) > 1 and not parameter.multiple:
        raise InvalidArgument(f"{called}: {_key(parameter)} has {len(texts)} values and takes one")
    for text in texts:
        yield f"{name}={text}"


def _texts(value: object) -> list[str]:
    """A value as texts: one, one for each item of a list, or `name=value` for each of a table."""
    if isinstance(value, list):
        return [text for each in value for text in _texts(each)]
    if isinstance(value, dict):
        return [f"{name}={text}" for name, each in value.items() for text in _texts(each)]
    if isinstance(value, bool):
        return [str(value).lower()]
    return [value.isoformat() if isinstance(value, date | time) else str(value)]
