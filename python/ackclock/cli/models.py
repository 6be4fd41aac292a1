"""``ackclock model``: predictions of small models, to hold against what is simulated."""

from typing import Annotated

import typer

models = typer.Typer(
    help="Predict by a model what a simulation would measure.", no_args_is_help=True, rich_markup_mode=None
)


@models.command(
    "stochastic-reno",
    epilog="""Examples:

    \b
    ackclock model stochastic-reno --clients 60
    ackclock model stochastic-reno --clients 40 --initial-window 20 --json
    """,
)
def stochastic_reno(
    clients: Annotated[str, typer.Option(metavar="NUMBER", help="How many clients share the bottleneck.")] = "60",
    rate: Annotated[
        str, typer.Option(metavar="NUMBER", help="Packets per second that each one's source makes.")
    ] = "100",
    bandwidth: Annotated[str, typer.Option(metavar="RATE", help="Of the bottleneck.")] = "50 Mbps",
    packet_size: Annotated[str, typer.Option(metavar="BYTES", help="Of every packet, on the wire.")] = "1500",
    buffer: Annotated[str, typer.Option(metavar="PACKETS", help="That the gateway's buffer holds.")] = "50",
    rtt: Annotated[
        str, typer.Option(metavar="TIME", help="Two-way propagation delay: one step of the model.")
    ] = "100 ms",
    initial_window: Annotated[
        str, typer.Option(metavar="PACKETS", help="Every congestion window at the start; the outcome depends on it.")
    ] = "1",
    max_window: Annotated[
        str | None,
        typer.Option(metavar="PACKETS", help="What no window grows beyond: by default none.", show_default=False),
    ] = None,
    replications: Annotated[str, typer.Option(metavar="NUMBER", help="Independent repetitions.")] = "40",
    seed: Annotated[str, typer.Option(metavar="NUMBER", help="Of the random numbers.")] = "1",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Predict the burstiness of Reno by the heterogeneous paper's equations (1) to (4).

    The defaults are that paper's. All windows are halved in each interval that is congested.
    """
    from ackclock.cli import predictions  # noqa: PLC0415

    predictions.stochastic_reno(
        clients=clients,
        rate=rate,
        bandwidth=bandwidth,
        packet_size=packet_size,
        buffer=buffer,
        rtt=rtt,
        initial_window=initial_window,
        max_window=max_window,
        replications=replications,
        seed=seed,
        as_json=json,
    )


Probability = Annotated[str, typer.Option("--p", metavar="NUMBER", help="Probability that a packet is lost.")]
RoundTrip = Annotated[str, typer.Option("--rtt", metavar="SECONDS", help="Mean round-trip time.")]
PerAck = Annotated[
    str, typer.Option("--b", metavar="PACKETS", help="That one ACK acknowledges: 2 if ACKs are delayed.")
]
Timeout = Annotated[str, typer.Option("--t0", metavar="SECONDS", help="Mean timeout that is not backed off.")]
Advertised = Annotated[
    str | None,
    typer.Option("--w-max", metavar="PACKETS", help="The advertised window: by default none.", show_default=False),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


@models.command(
    "pftk",
    epilog="""Examples:

    \b
    ackclock model pftk --p 0.02 --rtt 0.2 --t0 1.0
    ackclock model pftk --p 0.02 --rtt 0.2 --t0 1.0 --b 2 --w-max 20 --json
    """,
)
def pftk(
    p: Probability,
    rtt: RoundTrip,
    t0: Timeout,
    b: PerAck = "1",
    w_max: Advertised = None,
    json: Json = False,
) -> None:
    """Predict what one bulk flow of Reno sends, by the approximate and the full formula of Padhye et al. (2000)."""
    from ackclock.cli import predictions  # noqa: PLC0415

    predictions.pftk(p=p, rtt=rtt, t0=t0, b=b, w_max=w_max, as_json=json)


@models.command(
    "mathis",
    epilog="""Examples:

    \b
    ackclock model mathis --p 0.001 --rtt 0.2
    ackclock model mathis --p 0.001 --rtt 0.2 --b 2 --json
    """,
)
def mathis(p: Probability, rtt: RoundTrip, b: PerAck = "1", json: Json = False) -> None:
    """Predict what one bulk flow carries that never times out, by the square-root law of Mathis et al. (1997)."""
    from ackclock.cli import predictions  # noqa: PLC0415

    predictions.mathis(p=p, rtt=rtt, b=b, as_json=json)


@models.command(
    "cardwell",
    epilog="""Examples:

    \b
    ackclock model cardwell --packets 20 --p 0.01 --rtt 0.1 --t0 1
    ackclock model cardwell --packets 20 --p 0.01 --rtt 0.1 --t0 1 --b 2 --delayed-ack 0.1 --json
    """,
)
def cardwell(
    packets: Annotated[str, typer.Option(metavar="NUMBER", help="That the flow sends.")],
    p: Probability,
    rtt: RoundTrip,
    t0: Timeout,
    b: PerAck = "1",
    initial_window: Annotated[str, typer.Option(metavar="PACKETS", help="The first window.")] = "1",
    w_max: Advertised = None,
    delayed_ack: Annotated[
        str, typer.Option(metavar="SECONDS", help="That the first packet's ACK is held back, on average.")
    ] = "0",
    json: Json = False,
) -> None:
    """Predict how long a short flow takes, handshake apart, by the model of Cardwell et al. (2000)."""
    from ackclock.cli import predictions  # noqa: PLC0415

    predictions.cardwell(
        packets=packets,
        p=p,
        rtt=rtt,
        t0=t0,
        b=b,
        initial_window=initial_window,
        w_max=w_max,
        delayed_ack=delayed_ack,
        as_json=json,
    )


@models.command(
    "large-pipe-loss",
    epilog="""Examples:

    \b
    ackclock model large-pipe-loss --window 5
    ackclock model large-pipe-loss --window 4.4 --smooth --json
    """,
)
def large_pipe_loss(
    window: Annotated[
        str, typer.Option(metavar="PACKETS", help="Of the pipe, buffer and all, for each flow; whole, unless --smooth.")
    ],
    b: PerAck = "1",
    smooth: Annotated[bool, typer.Option("--smooth", help="One polynomial for odd, even and other windows.")] = False,
    json: Json = False,
) -> None:
    """Predict the loss of many synchronised flows by the law of Qiu et al.: as printed, corrected and counted."""
    from ackclock.cli import predictions  # noqa: PLC0415

    predictions.large_pipe_loss(window=window, b=b, smooth=smooth, as_json=json)
