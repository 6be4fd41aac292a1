"""Implements ``ackclock run``: runs a scenario or repeats a result."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ackclock.cli.arguments import integer
from ackclock.cli.capture_writing import CaptureFiles
from ackclock.engine.catalogue import catalogue
from ackclock.running.origin import Origin
from ackclock.running.progress import progress_bar
from ackclock.running.result import UNSEALED, Request, read_request
from ackclock.running.run import SEED, simulate
from ackclock.running.saving import refuse_existing
from ackclock.scenario import Scenario
from ackclock.scenario.files import read_scenario, transports
from ackclock.scenario.overrides import override
from ackclock.values.errors import refuse


def run(
    file: Path,
    *,
    seed: str | None,
    as_json: bool,
    law: str | None,
    overrides: Sequence[str],
    record: Sequence[str] | None,
    captures: CaptureFiles,
    out: Path | None,
    memory: str | None,
) -> None:
    """Run a scenario, or repeat a saved result."""
    if out is not None:
        refuse_existing(out)
    request = request_of(file)
    if law is not None:
        replace_law(request.scenario, law)
    override(request.scenario, overrides)
    scenario = Scenario.from_dict(request.scenario)
    chosen = request.seed if seed is None else integer("seed", seed, SEED.allowed)
    records = request.record if record is None else tuple(record)
    _tell_origin(file, request.origin)
    if request.kernel is not None:
        sys.stderr.write(f"{file}: a live run with kernel {request.kernel}; the simulator runs its scenario now\n")
    if file.is_dir() and not request.sealed:
        sys.stderr.write(f"{file}: {UNSEALED}\n")
    with progress_bar("1 run", 1) as show:
        result = simulate(
            scenario,
            seed=chosen,
            record=records,
            capture=tuple(captures.files),
            progress=lambda share: show(share, f"{share:4.0%}"),
            memory=memory,
        )
    if record and out is None:
        sys.stderr.write("--record: tables are only written with --out\n")
    if out is not None:
        result.save(out)
    if as_json:
        sys.stdout.write(json.dumps(result.to_dict(), indent=2, allow_nan=False) + "\n")
    else:
        from ackclock.cli.summarizing import show  # noqa: PLC0415  # JSON needs no tables

        show(result)
    # The captures are written last, so that the summary is printed even if a file cannot be written.
    captures.write(result)


def request_of(file: Path) -> Request:
    """Read what to run: a scenario, with seed 1, or the inputs of a result."""
    if not file.is_dir() and file.suffix != ".json":
        return Request(scenario=read_scenario(file), seed=1, origin=Origin.here(), record=())
    return read_request(file)


def replace_law(tables: Mapping[str, Any], law: str) -> None:
    """Set the law of all TCP transports in the tables of a scenario, without the parameters of the law before it."""
    found = [each for each in transports(tables) if each.get("kind") == "tcp"]
    if not found:
        raise refuse("law", law, "must be absent: the scenario has no TCP transport")
    options = catalogue().tcp_options
    for transport in found:
        kept = {name: value for name, value in transport.items() if name in {"kind", "variant"} or name in options}
        transport.clear()
        transport.update(kept, law=law)


def _tell_origin(file: Path, origin: Origin) -> None:
    """Warn if another version of Ackclock or of its engine made a result."""
    here = Origin.here()
    if origin != here:
        sys.stderr.write(f"{file}: made by {origin}; this is {here}, and results may differ\n")
