"""Kit: what benchmarks share: options, contenders, rounds, reports, and a session of Spark."""
