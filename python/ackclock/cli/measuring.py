"""``ackclock burstiness`` and ``ackclock capture``: what was measured elsewhere, looked at as runs are."""

from pathlib import Path
from typing import Annotated

import typer

measuring = typer.Typer(rich_markup_mode=None)


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
            help="Text with one number a line, CSV, Parquet, or the folder of a run; - is the standard input.",
            show_default=False,
        ),
    ],
    column: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="The column of a table: by default its only one of numbers.", show_default=False
        ),
    ] = None,
    bin_: Annotated[
        str | None,
        typer.Option(
            "--bin",
            metavar="TIME",
            help="The numbers are times in seconds, to be counted in bins of this length; else each number is a bin.",
            show_default=False,
        ),
    ] = None,
    weight: Annotated[
        str | None,
        typer.Option(
            "--sum",
            metavar="NAME",
            help="With --bin: the column that is summed in each bin, such as bytes; packets are counted by default.",
            show_default=False,
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(help="Draw figures into this folder; an earlier one is replaced.", show_default=False),
    ] = None,
) -> None:
    """Tell how a series varies over time scales, and its Hurst parameter by six methods.

    Each with its interval, scales and known bias; notices say where they disagree, and what only looks like long-range
    dependence.
    """
    from ackclock.cli import scaling  # noqa: PLC0415

    scaling.burstiness(input_, column=column, bin_=bin_, weight=weight, as_json=json, out=out)


@measuring.command(
    epilog="""Examples:

    \b
    ackclock capture lan.pcapng
    ackclock capture lan.pcap.gz --bin "100 ms" --json
    ackclock capture lan.pcap --anonymise --out lan
    ackclock query lan "select protocol, count(*), sum(bytes) from packets group by all order by all"
    """
)
def capture(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A capture: pcap or pcapng, plain or in gzip.", show_default=False),
    ],
    bin_: Annotated[
        str, typer.Option("--bin", metavar="TIME", help="The length of the bins that arrivals are counted in.")
    ] = "10 ms",
    anonymise: Annotated[
        bool,
        typer.Option(
            "--anonymise", help="Replace addresses by others that share as long a prefix as they did; ports stay."
        ),
    ] = False,
    key: Annotated[
        str | None,
        typer.Option(
            metavar="HEX",
            help="With --anonymise: 64 hexadecimal digits, to be kept secret; a random key by default.",
            show_default=False,
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write packets, conversations and arrivals (Parquet), figures and a report into this folder; an "
            "earlier one is replaced.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Tell what a capture shows: protocols, conversations, how bursty its arrivals are.

    The file is read in one pass and in bounded memory. What it carries is looked at no further than the headers.
    """
    from ackclock.cli import capture_reading  # noqa: PLC0415

    capture_reading.capture(file, bin_=bin_, anonymise=anonymise, key=key, as_json=json, out=out)
