"""Implements ``ackclock report``: writes a page with the results of a store."""

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from ackclock.cli.pages import check_replaceable, write_page
from ackclock.report.fixed import fixed_fields
from ackclock.report.html import render
from ackclock.report.sweep_page import sweep_report
from ackclock.running.origin import Origin
from ackclock.running.repeats import repeats
from ackclock.running.runs import merge_notices
from ackclock.study.store import Store


def report(
    store: Path,
    *,
    x: str | None,
    y: Sequence[str],
    by: Sequence[str] | None,
    out: Path | None,
    revision: str | None = None,
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
    command = shlex.join(words)
    with Store.open(store, revision=revision) as opened:
        runs, failures = opened.runs.to_arrow(), opened.table("failures").to_arrow()
        notices: dict[str, list[str]] = {}
        for each in opened.table("notices").to_arrow().to_pylist():
            notices.setdefault(each["run_id"], []).append(each["notice"])
        fixed = fixed_fields(opened.table("scenarios", ["scenario"]).to_arrow()["scenario"].to_pylist())
        origins = opened.table("origins", ["revision", "schema"]).to_arrow().group_by(["revision", "schema"])
        programs = origins.aggregate([]).sort_by([("revision", "ascending"), ("schema", "ascending")]).to_pylist()
        found = opened.notices
    made = [("Runs made with", Origin(version=None, **each).engine) for each in programs]
    page = sweep_report(
        store.resolve().name,
        runs,
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
