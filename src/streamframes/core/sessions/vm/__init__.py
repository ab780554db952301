"""The machine of sessions: what the compiled kernels need, prepared in Python, and their state.

Entry point: `machine.Machine`, the open sessions of one bucket: words of events in, words of results out.

  machine ──> memory          arrays that grow, and that are moved to another layout
  encoded_tree ──> tree_rows  a resolved tree as one array of words: a row for each class and node
                   ├─> bytecode   terms as programs
                   └─> layout     what each word of a record holds, by class

A word is 64 bits: a long, the bits of a double, an instant, or the id of a string. Used by the operator of sessions.
"""
