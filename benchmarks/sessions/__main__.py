"""`python -m benchmarks.sessions`."""

from benchmarks.sessions.engine import main

if __name__ == "__main__":
    main()
