"""The reader of definitions and measures: their leaves are taken out, the rest is ordinary SQL.

price < PREV(price) and avg(A.size) > 3   ->   price < __sf_leaf_0 and __sf_leaf_1 > 3
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from sqlglot.tokens import Token, TokenType  # type: ignore[attr-defined]

from streamframes.core.patterns.language.leaves import (
    CLASSIFIER,
    EVERY,
    MATCH_NUMBER,
    ROWS,
    Aggregate,
    Leaf,
    MatchNumber,
    Navigation,
)
from streamframes.core.patterns.language.tokens import (
    AGGREGATES,
    NAVIGATION,
    OTHER_AGGREGATES,
    arguments_of,
    closing,
    is_among,
    is_call,
    is_column,
    name_of,
    word_at,
)
from streamframes.core.sessions.language.aggregates import tokens_of
from streamframes.errors import InvalidArgument

LEAF = "__sf_leaf_"


@dataclass(frozen=True)
class Reading:
    """A text in which names stand for leaves."""

    text: str
    leaves: Mapping[str, Leaf]


@dataclass
class Reader:
    """Reads texts over variables and subsets; `own` is the variable that a definition belongs to, None for measures."""

    masks: Mapping[str, int]
    columns: Collection[str]
    what: str
    own: str | None = None
    leaves: dict[str, Leaf] = field(default_factory=dict)

    def read(self, text: object) -> Reading:
        """A text with names in the place of its leaves."""
        if not isinstance(text, str) or not text.strip():
            raise InvalidArgument(f"{self.what}={text!r} is no text; write SQL like 'price < PREV(price)'")
        tokens = tokens_of(text)
        self.text = text
        return Reading(self._without_leaves(tokens), dict(self.leaves))

    def wrong(self, why: str) -> InvalidArgument:
        """The error for this text."""
        return InvalidArgument(f"{self.what}: {why}")

    def _without_leaves(self, tokens: list[Token]) -> str:
        pieces, done, at = [], 0, 0
        while at < len(tokens):
            found, after = self._leaf(tokens, at)
            if found is not None:
                pieces += [self.text[done : tokens[at].start], found]
                done = tokens[after - 1].end + 1
            at = after
        return "".join([*pieces, self.text[done:]]).strip()

    def _leaf(self, tokens: list[Token], at: int) -> tuple[str | None, int]:
        """What stands for the leaf that begins at a token, and the token behind it."""
        word, calls = word_at(tokens, at), is_call(tokens, at)
        if word in ("RUNNING", "FINAL") and is_call(tokens, at + 1) and word_at(tokens, at + 1) != word:
            end = self._closing(tokens, at + 2)
            if word == "FINAL" and self.own is not None:
                raise self.wrong(f"{self._part(tokens[at:end])!r} looks ahead; a definition knows no FINAL")
            return self._named(self._call(tokens[at + 1 : end], final=word == "FINAL")), end
        if calls and (word in NAVIGATION or word in AGGREGATES or word in ("CLASSIFIER", "MATCH_NUMBER")):
            end = self._closing(tokens, at + 1)
            return self._named(self._call(tokens[at:end], final=False)), end
        if calls and word in OTHER_AGGREGATES:
            known = ", ".join(sorted(set(AGGREGATES.values())))
            raise self.wrong(f"{word.lower()}() is not known over rows of a match; the aggregates are {known}")
        if self._variable(tokens, at) is not None:
            mask, name, after = self.masks[word_at(tokens, at).lower()], tokens[at + 2], at + 3
            if self.own is not None and mask == self.masks[self.own.lower()]:
                return self.text[name.start : name.end + 1], after
            what = self.text[name.start : name.end + 1]
            return self._named(Navigation(mask, is_first=False, offset=0, shift=0, what=what)), after
        if self.own is None and is_column(self.columns, tokens, at):
            what = self.text[tokens[at].start : tokens[at].end + 1]
            return self._named(Navigation(EVERY, is_first=False, offset=0, shift=0, what=what)), at + 1
        return None, at + 1

    def _named(self, leaf: Leaf) -> str:
        """The name of a leaf; in a definition, the last row of all is the row itself."""
        is_value = isinstance(leaf, Navigation) and leaf.what != CLASSIFIER and not leaf.shift
        if self.own is not None and isinstance(leaf, Navigation) and is_value and self.is_current(leaf):
            return f"({leaf.what})"
        name = next((name for name, known in self.leaves.items() if known == leaf), f"{LEAF}{len(self.leaves)}")
        self.leaves[name] = leaf
        return name

    def is_current(self, leaf: Leaf) -> bool:
        """Whether a leaf of a definition counts from the row itself."""
        if not isinstance(leaf, Navigation):
            return False
        own = self.masks[self.own.lower()] if self.own is not None else 0
        return not leaf.is_first and leaf.offset == 0 and (leaf.mask == EVERY or bool(own and leaf.mask & own == own))

    def _variable(self, tokens: list[Token], at: int) -> str | None:
        """The variable or subset in `A.price`, if there is one at a token."""
        if at and tokens[at - 1].token_type == TokenType.DOT:
            return None
        if at + 2 >= len(tokens) or tokens[at + 1].token_type != TokenType.DOT or is_call(tokens, at + 2):
            return None
        return name_of(tokens[at]) if name_of(tokens[at]).lower() in self.masks else None

    def _call(self, tokens: list[Token], *, final: bool) -> Leaf:
        """The leaf of `NAME ( arguments )`."""
        word, arguments = word_at(tokens, 0), arguments_of(tokens)
        if word == "MATCH_NUMBER":
            self._count(tokens, arguments, 0, 0)
            return MatchNumber()
        if word == "CLASSIFIER":
            self._count(tokens, arguments, 0, 1)
            return Navigation(self._set(arguments), False, 0, 0, CLASSIFIER, final)
        if word in AGGREGATES:
            return self._aggregate(tokens, AGGREGATES[word], arguments, final)
        if word not in NAVIGATION:
            raise self.wrong(f"{self._part(tokens)!r} cannot be RUNNING or FINAL")
        self._count(tokens, arguments, 1, 2)
        if word in ("PREV", "NEXT"):
            return self._shifted(word, tokens, arguments, final)
        mask, what = self._row_expression(arguments[0])
        return Navigation(mask, word == "FIRST", self._offset(arguments, 0), 0, what, final)

    def _shifted(self, word: str, tokens: list[Token], arguments: list[list[Token]], final: bool) -> Leaf:
        """PREV and NEXT, of an expression or of FIRST or LAST."""
        shift = self._offset(arguments, 1) * (-1 if word == "PREV" else 1)
        inner = arguments[0]
        if word_at(inner, 0) in ("RUNNING", "FINAL"):
            final = word_at(inner, 0) == "FINAL"
            inner = inner[1:]
        if word_at(inner, 0) in ("FIRST", "LAST") and is_call(inner, 0) and self._closing(inner, 1) == len(inner):
            leaf = self._call(inner, final=final)
            if final and self.own is not None:
                raise self.wrong(f"{self._part(tokens)!r} looks ahead; a definition knows no FINAL")
            if isinstance(leaf, Navigation):
                return Navigation(leaf.mask, leaf.is_first, leaf.offset, shift, leaf.what, final)
        mask, what = self._row_expression(inner)
        return Navigation(mask, False, 0, shift, what, final)

    def _aggregate(self, tokens: list[Token], function: str, arguments: list[list[Token]], final: bool) -> Leaf:
        if arguments and word_at(arguments[0], 0) == "DISTINCT":
            raise self.wrong(f"{self._part(tokens)!r}: DISTINCT is not known over rows of a match")
        if function == "count":
            self._count(tokens, arguments, 0, 1)
            if not arguments or [each.text for each in arguments[0]] == ["*"]:
                return Aggregate(function, EVERY, ROWS, None, final)
            words = [each.text for each in arguments[0]]
            if len(words) == 3 and words[1:] == [".", "*"]:
                return Aggregate(function, self._set([arguments[0][:1]]), ROWS, None, final)
            if len(words) == 1 and words[0].lower() in self.masks and not is_among(self.columns, words[0]):
                return Aggregate(function, self._set(arguments), ROWS, None, final)
        n_arguments = 2 if function in ("max_by", "min_by") else 1
        self._count(tokens, arguments, n_arguments, n_arguments)
        read = [self._row_expression(each) for each in arguments]
        masks = {mask for (mask, _), given in zip(read, arguments, strict=True) if self._names_rows(given)} or {EVERY}
        if len(masks) > 1:
            raise self.wrong(f"{self._part(tokens)!r} mixes variables; an aggregate is over the rows of one")
        return Aggregate(function, masks.pop(), read[0][1], read[1][1] if n_arguments == 2 else None, final)

    def _row_expression(self, tokens: list[Token]) -> tuple[int, str]:
        """An expression over one row: the variables it is of, and its text without them."""
        if not tokens:
            raise self.wrong("an argument is missing")
        word = word_at(tokens, 0)
        if word in ("CLASSIFIER", "MATCH_NUMBER") and is_call(tokens, 0) and self._closing(tokens, 1) == len(tokens):
            given = arguments_of(tokens)
            return (EVERY, MATCH_NUMBER) if word == "MATCH_NUMBER" else (self._set(given), CLASSIFIER)
        masks, pieces, done = set(), [], tokens[0].start
        for at, token in enumerate(tokens):
            known = (*NAVIGATION, *AGGREGATES, "CLASSIFIER", "MATCH_NUMBER")
            if is_call(tokens, at) and (word_at(tokens, at) in known or word_at(tokens, at) in OTHER_AGGREGATES):
                raise self.wrong(f"{self._part(tokens)!r} has {word_at(tokens, at)} inside; write it outside")
            if self._variable(tokens, at) is not None:
                masks.add(self.masks[word_at(tokens, at).lower()])
                pieces.append(self.text[done : token.start])
                done = tokens[at + 2].start
            elif is_column(self.columns, tokens, at):
                masks.add(EVERY)
        if len(masks) > 1:
            raise self.wrong(f"{self._part(tokens)!r} mixes variables; name one for all columns in it")
        pieces.append(self.text[done : tokens[-1].end + 1])
        return (masks or {EVERY}).pop(), "".join(pieces).strip()

    def _names_rows(self, tokens: list[Token]) -> bool:
        """Whether an argument names columns or CLASSIFIER, so that it says which rows are meant."""
        if word_at(tokens, 0) == "CLASSIFIER":
            return True
        return any(
            self._variable(tokens, at) is not None or is_column(self.columns, tokens, at) for at in range(len(tokens))
        )

    def _set(self, arguments: list[list[Token]]) -> int:
        """The mask of a variable or subset that is an argument, or of all."""
        if not arguments:
            return EVERY
        name = name_of(arguments[0][0])
        if len(arguments[0]) != 1 or name.lower() not in self.masks:
            known = ", ".join(self.masks)
            raise self.wrong(f"{self._part(arguments[0])!r} is no variable of the pattern; they are {known}")
        return self.masks[name.lower()]

    def _offset(self, arguments: list[list[Token]], otherwise: int) -> int:
        if len(arguments) < 2:
            return otherwise
        text = self._part(arguments[1])
        if not text.isdigit() or int(text) > 100_000:
            raise self.wrong(f"the offset {text!r} is no whole number from 0 to 100,000")
        return int(text)

    def _count(self, tokens: list[Token], arguments: list[list[Token]], least: int, most: int) -> None:
        if not least <= len(arguments) <= most:
            needs = f"{least}" if least == most else f"{least} or {most}"
            raise self.wrong(f"{self._part(tokens)!r} needs {needs} arguments")

    def _closing(self, tokens: list[Token], opening: int) -> int:
        end = closing(tokens, opening)
        if end is None:
            raise self.wrong(f"{self.text!r} has a bracket that is not closed")
        return end

    def _part(self, tokens: list[Token]) -> str:
        return self.text[tokens[0].start : tokens[-1].end + 1] if tokens else ""
