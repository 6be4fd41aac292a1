"""The claims of sections 3.2.1 to 3.2.3 and 5 on newcomers beside Reno, and the headline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.papers.burstiness.claims.reading import WEIGHED
from ackclock.papers.claims import BY_SHARE, ELSE_UNDECIDED, Claim
from ackclock.papers.heterogeneous.claims import newcomers, whole
from ackclock.papers.heterogeneous.claims.reading import EFFECT, STARTED, command
from ackclock.papers.heterogeneous.claims.whole import AS_WELL, BETA
from ackclock.papers.heterogeneous.experiment import SCENES

if TYPE_CHECKING:
    from ackclock.papers.heterogeneous.evidence import Evidence

__all__ = ["DISCUSSION", "FULL", "GAINS", "HALF", "HEADLINE", "LOSES", "RED_BESIDE"]

_HALF_SMALL, _HALF_LARGE, _FULL_SMALL, _FULL_LARGE = SCENES
_HALF = (_HALF_SMALL, _HALF_LARGE)

_FULL_LINK = "The points are those at which the clients offer more than the link carries"

GAINS = (
    f"{_FULL_LINK}, behind every gateway: Vegas' goodput over Reno's (pairs of one seed) is clearly above 1. "
    f"{BY_SHARE}{WEIGHED}"
)
LOSES = (
    f"{_FULL_LINK}, behind every gateway where anybody loses 0.005 % or more: Vegas clearly loses less. "
    f"{BY_SHARE}{WEIGHED}"
)

HEADLINE = (
    Claim(
        key="1-1",
        where="abstract, 1, 5; Figures 5 to 12",
        text="Vegas performs as well as, if not better than, Reno in the presence of existing Reno connections, "
        "contrary to what Mo et al. found.",
        paper="as well, if not better",
        rule=f"The points are those of Figures 5 to 12: Vegas' goodput over Reno's is {AS_WELL} or more, and Vegas "
        f"loses no more than Reno by the same margin. {BY_SHARE} Asked again where the newcomers start at 10 s: if it "
        "is reproduced with one start and not with the other, it depends on that.",
        judge=whole.as_well_as_reno(SCENES),
        command=command(_FULL_LARGE, "Vegas", 20),
    ),
)
"""What the paper is known for."""

HALF: tuple[Claim[Evidence], ...] = (
    Claim(
        key="3.2.1-1",
        where="3.2.1; Figure 5",
        text="Beside 20 Reno clients, with a buffer of 50, added Vegas clients outperform added Reno clients in "
        "throughput.",
        paper="outperforms",
        rule=GAINS,
        judge=newcomers.gains_throughput(_HALF_SMALL),
        command=command(_HALF_SMALL, "Vegas", 40),
    ),
    Claim(
        key="3.2.1-2",
        where="3.2.1; Figure 6",
        text="Beside 20 Reno clients, with a buffer of 50, added Vegas clients lose less than added Reno clients.",
        paper="outperforms",
        rule=LOSES,
        judge=newcomers.loses_less(_HALF_SMALL),
        command=command(_HALF_SMALL, "Vegas/RED", 40),
    ),
    Claim(
        key="3.2.1-3",
        where="3.2.1",
        text="Vegas connections are favoured when the gateway's buffer is small, as Mo et al. found too.",
        paper="favored",
        rule=f"{_FULL_LINK}, behind both gateways with a buffer of 50: an added Vegas client clearly gets more than a "
        f"Reno client of the background. {BY_SHARE}",
        judge=newcomers.outdoes_background(_HALF_SMALL),
        command=command(_HALF_SMALL, "Vegas", 40),
    ),
    Claim(
        key="3.2.1-4",
        where="3.2.1; Figure 7",
        text="With a buffer of 1500 the throughputs of Vegas and Reno are nearly identical.",
        paper="nearly identical",
        rule="Reproduced if Vegas' goodput over Reno's is within 5 % of 1 at every point; partly if at most points, or "
        f"at every point where the link is not full; otherwise not reproduced. {ELSE_UNDECIDED}{STARTED}",
        judge=newcomers.close_throughput(_HALF_LARGE, 0.05),
        command=command(_HALF_LARGE, "Vegas", 40),
    ),
    Claim(
        key="3.2.1-5",
        where="3.2.1; Figures 6, 8",
        text="With a buffer of 1500 the relative differences in packet loss are more pronounced, though the absolute "
        "ones are smaller.",
        paper="more pronounced",
        rule="By the difference of the losses of Reno and Vegas at the end of the curves: reproduced if, as a part of "
        "Reno's, it is clearly larger behind RED1 and RED2 than behind either gateway of 50 packets, and in points "
        "smaller; partly if only the former; otherwise not reproduced. FIFO with 1500 packets is left out: nobody "
        f"loses there. {ELSE_UNDECIDED}",
        judge=newcomers.more_pronounced(_HALF_LARGE, _HALF_SMALL),
        command=command(_HALF_LARGE, "Vegas/RED2", 40),
    ),
    Claim(
        key="3.2.1-6",
        where="3.2.1; Figure 7",
        text="Lower thresholds of RED favour Vegas.",
        paper="favor Vegas",
        rule=f"{_FULL_LINK}: Vegas' goodput over Reno's is larger with RED2 than with RED1 by more than "
        f"{EFFECT:g}. "
        f"{BY_SHARE}{WEIGHED}",
        judge=newcomers.low_thresholds_favour(_HALF_LARGE),
        command=command(_HALF_LARGE, "Vegas/RED2", 40),
    ),
    Claim(
        key="3.2.1-7",
        where="3.2.1; Figure 8",
        text="With a buffer of 1500 the Vegas variants produce lower packet loss than their Reno counterparts.",
        paper="lower",
        rule=LOSES,
        judge=newcomers.loses_less(_HALF_LARGE),
        command=command(_HALF_LARGE, "Vegas/RED1", 40),
    ),
)
"""Of section 3.2.1, up to RED."""

RED_BESIDE: tuple[Claim[Evidence], ...] = (
    Claim(
        key="3.2.1-12",
        where="3.2.1",
        text="Vegas, even in the presence of 20 Reno connections, requires a minimal amount of buffer space.",
        paper="minimal",
        rule=f"The points are the RED gateways, at the end of the curves: on average no more than {BETA} packets of a "
        "Vegas connection (beta) wait there, by its share of the departures times the packets that wait. "
        f"{BY_SHARE}",
        judge=whole.needs_little_room(_HALF),
        command=command(_HALF_LARGE, "Vegas/RED1", 40),
    ),
    Claim(
        key="3.2.1-13",
        where="3.2.1",
        text="There it produces smoother traffic than Reno behind a RED gateway, and so performs better.",
        paper="smoother",
        rule=f"{_FULL_LINK}, each twice, behind RED 10/40: of all clients together, the c.o.v. is clearly lower with "
        f"Vegas added than with Reno, and the throughput clearly higher. {BY_SHARE}{WEIGHED}",
        judge=whole.smoother_behind_red(_HALF_SMALL),
        command=command(_HALF_SMALL, "Vegas/RED", 40),
    ),
    Claim(
        key="3.2.1-14",
        where="3.2.1; Figures 5 to 8",
        text="TCP implementations with RED perform worse than their plain counterparts in throughput and packet loss.",
        paper="worse",
        rule=f"{_FULL_LINK}, each twice, for either protocol: behind each RED gateway added clients clearly get less, "
        f"and clearly lose more, than behind FIFO with the same buffer. {BY_SHARE}{WEIGHED}",
        judge=newcomers.red_is_worse(*_HALF),
        command=command(_HALF_SMALL, "Reno/RED", 40),
    ),
)
"""Of section 3.2.1, on RED where two kinds of client share the link."""

FULL: tuple[Claim[Evidence], ...] = (
    Claim(
        key="3.2.2-1",
        where="3.2.2; Figure 9",
        text="Beside 40 Reno clients, with a buffer of 50, Vegas still performs admirably: it gets more than Reno.",
        paper="admirably",
        rule=GAINS,
        judge=newcomers.gains_throughput(_FULL_SMALL),
        command=command(_FULL_SMALL, "Vegas", 20),
    ),
    Claim(
        key="3.2.2-2",
        where="3.2.2; Figure 10",
        text="Beside 40 Reno clients, with a buffer of 50, Vegas loses less than Reno too.",
        paper="admirably",
        rule=LOSES,
        judge=newcomers.loses_less(_FULL_SMALL),
        command=command(_FULL_SMALL, "Vegas/RED", 20),
    ),
    Claim(
        key="3.2.2-3",
        where="3.2.2; Figures 5, 9",
        text="As the number of Reno nodes increases, the advantage of Vegas over Reno diminishes.",
        paper="diminishes",
        rule="The points are the two gateways with a buffer of 50, with 60 clients in all: Vegas' goodput over Reno's "
        f"is clearly smaller beside 40 Reno clients than beside 20. {BY_SHARE}",
        judge=whole.edge_shrinks(_HALF_SMALL, _FULL_SMALL),
        command=command(_FULL_SMALL, "Vegas", 20),
    ),
    Claim(
        key="3.2.2-4",
        where="3.2.2; Figures 3, 4, 5, 9",
        text="Vegas performs best where all nodes run it.",
        paper="best",
        rule="The points are throughput and loss of all together behind the two gateways with a buffer of 50, with 60 "
        "clients of which 0, 20, 40 or 60 run Vegas: the throughput is clearly highest, the loss clearly lowest, where "
        f"all run Vegas. {BY_SHARE}",
        judge=whole.all_vegas_is_best(_HALF_SMALL, _FULL_SMALL),
        command=command(_HALF_SMALL, "Vegas", 40),
    ),
    Claim(
        key="3.2.2-5",
        where="3.2.2; Figure 11",
        text="Beside 40 Reno clients, with a buffer of 1500, Vegas performs better than Reno, contrary to what Mo et "
        "al. found.",
        paper="better",
        rule=GAINS,
        judge=newcomers.gains_throughput(_FULL_LARGE),
        command=command(_FULL_LARGE, "Vegas", 20),
    ),
    Claim(
        key="3.2.2-6",
        where="3.2.2; Figure 11",
        text="Beside 40 Reno clients, with a buffer of 1500, the throughputs of Vegas and Reno are relatively close.",
        paper="relatively close",
        rule="Reproduced if Vegas' goodput over Reno's is within 10 % of 1 at every point; partly if at most points, "
        f"or at every point where the link is not full; otherwise not reproduced. {ELSE_UNDECIDED}{STARTED}",
        judge=newcomers.close_throughput(_FULL_LARGE, 0.1),
        command=command(_FULL_LARGE, "Vegas", 20, "clients.1.start=10 s"),
    ),
    Claim(
        key="3.2.2-7",
        where="3.2.2; Figures 10, 12",
        text="Beside 40 Reno clients the relative differences in packet loss are more pronounced with a buffer of "
        "1500, though the absolute ones are smaller.",
        paper="more pronounced",
        rule="As 3.2.1-5, beside 40 Reno clients.",
        judge=newcomers.more_pronounced(_FULL_LARGE, _FULL_SMALL),
        command=command(_FULL_LARGE, "Vegas/RED2", 20),
    ),
    Claim(
        key="3.2.2-8",
        where="3.2.2; Figure 12",
        text="Beside 40 Reno clients, with a buffer of 1500, Vegas variants lose less than their Reno counterparts.",
        paper="lower",
        rule=LOSES,
        judge=newcomers.loses_less(_FULL_LARGE),
        command=command(_FULL_LARGE, "Vegas/RED1", 20),
    ),
)
"""Of section 3.2.2."""

DISCUSSION: tuple[Claim[Evidence], ...] = (
    Claim(
        key="3.2.3-1",
        where="3.2.3",
        text="Vegas tries to keep a smaller queue; Reno keeps many more packets in the buffer on average.",
        paper="many more",
        rule=f"{_FULL_LINK}, and 39 to 60 clients of one kind: the mean of the packets that wait is clearly larger "
        f"with Reno than with Vegas. {BY_SHARE}",
        judge=whole.reno_fills_the_buffer(SCENES),
        command=command(_FULL_LARGE, "Reno", 20),
    ),
    Claim(
        key="3.2.3-2",
        where="3.2.3",
        text="Connections that always have data to send, as Mo et al. have them, benefit Reno's greedy algorithm.",
        paper="clearly",
        rule="The points are both backgrounds and every gateway, with 60 clients: Vegas' goodput over Reno's is "
        f"smaller with greedy sources than with Poisson sources by more than {EFFECT:g}. {BY_SHARE}",
        judge=whole.greed_helps_reno(SCENES),
        command=command(
            _FULL_SMALL, "Vegas", 20, 'clients.0.source={kind="greedy"}', 'clients.1.source={kind="greedy"}'
        ),
    ),
)
"""Of section 3.2.3."""
