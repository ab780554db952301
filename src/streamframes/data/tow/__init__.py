"""A tow: scans of a sensor that is towed up and down through the sea.

Entry point: `ocean.tow`. `seawater` has the density of water. Imported by `streamframes.data`, and for the density by
`streamframes.study`.
"""
