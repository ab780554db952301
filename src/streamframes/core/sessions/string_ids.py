"""Texts: words of a session are numbers, so each text that is met gets one."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from streamframes.core.sessions.vm.bits import NULL


class Texts:
    """Texts by number, and the numbers of texts."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        self.values: list[str] = []
        self.numbers: dict[str, int] = {}
        for text in known:
            self.number(text)

    def __len__(self) -> int:
        return len(self.values)

    def number(self, text: str) -> int:
        """The number of a text, which is new or not."""
        found = self.numbers.get(text)
        if found is None:
            found = self.numbers[text] = len(self.values)
            self.values.append(text)
        return found

    def words(self, array: pa.Array) -> np.ndarray:
        """The numbers of many texts."""
        coded = array.dictionary_encode() if not pa.types.is_dictionary(array.type) else array
        known = [NULL if text is None else self.number(text) for text in coded.dictionary.to_pylist()]
        table = np.array([*known, NULL], np.int64)
        return np.asarray(table[coded.indices.fill_null(len(known)).to_numpy(zero_copy_only=False)])

    def texts(self, words: np.ndarray) -> pa.Array:
        """The texts of many numbers."""
        seen, place = np.unique(words, return_inverse=True)
        there = pa.array([None if word == NULL else self.values[word] for word in seen.tolist()], pa.string())
        return there.take(pa.array(place))
