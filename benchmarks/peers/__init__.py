"""Peers: every other tool in its best form, beside the library and the limit."""
