"""`python -m benchmarks.sessions`."""

from benchmarks.sessions.engine import main

main()
