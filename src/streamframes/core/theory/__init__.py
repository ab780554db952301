"""Theory: what frames are by definition, executable and slow, to prove the operator of frames by.

Entry point: `checks.check_scheme`; `laws` holds the definition, `reference` all options of schemes, `trial` runs a
scheme on a few rows. Used by tests, documentation and users, never by an operator.
"""
