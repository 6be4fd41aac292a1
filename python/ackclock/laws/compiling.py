"""Compiled laws: the class of a law as machine code, made by numba."""

from typing import Any

from ackclock.laws.law import Law
from ackclock.running import engine


def is_compiled(law: type[Law]) -> bool:
    return False


def plain(law: type[Law]) -> type[Law]:
    return law


def machine_code(law: type[Law], parameters: Any) -> "engine.CompiledLaw":
    raise NotImplementedError
