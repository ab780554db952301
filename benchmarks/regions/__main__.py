"""`python -m benchmarks.regions`."""

from benchmarks.regions.searches import main

main()
