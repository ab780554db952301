"""Density regions: cells where points are dense in a unit of time, linked over successive units.

    points -> growth: the dense cells of a unit -> linking: of successive units -> regions

Entry point: `search.DensityGroup`, and `search.DensitySearch` without a plan. Imported by `regions.operator`.
"""
