"""Ackclock: a laboratory for TCP congestion control and the burstiness it causes.

A `Scenario` describes a network, its flows and their traffic. `simulate` simulates every packet of a
scenario and returns a `Run`. `replicate` simulates a scenario with several seeds and adds confidence
intervals. `load` reads a saved run. `sweep` runs a whole study and stores its results, and ``ackclock.open`` opens a
store.

``__init__.pyi``, which ``make signatures`` writes, declares the names for type checkers and editors.
"""

from importlib import import_module

NAMES = {
    "capture": ("Capture", "read_capture"),
    "conformance.running": ("ScriptResult", "conform"),
    "laws.adapter": ("DisciplineError", "LawError"),
    "laws.arithmetic": ("cbrt",),
    "laws.checking": ("LawCheck", "check_law"),
    "laws.compiling": ("compiled",),
    "laws.discipline": ("Discipline",),
    "laws.law": ("Law",),
    "running.decomposition": ("Component", "components"),
    "running.estimate": ("Estimate",),
    "running.plotting": ("plot",),
    "running.result": ("load",),
    "running.run": ("Run", "simulate"),
    "running.runs": ("Runs",),
    "running.summary": ("GroupSummary", "LinkSummary", "Summary"),
    "scenario.bottleneck": ("Pipe", "pipe"),
    "scorecard.card": ("Scorecard",),
    "scorecard.evaluating": ("evaluate", "evaluate_queue"),
    "study.design": ("Study",),
    "study.seeds": ("replicate",),
    "study.store": ("Store",),
    "study.sweeping": ("sweep",),
    "values.errors": ("ScenarioError",),
}
"""The public names of each module. All names of `ackclock.scenario` are public, too."""

MODULES = {"analysis": "analysis", "models": "analysis.models"}
"""Packages that need no separate import: ``ac.models.stochastic_reno``, ``ac.analysis.hurst``."""

MOVED = {"abstract_internet": "papers.manyflows.abstract"}
"""Names that the next minor release removes from here, and the modules that have them."""
RENAMED = {"GilbertElliott": "GilbertElliottPackets"}
"""Names that the next minor release removes, and those that replace them."""

_HOME = {name: module for module, names in NAMES.items() for name in names}


def __getattr__(name: str) -> object:
    """Load attributes on first use, since ``ackclock --help`` needs no attribute."""
    if name in MODULES:
        return import_module(f"ackclock.{MODULES[name]}")
    if name in _HOME:
        return getattr(import_module(f"ackclock.{_HOME[name]}"), name)
    if name in _MADE:
        return _MADE[name]()
    if name in MOVED:
        return _moved(name)
    if name in RENAMED:
        return _renamed(name)
    scenario = import_module("ackclock.scenario")
    if scenario.home_of(name) is not None:
        return getattr(scenario, name)
    raise AttributeError(f"module 'ackclock' has no attribute {name!r}{_instead(name)}", name=name)


def __dir__() -> list[str]:
    return [*globals(), *MODULES, *_MADE, *_public()]


def _public() -> list[str]:
    return [*_HOME, *import_module("ackclock.scenario").__all__]


_MADE = {
    "__all__": lambda: sorted(_public()),
    "__version__": lambda: import_module("ackclock.engine.core").version(),
    "open": lambda: import_module("ackclock.study.store").Store.open,
}
"""Further attributes. `open` is not in ``__all__``, so that a star import keeps the builtin."""


def _moved(name: str) -> object:
    import warnings  # noqa: PLC0415  # few programs need it

    module = f"ackclock.{MOVED[name]}"
    warnings.warn(f"ackclock.{name} has moved to {module}", DeprecationWarning, stacklevel=3)
    return getattr(import_module(module), name)


def _renamed(name: str) -> object:
    import warnings  # noqa: PLC0415

    warnings.warn(f"ackclock.{name} is now ackclock.{RENAMED[name]}", DeprecationWarning, stacklevel=3)
    return __getattr__(RENAMED[name])


def _instead(name: str) -> str:
    """Say how to make a queue or a TCP sender that has another name here, such as ``FQCodel``."""
    if name[:1].isupper():  # names in lower case may be submodules
        from ackclock.engine.catalogue import catalogue  # noqa: PLC0415

        queues = {f"ac.{made}(...)": kind for made, kind in catalogue().queue_classes.items()}
        senders = {f'ac.Tcp("{kind}", ...)': kind for kind in catalogue().variants}
        for made, kind in {**queues, **senders}.items():
            if kind.replace("_", "") == name.replace("_", "").lower():
                return f"; use {made}"
    return ""
