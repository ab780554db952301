"""String ids: the engine knows 64-bit words only, so each string that is met gets a number."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from streamframes.core.sessions.kernels.fields import NULL


class StringIds:
    """Strings by id, and the ids of strings."""

    def __init__(self, strings: Iterable[str] = ()) -> None:
        self.strings: list[str] = []
        self._ids: dict[str, int] = {}
        for string in strings:
            self.id_of(string)

    def __len__(self) -> int:
        return len(self.strings)

    def id_of(self, string: str) -> int:
        """The id of a string, which is new or not."""
        known = self._ids.get(string)
        if known is None:
            known = self._ids[string] = len(self.strings)
            self.strings.append(string)
        return known

    def encode(self, array: pa.Array) -> np.ndarray:
        """The ids of many strings; null is NULL."""
        coded = array.dictionary_encode() if not pa.types.is_dictionary(array.type) else array
        ids = [NULL if string is None else self.id_of(string) for string in coded.dictionary.to_pylist()]
        table = np.array([*ids, NULL], np.int64)
        return np.asarray(table[coded.indices.fill_null(len(ids)).to_numpy(zero_copy_only=False)])

    def decode(self, ids: np.ndarray) -> pa.Array:
        """The strings of many ids."""
        distinct, place = np.unique(ids, return_inverse=True)
        strings = pa.array([None if each == NULL else self.strings[each] for each in distinct.tolist()], pa.string())
        return strings.take(pa.array(place))
