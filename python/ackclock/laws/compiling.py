"""Compiled laws: the class of a law as machine code, made by numba from the same text.

The methods become functions over the engine's own records, without the interpreter. The attributes of ``self`` become a
record too: its fields are the parameters and whatever ``setup`` makes, which must be numbers or arrays of numbers.
"""

import ast
import ctypes
import functools
import inspect
import linecache
import threading
import types
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar, overload

from ackclock.engine import core
from ackclock.laws.algorithm import calls_of, declared, fresh
from ackclock.laws.law import CALLS, Law
from ackclock.laws.source import is_own, node_of
from ackclock.values.errors import ScenarioError, one_of, refuse

__all__ = ["compiled", "is_compiled", "machine_code", "plain"]

_L = TypeVar("_L", bound=Law)

_plain: "weakref.WeakKeyDictionary[type[Law], type[Law]]" = weakref.WeakKeyDictionary()
"""The law of each compiled class."""
_compiling = threading.Lock()

_TYPES: Final = {"f64": "f8", "i64": "i8", "bool": "?"}
_ARGUMENTS: Final = {
    "on_ack": ("Window", "Ack"),
    "on_congestion": ("Window", "Congestion"),
    "observe": ("Ack",),
    "on_rate": ("Window", "Rate"),
    "on_lost": ("Window", "Lost", "Rate"),
    "on_idle": ("Idle",),
    "on_undo": ("Window",),
}
"""The records that each call gets after ``self``."""
_FIELDS: Final = {name: [field for field, _, _ in fields] for name, _, fields in core.LAW_RECORDS}
_RANDOM: Final = ("random", "uniform")
"""The methods of ``self.rng`` that can be compiled."""


@overload
def compiled(law: type[_L]) -> type[_L]: ...
@overload
def compiled(law: _L) -> _L: ...
def compiled(law: Any) -> Any:
    """Compile a law to machine code, with numba (``pip install 'ackclock[fast]'``).

    A run with the compiled law has no interpreter in its loop. It gives the same bytes as the interpreted law, unless
    functions such as ``math.exp`` differ in the last digit.

    Parameters
    ----------
    law
        A class derived from `Law`, or an object of it.

    Returns
    -------
    type or Law
        The compiled class, or an object of it with the same parameters, for ``ac.Tcp``.

    Raises
    ------
    ScenarioError
        numba is not installed, or the law contains something that numba cannot compile; the error names it.
    """
    if isinstance(law, Law):
        return compiled(type(law))(**law.parameters)
    if not (isinstance(law, type) and issubclass(law, Law)) or law is Law:
        raise refuse("law", law, "must be a class derived from ackclock.Law, or an object of it")
    if is_compiled(law):
        return law
    for same, of in _plain.items():
        if of is law:
            return same
    defaults = {name: parameter.default for name, parameter in declared(law).items()}
    _code(law, _words(defaults))
    names = {"__module__": law.__module__, "__qualname__": law.__qualname__}
    made = types.new_class(law.__name__, (law,), exec_body=lambda body: body.update(names))
    _plain[made] = law
    return made


def is_compiled(law: type[Law]) -> bool:
    """Return whether a class was made by `compiled`."""
    return law in _plain


def plain(law: type[Law]) -> type[Law]:
    """Return the law of a compiled class, and any other class as it is."""
    return _plain.get(law, law)


def machine_code(law: type[Law], parameters: Mapping[str, Any]) -> "core.CompiledLaw":
    """Return a law with its parameters in the engine's form."""
    code = _code(law, _words(parameters))
    return core.CompiledLaw(code.addresses, code.state(law, parameters), code)


