"""Laws written in Python: CPU time of S60, interpreted and compiled, relative to the built-in law."""

from __future__ import annotations

import gc
import time
from importlib.util import find_spec
from typing import TYPE_CHECKING

import ackclock
from ackclock.cli.runner import replace_law
from ackclock.running.run import Prepared
from performance.measure import Spread
from performance.page import table
from performance.simulations import ROOT, S60

if TYPE_CHECKING:
    from collections.abc import Mapping

SECONDS = 60
TURNS = 40
LAWS = {"Reno": ("reno", "reno.py:Reno"), "CUBIC": ("cubic", "cubic.py:Cubic")}


def laws() -> str:
    """Run S60 with each form of each law in turn. Each turn gives one ratio, so that other load affects both sides."""
    lines: list[list[object]] = []
    for name, (variant, law) in LAWS.items():
        prepared = {form: Prepared.of(scenario, ()) for form, scenario in forms(variant, law).items()}
        outcomes = {form: one.simulate(1)().summary for form, one in prepared.items()}
        same = all(outcome == outcomes["built in"] for outcome in outcomes.values())
        turns = [{form: cost(one) for form, one in prepared.items()} for _ in range(TURNS)]
        for form in prepared:
            ratios = Spread.of(turn[form] / turn["built in"] for turn in turns)
            least = 1000 * min(turn[form] for turn in turns)
            bytes_ = None if form == "built in" else "same" if same else "**not the same**"
            lines.append([f"{name}, {form}", f"{least:.1f}", str(ratios) if form != "built in" else None, bytes_])
    return table(["", "least CPU ms", "median ratio of pairs (least to greatest)", "bytes"], lines)


def forms(variant: str, law: str) -> Mapping[str, ackclock.Scenario]:
    """Return S60 with the law in each form."""
    base = ackclock.Scenario.from_toml(S60).changed(
        {"duration": f"{SECONDS} s", "clients.0.transport.variant": variant}
    )
    tables = base.effective().to_dict()
    replace_law(tables, str(ROOT / "examples" / law))
    own = ackclock.Scenario.from_dict(tables)
    found = {"built in": base, "interpreted": own}
    if find_spec("numba") is not None:
        found["compiled"] = own.changed({"clients.0.transport.compiled": True})
    return found


def cost(prepared: Prepared) -> float:
    """Return the CPU time of a run in seconds, without the garbage collector."""
    gc.collect()
    gc.disable()
    begin = time.process_time()
    prepared.simulate(1)
    spent = time.process_time() - begin
    gc.enable()
    return spent
