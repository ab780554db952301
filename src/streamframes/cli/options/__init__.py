"""Options: dataclasses of what a command line may say, and how their values are read.

A dataclass per group of options in the help; `schemes.scheme_of` and the like make of them what the verbs take. For
commands, inputs and plots.
"""