def _words(parameters: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return the parameters that are words; they become constants of the code."""
    return tuple((name, value) for name, value in parameters.items() if isinstance(value, str))


@functools.cache
def _code(law: type[Law], words: tuple[tuple[str, str], ...]) -> "_Code":
    try:
        import numba  # noqa: F401, PLC0415  # an extra
    except ImportError:
        allowed = "must be absent: numba is not installed (pip install 'ackclock[fast]')"
        raise refuse("compiled", law.__name__, allowed) from None
    with _compiling:
        return _Code(law, dict(words))


class _NoRandomError(Exception):
    """`setup` uses random numbers, which the pattern of a compiled law does not have."""


class _NoRandom:
    def __getattr__(self, name: str) -> Any:
        raise _NoRandomError


class _Code:
    """The machine code of a law.

    Parameters
    ----------
    law
        The class.
    words
        The values of the parameters that are words.
    """

    def __init__(self, law: type[Law], words: Mapping[str, str]) -> None:
        import numpy as np  # noqa: PLC0415
        from numba import from_dtype  # noqa: PLC0415

        defaults = {name: parameter.default for name, parameter in declared(law).items()}
        self._own = self._fields(law, {**defaults, **words})
        self._dtype = np.dtype([("rng", "u8"), *self._own], align=True)
        records = {
            name: from_dtype(np.dtype({
                "names": [field for field, _, _ in fields],
                "formats": [_TYPES[kind] for _, kind, _ in fields],
                "offsets": [offset for _, _, offset in fields],
                "itemsize": size,
            }))
            for name, size, fields in core.LAW_RECORDS
        }  # fmt: skip
        self._functions: list[Any] = []
        translation = _Translation(law, words, {name: form for name, form, *_ in self._own})
        addresses: list[int | None] = []
        for name in CALLS:
            if name not in calls_of(law):
                addresses.append(None)
                continue
            arguments = [from_dtype(self._dtype), *(records[record] for record in _ARGUMENTS[name])]
            entry = _entry(law, name, translation.method(name), arguments)
            self._functions.append(entry)
            addresses.append(entry.address)
        self.addresses = tuple(addresses)

    @staticmethod
    def _fields(law: type[Law], parameters: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Return the name and the form of each attribute of a connection's law."""
        import numpy as np  # noqa: PLC0415

        one = _first(law, parameters)
        forms: list[tuple[Any, ...]] = []
        for name, value in vars(one).items():
            match value:
                case _NoRandom() | str():
                    continue
                case bool():
                    forms.append((name, "?"))
                case int():
                    forms.append((name, "i8"))
                case float():
                    forms.append((name, "f8"))
                case np.ndarray() if value.ndim == 1 and value.dtype in {np.dtype("f8"), np.dtype("i8")}:
                    forms.append((name, value.dtype.str, value.shape))
                case _:
                    allowed = "must be a float, an int, a bool or a NumPy array of floats or ints, to be compiled"
                    raise refuse(f"law {law.__name__}: self.{name}", type(value).__name__, allowed)
        return forms

    def state(self, law: type[Law], parameters: Mapping[str, Any]) -> bytes:
        """Return the initial state of a connection's law."""
        import numpy as np  # noqa: PLC0415

        one = _first(law, parameters)
        record = np.zeros(1, self._dtype)
        for name, *_ in self._own:
            record[name][0] = getattr(one, name)
        content = record.tobytes()
        return content + bytes(-len(content) % 8)


def _first(law: type[Law], parameters: Mapping[str, Any]) -> Law:
    """Make a connection's law, as a pattern for its state."""
    try:
        return fresh(law, parameters, _NoRandom())
    except _NoRandomError:
        raise refuse(f"law {law.__name__}", "setup()", "must not use self.rng, to be compiled") from None


def _entry(law: type[Law], name: str, method: Any, arguments: Sequence[Any]) -> Any:
    """Compile the function that the engine calls."""
    from numba import carray, cfunc  # noqa: PLC0415
    from numba import types as forms  # noqa: PLC0415

    signature = forms.int32(*(forms.CPointer(argument) for argument in arguments))

    def one(law: Any, a: Any) -> int:
        try:
            method(carray(law, 1)[0], carray(a, 1)[0])
        except Exception:  # noqa: BLE001
            return 1
        return 0

    def two(law: Any, a: Any, b: Any) -> int:
        try:
            method(carray(law, 1)[0], carray(a, 1)[0], carray(b, 1)[0])
        except Exception:  # noqa: BLE001
            return 1
        return 0

    def three(law: Any, a: Any, b: Any, c: Any) -> int:
        try:
            method(carray(law, 1)[0], carray(a, 1)[0], carray(b, 1)[0], carray(c, 1)[0])
        except Exception:  # noqa: BLE001
            return 1
        return 0

    try:
        return cfunc(signature)((one, two, three)[len(arguments) - 2])
    except Exception as error:  # noqa: BLE001  # numba raises exceptions of many classes
        raise _cannot(law, name, error) from None


def _cannot(law: type[Law], name: str, error: Exception) -> ScenarioError:
    """Convert an error of numba: what cannot be compiled, and where."""
    words, raised, at = str(error).partition(". Raised from ")
    lines = [line.strip() for line in words.splitlines()]
    file = Path(inspect.getfile(getattr(law, name)) if hasattr(law, name) else "").name
    places = [line.partition('"')[2].partition('"') for line in lines if line.startswith('File "')]
    own = [rest.strip(" ,:").removeprefix("line ") for place, _, rest in places if Path(place).name == file]
    own += [at.rpartition("(")[2].rstrip(")")] if raised else []
    where = f" ({file}, line {own[-1].split()[0].rstrip(':')})" if own else f" ({file})"
    skipped = (
        "Failed in",
        "During:",
        "File ",
        "- Resolution",
        "raised from",
        "There are",
        "Overload",
        "<source",
        "def ",
        "@",
    )
    telling = [line for line in lines if line and not line.startswith(skipped) and "definition" not in line]
    ours = sorted((line.partition(_TELLS)[2] for line in telling if _TELLS in line), key=len)
    why = ours[-1] if ours else next(iter(telling), type(error).__name__)
    return refuse(f"law {law.__name__}", f"{name}{where}", f"must be code that numba compiles: {why}")


_TELLS: Final = "ackclock: "
"""Marks our own messages among those of numba."""


class _Translation:
    """Translates the methods of a law into functions that numba compiles.

    ``self.method(...)`` becomes a call of the method's function, ``self.rng.random()`` a step of the law's generator,
    and a constant of the class its value. Everything else stays as it is, with its line numbers.
    """

    def __init__(self, law: type[Law], words: Mapping[str, str], forms: Mapping[str, str]) -> None:
        self._law = law
        self._words = words
        self._forms = forms
        self._made: dict[Any, Any] = {}

    def method(self, name: str) -> Any:
        """Return a method as a compiled function."""
        return self._function(inspect.getattr_static(self._law, name), is_method=True)

    def _function(self, function: Any, *, is_method: bool) -> Any:
        from numba import njit  # noqa: PLC0415

        if function not in self._made:
            if not isinstance(function, types.FunctionType):
                where = getattr(function, "__name__", type(function).__name__)
                raise refuse(f"law {self._law.__name__}", where, "must be a plain function or method, to be compiled")
            self._made[function] = None  # a recursion finds nothing, which numba reports
            self._made[function] = njit(self._rebuilt(function, is_method=is_method))
        return self._made[function]

    def _rebuilt(self, function: types.FunctionType, *, is_method: bool) -> Callable[..., Any]:
        """Compile the text of a function again, after the translation."""
        code = function.__code__
        found = node_of(linecache.getlines(code.co_filename), function.__qualname__, code.co_firstlineno)
        if not isinstance(found, ast.FunctionDef):
            raise refuse(f"law {self._law.__name__}", function.__qualname__, "must have a text, to be compiled")
        around = dict(function.__globals__) | {
            name: cell.cell_contents
            for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True)
            if name != "__class__"
        }
        found.decorator_list, found.returns = [], None
        for argument in ast.walk(found.args):
            if isinstance(argument, ast.arg):
                argument.annotation = None
        if is_method:
            names = [argument.arg for argument in found.args.args]
            records = dict(zip(names[1:], _ARGUMENTS.get(function.__name__, ()), strict=False))
            found = _Methods(self, names[0], around, records).visit(found)
        ast.fix_missing_locations(found)
        for name in {node.id for node in ast.walk(found) if isinstance(node, ast.Name)}:
            value = around.get(name)
            if isinstance(value, types.FunctionType) and is_own(value):
                around[name] = self._function(value, is_method=False)
        around["_ackclock_random"] = _random()
        module = ast.Module(body=[found], type_ignores=[])
        exec(compile(module, code.co_filename, "exec"), around)  # noqa: S102  # the law's own text
        made: Callable[..., Any] = around[found.name]
        return made

    def attribute(self, name: str) -> Any:
        """Return what an attribute of ``self`` stands for: a constant or a function; None for a field of the record."""
        if name in self._words:
            return ast.Constant(self._words[name])
        if name in self._forms:
            return None
        value: Any = inspect.getattr_static(self._law, name, None)
        if isinstance(value, int | float | str):
            return ast.Constant(value)
        return value

    def form(self, name: str) -> str | None:
        """Return the form of a field of ``self``."""
        return self._forms.get(name)

    def refuse(self, node: ast.AST, what: str, allowed: str) -> ScenarioError:
        """Make the error for something that cannot be compiled."""
        line = getattr(node, "lineno", 0)
        return refuse(f"law {self._law.__name__}", f"{what} (line {line})", f"{allowed}, to be compiled")


