"""`python -m benchmarks.bursts`."""

from benchmarks.bursts.searches import main

main()
