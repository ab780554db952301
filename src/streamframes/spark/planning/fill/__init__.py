"""Filling: frames meet the rows of another table or stream. `verbs` is the entry point of `api`.

verbs     what `Frames.fill`, `fill()` and moved frames ask for
query     a filling whose arguments are checked
tables, streams    how it is carried out
edges     frames with other edges
"""
