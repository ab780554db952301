"""Benchmarks: how fast frames are found, beside what one would use otherwise. See README.md in this folder."""
