"""Packets: what network links send, in bursts and in between.

Entry points: `links.packets` and `sending.packet_values`. `arrivals` says when the rows of a link come.
Imported by `streamframes.data` alone.
"""
