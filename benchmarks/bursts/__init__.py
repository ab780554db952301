"""Searches for bursts: how long they take, how good they are, what they keep, and what they cost on Spark."""
