"""Real servers on this machine, on loopback alone, and tests of whole ways from one to the other."""
