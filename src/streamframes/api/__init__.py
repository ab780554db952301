"""The API: the verbs, and the lazy values they return; a module for each verb.

`streamframes/__init__.py` exports them. `cli` and `study` import this folder; what it plans is in `spark/planning`.
"""
