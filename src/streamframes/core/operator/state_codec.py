"""The state codec: a tree of names, numbers, text and arrays as bytes, and back.

  magic  version  sizes  outline (JSON)  buffers, one after the other, compressed or plain

The outline is the tree of names with a number in the place of each array; an array is its plain buffer with type and
shape, an Arrow array is a stream. Nothing in it is a program: it can be read by any version that knows the layout.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from streamframes.core.batch.rows import Rows
from streamframes.core.batch.tree import Node, Tree, array_at, tree_at
from streamframes.errors import StreamFramesError

VERSION = 3
_MAGIC, _PLAIN = b"SFRM", b"SFRP"
_CODEC = "lz4_raw"


def rows_as_tree(rows: Rows) -> Tree:
    """Rows for `encode`."""
    named = {str(i): column for i, column in enumerate(rows.columns)}
    return {"groups": rows.groups, "bounds": rows.bounds, "ts": rows.ts, "mark": rows.mark, "columns": named}


def rows_of_tree(tree: Tree) -> Rows:
    """Rows from `decode`."""
    groups, bounds, ts, mark = (array_at(tree, name) for name in ("groups", "bounds", "ts", "mark"))
    return Rows(groups, bounds, ts, list(tree_at(tree, "columns").values()), mark)


def encode(tree: Mapping[str, Node], *, compressed: bool = True) -> bytes:
    """A tree of dicts, lists, numbers, text and arrays as bytes."""
    buffers: list[bytes] = []
    outline = json.dumps(_outlined(tree, buffers)).encode()
    size = sum(map(len, buffers))
    head = VERSION.to_bytes(4, "little") + len(outline).to_bytes(8, "little") + size.to_bytes(8, "little")
    if not compressed:
        return b"".join([_PLAIN, head, outline, bytes(-len(outline) % 8), *buffers])
    packed = pa.Codec(_CODEC).compress(b"".join(buffers), asbytes=True) if buffers else b""
    return _MAGIC + head + outline + packed


def copied(tree: Tree) -> Tree:
    """The same tree, of which nothing is shared."""
    return decode(encode(tree, compressed=False))


def is_tree(data: bytes | pa.Buffer) -> bool:
    """Whether these bytes are those of a tree."""
    return bytes(data[: len(_MAGIC)]) in (_MAGIC, _PLAIN)


def decode(data: bytes | pa.Buffer) -> Tree:
    """The tree of these bytes."""
    version = int.from_bytes(data[4:8], "little")
    if not is_tree(data) or version != VERSION:
        found = f"version {version}" if is_tree(data) else "something else"
        raise StreamFramesError(
            f"the checkpoint holds {found} of the state, this release reads version {VERSION}; "
            "start with a new checkpoint location"
        )
    size, body_size = (int.from_bytes(data[at : at + 8], "little") for at in (8, 16))
    tree = _filled(json.loads(bytes(data[24 : 24 + size])), _body(data, 24 + size, body_size))
    if not isinstance(tree, dict):
        raise _unknown()
    return tree


def _unknown() -> StreamFramesError:
    return StreamFramesError("the checkpoint holds no state of streamframes; start with a new checkpoint location")


def _body(data: bytes | pa.Buffer, start: int, size: int) -> pa.Buffer:
    """All buffers, one after the other."""
    if bytes(data[: len(_PLAIN)]) == _PLAIN:
        body = pa.py_buffer(data)[start + -start % 8 :]
        # Among other bytes it may begin anywhere; arrays that are used in place must not.
        return body if body.address % 8 == 0 else pa.py_buffer(body.to_pybytes())
    return pa.Codec(_CODEC).decompress(data[start:], size) if size else pa.py_buffer(b"")


def _outlined(value: Node, buffers: list[bytes]) -> object:
    if isinstance(value, dict):
        return {name: _outlined(item, buffers) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_outlined(item, buffers) for item in value]
    if isinstance(value, np.ndarray):
        return {"@array": [value.dtype.str, list(value.shape), *_placed(value.tobytes(), buffers)]}
    if isinstance(value, pa.Array):
        return {"@arrow": _placed(_stream(value), buffers)}
    return value


def _placed(data: bytes, buffers: list[bytes]) -> list[int]:
    """Where a buffer lies; each begins at a multiple of 8, so that it can be used in place."""
    start = sum(map(len, buffers))
    buffers.append(data + bytes(-len(data) % 8))
    return [start, len(data)]


def _stream(array: pa.Array) -> bytes:
    batch = pa.RecordBatch.from_arrays([array], ["values"])
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return bytes(sink.getvalue().to_pybytes())


def _filled(value: object, body: pa.Buffer) -> Node:
    if isinstance(value, list):
        return [_filled(item, body) for item in value]
    if value is None or isinstance(value, int | float | str):
        return value
    if not isinstance(value, dict):
        raise _unknown()
    if "@array" in value:
        dtype, shape, start, size = value["@array"]
        # A copy, because state is changed in place.
        return np.frombuffer(body, np.uint8, size, start).view(dtype).reshape(shape).copy()
    if "@arrow" in value:
        start, size = value["@arrow"]
        return pa.ipc.open_stream(body.slice(start, size)).read_next_batch().column(0)
    return {name: _filled(item, body) for name, item in value.items()}
