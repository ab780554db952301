"""What a pattern does with its rows, in words."""

from __future__ import annotations

from streamframes.core.patterns.plan import PatternSpec


def match_steps(plan: PatternSpec, endless: str | None) -> list[str]:
    """How matches are found, what they cost, and how long rows wait."""
    n_steps = plan.program.variable.size
    lines = [f"  match     one compiled matcher a bucket; the pattern is a program of {n_steps} steps"]
    if not plan.has_history:
        lines.append("  conditions look at rows alone: each row is looked at once for each step, without going back")
    for name, definition in zip(plan.names, plan.definitions, strict=True):
        parts = [
            *(["a column that Spark computes"] if definition.row is not None else []),
            *(["compared with rows before and after, in order"] if definition.ordered else []),
            *(["asked of each path while it is matched"] if definition.history is not None else []),
        ]
        lines.append(f"  {name:<10}{'; '.join(parts) or 'any row'}")
    if plan.within is None and endless is not None:
        lines.append(f"  waits     {endless} may go on for ever; in a stream its rows are kept as long")
    return lines
