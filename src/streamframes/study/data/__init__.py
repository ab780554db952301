"""Data of studies: rows that several experiments make or take from a file, and what they need of its columns.

A module per kind of data: traffic and dye, positions, series of bursts, rasters. For experiments and baselines.
"""
