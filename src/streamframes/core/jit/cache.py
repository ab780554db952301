"""Cache: compiled code on disk, under a name that says all that it was made from.

Numba's own cache goes by the place, the time and the text of the one file that holds a function, not by those of the
helpers it calls. Here a file is named after the sources (`sources`), the function and its types, the versions of
Python, NumPy, Numba and LLVM, and the processor: another of these is another file, wherever the library lies. Nothing
is overwritten by something else, so processes that compile at the same time do not disturb each other.
"""

from __future__ import annotations

import hashlib
import pickle
import sys
from collections.abc import Callable
from typing import Any, cast

import llvmlite  # type: ignore[import-untyped]
import numba
import numpy as np
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from streamframes.core.jit import folders, sources

# What Numba does not declare the types of.
to_bytes: Callable[[object], bytes] = dumps
rebuilt: Any = CompileResult._rebuild  # noqa: SLF001
config: Any = numba.config

_DIGEST = 32
_VERSIONS = (sys.implementation.cache_tag, sys.version, np.__version__, numba.__version__, llvmlite.__version__)


class CodeCache(NullCache):
    """What Numba asks for the code of a function before it compiles it, and gives what it has compiled."""

    def __init__(self, function: Callable[..., object], fingerprint: str) -> None:
        self._function = function
        self._fingerprint = fingerprint

    @property
    def cache_path(self) -> str:
        """Where the code of this function is kept, for Numba's statistics."""
        return str(folders.places().write)

    def load_overload(self, sig: Any, target_context: Any) -> object:
        """The code for these types, if there is some that is whole."""
        target_context.refresh()
        name = self._name(sig, target_context)
        for content in folders.read(name) if name else ():
            digest, code = content[:_DIGEST], content[_DIGEST:]
            if digest == _digest(code, name or ""):
                made = rebuilt(target_context, *pickle.loads(code))  # noqa: S301  (so Numba keeps code; see `folders`)
                if made.signature.args == _types(sig):
                    return cast(object, made)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the code for these types, if it means something to another process."""
        name = self._name(sig, data.target_context)
        if name and not data.library.has_dynamic_globals and not data.lifted:
            code = to_bytes(data._reduce())  # noqa: SLF001
            folders.write(name, _digest(code, name) + code)

    def _name(self, sig: Any, target_context: Any) -> str | None:
        """The file for these types; None for types that come from elsewhere, whose sources are not known."""
        rules = [each.instance_class.__module__ for each in _types(sig) if hasattr(each, "instance_class")]
        if not all(module.startswith("streamframes.core.") for module in rules):
            return None
        code = self._function.__code__
        made_from = (self._fingerprint, self._function.__qualname__, code.co_firstlineno, code.co_code, rules)
        machine = target_context.codegen().magic_tuple()
        digest = hashlib.blake2b(repr((made_from, str(sig), _VERSIONS, machine)).encode(), digest_size=16)
        return f"{self._function.__module__.rpartition('.')[2]}.{self._function.__name__}-{digest.hexdigest()}.nbc"


def keep(compiled: Any, function: Callable[..., object]) -> None:
    """Let compiled code of a function be kept on disk, if its sources can be read."""
    fingerprint = sources.fingerprint(function.__module__)
    if fingerprint and not config.DISABLE_JIT:
        compiled._cache = CodeCache(function, fingerprint)  # noqa: SLF001  (what Numba's `enable_caching` does)


def _types(sig: Any) -> tuple[Any, ...]:
    return tuple(getattr(sig, "args", sig))


def _digest(code: bytes, name: str) -> bytes:
    """What tells a file that is damaged, or stands under another's name."""
    return hashlib.blake2b(code, digest_size=_DIGEST, key=name.encode()[-64:]).digest()
