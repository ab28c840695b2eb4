"""The text of a query: `SELECT SUM(x) | COUNT(*) | AVG(x) [FROM t] [WHERE …] [GROUP BY y]`.

Conditions are joined by AND; there is no OR. A condition is one of `a = v` (also != <> < <= > >=),
`a IN (v, …)`, `a BETWEEN v AND w` and `a IS [NOT] MISSING` (or NULL). Values are numbers or 'texts'
('' is one quotation mark inside), names are words, "quoted" or `quoted`; keywords in any case; one
semicolon may end it. COUNT(DISTINCT Id_num) counts people. The name after FROM is ignored: the
folder is the table.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, NoReturn

from shoal.errors import Problem, ShoalError

LONGEST = 100_000
FUNCTIONS = ("SUM", "COUNT", "AVG")
OPERATORS = ("=", "!=", "<>", "<", "<=", ">", ">=")
Function = Literal["SUM", "COUNT", "AVG"]
PERSON = "Id_num"

_RESERVED = {"SELECT", "FROM", "WHERE", "AND", "OR", "NOT", "IN", "BETWEEN", "IS", "GROUP", "BY"}
_TOKEN = re.compile(
    r"""(?P<blank>\s+)
    |(?P<number>[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![\w.]))
    |(?P<text>'(?:[^']|'')*')
    |(?P<quoted>"(?:[^"]|"")*"|`(?:[^`]|``)*`)
    |(?P<word>[^\W\d][\w.]*)
    |(?P<sign><=|>=|<>|!=|[=<>(),*;])""",
    re.VERBOSE,
)
_NAMES = "Put a name with characters other than letters, digits, _ and . in double quotes."
# What follows FUNCTION( where a name needs quotes; it ends where a query could go on.
_UNQUOTED = re.compile(r"(?P<name>[^\s()'\"`,;*]+(?: +(?!\))[^\s()'\"`,;*]+)*) *\)")
_SELECTED = re.compile(r"\s*SELECT\s+(?P<function>SUM|AVG)\s*\(\s*", re.IGNORECASE)
_LONGEST_NAME = 60
_HINTS = {
    "OR": "Conditions are joined by AND; list several values of one attribute with IN (…).",
    "NOT": "Write != for another value, and IS NOT MISSING for any value.",
    "LIKE": "Values are compared whole: write =, != or IN (…).",
    "FROM": "FROM comes before WHERE, and may be left out: the folder is the table.",
    "GROUP": "GROUP BY comes last, with one attribute.",
    "ORDER": "Groups are in the order of their values.",
    "LIMIT": "Every group is in the answer.",
    "HAVING": "Groups cannot be left out of an answer.",
}


class QueryError(ShoalError):
    """A query that cannot be understood, or that names what the release does not have."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value that an attribute is compared with; `number` is None for a text in quotes."""

    text: str
    number: float | None
    position: int


@dataclass(frozen=True, slots=True)
class QueryCondition:
    """One condition: an operator of OPERATORS, or in, between, missing, present."""

    attribute: str
    operator: str
    values: tuple[Value, ...]
    position: int


@dataclass(frozen=True, slots=True)
class Query:
    """A query as parsed; `attribute` is None for COUNT(*). Positions count characters from 1.

    `group` is the attribute whose values are answered one by one; with `people` these are counted
    instead of their rows.
    """

    function: Function
    attribute: str | None
    conditions: tuple[QueryCondition, ...]
    position: int = 1
    group: str | None = None
    group_position: int = 1
    people: bool = False


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    position: int

    @property
    def keyword(self) -> str:
        return self.text.upper() if self.kind == "word" else ""


def parse(text: str) -> Query:
    """Parse a query; raises QueryError with the place and what is expected there.

    >>> query = parse("select sum(salary) where age >= 30 and sex in ('F', 'X');")
    >>> query.function, query.attribute, [c.operator for c in query.conditions]
    ('SUM', 'salary', ['>=', 'in'])
    """
    if not isinstance(text, str):
        raise QueryError(f"A query must be a text, got {type(text).__name__} instead.")
    if len(text) > LONGEST:
        raise QueryError(
            f"A query must have at most {LONGEST:,} characters, got {len(text):,} instead."
        )
    _check_name(text)
    return _Parser(_tokens(text)).query()


def _check_name(text: str) -> None:
    """Raise where the name to sum is no word and has no quotes: read as signs, it says nothing."""
    begun = _SELECTED.match(text)
    found = None if begun is None else _UNQUOTED.match(text, begun.end())
    if begun is None or found is None or re.fullmatch(r"[^\W\d][\w.]*", name := found["name"]):
        return
    if len(name) > _LONGEST_NAME or not name.isprintable() or _is_number(name):
        return
    function = begun["function"].upper()
    text = f'The name {name} must be in double quotes: {function}("{name}").'
    hint = 'In a shell, write \\" for each of them if the query itself is in double quotes.'
    raise QueryError(Problem(text, place(found.start() + 1), hint))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def place(position: int) -> str:
    """Where a problem is, in words."""
    return f"character {position} of the query"


def _tokens(text: str) -> list[_Token]:
    tokens, position = [], 0
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None:
            raise _stray(text[position], position + 1)
        kind = str(found.lastgroup)
        if kind != "blank":
            tokens.append(_Token(kind, found[0], position + 1))
        position = found.end()
    return [*tokens, _Token("end", "", len(text) + 1)]


def _stray(sign: str, position: int) -> QueryError:
    if sign in "'\"`":
        what = "A text" if sign == "'" else "A name"
        return QueryError(Problem(f"{what} begins here, but its quotation mark is never closed.",
                                  place(position)))  # fmt: skip
    if sign in "+-." or sign.isdigit():
        return QueryError(Problem("This is not a number that can be read.", place(position),
                                  f"Write 12, -0.5 or 1e6. {_NAMES}"))  # fmt: skip
    return QueryError(Problem("This character has no meaning here.", place(position), _NAMES))