class _Methods(ast.NodeTransformer):
    """Translates a method."""

    def __init__(self, translation: _Translation, me: str, around: dict[str, Any], records: Mapping[str, str]) -> None:
        self._translation = translation
        self._me = me
        self._around = around
        self._records = records

    def _is_own(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == self._me

    def visit_Call(self, node: ast.Call) -> ast.AST:  # named by `ast`
        function = node.func
        if isinstance(function, ast.Name) and function.id == "super":
            raise self._translation.refuse(node, "super()", "must be absent: repeat the method of the base class")
        if isinstance(function, ast.Attribute):
            me = _name(self._me)
            if self._is_own(function.value) and _field(function.value) == "rng":
                if function.attr not in _RANDOM:
                    raise self._translation.refuse(node, f"self.rng.{function.attr}", "must be random or uniform")
                node.func = ast.copy_location(_name("_ackclock_random"), function)
                node.args = [me, *(node.args or [ast.Constant(0.0), ast.Constant(1.0)])]
                return self._within(node)
            if self._is_own(function):
                value = self._translation.attribute(function.attr)
                if isinstance(value, types.FunctionType):
                    name = f"_ackclock_{function.attr}"
                    self._around[name] = self._translation.method(function.attr)
                    node.func = ast.copy_location(_name(name), function)
                    node.args = [me, *node.args]
                    return self._within(node)
        return self.generic_visit(node)

    def _within(self, call: ast.Call) -> ast.Call:
        call.args = [self.visit(argument) for argument in call.args]
        return call

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        record = self._records.get(node.value.id) if isinstance(node.value, ast.Name) else None
        if record is not None and node.attr not in _FIELDS[record]:
            raise self._translation.refuse(node, ast.unparse(node), one_of(node.attr, _FIELDS[record]))
        if self._is_own(node):
            if isinstance(node.ctx, ast.Load):
                value = self._translation.attribute(node.attr)
                if isinstance(value, ast.Constant):
                    return ast.copy_location(value, node)
            if self._translation.form(node.attr) is None:
                raise self._translation.refuse(node, f"self.{node.attr}", "must be made in setup() as a number")
        return self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        for target in node.targets:
            node.value = self._whole(target, node.value)
        return self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        if not self._is_own(node.target):
            return self.generic_visit(node)
        left = ast.copy_location(ast.Attribute(_name(self._me), _field(node.target), ast.Load()), node)
        whole = ast.copy_location(ast.BinOp(left, node.op, node.value), node)
        return self.visit_Assign(ast.copy_location(ast.Assign([node.target], whole), node))

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        if node.value is None:
            return None
        return self.visit_Assign(ast.copy_location(ast.Assign([node.target], node.value), node))

    def _whole(self, target: ast.expr, value: ast.expr) -> ast.expr:
        """Check that a field that begins as a whole number stays one."""
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            value.elts = [self._whole(*pair) for pair in zip(target.elts, value.elts, strict=True)]
            return value
        if not self._is_own(target) or self._translation.form(_field(target)) not in {"i8", "?"}:
            return value
        check = f"_ackclock_whole_{_field(target)}"
        self._around[check] = _whole(_field(target))
        return ast.copy_location(ast.Call(_name(check), [value], []), value)


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _field(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else ""


@functools.cache
def _random() -> Any:
    """Make the function that draws a random number for a law, and let numba know the cube root."""
    from numba import extending, njit, uint64  # noqa: PLC0415
    from numba import types as forms  # noqa: PLC0415

    @njit  # type: ignore[untyped-decorator]
    def random(me: Any, low: float, high: float) -> Any:
        # SplitMix64 and the fraction of 53 bits, as in the engine
        me.rng = uint64(me.rng + uint64(0x9E3779B97F4A7C15))
        bits = uint64(me.rng)
        bits = uint64((bits ^ (bits >> uint64(30))) * uint64(0xBF58476D1CE4E5B9))
        bits = uint64((bits ^ (bits >> uint64(27))) * uint64(0x94D049BB133111EB))
        bits ^= bits >> uint64(31)
        share = (bits >> uint64(11)) * 1.1102230246251565e-16
        return low + (high - low) * share

    root = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(core.CBRT_ADDRESS)

    @extending.overload(core.cbrt)
    def cube_root(value):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        if not isinstance(value, forms.Float | forms.Integer):
            return None
        return lambda value: root(value)  # noqa: PLW0108  # numba compiles functions only

    return random


@functools.cache
def _whole(field: str) -> Any:
    """Make the function that checks that a value of a field is a whole number: numba would cut fractions off."""
    from numba import errors, extending  # noqa: PLC0415
    from numba import types as forms  # noqa: PLC0415

    def whole(value):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202  # numba compares the signatures
        raise NotImplementedError

    @extending.overload(whole)
    def check(value):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        if not isinstance(value, forms.Integer | forms.Boolean | forms.IntegerLiteral | forms.BooleanLiteral):
            rest = "gets a fraction, but setup() begins it as an int: begin it as a float, such as 0.0"
            raise errors.TypingError(f"{_TELLS}self.{field} {rest}")
        return lambda value: value

    return whole
