"""Experiments: one module per study, which ends with its `STUDY`.

`streamframes.study.study(name)` loads it by its name; nothing else imports one.
"""