class _Parser:
    """Reads tokens one after the other; every method takes what it names."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._place = 0

    @property
    def _next(self) -> _Token:
        return self._tokens[self._place]

    def _take(self) -> _Token:
        token = self._next
        self._place += token.kind != "end"
        return token

    def _fail(self, expected: str, hint: str = "") -> NoReturn:
        token = self._next
        found = "the query ends" if token.kind == "end" else f"there is {_described(token)}"
        hint = _HINTS.get(token.keyword, hint)
        text = f"Expected {expected}, but {found}."
        raise QueryError(Problem(text, place(token.position), hint))

    def _keyword(self, *words: str) -> bool:
        """Whether one of these words is next; it is taken."""
        if self._next.keyword in words:
            self._place += 1
            return True
        return False

    def _sign(self, sign: str) -> bool:
        if self._next.kind == "sign" and self._next.text == sign:
            self._place += 1
            return True
        return False

    def _demand(self, sign: str, where: str) -> None:
        if not self._sign(sign):
            self._fail(f"'{sign}' {where}")

    def query(self) -> Query:
        if not self._keyword("SELECT"):
            self._fail("SELECT", "A query reads: SELECT SUM(salary) WHERE age >= 30")
        position = self._next.position
        function, attribute, people = self._selected()
        if self._keyword("FROM"):
            self._name("the name of a table after FROM")
        conditions = []
        if self._keyword("WHERE"):
            conditions.append(self._condition())
            while self._keyword("AND"):
                conditions.append(self._condition())
        group, group_position = None, 1
        if grouped := self._keyword("GROUP"):
            if not self._keyword("BY"):
                self._fail("BY after GROUP")
            group_position = self._next.position
            group = self._name("the name of an attribute after GROUP BY")
        self._sign(";")
        if self._next.kind != "end":
            more = "" if grouped else "AND, " if conditions else "WHERE, "
            self._fail(f"{more}GROUP BY or the end of the query" if more else "the end of it")
        return Query(
            function, attribute, tuple(conditions), position, group, group_position, people
        )

    def _selected(self) -> tuple[Function, str | None, bool]:
        function = next((f for f in FUNCTIONS if self._keyword(f)), None)
        if function is None:
            self._fail("SUM(…), COUNT(*) or AVG(…)")
        self._demand("(", f"after {function}")
        attribute, people = None, False
        if function == "COUNT":
            people = self._keyword("DISTINCT")
            if people:
                if self._next.text.strip('"`') != PERSON:
                    self._fail(f"{PERSON} after DISTINCT", "People are counted by their number.")
                self._take()
            elif not self._sign("*"):
                hint = "Rows are counted; those with a value by WHERE … IS NOT MISSING."
                self._fail("'*' in COUNT(*)", hint)
        else:
            attribute = self._name(f"the name of an attribute in {function}(…)")
        self._demand(")", f"to close {function}(…)")
        return function, attribute, people  # type: ignore[return-value]

    def _name(self, what: str) -> str:
        token = self._next
        if token.kind == "quoted" and len(token.text) > 2:
            quote = token.text[0]
            return self._take().text[1:-1].replace(quote * 2, quote)
        if token.kind != "word" or token.keyword in _RESERVED:
            hint = _NAMES if token.kind in ("sign", "number") else ""
            if token.keyword in _RESERVED:
                hint = "If that is the name of an attribute, put it in double quotes."
            self._fail(what, hint)
        return self._take().text

    def _condition(self) -> QueryCondition:
        position = self._next.position
        name = self._name("the name of an attribute")
        if self._next.kind == "sign" and self._next.text in OPERATORS:
            operator = self._take().text
            value = self._value(f"a value after {operator}")
            return QueryCondition(name, "!=" if operator == "<>" else operator, (value,), position)
        if self._keyword("IN"):
            return QueryCondition(name, "in", self._list(), position)
        if self._keyword("BETWEEN"):
            low = self._value("the lower end after BETWEEN")
            if not self._keyword("AND"):
                self._fail("AND between the ends of BETWEEN")
            return QueryCondition(name, "between", (low, self._value("the upper end")), position)
        if self._keyword("IS"):
            operator = "present" if self._keyword("NOT") else "missing"
            if not self._keyword("MISSING", "NULL"):
                self._fail("MISSING")
            return QueryCondition(name, operator, (), position)
        self._fail("one of = != < <= > >=, IN, BETWEEN or IS [NOT] MISSING", _NAMES)

    def _list(self) -> tuple[Value, ...]:
        self._demand("(", "after IN")
        values = [self._value("a value in IN (…)")]
        while self._sign(","):
            values.append(self._value("a value after the comma"))
        self._demand(")", "or ',' in IN (…)")
        return tuple(values)

    def _value(self, what: str) -> Value:
        token = self._next
        if token.kind == "number":
            self._take()
            return Value(token.text, float(token.text), token.position)
        if token.kind == "text":
            self._take()
            return Value(token.text[1:-1].replace("''", "'"), None, token.position)
        word = token.kind in ("word", "quoted")
        self._fail(f"{what}: a number or a 'text'", "Put a text in 'single' quotes." * word)


def _described(token: _Token) -> str:
    """What was found; of values only their kind, for they may be somebody's."""
    if token.keyword in _HINTS or token.keyword in _RESERVED:
        return token.keyword
    kinds = {"number": "a number", "text": "a text", "quoted": "a name", "word": "another word"}
    return kinds.get(token.kind, f"'{token.text}'")
