"""The kernels of patterns: one compiled matcher for every pattern.

`matcher.match_rows` is the entry point: rows of many groups in, matches out. `viability` says from which steps a
pattern can be completed, `paths` follows several paths at once where conditions ask what has been matched, `history`
keeps what they ask for, `aggregates` adds up what measures show. Used by `core.patterns`.
"""
