"""Legs: a table in files is cut into stretches of time, each of which one worker reads and scans by itself.

  files     ....|....|....|....|....|....|....      row groups, with the range of instants of each
  legs      [     0      ][     1      ][    2  ]   cut where few row groups reach across
  worker    each leg is scanned as if nothing came before; its runs leave it, not its rows
  join      the legs of a group, one after the other: what a leg could not know of its beginning is mended

Where a run must begin anew whatever came before (Threshold, Boundary, Change, Gap), only the first run of a group is
open to doubt: its *seam*. For other schemes a leg sends the first rows of a group, its *head*, until frames do not
depend on where the first of them began. The join scans heads again from what is true, and goes on from there only
if it has come to the same state as the leg; rows of a group for which it has not are read again.

Where that does not pay, or frames cannot be joined, workers find all frames of some groups instead: a *strand*.
"""
