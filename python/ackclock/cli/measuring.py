"""Defines the commands that analyse data from outside the simulator: ``burstiness``, ``capture``, ``law``, ``twin``."""

from pathlib import Path
from typing import Annotated

import typer

measuring = typer.Typer(rich_markup_mode=None)

CaptureFile = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="Capture: pcap, pcapng or snoop, plain or compressed with gzip, Zstandard or LZ4.",
        show_default=False,
    ),
]
OfConnection = Annotated[
    int | None,
    typer.Option(
        "--connection",
        metavar="NUMBER",
        help="Number of the TCP connection in the capture (default: the one with the most data).",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


@measuring.command(
    epilog="""Examples:

    \b
    ackclock burstiness counts.txt
    ackclock burstiness packets.csv --bin "100 ms" --sum bytes --json
    ackclock burstiness result/arrivals.parquet --column packets --out figures
    """
)
def burstiness(
    input_: Annotated[
        str,
        typer.Argument(
            metavar="INPUT",
            help="Text with one number per line, CSV, Parquet, or the folder of a saved run; - for standard input.",
            show_default=False,
        ),
    ],
    column: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Column of a table (default: its only numeric column).", show_default=False),
    ] = None,
    bin_: Annotated[
        str | None,
        typer.Option(
            "--bin",
            metavar="TIME",
            help="Bin width, if the numbers are times in seconds (default: each number is the value of one bin).",
            show_default=False,
        ),
    ] = None,
    weight: Annotated[
        str | None,
        typer.Option(
            "--sum",
            metavar="NAME",
            help="Column to sum in each bin, such as bytes; needs --bin (default: count the times in each bin).",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for figures and a report. An existing report is replaced.", show_default=False),
    ] = None,
) -> None:
    """Analyse the burstiness of a series at many time scales. Estimate its Hurst parameter by six methods.

    Each estimate is printed with its confidence interval, its range of time scales, and the known bias of the method.
    Notices report contradictory estimates, and effects that only resemble long-range dependence.
    """
    from ackclock.cli import scaling  # noqa: PLC0415

    scaling.burstiness(input_, column=column, bin_=bin_, weight=weight, as_json=json, out=out)


@measuring.command(
    epilog="""Examples:

    \b
    ackclock capture lan.pcapng
    ackclock capture lan.pcap.gz --bin "100 ms" --json
    ackclock capture lan.pcap --anonymise --out lan
    ackclock capture lan.pcap0 lan.pcap1 --filter "tcp port 443 and not net 10.0.0.0/8"
    tcpdump -i eth0 -w - | ackclock capture -
    ackclock query lan "select protocol, count(*), sum(bytes) from packets group by all order by all"
    """
)
def capture(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE",
            help="Capture: pcap, pcapng or snoop, plain or compressed with gzip, Zstandard or LZ4; - for standard "
            "input. Several files are merged in order of time.",
            show_default=False,
        ),
    ],
    bin_: Annotated[str, typer.Option("--bin", metavar="TIME", help="Bin width for counting arrivals.")] = "10 ms",
    filter_: Annotated[
        str | None,
        typer.Option(
            "--filter",
            metavar="EXPRESSION",
            help="Packets to analyse, in the language of pcap filters: host, net, port, portrange, src, dst, ip, ip6, "
            "tcp, udp, sctp, icmp, icmp6, arp, and, or, not and parentheses (default: all).",
            show_default=False,
        ),
    ] = None,
    anonymise: Annotated[
        bool,
        typer.Option("--anonymise", help="Replace addresses, preserving common prefixes; ports stay unchanged."),
    ] = False,
    key: Annotated[
        str | None,
        typer.Option(
            metavar="HEX",
            help="Secret key for --anonymise, 64 hexadecimal digits (default: a random key).",
            show_default=False,
        ),
    ] = None,
    inner: Annotated[
        bool,
        typer.Option("--inner", help="Open tunnels: GRE, VXLAN, Geneve, GTP-U, IP in IP."),
    ] = False,
    connection: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            min=0,
            help="TCP connection to diagnose and draw, from 0 (default: the one with the most data).",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for packets, conversations and arrivals (Parquet), figures and a report. An existing "
            "report is replaced.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Analyse a capture: what slows its busiest TCP connection, protocols, conversations, and burstiness of arrivals.

    Packets of Ethernet (with VLAN tags, VN-Tag and 802.1BR), MPLS, PPPoE, PPP, Cisco HDLC, FDDI, 802.11, Linux cooked,
    BSD loopback and raw IP are decoded, others are counted. Files are read in one pass and in bounded memory. Only
    headers are decoded. Ctrl-C ends a capture from the standard input with what was read. The exit status is 1 if a
    file is damaged: the results are those of the packets before the damage.
    """
    from ackclock.cli import capture_reading  # noqa: PLC0415

    options = capture_reading.Options(
        bin=bin_, inner=inner, filter=filter_, anonymise=anonymise, key=key, connection=connection
    )
    if not capture_reading.capture(files, options, as_json=json, out=out):
        raise typer.Exit(1)


@measuring.command(
    epilog="""Examples:

    \b
    ackclock law upload.pcapng
    ackclock law upload.pcapng --connection 3 --json
    """
)
def law(file: CaptureFile, connection: OfConnection = None, json: Json = False) -> None:
    """Identify the congestion control of a captured sender, or why it cannot be identified.

    Each law of Ackclock follows the trace: it is given the ACKs of the capture, and what it would have allowed is
    compared with what the sender had in flight.
    """
    from ackclock.cli import law_identifying  # noqa: PLC0415

    law_identifying.law(file, connection=connection, as_json=json)


@measuring.command(
    epilog="""Examples:

    \b
    ackclock twin upload.pcapng
    ackclock twin upload.pcapng --connection 3 --out upload
    ackclock run upload/scenario.toml --set "dumbbell.bottleneck.rate=50 Mbps"
    """
)
def twin(
    file: CaptureFile,
    connection: OfConnection = None,
    json: Json = False,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="New folder for the scenario (TOML), its traces and the results (JSON). An earlier folder of this "
            "command is replaced.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Make a scenario of a captured connection's path, and tell what other queues and congestion controls would do.

    The scenario has the bottleneck's rate and buffer, the base delay, losses, other traffic, the application and the
    congestion control, where the capture shows them; what is assumed is named. It is run as it is, with other
    queues at the bottleneck, and with other congestion controls, with five seeds each. Its goodput and mean round-trip
    time are compared with the capture's: the twin fits if both are within 10 %.
    """
    from ackclock.cli import twinning  # noqa: PLC0415

    twinning.twin(file, connection=connection, as_json=json, out=out)
