"""The language of patterns: a pattern as it is written, and the conditions and measures over its variables.

Entry points: `pattern.parse_pattern`, and `reader.Reader`, which takes the leaves out of definitions and measures. Used
by `core.patterns`.
"""
