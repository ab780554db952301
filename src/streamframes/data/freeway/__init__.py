"""A freeway: what loop detectors and vehicles report of traffic, with the jams that were planted on it.

Entry points: `traffic.freeway` and `probes.probes`. `jams` plans where traffic is slow, `road` makes the reports.
Imported by `streamframes.data` alone.
"""
