"""The claims of section 5.1: connections with the same propagation delay, without processing time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.papers.claims import BY_SHARE, ELSE_UNDECIDED, Claim
from ackclock.papers.manyflows.claims import load, loss, pipes
from ackclock.papers.manyflows.claims.reading import command, run_of
from ackclock.papers.manyflows.evidence import MODERN
from ackclock.papers.manyflows.experiment import ISDN, T1, grid_setting
from ackclock.papers.manyflows.places import WINDOWS, far_setting

if TYPE_CHECKING:
    from ackclock.papers.manyflows.evidence import Evidence

__all__ = ["CLAIMS", "TABLE_RULE"]

TABLE_RULE = (
    "The points are those of the table with 60 connections or more and from W_c / 3 on: the loss is within "
    f"{100 * loss.NEAR:g} % of the paper's own curve. {BY_SHARE} Asked of four ways of counting (after a warm-up; from "
    "0 s; from 0 s with timeouts without a limit; from 0 s with all starting at once): if two of them give different "
    "verdicts, it depends on that."
)

HYPERBOLA_RULE = (
    "The points are all curves and ways of counting, each twice: the nearest hyperbola has an rms of relative "
    f"differences of at most {100 * loss.HYPERBOLIC:g} %; the 95 % interval of its a is bounded, so that it is no "
    f"straight line. {BY_SHARE}"
)

_WINDOW = WINDOWS["T1"]


CLAIMS: tuple[Claim[Evidence], ...] = (
    Claim(
        key="5.1.1-1",
        where="5.1.1; Figure 6",
        text="In a large pipe (W_c above 3 n) all connections, 100 of them too, halve their windows in synchrony, and "
        "the buffer swings from half to full.",
        paper="half to full; all connections start and end loss recovery together",
        rule=f"The points are four on each link, with 100 connections and a buffer of 400: the loss correlation is "
        f"{pipes.TOGETHER} or more; 90 % of the connections or more lose in an epoch; the buffer's 5th percentile is "
        f"at most {pipes.EMPTY:.2f} of it; the 95th is at least 0.95. {BY_SHARE}",
        judge=pipes.synchronised,
        command=command(T1, 440, 100, record="queue@bottleneck/100ms"),
    ),
    Claim(
        key="5.1.1-2",
        where="5.1.1; Figure 6",
        text="Synchronised, all connections share the resources very fairly: in the steady state they send equally "
        "much.",
        paper="very fairly; Figure 6 shows 160 to 340 packets received over T1, 20 to 140 over ISDN",
        rule=f"Reproduced if on each link Jain's index is {pipes.FAIR} or more and what connections receive in the "
        "seconds of Figure 6 lies within its axes; partly if Jain's index is 0.8 or more on both; otherwise not "
        f"reproduced. {ELSE_UNDECIDED}",
        judge=pipes.fairly,
        command=command(T1, 440, 100),
    ),
    Claim(
        key="5.1.1-3",
        where="5.1.1; Figure 7",
        text="The loss of a large pipe is predicted by 8 / (3 W² + 21 W + 8), which matches very well.",
        paper="very well",
        rule=f"The points are those of Figure 7: the loss is within {100 * loss.NEAR:g} % of the formula. {BY_SHARE}",
        judge=loss.predicted,
        command=command(T1, 440, 100),
    ),
    Claim(
        key="5.1.1-4",
        where="5.1.1; Figure 11",
        text="If the buffer is smaller than W_c / 2, halving in synchrony leaves the link under-utilised.",
        paper="under-utilization",
        rule="The points are the buffers with 1, 2, 5 and 10 connections over 200 ms: the throughput is clearly below "
        f"{load.FULL} with less buffer than that, and not below with as much or more. {BY_SHARE}",
        judge=load.underused_in_synchrony,
        command=run_of(far_setting(60, 10)),
    ),
    Claim(
        key="5.1.2-1",
        where="5.1.2; Figure 8",
        text="In a small pipe (W_c below n) connections share very unfairly: only about W_c of them are active, the "
        "others shut off by constant timeouts.",
        paper="close to W_c",
        rule="A connection is active that gets 2 % of the fair share or more from 50 to 100 s. The points are 150 to "
        f"600 connections with W_c = 100: the number of active ones is within a third of W_c. {BY_SHARE} Asked of "
        "connections that start at once and within a second: if the verdicts differ, it depends on that.",
        judge=pipes.active,
        command=run_of(grid_setting(T1, 100, 300, span=_WINDOW, spread="0 s")),
    ),
    Claim(
        key="5.1.2-2",
        where="5.1.2; Figure 9",
        text="Beyond that the total numbers of packets sent and lost grow linearly with the connections.",
        paper="linearly",
        rule="Reproduced if from 100 to 600 connections with W_c = 100, counted from 0 s and after a warm-up, both "
        f"lie on rising lines with R² of {loss.STRAIGHT} or more; partly if both rise; otherwise not reproduced. "
        f"{ELSE_UNDECIDED}",
        judge=loss.grows_linearly,
        command=run_of(grid_setting(T1, 100, 600, span=(0, _WINDOW[1]))),
    ),
    Claim(
        key="5.1.2-3",
        where="5.1.2, 5.2.2; Figure 8",
        text="In a small pipe the buffer is quite low, and fluctuates a lot.",
        paper="fluctuates widely; quite low",
        rule="With buffers of 60 and 160 and 300 connections: reproduced if its 5th and 95th percentiles are "
        f"{pipes.WIDE} of it apart or more and its median at most {pipes.LOW} of it; partly if one swings so; "
        f"otherwise not reproduced. {ELSE_UNDECIDED}",
        judge=pipes.fluctuates,
        command=command(T1, 100, 300, record="queue@bottleneck/100ms"),
    ),
    Claim(
        key="5.1.3-1",
        where="5.1.3; Figure 10",
        text="A medium pipe lies between: no global but local synchronisation, less fair than the large pipe, almost "
        "no connection shut off.",
        paper="local synchronization; almost none shut off",
        rule="The points are five, with 100 connections over T1: the loss correlation with a buffer of 160 is clearly "
        f"below that with 400; it is clearly above {pipes.ALONE}; fewer than 90 % lose in an epoch; at most one is "
        f"shut off; Jain's index is lower. {BY_SHARE}",
        judge=pipes.local,
        command=command(T1, 200, 100, record="drops"),
    ),
    Claim(
        key="5.1.4-1",
        where="5.1.4; Figure 11 (a)",
        text="With less buffer than W_opt the throughput is below 1; the fewer connections and the smaller the buffer, "
        "the lower.",
        paper="less than 1",
        rule="Over 200 ms, W_opt = 160: reproduced if the throughput clearly grows with the buffer up to W_opt at 1 to "
        "10 connections, and with every such buffer from 1 to 10 connections and from 10 to 100; partly without the "
        f"step from 1 to 10; otherwise not reproduced. {ELSE_UNDECIDED}",
        judge=load.underused,
        command=run_of(far_setting(20, 1)),
    ),
    Claim(
        key="5.1.4-2",
        where="5.1.4; Figure 11 (b)",
        text="With more buffer than W_opt the throughput is close to 1 for any number of connections.",
        paper="close to 1",
        rule=f"The points are those over T1 with 50 ms: the throughput is {load.FULL} or more. {BY_SHARE}",
        judge=load.large_buffer_fills,
        command=command(T1, 100, 20),
    ),
    Claim(
        key="5.1.4-3",
        where="5.1.4; Figure 11 (a)",
        text="With many connections the throughput is close to 1 even if the buffer is smaller than W_opt.",
        paper="close to 1",
        rule="The points are the buffers below 160, with 100 connections over 200 ms: the throughput is "
        f"{load.NEARLY} or more. {BY_SHARE}",
        judge=load.fills_when_many,
        command=run_of(far_setting(20, 100)),
    ),
    Claim(
        key="5.1.5-1",
        where="5.1.5; Figure 12",
        text="Goodput falls linearly as connections are added, faster over ISDN than over T1.",
        paper="linear decrease; more rapid over ISDN",
        rule=f"Reproduced if from 20 to 600 connections goodput falls by {100 * load.FALL:g} % of the link or more "
        "with W_c of 100, 300 and 500 on both links, and by more over ISDN; partly if it falls so on most curves; "
        f"otherwise not reproduced. {ELSE_UNDECIDED} If it is not reproduced with the timers of 1999 and "
        f"at least partly with those of {MODERN}, it depends on them.",
        judge=load.goodput_falls,
        command=run_of(grid_setting(T1, 100, 600), profile=MODERN),
    ),
    Claim(
        key="5.1.5-2",
        where="5.1.5",
        text="While loss is below 20 % unnecessary retransmissions are negligible.",
        paper="negligible",
        rule=f"The points are those of the grid where loss is below {100 * load.LOSSY:g} %, after a warm-up: "
        f"throughput exceeds goodput by at most {100 * load.NEGLIGIBLE:.1f} % of the link. {BY_SHARE}",
        judge=load.negligible,
        command=command(T1, 100, 300),
    ),
    Claim(
        key="5.1.5-3",
        where="5.1.5; Figure 12",
        text="With more loss than that, on a slow link, the goodput lost to them becomes significant.",
        paper="significant",
        rule=f"The points are those of the grid where loss is {100 * load.LOSSY:g} % or more, after a warm-up: "
        f"throughput exceeds goodput by more than {100 * load.NEGLIGIBLE:.1f} % of the link. {BY_SHARE}",
        judge=load.needless_when_lossy,
        command=command(ISDN, 100, 600),
    ),
    Claim(
        key="5.1.6-1",
        where="5.1.6; Figure 13",
        text="With few connections (W_c above 3 n) loss grows quadratically with their number.",
        paper="proportional to n²",
        rule="By loss against connections, 3 to 20 with W_c = 100 and 10 to 50 with 300: reproduced if the exponent is "
        f"within 0.2 of 2; partly if a parabola has R² of {loss.PARABOLA} or more and the exponent is {loss.BENT} or "
        f"more; otherwise not reproduced. {ELSE_UNDECIDED}",
        judge=loss.quadratic,
        command=command(T1, 100, 20),
    ),
    Claim(
        key="5.1.6-2",
        where="5.1.6; Figure 14",
        text="With many connections (n above W_c / 3) loss matches hyperbolas b x / (x + a) impressively well.",
        paper="impressively well",
        rule=HYPERBOLA_RULE,
        judge=loss.hyperbolic(0.0),
        command=command(T1, 100, 600),
    ),
    Claim(
        key="5.1.6-3",
        where="5.1.6; Table 4, T1",
        text="Over T1 these hyperbolas have the a and b of Table 4.",
        paper="W_c = 100: a = 144.9, b = 0.3237; 500: a = 769.2, b = 0.3948",
        rule=TABLE_RULE,
        judge=loss.tabled(0.0, "T1"),
        command=run_of(grid_setting(T1, 100, 600, span=(0, _WINDOW[1]))),
    ),
    Claim(
        key="5.1.6-4",
        where="5.1.6; Table 4, ISDN",
        text="Over ISDN these hyperbolas have the a and b of Table 4.",
        paper="W_c = 100: a = 149.3, b = 0.4646; 500: a = 2000, b = 1.1852",
        rule=TABLE_RULE,
        judge=loss.tabled(0.0, "ISDN"),
        command=run_of(grid_setting(ISDN, 100, 600, span=(0, 1000), max_rto="100000 s")),
    ),
)
"""In the order of the paper."""
