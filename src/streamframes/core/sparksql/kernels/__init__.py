"""Kernels: what operators and functions compute on Arrow arrays, in one module for each kind of operation.

Each makes a `Term` of terms. Used by the rules (`rules`, `functions`); `times` also by the edges of frames and by the
conditions of sessions, which read intervals.
"""
