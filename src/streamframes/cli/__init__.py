"""Command line: the program `streamframes`, the library for files and for those who write no Python.

`main.app` is the program. Nothing imports this package but the program and its tests.
"""
