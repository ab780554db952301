"""The kernels of sessions: the compiled engine that lets events flow through a tree of open sessions.

Entry point: `engine`, whose three loops a machine calls: `flow` (events), `pass_time` (timeouts), `end` (end of data).

  engine ──> descend ──> open         an event goes down; sessions that it needs are opened
                 │  └──> propagate    values that change go up, and out as measures
                 └─────> close        on the way back, and by time: a session closes, its children first
  records      where open sessions live, found by key, parent or last event        compact    moves all of them
  interpreter  runs the programs of conditions and values, made of `operations`    accumulators    sums, averages, ...
  arrays       all arrays of a machine, and the fields of records                  fields    the fields of a tree

Names in kernels: `a` the arrays, `user` the user's functions, `p` a session (the place of its record), `c` the row of
its class, `n` the row of a node, `i` an event (-1: none), `g` a group, `h` a hash, `now` the instant.

Used by `vm`, which prepares the arrays, and by `merge` and `results`, which read accumulators and results.
"""
