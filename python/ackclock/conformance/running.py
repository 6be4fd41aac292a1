"""Runs a script: derives the sender from the profile and the script, and reads the engine's answer."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal

from ackclock.conformance.finding import commands, content
from ackclock.engine import core
from ackclock.engine.catalogue import catalogue
from ackclock.laws.law import Law
from ackclock.laws.naming import named as named_law
from ackclock.running.run import SEED, Prepared
from ackclock.scenario import Scenario
from ackclock.scenario.profile import PROFILES, default
from ackclock.values.errors import ScenarioError, one_of, refuse, unreadable

PROFILE: Final = "linux"
"""The usual profile of the sender."""
LAW: Final = "cubic"
"""The congestion control of a script that selects none, as in Linux."""
_PACKET_SIZE: Final = 1500
_PREFIX: Final = "clients.0.transport."
_NOTHING: Final[Mapping[str, Any]] = {"events": [], "pauses": [], "truncated": False}
"""The picture of a script that does not run."""


@dataclass(frozen=True, kw_only=True)
class Skipped:
    """A statement of a script that was left out because it does not concern the sender."""

    line: int
    """Line of the script."""
    reason: str
    """Why it was left out."""


@dataclass(frozen=True, kw_only=True)
class Expectations:
    """Numbers of expectations of a script that were compared, up to the first difference."""

    packets: int = 0
    """Expected packets."""
    assertions: int = 0
    """Assertions."""
    pushed: int = 0
    """Expected packets with PSH, which is not compared."""
    options: int = 0
    """Expected packets with a window or options, which are not compared."""


@dataclass(frozen=True, kw_only=True)
class ScriptResult:
    """The result of a script."""

    path: Path
    """The script."""
    verdict: Literal["equal", "differs", "inexpressible"]
    """Whether the sender does what the script expects, or a statement is not expressible and all before it is equal."""
    line: int | None = None
    """Line of the first difference, or of the statement that is not expressible."""
    time: float | None = None
    """Time of the first difference in seconds."""
    expected: str | None = None
    """What the script expects there."""
    found: str | None = None
    """What the sender does."""
    reason: str | None = None
    """Why the statement is not expressible."""
    compared: Expectations = Expectations()
    """Numbers of comparisons."""
    skipped: tuple[Skipped, ...] = field(default=())
    """Statements that were left out."""

    @classmethod
    def of(cls, path: Path, told: Mapping[str, Any]) -> "ScriptResult":
        """Read the engine's outcome."""
        verdict = dict(told["verdict"])
        return cls(
            path=path,
            compared=Expectations(**told["compared"]),
            skipped=tuple(Skipped(**each) for each in told["skipped"]),
            **verdict,
        )


def conform(
    script: str | Path,
    *,
    law: str | Law | type[Law] | None = None,
    profile: str | None = None,
    options: Mapping[str, Any] | None = None,
    seed: int = 1,
) -> ScriptResult:
    """Run a script in the language of packetdrill against a sender.

    Parameters
    ----------
    script
        File of the script. Commands such as ``../common/defaults.sh`` are read relative to its folder.
    law
        Name of a variant, ``FILE.py:CLASS``, or a law in Python (default: the law that the script selects, or CUBIC).
    profile
        Profile of the sender's options (default: the one that the script selects, or ``linux``).
    options
        Options of the transport, which take precedence over those of the script and of the profile.
    seed
        Seed of the sender's random numbers, such as the phase of its clock.

    Returns
    -------
    ScriptResult
        Whether the sender does what the script expects, and the first difference.

    Raises
    ------
    ScenarioError
        The file is not a script (with line and column), or an argument is not allowed.
    LawError
        A law in Python has failed.

    Examples
    --------
    >>> import ackclock as ac
    >>> result = ac.conform("examples/conformance/tcp/limited_transmit.pkt")
    >>> result.verdict, result.compared.packets
    ('equal', 4)
    """
    return _played(Path(script), law, profile, options, seed, draws=False)[0]


def draw(
    script: str | Path,
    *,
    law: str | Law | type[Law] | None = None,
    profile: str | None = None,
    options: Mapping[str, Any] | None = None,
    seed: int = 1,
) -> tuple[ScriptResult, Mapping[str, Any]]:
    """Run a script as `conform` does, and also return the events and the pauses of a picture."""
    return _played(Path(script), law, profile, options, seed, draws=True)


