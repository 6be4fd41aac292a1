"""The claims of section 5.2: what a random processing time of up to a tenth of the round-trip time changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.papers.claims import BY_SHARE, ELSE_UNDECIDED, Claim
from ackclock.papers.manyflows.claims import load, loss, pipes
from ackclock.papers.manyflows.claims.reading import command
from ackclock.papers.manyflows.claims.same_delay import HYPERBOLA_RULE, TABLE_RULE
from ackclock.papers.manyflows.experiment import ISDN, T1

if TYPE_CHECKING:
    from ackclock.papers.manyflows.evidence import Evidence

__all__ = ["CLAIMS"]

CLAIMS: tuple[Claim[Evidence], ...] = (
    Claim(
        key="5.2.1-1",
        where="5.2.1; Figure 15",
        text="A processing time of up to 10 % of the round trip breaks the global synchronisation of the large pipe "
        "down, and the buffer becomes stable.",
        paper="muted; quite stable",
        rule="With 100 connections and a buffer of 400, on each link: reproduced if the loss correlation is clearly "
        f"lower and at most {pipes.ALONE}, and the buffer's 5th percentile {pipes.FULL} of it or more; "
        f"partly if the correlation is clearly lower on both; otherwise not reproduced. {ELSE_UNDECIDED}",
        judge=pipes.settles,
        command=command(T1, 440, 100, fraction=0.1, record="queue@bottleneck/100ms"),
    ),
    Claim(
        key="5.2.1-2",
        where="5.2.1; Figure 15",
        text="Breaking the synchronisation increases unfairness and loss.",
        paper="increases",
        rule="The points are two on each link, with 100 connections and a buffer of 400: loss is clearly higher; "
        f"Jain's index is clearly lower. {BY_SHARE}",
        judge=pipes.unfairer,
        command=command(ISDN, 402, 100, fraction=0.1),
    ),
    Claim(
        key="5.2.1-3",
        where="5.2.1; Figure 16",
        text="Below 100 connections the processing time leaves loss almost as it is; above, it raises it.",
        paper="the gap opens from 100 connections on",
        rule="The points are 20, 60, 100 and 150 connections with 4 packets of buffer each, 10 % against none: loss is "
        f"within {100 * loss.NEAR:g} % at the first two, and clearly higher at the others. {BY_SHARE}",
        judge=loss.raised_when_many,
        command=command(T1, 640, 150, fraction=0.1),
    ),
    Claim(
        key="5.2.2-1",
        where="5.2.2; Figure 17",
        text="In the small pipe considerably fewer connections are shut off than without, and the buffer is mostly "
        "full and stable.",
        paper="considerably smaller; mostly full",
        rule="With 300 connections and buffers of 60 and 160: reproduced if clearly at most half as many connections "
        "receive less than a tenth of their fair share in the seconds of Figure 17, and the buffer's 5th percentile is "
        f"{pipes.FULL} of it or more; partly if one of the two holds with both buffers; otherwise not "
        f"reproduced. {ELSE_UNDECIDED}",
        judge=pipes.fewer_shut_off,
        command=command(T1, 100, 300, fraction=0.1, record="queue@bottleneck/100ms"),
    ),
    Claim(
        key="5.2.3-1",
        where="5.2.3; Figure 18",
        text="In the medium pipe even the local synchronisation goes; most connections get reasonable goodput, and the "
        "buffer is mostly full.",
        paper="no local synchronization; mostly full and stable",
        rule="The points are three, with 100 connections and a buffer of 160: the loss correlation is at most "
        f"{pipes.ALONE}; the buffer's 5th percentile is {pipes.FULL} of it or more; at most one connection is shut "
        f"off. {BY_SHARE}",
        judge=pipes.medium_settles,
        command=command(T1, 200, 100, fraction=0.1, record="drops"),
    ),
    Claim(
        key="5.2.4-1",
        where="5.2.4; Figures 19, 20",
        text="The processing time has little effect on throughput and goodput of all.",
        paper="little effect",
        rule="The points are those of the grid, each twice, after a warm-up: throughput and goodput change by at most "
        f"{100 * load.LITTLE:.1f} % of the link. {BY_SHARE}",
        judge=load.little_affected,
        command=command(T1, 100, 300, fraction=0.1),
    ),
    Claim(
        key="5.2.5-1",
        where="5.2.5; Figure 21",
        text="With few connections it makes loss grow mostly linearly with their number.",
        paper="mostly linearly",
        rule="By loss against connections as without: reproduced if the exponent is within 0.2 of 1; partly if a line "
        f"has R² of {loss.LINE} or more and the exponent is lower than without; otherwise not reproduced. "
        f"{ELSE_UNDECIDED}",
        judge=loss.linear_with_overhead,
        command=command(T1, 100, 20, fraction=0.1),
    ),
    Claim(
        key="5.2.5-2",
        where="5.2.5; Figure 22",
        text="With many connections the loss still matches hyperbolas impressively well.",
        paper="impressively well",
        rule=HYPERBOLA_RULE,
        judge=loss.hyperbolic(0.1),
        command=command(T1, 100, 600, fraction=0.1),
    ),
    Claim(
        key="5.2.5-3",
        where="5.2.5; Figures 14, 22",
        text="For the same connections and buffer the loss of many is larger than without.",
        paper="larger",
        rule="The points are those of the grid with 100 connections or more, after a warm-up: the loss is clearly "
        f"larger. {BY_SHARE}",
        judge=loss.lossier_with_overhead,
        command=command(T1, 300, 300, fraction=0.1),
    ),
    Claim(
        key="5.2.5-4",
        where="5.2.5; Table 5, T1",
        text="Over T1 the hyperbolas have the parameters of Table 5.",
        paper="W_c = 100: 125.0, 0.4263; 500: 666.7, 0.5366",
        rule=TABLE_RULE,
        judge=loss.tabled(0.1, "T1"),
        command=command(T1, 100, 600, fraction=0.1),
    ),
    Claim(
        key="5.2.5-5",
        where="5.2.5; Table 5, ISDN",
        text="Over ISDN the hyperbolas have the parameters of Table 5.",
        paper="W_c = 100: 125.0, 0.4930; 500: 1428.6, 1.1110",
        rule=TABLE_RULE,
        judge=loss.tabled(0.1, "ISDN"),
        command=command(ISDN, 100, 600, fraction=0.1),
    ),
)
"""In the order of the paper."""
