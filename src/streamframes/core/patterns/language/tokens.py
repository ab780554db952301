"""Tokens: calls and their arguments in a text of SQL."""

from __future__ import annotations

from collections.abc import Collection

from sqlglot.tokens import Token, TokenType  # type: ignore[attr-defined]

# What is called by name: what goes to other rows, what adds up rows, and the aggregates that are not known here.
NAVIGATION = ("PREV", "NEXT", "FIRST", "LAST")
AGGREGATES = {
    **{name.upper(): name for name in ("count", "sum", "avg", "min", "max", "max_by", "min_by", "collect_list")},
    "MEAN": "avg",
    "ARRAY_AGG": "collect_list",
}
OTHER_AGGREGATES = {
    "STDDEV", "STDDEV_SAMP", "STDDEV_POP", "STD", "VARIANCE", "VAR_SAMP",
    "VAR_POP", "COLLECT_SET", "COUNT_IF", "MEDIAN", "MODE", "PERCENTILE",
    "PERCENTILE_APPROX", "APPROX_PERCENTILE", "APPROX_COUNT_DISTINCT", "FIRST_VALUE", "LAST_VALUE", "NTH_VALUE",
    "ANY_VALUE", "BOOL_AND", "BOOL_OR", "EVERY", "SOME", "CORR",
    "COVAR_POP", "COVAR_SAMP", "KURTOSIS", "SKEWNESS", "LISTAGG", "STRING_AGG",
    "BIT_AND", "BIT_OR", "BIT_XOR", "LAG", "LEAD", "ROW_NUMBER",
    "RANK",
}  # fmt: skip


def is_among(names: Collection[str], name: str) -> bool:
    """Whether a name is one of several, in any spelling."""
    return name.lower() in {each.lower() for each in names}


def name_of(token: Token) -> str:
    """The name that a token may be; a quoted one without its quotes."""
    return "" if token.token_type in (TokenType.STRING, TokenType.NUMBER) else str(token.text)


def word_at(tokens: list[Token], at: int) -> str:
    """The name at a token in capitals."""
    return name_of(tokens[at]).upper() if at < len(tokens) else ""


def is_call(tokens: list[Token], at: int) -> bool:
    """Whether a token is the name of what is called."""
    return at + 1 < len(tokens) and tokens[at + 1].token_type == TokenType.L_PAREN and bool(name_of(tokens[at]))


def closing(tokens: list[Token], opening: int) -> int | None:
    """The token behind the bracket that closes the one at `opening`; None if none does."""
    depth = 0
    for at in range(opening, len(tokens)):
        depth += (tokens[at].token_type == TokenType.L_PAREN) - (tokens[at].token_type == TokenType.R_PAREN)
        if depth == 0:
            return at + 1
    return None


def arguments_of(tokens: list[Token]) -> list[list[Token]]:
    """The tokens of each argument of a call."""
    found: list[list[Token]] = [[]]
    depth = 0
    for token in tokens[2:-1]:
        depth += (token.token_type in (TokenType.L_PAREN, TokenType.L_BRACKET)) - (
            token.token_type in (TokenType.R_PAREN, TokenType.R_BRACKET)
        )
        if token.token_type == TokenType.COMMA and depth == 0:
            found.append([])
        else:
            found[-1].append(token)
    return found if found != [[]] else []


def is_column(columns: Collection[str], tokens: list[Token], at: int) -> bool:
    """Whether a token is a column without a variable before it; a type or the unit of an interval is none."""
    if at and tokens[at - 1].token_type in (TokenType.DOT, TokenType.ALIAS):
        return False
    if at > 1 and tokens[at - 2].token_type == TokenType.INTERVAL:
        return False
    return not is_call(tokens, at) and is_among(columns, name_of(tokens[at]))
