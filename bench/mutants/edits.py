"""Finds the faults: all edits of a Python file that change one expression or statement.

The kinds are the usual ones of mutation testing: a comparison includes or excludes its boundary, or is reversed; an
arithmetic or logical operator is replaced; a number is increased by one; a truth value or a condition is negated;
`break` and `continue` are swapped; a keyword argument of a function call is removed; a statement that only calls a
function is removed. Keyword arguments of constructors are not changed: without them there is mostly no object, so every
test would fail.

Code that no test can or should check is not edited: annotations, `if TYPE_CHECKING`, `__all__`, `__main__`, decorators,
docstrings and other text (people check the words of errors and reports), `zip(strict=...)`, and the numbers and keyword
arguments in files that only define the style of figures.
"""

from __future__ import annotations

import ast
import itertools
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

LOOKS = ("drawing/paper.py", "drawing/screen.py", "drawing/style.py")
"""Files with the style of figures: their numbers and keyword arguments are not changed."""

_COMPARISONS = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
}  # fmt: skip
_ARITHMETIC = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "*", ast.Mod: "*", ast.Pow: "*",
    ast.BitAnd: "|", ast.BitOr: "&", ast.LShift: ">>", ast.RShift: "<<",
}  # fmt: skip
_LOGIC = {ast.And: "or", ast.Or: "and"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Mutant:
    """One edit of one file; `start` and `end` are byte offsets, `lines` are the lines of the edited statement."""

    file: str
    kind: str
    start: int
    end: int
    text: str
    before: str
    lines: tuple[int, int]
    line: int
    on_import: bool
    """Whether the edited code runs at import, not in a function call."""

    @property
    def name(self) -> str:
        """The position and the edit, in one line."""
        before, after = (" ".join(text.split()) for text in (self.before, self.text))
        return f"{self.file}:{self.line}: {self.kind} at byte {self.start}: {before!r} -> {after!r}"

    def apply(self, source: bytes) -> bytes:
        """Return the file's bytes with the fault inserted."""
        return source[: self.start] + self.text.encode() + source[self.end :]


class _Finder:
    """Finds the edits of one file."""

    def __init__(self, file: str, source: bytes) -> None:
        self.file = file
        self.source = source
        self.looks = file.endswith(LOOKS)
        self.offsets = [0]
        for line in source.splitlines(keepends=True):
            self.offsets.append(self.offsets[-1] + len(line))
        self.found: list[Mutant] = []
        self.lines = (1, 1)
        self.on_import = True

    def start(self, node: ast.expr | ast.stmt | ast.keyword) -> int:
        return self.offsets[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr | ast.stmt | ast.keyword) -> int:
        assert node.end_lineno is not None  # noqa: S101  # these come from source
        assert node.end_col_offset is not None  # noqa: S101
        return self.offsets[node.end_lineno - 1] + node.end_col_offset

    def add(self, kind: str, start: int, end: int, text: str) -> None:
        line = self.source.count(b"\n", 0, start) + 1
        self.found.append(
            Mutant(
                file=self.file, kind=kind, start=start, end=end, text=text, before=self.source[start:end].decode(),
                lines=self.lines, line=line, on_import=self.on_import,
            )
        )  # fmt: skip

    def between(self, kind: str, left: ast.expr, right: ast.expr, text: str) -> None:
        """Replace the operator between two operands; brackets and line breaks around it do not change."""
        start, end = self.end(left), self.start(right)
        gap = self.source[start:end].decode()
        operator = "".join(letter for letter in gap if letter not in "()\\\n").strip()
        if "#" not in gap and gap.count(operator) == 1:
            at = start + gap.encode().index(operator.encode())
            self.add(kind, at, at + len(operator.encode()), text)

    def statements(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        bodies = [getattr(node, name, []) for name in ("body", "orelse", "finalbody")]
        first = next((body[0].lineno for body in bodies if body), None)
        last = node.end_lineno if first is None else max(node.lineno, first - 1)
        outer = self.lines, self.on_import
        self.lines = (node.lineno, last or node.lineno)
        match node:
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                self.statements(node.orelse)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                for default in [*node.args.defaults, *(each for each in node.args.kw_defaults if each)]:
                    self.expression(default)
                self.on_import = False
                self.statements(node.body)
            case ast.ClassDef():
                self.statements(node.body)
            case ast.Expr(value=ast.Call()):
                self.add("call left out", self.start(node), self.end(node), "pass")
                self.expression(node.value)
            case ast.Break() | ast.Continue():
                text = "continue" if isinstance(node, ast.Break) else "break"
                self.add("break and continue", self.start(node), self.end(node), text)
            case _ if not _is_left_alone(node):
                self.children(node)
            case _:
                pass
        self.lines, self.on_import = outer

    def children(self, node: ast.AST) -> None:
        """Visit the children of a node, except annotations."""
        if isinstance(node, ast.AugAssign) and type(node.op) in _ARITHMETIC:
            self.between("arithmetic", node.target, node.value, _ARITHMETIC[type(node.op)] + "=")
        if isinstance(node, (ast.If, ast.While, ast.IfExp)):
            self.condition(node.test)
        for name, value in ast.iter_fields(node):
            for child in value if isinstance(value, list) else [value]:
                if name in {"annotation", "returns", "decorator_list", "type_comment"}:
                    continue
                if isinstance(child, ast.stmt):
                    self.statement(child)
                elif isinstance(child, ast.expr):
                    self.expression(child)
                elif isinstance(child, ast.AST):
                    self.children(child)

    def condition(self, test: ast.expr) -> None:
        """Negate a condition for which there is no other edit."""
        if isinstance(test, (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.NamedExpr)):
            text = self.source[self.start(test) : self.end(test)].decode()
            self.add("condition", self.start(test), self.end(test), f"(not ({text}))")

    def expression(self, node: ast.expr) -> None:
        match node:
            case ast.JoinedStr():
                return
            case ast.Constant():
                self.constant(node)
            case ast.Call():
                self.keywords(node)
            case _:
                self.operators(node)
        if isinstance(node, ast.Lambda):
            outer, self.on_import = self.on_import, False
            self.children(node)
            self.on_import = outer
        else:
            self.children(node)

    def operators(self, node: ast.expr) -> None:
        match node:
            case ast.Compare():
                operands = [node.left, *node.comparators]
                for left, operator, right in zip(operands, node.ops, operands[1:], strict=False):
                    self.between("comparison", left, right, _COMPARISONS[type(operator)])
            case ast.BinOp() if type(node.op) in _ARITHMETIC and not _is_text(node.left) and not _is_text(node.right):
                self.between("arithmetic", node.left, node.right, _ARITHMETIC[type(node.op)])
            case ast.BoolOp():
                for left, right in itertools.pairwise(node.values):
                    self.between("logic", left, right, _LOGIC[type(node.op)])
            case ast.UnaryOp(op=ast.Not() | ast.USub()):
                self.add("sign or not", self.start(node), self.start(node.operand), "")
            case _:
                pass

    def constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self.add("truth value", self.start(node), self.end(node), str(not node.value))
        elif isinstance(node.value, (int, float)) and not self.looks:
            self.add("number", self.start(node), self.end(node), repr(node.value + 1))

    def keywords(self, node: ast.Call) -> None:
        """Remove a keyword argument, unless it is text or the style of a figure."""
        if self.looks or (isinstance(node.func, ast.Name) and node.func.id == "zip"):
            node.keywords = [each for each in node.keywords if each.arg != "strict"]
            return
        if _name(node.func)[:1].isupper():
            return
        for keyword in node.keywords:
            if keyword.arg and not _is_text(keyword.value):
                start, end = self.start(keyword), self.end(keyword)
                rest = self.source[end:]
                blank = len(rest) - len(rest.lstrip())
                comma = blank + 1 if rest[blank : blank + 1] == b"," else 0
                if not comma and self.source[:start].rstrip().endswith(b","):
                    start = self.source.rindex(b",", 0, start)
                self.add("keyword left out", start, end + comma, "")


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _is_left_alone(node: ast.stmt) -> bool:
    """Whether a statement has no behaviour to test: documentation, type checking, or code for import and execution."""
    match node:
        case ast.Import() | ast.ImportFrom() | ast.Raise() | ast.Expr(value=ast.Constant()):
            return True
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))) | ast.Assign(targets=[ast.Name(id="__all__")]):
            return True
        case _:
            return False


