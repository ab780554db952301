"""`python -m benchmarks.regions`."""

from benchmarks.regions.searches import main

if __name__ == "__main__":
    main()
