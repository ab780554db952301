"""Files: the inputs that options name, and where results go.

`inputs.source_of` and `outputs.target_of` check what is named before Spark is started; `inputs.read` and
`results.deliver` do the work. For commands and plots.
"""
