"""Defines ``ackclock model``: predictions of analytical models, for comparison with simulations."""

from typing import Annotated

import typer

models = typer.Typer(
    help="Predict the results of a simulation with an analytical model.", no_args_is_help=True, rich_markup_mode=None
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
    clients: Annotated[str, typer.Option(metavar="NUMBER", help="Number of clients that share the bottleneck.")] = "60",
    rate: Annotated[str, typer.Option(metavar="NUMBER", help="Packets per second that each client generates.")] = "100",
    bandwidth: Annotated[str, typer.Option(metavar="RATE", help="Rate of the bottleneck.")] = "50 Mbps",
    packet_size: Annotated[str, typer.Option(metavar="BYTES", help="Packet size on the wire.")] = "1500",
    buffer: Annotated[str, typer.Option(metavar="PACKETS", help="Size of the gateway's buffer.")] = "50",
    rtt: Annotated[
        str, typer.Option(metavar="TIME", help="Two-way propagation delay; one step of the model takes this time.")
    ] = "100 ms",
    initial_window: Annotated[
        str, typer.Option(metavar="PACKETS", help="Initial congestion window of each client.")
    ] = "1",
    max_window: Annotated[
        str | None,
        typer.Option(metavar="PACKETS", help="Maximum window (default: unlimited).", show_default=False),
    ] = None,
    replications: Annotated[str, typer.Option(metavar="NUMBER", help="Number of independent runs.")] = "40",
    seed: Annotated[str, typer.Option(metavar="NUMBER", help="Random seed.")] = "1",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Predict the burstiness of Reno by equations (1) to (4) of Feng and Tinnakornsrisuphap (ICPP 2000).

    The default values are from the paper. In the model, all windows are halved after each congested interval. With
    congestion, it predicts about 1.9 times the c.o.v. of a simulation; `ackclock model mixed --reno 60` is closer.
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


Rate = Annotated[str, typer.Option("--rate", metavar="NUMBER", help="Packets per second that each client generates.")]
Bandwidth = Annotated[str, typer.Option("--bandwidth", metavar="RATE", help="Rate of the bottleneck.")]
PacketSize = Annotated[str, typer.Option("--packet-size", metavar="BYTES", help="Packet size on the wire.")]
Buffer = Annotated[
    str,
    typer.Option("--buffer", metavar="PACKETS", help="Size of the gateway's buffer, with the packet in service."),
]
Delay = Annotated[str, typer.Option("--rtt", metavar="TIME", help="Two-way propagation delay.")]
Window = Annotated[str, typer.Option("--max-window", metavar="PACKETS", help="Advertised window.")]
Replications = Annotated[str, typer.Option("--replications", metavar="NUMBER", help="Number of independent runs.")]
Seed = Annotated[str, typer.Option("--seed", metavar="NUMBER", help="Random seed.")]
Alpha = Annotated[
    str, typer.Option("--alpha", metavar="PACKETS", help="Vegas' window grows if fewer packets are in queues.")
]
Beta = Annotated[
    str, typer.Option("--beta", metavar="PACKETS", help="Vegas' window shrinks if more packets are in queues.")
]
Gamma = Annotated[
    str, typer.Option("--gamma", metavar="PACKETS", help="Vegas' slow start ends if more packets are in queues.")
]
Print = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


@models.command(
    "vegas",
    epilog="""Examples:

    \b
    ackclock model vegas --clients 60
    ackclock model vegas --clients 100 --alpha 2 --beta 4 --json
    """,
)
def vegas(
    clients: Annotated[str, typer.Option(metavar="NUMBER", help="Number of clients that share the bottleneck.")] = "60",
    rate: Rate = "100",
    bandwidth: Bandwidth = "50 Mbps",
    packet_size: PacketSize = "1500",
    buffer: Buffer = "50",
    rtt: Delay = "100 ms",
    max_window: Window = "20",
    alpha: Alpha = "1",
    beta: Beta = "3",
    gamma: Gamma = "1",
    replications: Replications = "4",
    seed: Seed = "1",
    json: Print = False,
) -> None:
    """Predict the burstiness, loss and utilization of Vegas clients by the round model.

    The default values are the network of Feng and Tinnakornsrisuphap (ICPP 2000), without its first 20 s.
    """
    from ackclock.cli import predictions  # noqa: PLC0415

    predictions.mixed(
        model="vegas",
        counts={"--clients": ("vegas", clients)},
        rate=rate,
        bandwidth=bandwidth,
        packet_size=packet_size,
        buffer=buffer,
        rtt=rtt,
        max_window=max_window,
        start="0 s",
        alpha=alpha,
        beta=beta,
        gamma=gamma,
        replications=replications,
        seed=seed,
        as_json=json,
    )


@models.command(
    "mixed",
    epilog="""Examples:

    \b
    ackclock model mixed --reno 30 --vegas 30
    ackclock model mixed --reno 20 --delayed-ack-reno 20 --vegas 20 --buffer 500 --vegas-start "10 s" --json
    """,
)
def mixed(
    reno: Annotated[str, typer.Option(metavar="NUMBER", help="Number of Reno clients.")] = "0",
    delayed_ack_reno: Annotated[
        str, typer.Option(metavar="NUMBER", help="Number of Reno clients with delayed ACKs.")
    ] = "0",
    vegas: Annotated[str, typer.Option(metavar="NUMBER", help="Number of Vegas clients.")] = "0",
    vegas_start: Annotated[str, typer.Option(metavar="TIME", help="Time at which Vegas clients start.")] = "0 s",
    rate: Rate = "100",
    bandwidth: Bandwidth = "50 Mbps",
    packet_size: PacketSize = "1500",
    buffer: Buffer = "50",
    rtt: Delay = "100 ms",
    max_window: Window = "20",
    alpha: Alpha = "1",
    beta: Beta = "3",
    gamma: Gamma = "1",
    replications: Replications = "4",
    seed: Seed = "1",
    json: Print = False,
) -> None:
    """Predict how Reno and Vegas clients share a bottleneck by the round model.

    The default values are the network of Feng and Tinnakornsrisuphap (ICPP 2000), without its first 20 s.
    """
    from ackclock.cli import predictions  # noqa: PLC0415

    predictions.mixed(
        model="mixed",
        counts={
            "--reno": ("reno", reno),
            "--delayed-ack-reno": ("delayed_ack_reno", delayed_ack_reno),
            "--vegas": ("vegas", vegas),
        },
        rate=rate,
        bandwidth=bandwidth,
        packet_size=packet_size,
        buffer=buffer,
        rtt=rtt,
        max_window=max_window,
        start=vegas_start,
        alpha=alpha,
        beta=beta,
        gamma=gamma,
        replications=replications,
        seed=seed,
        as_json=json,
    )


Probability = Annotated[str, typer.Option("--p", metavar="NUMBER", help="Probability that a packet is lost.")]
RoundTrip = Annotated[str, typer.Option("--rtt", metavar="TIME", help="Mean round-trip time.")]
PerAck = Annotated[
    str,
    typer.Option(
        "--b",
        metavar="PACKETS",
        help="Packets acknowledged per ACK: 2 if ACKs are delayed and the window grows per ACK; "
        "1 if it grows by packets, as in the profile linux.",
    ),
]
Timeout = Annotated[str, typer.Option("--t0", metavar="TIME", help="Mean timeout without back-off.")]
Advertised = Annotated[
    str | None,
    typer.Option("--w-max", metavar="PACKETS", help="Advertised window (default: unlimited).", show_default=False),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


@models.command(
    "pftk",
    epilog="""Examples:

    \b
    ackclock model pftk --p 0.02 --rtt '200 ms' --t0 '1 s'
    ackclock model pftk --p 0.02 --rtt '200 ms' --t0 '1 s' --b 2 --w-max 20 --json
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
    """Predict the rate of one bulk Reno flow, by the approximate and the full formula of Padhye et al. (2000)."""
    from ackclock.cli import predictions  # noqa: PLC0415

    predictions.pftk(p=p, rtt=rtt, t0=t0, b=b, w_max=w_max, as_json=json)


@models.command(
    "mathis",
    epilog="""Examples:

    \b
    ackclock model mathis --p 0.001 --rtt '200 ms'
    ackclock model mathis --p 0.001 --rtt '200 ms' --b 2 --json
    """,
)
def mathis(p: Probability, rtt: RoundTrip, b: PerAck = "1", json: Json = False) -> None:
    """Predict the rate of one bulk flow without timeouts, by the square-root formula of Mathis et al. (1997)."""
    from ackclock.cli import predictions  # noqa: PLC0415

    predictions.mathis(p=p, rtt=rtt, b=b, as_json=json)


@models.command(
    "cardwell",
    epilog="""Examples:

    \b
    ackclock model cardwell --packets 20 --p 0.01 --rtt '100 ms' --t0 '1 s'
    ackclock model cardwell --packets 20 --p 0.01 --rtt '100 ms' --t0 '1 s' --b 2 --delayed-ack '100 ms' --json
    """,
)
def cardwell(
    packets: Annotated[str, typer.Option(metavar="NUMBER", help="Number of packets that the flow sends.")],
    p: Probability,
    rtt: RoundTrip,
    t0: Timeout,
    b: PerAck = "1",
    initial_window: Annotated[str, typer.Option(metavar="PACKETS", help="Initial congestion window.")] = "1",
    w_max: Advertised = None,
    delayed_ack: Annotated[
        str,
        typer.Option(metavar="TIME", help="Mean time for which the receiver delays the ACK of the first packet."),
    ] = "0 s",
    json: Json = False,
) -> None:
    """Predict the duration of a short flow without its handshake, by the model of Cardwell et al. (2000)."""
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
        str,
        typer.Option(
            metavar="PACKETS",
            help="Window per flow: packets that path and buffer can hold, divided by the number of flows; "
            "an integer unless --smooth is given.",
        ),
    ],
    b: PerAck = "1",
    smooth: Annotated[
        bool, typer.Option("--smooth", help="Use the same polynomial for odd, even and fractional windows.")
    ] = False,
    json: Json = False,
) -> None:
    """Predict the loss rate of many synchronised flows, by three forms of the law of Qiu et al.

    The forms are the printed law, a corrected law, and an exact count of packets.
    """
    from ackclock.cli import predictions  # noqa: PLC0415

    predictions.large_pipe_loss(window=window, b=b, smooth=smooth, as_json=json)