def _name(function: ast.expr) -> str:
    match function:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def mutants_of(root: Path, package: str) -> list[Mutant]:
    """List every edit of a package's files, in the order of their places."""
    found = []
    for path in sorted((root / package).rglob("*.py")):
        source = path.read_bytes()
        finder = _Finder(str(path.relative_to(root)), source)
        finder.statements(ast.parse(source).body)
        found.extend(finder.found)
    return found


def _viable(root: Path, mutant: Mutant) -> bool:
    """Whether a mutant is valid Python and differs from the original program."""
    source = (root / mutant.file).read_bytes()
    try:
        mutated = ast.parse(mutant.apply(source))
    except (SyntaxError, ValueError):
        return False
    return ast.dump(mutated) != ast.dump(ast.parse(source))


def sample(
    root: Path, package: str, *, count: int, seed: int, lines: Mapping[str, set[int]] | None = None
) -> Iterator[Mutant]:
    """Draw random mutants; a smaller sample with the same seed is a prefix of a larger one.

    With `lines`, only statements with one of these lines are mutated.
    """
    order = [mutant for mutant in mutants_of(root, package) if lines is None or _is_in(mutant, lines)]
    random.Random(seed).shuffle(order)  # noqa: S311  # not used for cryptography
    return itertools.islice((mutant for mutant in order if _viable(root, mutant)), count)


def _is_in(mutant: Mutant, lines: Mapping[str, set[int]]) -> bool:
    first, last = mutant.lines
    return not lines.get(mutant.file, set()).isdisjoint(range(first, last + 1))
