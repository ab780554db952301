"""Extras: packages that only some need, and the command that installs the ones that are missing.

`pip install streamframes` brings what the core needs. A folder or function that needs more says so with `need()`.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import NamedTuple

from streamframes.errors import MissingExtra


class Extra(NamedTuple):
    """What an extra is for, and the modules that have to be there."""

    purpose: str
    modules: tuple[str, ...]


EXTRAS = {
    "spark": Extra("tables and streams of Spark", ("pyspark",)),
    "worker": Extra("PySpark's exchange of rows with Python", ("pandas", "google.protobuf")),
    "connect": Extra("Spark Connect", ("grpc", "grpc_status", "google.rpc")),
    "cli": Extra("the command line", ("typer", "rich", "prompt_toolkit")),
    "plot": Extra("pictures", ("matplotlib",)),
    "postgres": Extra("the sink of Postgres", ("psycopg",)),
    "delta": Extra("scans of Delta tables", ("deltalake",)),
    "iceberg": Extra("scans of Iceberg tables", ("pyiceberg",)),
    "regions": Extra("outlines of connected regions", ("shapely",)),
    "study": Extra("the studies", ("pyspark", "matplotlib", "shapely")),
    "laws": Extra("check_scheme()", ("hypothesis",)),
}
"""The extras of pyproject.toml, but `scan`, without which PyArrow does what Polars would, and `all`."""


def need(name: str) -> None:
    """Refuse to go on where a package of this extra is not installed."""
    purpose, modules = EXTRAS[name]
    missing = [module for module in modules if not is_there(module)]
    if missing:
        raise MissingExtra(
            f'{", ".join(missing)} not found, needed for {purpose}; install with: pip install "streamframes[{name}]"'
        )


def is_there(module: str) -> bool:
    """Whether a module could be imported; it is not imported, its parents are."""
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False
