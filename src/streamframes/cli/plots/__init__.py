"""Plots: one group's rows and results, fetched no larger than a picture can show, and drawn by `streamframes.draw`.

`targets.check_picture` refuses a picture before Spark is started, `plot_of` plans it, `targets.draw` draws it. For
commands.
"""
