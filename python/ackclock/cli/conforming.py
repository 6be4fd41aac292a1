"""Implements ``ackclock conform``: runs scripts against a sender and reports like a test runner."""

import dataclasses
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.text import Text

from ackclock.cli.console import console
from ackclock.conformance import ScriptResult, conform, junit, scripts
from ackclock.conformance.running import draw
from ackclock.files.making import new_file
from ackclock.scenario.overrides import override
from ackclock.values.errors import ScenarioError, refuse

_WORDS = {"equal": "equal", "differs": "differs", "inexpressible": "not expressible"}
_WIDTH = max(map(len, _WORDS.values()))
_DIFFERS, _UNREADABLE = 1, 2


def run(
    paths: Sequence[Path],
    *,
    law: str | None,
    profile: str | None,
    overrides: Sequence[str],
    seed: int,
    as_json: bool,
    junit_file: Path | None,
    figure_file: Path | None,
) -> int:
    """Run scripts, report each, and return the exit status."""
    options: dict[str, Any] = {}
    override(options, overrides)
    results: list[ScriptResult] = []
    unreadable: dict[Path, str] = {}
    out = console()
    found = scripts(paths)
    run_one = conform if figure_file is None else _drawing(figure_file, found)
    for path in found:
        try:
            result = run_one(path, law=law, profile=profile, options=options, seed=seed)
        except ScenarioError as error:
            if error.field != str(path):
                raise
            unreadable[path] = error.headline
            sys.stderr.write(f"{error.headline}\n")
            continue
        results.append(result)
        if not as_json:
            for line in _lines(result):
                out.print(Text(line), soft_wrap=True)
    if as_json:
        rows = [dataclasses.asdict(each) | {"path": str(each.path)} for each in results]
        sys.stdout.write(json.dumps(rows, indent=2, allow_nan=False) + "\n")
    else:
        out.print(Text(_summary(results, unreadable)), soft_wrap=True)
    if junit_file is not None:
        with new_file(junit_file, allowed="a file", replaces=True) as made:
            made.write_text(junit(results, unreadable), encoding="utf-8")
    if unreadable:
        return _UNREADABLE
    return _DIFFERS if any(each.verdict == "differs" for each in results) else 0


def _drawing(file: Path, found: Sequence[Path]) -> Callable[..., ScriptResult]:
    """Return a function that runs a script and draws it."""
    from ackclock.cli.plotting import FORMATS  # noqa: PLC0415  # slow to load
    from ackclock.conformance.picture import picture  # noqa: PLC0415
    from ackclock.drawing import paper  # noqa: PLC0415

    if file.suffix.lower() not in FORMATS:
        raise refuse("--figure", str(file), f"must end in one of {', '.join(FORMATS)}")
    if len(found) > 1:
        raise refuse("--figure", str(file), f"must be absent with more than one script: there are {len(found)}")

    def run_and_draw(path: Path, **sender: Any) -> ScriptResult:
        result, drawn = draw(path, **sender)
        with new_file(file, allowed="a file", replaces=True) as made:
            made.write_bytes(FORMATS[file.suffix.lower()](paper.draw(picture(result, drawn))))
        return result

    return run_and_draw


def _lines(result: ScriptResult) -> list[str]:
    where = str(result.path) if result.line is None else f"{result.path}:{result.line}"
    head = f"{_WORDS[result.verdict]:{_WIDTH}}  {where}"
    lines = []
    match result.verdict:
        case "equal":
            lines.append(f"{head}  ({_counted(result)})")
        case "differs":
            lines += [f"{head}  at {result.time:.6g} s", f"    expected  {result.expected}"]
            lines.append(f"    found     {result.found}")
        case "inexpressible":
            lines.append(f"{head}  {result.reason}")
    lines += [f"    not compared: line {each.line}: {each.reason}" for each in result.skipped]
    return lines


def _counted(result: ScriptResult) -> str:
    return f"packets: {result.compared.packets}, assertions: {result.compared.assertions}"


def _summary(results: Sequence[ScriptResult], unreadable: Mapping[Path, str]) -> str:
    words = _WORDS | {"differs": "different"}
    counts = [f"{sum(each.verdict == name for each in results)} {word}" for name, word in words.items()]
    if unreadable:
        counts.append(f"{len(unreadable)} unreadable")
    total = len(results) + len(unreadable)
    summary = f"{', '.join(counts)}, of {total} {'script' if total == 1 else 'scripts'}"
    left_out = {
        "PSH": sum(each.compared.pushed for each in results),
        "window and options": sum(each.compared.options for each in results),
    }
    counts = [f"{what} of {count} {'packet' if count == 1 else 'packets'}" for what, count in left_out.items() if count]
    return f"{summary}\nnot compared: {'; '.join(counts)}" if counts else summary