def _played(
    path: Path,
    law: str | Law | type[Law] | None,
    profile: str | None,
    options: Mapping[str, Any] | None,
    seed: int,
    *,
    draws: bool,
) -> tuple[ScriptResult, Mapping[str, Any]]:
    SEED.require("seed", seed)
    if profile is not None and profile not in PROFILES:
        raise refuse("profile", profile, one_of(profile, PROFILES), noun="profile")
    given = dict(options or {})
    named = None if law is None else _named(law)
    if named is not None:
        _prepared(profile or PROFILE, named | given, _PACKET_SIZE)  # an error in the arguments is not the script's
    try:
        read = core.Script(content(path))
    except core.PlanError as error:
        raise unreadable(path, str(error), "a script in the language of packetdrill") from None
    files = commands(path.parent, (name for _, name in read.files()))
    setup = json.loads(read.setup(files))
    try:
        prepared = _prepared_for(setup, profile, named, given)
    except _InexpressibleError as error:
        return ScriptResult(path=path, verdict="inexpressible", line=error.line, reason=error.reason), _NOTHING
    told = json.loads(_run(read.draw if draws else read.run, files, prepared, seed))
    return (
        (ScriptResult.of(path, told["outcome"]), told["picture"]) if draws else (ScriptResult.of(path, told), _NOTHING)
    )


class _InexpressibleError(Exception):
    """A demand of a script that no option of the sender meets."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(line, reason)
        self.line, self.reason = line, reason


def _named(law: str | Law | type[Law]) -> dict[str, Any]:
    """Return the fields of a transport that name a law."""
    if isinstance(law, str):
        return {"law": law} if ":" in law else {"variant": law}
    fields = named_law(law, "law")
    if fields is None:
        raise refuse("law", law, "must be a variant, FILE.py:CLASS, or a law in Python")
    return fields


def _prepared_for(
    setup: Mapping[str, Any], profile: str | None, law: Mapping[str, Any] | None, given: Mapping[str, Any]
) -> Prepared:
    """Prepare the sender that a script demands."""
    if setup["refused"] is not None:
        raise _InexpressibleError(**setup["refused"])
    profile = profile or _profile_of(setup)
    options = dict(setup["options"])
    if "sack_blocks" in options and default(profile, "tcp", "rack") != "linux":
        options["recovery"] = "newreno", options.pop("sack_blocks")[1]  # RFC 8985 needs SACK
    lines = {option: line for option, (_, line) in options.items()}
    demanded = {option: value for option, (value, _) in options.items()}
    if law is None:
        name, line = setup["law"] or (LAW, lines["payload"])
        if name not in catalogue().variants:
            raise _InexpressibleError(line, f"the congestion control {name} is not modelled")
        law = {"variant": name}
    variant: str | None = law.get("variant")
    mode, lines["ecn"] = setup["ecn"] or ("off", lines["payload"])
    usual = default(profile, "tcp", "ecn", variant=variant)
    demanded["ecn"] = usual if mode == "classic" and usual == "dctcp" else mode
    if default(profile, "tcp", "pacing", variant=variant) == "law":
        demanded.pop("pacing", None)  # fq leaves the rate of a socket that sets one
    if variant is not None and catalogue().variants[variant].recovery == demanded.get("recovery"):
        demanded.pop("recovery", None)
    try:
        return _prepared(profile, {**law, **demanded, **given}, setup["packet_size"])
    except ScenarioError as error:
        if error.field in given:
            raise
        raise _InexpressibleError(lines.get(str(error.field), lines["payload"]), error.headline) from None


def _profile_of(setup: Mapping[str, Any]) -> str:
    """Return the profile that a script selects, or else the usual one."""
    name, line = setup["profile"] or (PROFILE, 1)
    if name not in PROFILES:
        raise _InexpressibleError(line, f"there is no profile {name}")
    return str(name)


def _prepared(profile: str, transport: Mapping[str, Any], packet_size: int) -> Prepared:
    """Prepare a scenario whose only flow has the transport; its network does not matter."""
    link = {"rate": "1 Gbps", "delay": "1 ms"}
    tables = {
        "profile": profile,
        "duration": "1 s",
        "packet_size": packet_size,
        "dumbbell": {"bottleneck": link | {"queue": {"kind": "droptail", "packets": 100}}, "access": link},
        "clients": [{"transport": {"kind": "tcp", **transport}, "source": {"kind": "greedy"}}],
    }
    try:
        return Prepared.of(Scenario.from_dict(tables), ())
    except ScenarioError as error:
        raise ScenarioError(
            replace(problem, field=problem.field.removeprefix(_PREFIX)) for problem in error.problems
        ) from error.__cause__


def _run(
    run: Callable[[dict[str, str], str, int, list[Any]], str], files: dict[str, str], prepared: Prepared, seed: int
) -> str:
    if not prepared.laws:
        return run(files, prepared.plan, seed, [])
    from ackclock.laws.adapter import attended  # noqa: PLC0415  # few scripts run against such laws

    made = [law.for_engine() for law in prepared.laws]
    with attended(made):
        return run(files, prepared.plan, seed, made)
