"""Agreement with ns-2 at the points of the figures."""

from __future__ import annotations

from collections.abc import Sequence

from ackclock.papers.burstiness.measures import warm_loss
from ackclock.papers.comparison import Tolerance, compare, named, statement
from ackclock.papers.core.evidence import Row
from ackclock.report.html import Statement


def _heavy_reno(run: Row) -> bool:
    """Check whether a run has enough Reno clients to congest the network permanently."""
    return str(run.where["variant"]).startswith("Reno") and int(run.where["clients"]) >= 39


_SHOWN = (
    Tolerance(title="c.o.v. from 0 s", measure=named("cov"), relative=0.04),
    Tolerance(title="departures", measure=named("departures"), relative=0.005),
    Tolerance(title="loss from 0 s", measure=named("loss"), relative=0.08, absolute=0.0005),
)
TOLERANCES = (
    _SHOWN[0],
    Tolerance(title="c.o.v. from 20 s", measure=named("cov_warm"), relative=0.04),
    *_SHOWN[1:],
    Tolerance(title="loss from 20 s", measure=warm_loss, relative=0.08, absolute=0.0005),
    Tolerance(title="timeouts", measure=named("timeouts"), relative=0.08, applies=_heavy_reno),
    Tolerance(title="duplicate ACKs", measure=named("dup_acks"), relative=0.08, applies=_heavy_reno),
)


def agreement_statement(ours: Sequence[Row], ns2: Sequence[Row]) -> Statement:
    """Summarize at how many points of the figures both simulators agree."""
    return statement(
        compare(ours, ns2, _SHOWN),
        what="c.o.v., throughput and loss",
        margin="4 % of the c.o.v., 0.5 % of the throughput, 8 % of the loss or 0.05 points",
    )
