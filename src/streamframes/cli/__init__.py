"""Command line: the program `streamframes`, the library for files and for those who write no Python.

`main.app` is the program. Nothing imports this package but `streamframes.__main__` and tests.
"""

from streamframes.extras import need

need("cli")
