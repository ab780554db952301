"""`python -m benchmarks.peers`."""

from benchmarks.peers.comparison import main

main()
