"""A pitch: the positions of the players of a match and of the ball.

Entry point: `match.pitch`. `play` plans where everybody goes. Imported by `streamframes.data` alone.
"""
