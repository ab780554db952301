"""Pointers: arrays as compiled functions hand them on, and numbers at any place in memory.

An array is seven numbers to a compiled function and checks the sign of each index; a pointer is one, and does not. Who
makes pointers keeps the arrays, and sees to it that they are large enough.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import numba
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types as numba_types
from numba.core.base import BaseContext
from numba.core.typing.templates import Signature
from numba.extending import intrinsic as numba_intrinsic

from streamframes.core.jit.compiled import called_with_plain_types

# What it makes is called without the context, which its type does not know.
intrinsic: Callable[..., Any] = numba_intrinsic

types: Any = numba_types
_WORDS = types.CPointer(types.int64)
_DOUBLES = types.CPointer(types.float64)
_BYTES = types.CPointer(types.uint8)
Function = TypeVar("Function", bound=Callable[..., object])


def inlined(function: Function) -> Function:
    """Compiled into each function that calls it, which holds it in its own cache."""
    return cast(Function, called_with_plain_types(numba.njit(nogil=True, forceinline=True)(function)))


def _data(context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: Sequence[ir.Value]) -> ir.Value:
    """Where the values of an array begin."""
    return context.make_array(signature.args[0])(context, builder, args[0]).data  # type: ignore[no-untyped-call]


def _loaded(bits: int) -> Callable[..., ir.Value]:
    """An unsigned number of so many bits, wherever it begins, as one of 64 bits."""

    def made(context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: Sequence[ir.Value]) -> ir.Value:
        place = builder.bitcast(builder.gep(args[0], [args[1]]), ir.PointerType(ir.IntType(bits)))
        number = builder.load(place, align=1)
        return number if bits == 64 else builder.zext(number, ir.IntType(64))

    return made


@intrinsic
def words(context: Any, array: Any) -> Any:
    """The words of a contiguous array of longs."""
    return _WORDS(array), _data


@intrinsic
def octets(context: Any, array: Any) -> Any:
    """The bytes of a contiguous array of bytes."""
    return _BYTES(array), _data


@intrinsic
def byte(context: Any, pointer: Any, at: Any) -> Any:
    """One byte, as a number."""
    return types.int64(pointer, types.int64), _loaded(8)


@intrinsic
def half(context: Any, pointer: Any, at: Any) -> Any:
    """Four bytes, as a number."""
    return types.int64(pointer, types.int64), _loaded(32)


@intrinsic
def word(context: Any, pointer: Any, at: Any) -> Any:
    """Eight bytes, as a word."""
    return types.uint64(pointer, types.int64), _loaded(64)


@intrinsic
def doubles(context: Any, pointer: Any) -> Any:
    """The same words, seen as doubles."""

    def made(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], context.get_value_type(_DOUBLES))

    return _DOUBLES(pointer), made


@intrinsic
def shifted(context: Any, pointer: Any, by: Any) -> Any:
    """A pointer to the words from another one on."""

    def made(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.gep(args[0], [args[1]])

    return pointer(pointer, by), made


@intrinsic
def fetch(context: Any, pointer: Any, at: Any) -> Any:
    """Begin to bring the words around a place into the cache, for writing; harmless wherever it is."""

    def made(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        place = builder.bitcast(builder.gep(args[0], [args[1]]), byte)
        builder.call(prefetch, [place, number(1), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(pointer, at), made


@intrinsic
def octets_at(context: Any, pointer: Any, at: Any) -> Any:
    """The bytes whose address stands in a word."""

    def made(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        address = builder.load(builder.gep(args[0], [args[1]]))
        return builder.inttoptr(address, context.get_value_type(_BYTES))

    return _BYTES(pointer, at), made


@intrinsic
def pointer_at(context: Any, pointer: Any, at: Any) -> Any:
    """The words whose address stands in a word."""

    def made(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        address = builder.load(builder.gep(args[0], [args[1]]))
        return builder.inttoptr(address, context.get_value_type(_WORDS))

    return _WORDS(pointer, at), made
