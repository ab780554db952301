"""Regions: frames in time and space."""
