"""`python -m benchmarks.bursts`."""

from benchmarks.bursts.searches import main

if __name__ == "__main__":
    main()
