"""Regions: searches of a grid and of points without Spark, and a table on Spark."""
