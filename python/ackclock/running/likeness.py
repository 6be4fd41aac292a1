"""Merges notices of several runs that differ only in their numbers and the names of groups."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from ackclock.values.words import listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["merge_notices"]

_NUMBER: Final = re.compile(r"(?:^|(?<=[ (]))(\d+(?:\.\d+)?(?:e[+-]\d+)?)")
"""A number in a notice; numbers within names, such as ``clients-0``, follow a hyphen and do not match."""

_GROUP: Final = re.compile(r"\bgroup (\S+)")
"""The name of a group in a notice."""

_NAME: Final = "group \0"
"""Stands for the name of a group."""

_MOST_NAMED: Final = 3
"""Most groups that a merged notice names, unless there is only one more."""


@dataclass(slots=True)
class _Alike:
    """Notices that differ only in their numbers and the names of groups."""

    groups: dict[str, None] = field(default_factory=dict)
    runs: set[int] = field(default_factory=set)
    numbers: list[Sequence[str]] = field(default_factory=list)

    def joined(self, words: Sequence[str], *, of: int) -> str:
        """Insert the numbers and the names between the words again."""
        ranges = [sorted(set(column), key=float) for column in zip(*self.numbers, strict=True)]
        between = [each[0] if len(each) == 1 else f"{each[0]} to {each[-1]}" for each in ranges]
        text = "".join(itertools.chain(*itertools.zip_longest(words, between, fillvalue="")))
        names = list(self.groups)
        if len(names) > _MOST_NAMED + 1:
            names = [*names[:_MOST_NAMED], f"{len(names) - _MOST_NAMED} others"]
        text = text.replace(_NAME, f"{'group' if len(names) == 1 else 'groups'} {listed(names)}")
        return text if len(self.runs) == of else f"{text} ({len(self.runs)} of {of} runs)"


def merge_notices(notices: Iterable[Iterable[str]], *, of: int) -> tuple[str, ...]:
    """Merge the notices of several runs, without duplicates; `of` is the number of runs.

    A number that differs between runs becomes a range, and the names of groups become a list. A notice that only some
    runs have ends with the number of runs.
    """
    merged: dict[tuple[tuple[str, ...], int], _Alike] = {}
    for run, one in enumerate(notices):
        within: Counter[tuple[str, ...]] = Counter()  # two equal notices in one run concern different objects
        for notice in one:
            named = _GROUP.search(notice)
            group = named[1] if named else ""
            parts = _NUMBER.split(_GROUP.sub(_NAME, notice, count=1))
            words = tuple(parts[::2])
            alike = merged.setdefault((words, within[*words, group]), _Alike())
            within[*words, group] += 1
            alike.groups[group] = None
            alike.runs.add(run)
            alike.numbers.append(parts[1::2])
    return tuple(alike.joined(words, of=of) for (words, _), alike in merged.items())
