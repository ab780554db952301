"""The program `streamframes`, also as `python -m streamframes`."""

from __future__ import annotations

import sys

from streamframes.errors import MissingExtra


def main() -> None:
    """Run the command line, or say in one line what has to be installed for it."""
    try:
        from streamframes.cli.main import app
    except MissingExtra as error:
        sys.stderr.write(f"streamframes: {error}\n")
        raise SystemExit(2) from None
    app()


if __name__ == "__main__":
    if not __package__:
        # Run as a file, by spark-submit: Python would find the modules of this folder under the names of others.
        sys.path.pop(0)
    main()
