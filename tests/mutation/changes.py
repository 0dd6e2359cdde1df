"""The changes of a module that its tests ought to notice, one at a time."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
OPERATORS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


class Change(NamedTuple):
    """One change: its line, that line's text, what it is, and how it is made to which node of the module's tree."""

    line: int
    text: str
    what: str
    node: int = 0
    alter: Callable[[ast.AST], object] = bool

    def made(self, source: str) -> ast.Module:
        """Return the tree of the module with the change."""
        tree = ast.parse(source)
        self.alter(list(ast.walk(tree))[self.node])
        return ast.fix_missing_locations(tree)


def changes_of(source: str) -> list[Change]:
    """Return every change of a module's code, in the order of its lines.

    Docstrings, annotations, decorators, imports and what is raised stay as they are, and so does `strict=True`, which
    guards against a mistake in another module.
    """
    tree = ast.parse(source)
    texts = source.splitlines()
    left_alone = {id(inner) for part in _left_alone(tree) for inner in ast.walk(part)}
    found = []
    for position, node in enumerate(ast.walk(tree)):
        if id(node) in left_alone:
            continue
        for what, alter in _alterations(node):
            found.append(Change(node.lineno, texts[node.lineno - 1].strip(), what, position, alter))
    return sorted(found, key=lambda each: each.line)


def _left_alone(tree: ast.Module) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.Raise, ast.Import, ast.ImportFrom)):
            yield node
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value
        elif isinstance(node, ast.AnnAssign):
            yield node.annotation
        elif isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            yield node
        elif isinstance(node, ast.arguments):
            arguments = (*node.posonlyargs, *node.args, *node.kwonlyargs)
            yield from (each.annotation for each in arguments if each.annotation)
        elif isinstance(node, ast.FunctionDef):
            yield from node.decorator_list
            if node.returns:
                yield node.returns
        elif isinstance(node, ast.ClassDef):
            yield from node.decorator_list
        elif isinstance(node, ast.keyword) and node.arg == "strict":
            yield node


def _alterations(node: ast.AST) -> Iterator[tuple[str, Callable[[ast.AST], object]]]:
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
        other = COMPARISONS[type(node.ops[0])]
        yield f"{type(node.ops[0]).__name__} -> {other.__name__}", lambda at: at.ops.__setitem__(0, other())
    if isinstance(node, (ast.BinOp, ast.BoolOp, ast.AugAssign)) and type(node.op) in OPERATORS:
        other = OPERATORS[type(node.op)]
        yield f"{type(node.op).__name__} -> {other.__name__}", lambda at: setattr(at, "op", other())
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "no Not", lambda at: setattr(at, "operand", ast.UnaryOp(ast.Not(), at.operand))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Invert)):
        yield f"no {type(node.op).__name__}", lambda at: setattr(at, "op", ast.UAdd())
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield f"{node.value} -> {not node.value}", lambda at: setattr(at, "value", not at.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        yield f"{node.value} -> {node.value + 1}", lambda at: setattr(at, "value", at.value + 1)
    if isinstance(node, ast.IfExp):
        yield "the other branch", _swap
    if isinstance(node, (ast.If, ast.While)):
        yield "condition negated", lambda at: setattr(at, "test", ast.UnaryOp(ast.Not(), at.test))
    if isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
        yield "returns None", lambda at: setattr(at, "value", ast.Constant(None))


def _swap(at: ast.IfExp) -> None:
    at.body, at.orelse = at.orelse, at.body
