"""Fill: the operator that brings frames and the rows they hold together.

Entry points: `operator.FillPlan`, whose operator is fed rows and takes frames; `filling_bucket.FillStreamPlan`, where
frames are found in a stream beside the rows. `pending_frames` wait for rows, the rows of `row_buffer` for frames. Used
by `spark.planning.fill`.
"""
