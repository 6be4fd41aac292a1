"""Defines ``ackclock advise``: which buffer, queue and congestion control a link needs."""

from pathlib import Path
from typing import Annotated

import typer

advice = typer.Typer(rich_markup_mode=None)


@advice.command(
    epilog="""Examples:

    \b
    ackclock advise --rate "50 Mb/s" --delay "20 ms" --users 30
    ackclock advise --rate "1 Gb/s" --delay "20 ms" --users 300 --for pages,calls --out advice.html
    ackclock init uplink
    ackclock advise uplink.toml --dry-run
    ackclock advise uplink.toml --set ecn=false --set 'laws=["cubic", "bbr", "bbr3"]'
    """
)
def advise(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE]", help="Question (TOML); `ackclock init uplink` writes one.", show_default=False
        ),
    ] = None,
    rate: Annotated[
        str | None,
        typer.Option(
            metavar="RATE", help="Rate of the link towards the users (down), such as '50 Mb/s'.", show_default=False
        ),
    ] = None,
    up: Annotated[
        str | None,
        typer.Option(
            metavar="RATE", help="Rate of the link from the users (default: that of --rate).", show_default=False
        ),
    ] = None,
    delay: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Round-trip time without queues, such as '20 ms'.", show_default=False),
    ] = None,
    users: Annotated[
        str | None,
        typer.Option(metavar="NUMBER", help="Number of users who are active at the same time.", show_default=False),
    ] = None,
    matters: Annotated[
        str | None,
        typer.Option(
            "--for",
            metavar="WORD[,WORD]",
            help="What matters, the most important first: any of calls (speech and video), pages (web) and bulk "
            "(downloads and uploads) (default: calls,pages,bulk).",
            show_default=False,
        ),
    ] = None,
    overrides: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="FIELD=VALUE",
            help="Field of the question and its value, such as mix.calls=10 (users in a call), 'mix.calls=\"20 %\"' "
            "(share of the users) or ecn=false. `ackclock init uplink` shows all fields.",
        ),
    ] = None,
    seeds: Annotated[
        str, typer.Option(metavar="NUMBER", help="Largest number of seeds of each contender, at least 5.")
    ] = "20",
    store: Annotated[
        Path, typer.Option(help="Folder in which the runs are stored. Runs that it has are not repeated.")
    ] = Path("out/advise"),
    jobs: Annotated[
        str | None,
        typer.Option(metavar="NUMBER", help="Number of parallel runs (default: one per CPU).", show_default=False),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the contenders and the cost, and run nothing.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="New file for the page (HTML). An earlier page is replaced.", show_default=False
        ),
    ] = None,
) -> None:
    """Recommend a buffer, a queue and a congestion control for a link.

    By default it tries drop-tail buffers from 0.1 to 4 bandwidth-delay products, FQ-CoDel, CAKE, PIE and DualPI2, the
    latter four without and with ECN, for senders with CUBIC; --set laws compares congestion controls. The users have
    calls, web pages, videos, downloads and uploads. Seeds are added until the best is known. The answer has intervals,
    a check of its assumptions (half and twice the users, BBR and others), and commands for Linux.

    On two cores, 20 Mb/s with 12 users take about a minute, 50 Mb/s with 30 users two, and 1 Gb/s with 300 users about
    20; --dry-run estimates it. The same command resumes an interrupted one.
    """
    from ackclock.cli import adviser  # noqa: PLC0415

    adviser.advise(
        file,
        given={"rate": rate, "up": up, "delay": delay, "users": users, "for": matters},
        overrides=overrides or [],
        seeds=seeds,
        store=store,
        jobs=jobs,
        dry_run=dry_run,
        as_json=json,
        out=out,
    )
