"""Options of the command line, with their defaults and ranges, equal tests/data/kept/options.json."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest
import typer
from tests.support.readable import hold_readable

from ackclock.cli import app, main
from ackclock.scenario.schema import json_schema

if TYPE_CHECKING:
    from collections.abc import Iterator


def commands(command: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every command with its full name."""
    for each, below in getattr(command, "commands", {}).items():
        yield from commands(below, f"{name} {each}".strip())
    yield name, command


def test_options_are_those_that_were_kept() -> None:
    """Names, meaning and defaults of each parameter and the examples of each command are compared."""
    found: dict[str, Any] = {}
    for name, command in commands(typer.main.get_command(app)):
        found[name] = {
            "help": command.get_help(command.context_class(command, info_name=name, terminal_width=80)).splitlines()
        }
        for one in command.params:
            found[name][" ".join(one.opts)] = [repr(one.default), one.required, getattr(one, "multiple", False)]
    hold_readable("options", found)


P, RTT, T0 = "--p=0.01", "--rtt=100 ms", "--t0=1 s"
RENO, PFTK, MATHIS = ["stochastic-reno", "--replications=1"], ["pftk", P, RTT, T0], ["mathis", P, RTT]
CARDWELL = ["cardwell", "--packets=20", P, RTT, T0, "--initial-window=2"]

REACHES: list[tuple[list[str], str, float, float]] = [
    (RENO, "--packet-size", 1, 65_535),
    (RENO, "--clients", 1, 10_000),
    (RENO, "--rate", 1e-6, 1e9),
    (RENO, "--buffer", 0, 1e9),
    (RENO, "--initial-window", 1, 1e9),
    (RENO, "--max-window", 1, 1e9),
    (RENO, "--replications", 1, 1000),
    (PFTK, "--p", 1e-300, 0.999999),
    (PFTK, "--b", 1, 1e6),
    (PFTK, "--w-max", 1, 1e9),
    (MATHIS, "--p", 1e-300, 0.999999),
    (MATHIS, "--b", 1, 1e6),
    (CARDWELL, "--packets", 1, 10**9),
    (CARDWELL, "--p", 0, 0.999999),
    (CARDWELL, "--b", 1, 1e6),
    (CARDWELL, "--initial-window", 1, 1e9),
    (CARDWELL, "--w-max", 2, 1e9),
    (["large-pipe-loss"], "--window", 3, 10**6),
    (["large-pipe-loss", "--smooth"], "--window", 3, 1e6),
    (["large-pipe-loss", "--window=5"], "--b", 1, 1e6),
]


def refusal(capfd: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(["model", *words])
    shown = capfd.readouterr()
    assert (ended.value.code, bool(shown.out)) in {(0, True), (2, False)}
    return shown.err


def beyond(end: float, towards: float) -> str:
    """Return the next number beyond a limit of a range."""
    if isinstance(end, int):
        return str(end + (1 if towards > end else -1))
    return repr(math.nextafter(end, towards))


@pytest.mark.parametrize(("words", "option", "low", "high"), REACHES)
def test_a_number_is_allowed_within_its_range(
    capfd: pytest.CaptureFixture[str], words: list[str], option: str, low: float, high: float
) -> None:
    refused = [
        refusal(capfd, *words, f"{option}={number}") for number in (beyond(low, -math.inf), beyond(high, math.inf))
    ]
    assert all(f"{option}: " in each and "is not allowed; must be" in each for each in refused)
    assert f"from {low:g} to {high:g}" in refused[0] or f"from {low} to {high}" in refused[0]
    for end in (low, high):
        if option not in {"--clients", "--replications", "--rate"}:  # their models take seconds at the upper end
            assert refusal(capfd, *words, f"{option}={end}") == ""


TIMES = [(PFTK, "--rtt"), (PFTK, "--t0"), (MATHIS, "--rtt"), (CARDWELL, "--rtt"), (CARDWELL, "--t0")]


@pytest.mark.parametrize(
    ("words", "option", "low"), [*((*each, "1 us") for each in TIMES), (CARDWELL, "--delayed-ack", "0 s")]
)
def test_a_time_needs_its_unit(capfd: pytest.CaptureFixture[str], words: list[str], option: str, low: str) -> None:
    assert refusal(capfd, *words, f"{option}={low}") == refusal(capfd, *words, f"{option}=1 h") == ""
    assert f"a time from {low} to 3600 s" in refusal(capfd, *words, f"{option}=2 h")
    assert "must be a time with its unit" in refusal(capfd, *words, f"{option}=66")


def test_the_schema_is_that_which_was_kept() -> None:
    """Each field of a scenario is compared, with its default, range and pattern."""
    schema = json_schema()
    kinds = schema.pop("$defs")
    hold_readable("schema", {"scenario": schema, **kinds})
