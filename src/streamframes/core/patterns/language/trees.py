"""Trees of SQL: the operands of `and`, and parts that are replaced."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp


def conjuncts(node: exp.Expression) -> list[exp.Expression]:
    """The operands of `and`, as deep as there is nothing else."""
    if isinstance(node, exp.Paren):
        return conjuncts(node.this) if isinstance(node.this, exp.And | exp.Paren) else [node]
    if isinstance(node, exp.And):
        return [*conjuncts(node.this), *conjuncts(node.expression)]
    return [node]


def rewritten(node: exp.Expression, change: Callable[[exp.Expression], exp.Expression]) -> exp.Expression:
    """A tree in which the uppermost nodes that change are changed."""
    found = change(node)
    if found is not node:
        return found
    for name, value in list(node.args.items()):
        if isinstance(value, exp.Expression):
            node.set(name, rewritten(value, change))
        elif isinstance(value, list):
            node.set(name, [rewritten(each, change) if isinstance(each, exp.Expression) else each for each in value])
    return node
