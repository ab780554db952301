"""Types: which types values have, what Spark makes of two that differ, and the values of literals.

Entry points: `common_type` and `coerced` (coercion), `cast` (casts), `number` and `temporal` (literals). Used by the
kernels and the rules; imports no kernel.
"""
