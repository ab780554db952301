"""A call centre: the log of calls, of the visits to a service inside them, and of the sessions inside those.

Entry point: `calls.calls`. `switchboard` says when calls come, `script` what callers do, `steps` what a row holds.
Imported by `streamframes.data` alone.
"""
