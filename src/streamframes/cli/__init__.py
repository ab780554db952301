"""The command line: a door to the same verbs, for files."""
