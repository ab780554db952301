"""Frames: the operator that cuts the rows of a bucket into frames.

Entry point: `operator.FramePlan`, whose operator does it. `plan` says what it must know, `kernel` is the loop over
rows. What takes more than one row is decided beside it: in `hysteresis` which rows are members of a frame (`until`,
`merge_gap`), in `schedule` which reports are missing, in `idle` which groups have timed out, in `membership` which
frame a row is in once that is known.

Used by `core.fill`, `core.files`, `core.theory` and `spark`; `kernel` and `hysteresis` by `core.schemes`.
"""
