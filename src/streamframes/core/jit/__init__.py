"""Jit: functions compiled by Numba with a cache that can be trusted, and what they work on.

Entry point: `compiled.compiled`, and `compiled.register` for the rule of a scheme. `buffers` are Arrow arrays seen as
NumPy arrays, `pointers` what arrays are where each check counts, `pairs` doubles with their rounding errors, `usercode`
the functions of users. Used by all of the core.
"""
