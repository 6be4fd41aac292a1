"""The pages of the Python reference: which names are on which page. mkdocstrings fills them in from the docstrings."""

from __future__ import annotations

import json
from dataclasses import is_dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Final

import ackclock
from ackclock.scenario import Scenario
from ackclock.scenario.model import Part

if TYPE_CHECKING:
    from collections.abc import Iterator

_PAGES: Final = {
    "scenario": (
        "Scenarios",
        "The parts of a scenario. [The scenario reference](../scenario.md) has all values and defaults.",
        ("Scenario", "Dumbbell", "Link", "Clients", "Tcp", "Udp", "Queue", "DropTail", "Red"),
    ),
    "running": (
        "Runs and results",
        "Simulate a scenario, and read its results, which [the measures](../../measures.md) define.",
        ("simulate", "replicate", "Run", "Runs", "Estimate", "Summary"),
    ),
    "laws": ("Laws in Python", "A congestion control as a class: [guide](../../guide/idea_in_ten_lines.md).", ("Law",)),
    "study": ("Sweeps and stores", "Run and store whole studies: [guide](../../guide/sweeps.md).", ("sweep", "Store")),
    "conformance": (
        "Conformance",
        "Run scripts against a sender: [guide](../../guide/conformance.md).",
        ("conform",),
    ),
    "scorecard": (
        "Evaluation",
        "What RFC 9743 asks of a congestion control: [guide](../../guide/evaluate.md).",
        ("evaluate", "evaluate_queue", "Scorecard"),
    ),
    "capture": ("Captures", "Analyse captures: [guide](../../guide/captures.md).", ("read_capture",)),
}
"""The package that defines names of `ackclock`: title and introduction of its page, and the names to begin with."""

_ELSEWHERE: Final = {"_core": "laws", "values": "scenario"}
"""Packages without a page, and the page of their names: the arithmetic of laws, and the errors about scenarios."""

_MODULES: Final = {
    "ackclock.analysis": (
        "Analysis",
        "Statistics of arrays, also of data from elsewhere: `ac.analysis.hurst(counts)`.",
    ),
    "ackclock.analysis.models": (
        "Models",
        "Analytical models, such as `ac.models.pftk(...)`: [derivations](../../models/pftk.md).",
    ),
    "ackclock.live": ("Live runs", "Runs with the machine's kernel: [how they work](../../live.md)."),
    "ackclock.gym": ("Reinforcement learning", "Environments: [guide](../../guide/train_a_controller.md)."),
}


def pages() -> dict[str, str]:
    """Return the text of each page, by its place in the site."""
    found = {}
    begun = {name for _, _, first in _PAGES.values() for name in first}
    for place, (package, (title, introduction, first)) in enumerate(_PAGES.items(), 1):
        others = [name for name in ackclock.__all__ if _package(name) == package and name not in begun]
        names = [f"ackclock.{name}" for name in (*first, *others)]
        found[f"reference/python/{place}_{package}.md"] = _page(title, introduction, names)
    for place, (module, (title, introduction)) in enumerate(_MODULES.items(), len(_PAGES) + 1):
        names = [f"{module}.{name}" for name in import_module(module).__all__]
        found[f"reference/python/{place}_{module.rpartition('.')[2]}.md"] = _page(title, introduction, names)
    return found


def _package(name: str) -> str:
    """Return the package of `ackclock` to whose page a name belongs, which is mostly the one that defines it."""
    package = str(getattr(ackclock, name).__module__.split(".")[1])
    return _ELSEWHERE.get(package, package)


def _page(title: str, introduction: str, names: list[str]) -> str:
    return "\n".join([f"# {title}", "", introduction, "", *_directives(names)])


def _directives(names: list[str]) -> Iterator[str]:
    for name in names:
        yield f"::: {name}"
        kind = getattr(ackclock, name.removeprefix("ackclock.")) if name.count(".") == 1 else None
        if isinstance(kind, type) and issubclass(kind, Part) and _package(kind.__name__) == "scenario":
            # the scenario reference has the fields; only whole scenarios have methods for users
            own = [each for each in vars(Scenario) if each not in {*Scenario.model_fields, *dir(Part)}]
            members = own if kind is Scenario else []
            yield from (
                "    options:",
                f"      members: {json.dumps(members)}",
                "      merge_init_into_class: false",
                "",
            )
            yield f"[Fields of `{kind.__name__}`](../scenario.md#{kind.__name__.lower()})"
        elif isinstance(kind, type) and is_dataclass(kind.__base__):
            yield from ("    options:", "      inherited_members: true")  # the measures of a summary
        yield ""
