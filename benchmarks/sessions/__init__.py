"""Nested sessions: events a second without Spark, and on Spark."""
