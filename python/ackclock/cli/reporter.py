"""Implements ``ackclock report``: writes a page with the results of a store."""

import json
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ackclock.cli.pages import check_replaceable, write_page
from ackclock.report.fixed import fixed_fields
from ackclock.report.html import render
from ackclock.report.sweep_page import sweep_report
from ackclock.running.likeness import merge_notices
from ackclock.running.origin import Origin
from ackclock.running.repeats import repeats
from ackclock.study.asking import Asking
from ackclock.study.store import Store
from ackclock.values.errors import ScenarioError, unreadable


def _asking(store: Path, asked: Mapping[str, Any]) -> Asking:
    """Read what the studies of a store ask; a store may come from other people."""
    try:
        return Asking.model_validate(dict(asked))
    except ScenarioError as error:
        raise unreadable(store, f"its record asks what no study can: {error}", "the store of a sweep") from None


def _names(scenarios: Sequence[str]) -> dict[str, str]:
    """Return the name of each group by its path, such as ``clients.1``, if all scenarios give it the same name."""
    found: dict[str, set[str]] = {}
    for text in scenarios:
        tables = json.loads(text)
        for kind in ("clients", "flows"):
            for place, group in enumerate(tables.get(kind, ())):
                found.setdefault(f"{kind}.{place}", set()).add(group.get("name") or "")
    automatic = re.compile(r"(clients|flows)-[0-9]+")
    return {
        path: name for path, (name, *others) in found.items() if name and not others and not automatic.fullmatch(name)
    }


def report(
    store: Path,
    *,
    x: str | None,
    y: Sequence[str],
    by: Sequence[str] | None,
    out: Path | None,
    revision: str | None = None,
    why: bool = False,
) -> None:
    """Draw the results of a store on a page, and write the page."""
    out = store.with_name(f"{store.name}.html") if out is None else out
    check_replaceable(out, "ackclock report", "report of a store")
    words = ["ackclock", "report", str(store)]
    words += [
        word
        for name, values in (
            ("--x", [x] if x else []),
            ("--y", y),
            ("--by", by or []),
            ("--revision", [revision] if revision else []),
        )
        for value in values
        for word in (name, value)
    ]
    command = shlex.join([*words, *(["--why"] if why else [])])
    with Store.open(store, revision=revision) as opened:
        runs, failures = opened.runs.to_arrow(), opened.table("failures").to_arrow()
        notices: dict[str, list[str]] = {}
        for each in opened.table("notices").to_arrow().to_pylist():
            notices.setdefault(each["run_id"], []).append(each["notice"])
        groups = opened.table("groups").to_arrow()
        scenarios = opened.table("scenarios", ["scenario"]).to_arrow()["scenario"].to_pylist()
        fixed = fixed_fields(scenarios)
        asking = _asking(store, opened.asked)
        origins = opened.table("origins", ["revision", "schema"]).to_arrow().group_by(["revision", "schema"])
        programs = origins.aggregate([]).sort_by([("revision", "ascending"), ("schema", "ascending")]).to_pylist()
        found = opened.notices
    made = [("Runs made with", Origin(version=None, **each).engine) for each in programs]
    page = sweep_report(
        store.resolve().name,
        runs,
        groups,
        names=_names(scenarios),
        asking=asking,
        why=why,
        failures=failures["failure"].to_pylist(),
        notices=[*found, *merge_notices(list(notices.values()), of=len(runs)), *repeats(runs)],
        x=x,
        y=y or None,
        by=by,
        command=command,
        fixed=fixed,
        provenance=[("Command", command), ("Program", str(Origin.here())), ("Store", store.resolve().name), *made],
    )
    write_page(out, render(page))
    sys.stdout.write(f"The report is {out}\n")
