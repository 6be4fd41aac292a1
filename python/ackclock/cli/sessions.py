"""Implements ``ackclock live shell``: programs of the user at the hosts of a scenario."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ackclock.live import Session

sessions = typer.Typer()


@sessions.command(
    "live shell",
    epilog="""Examples:

    \b
    ackclock live shell examples/fq_codel.toml
    ackclock live shell examples/fq_codel.toml --serve "receiver=iperf3 -s" -- iperf3 -c receiver
    ackclock live shell examples/fq_codel.toml --at receiver --serve "sender=python3 -m http.server"
    ackclock live shell examples/codel.toml --record queue/10ms --out result -- ping -c 5 receiver
    ackclock live shell examples/codel.toml --pcap up.pcapng --serve "receiver=iperf3 -s" -- iperf3 -c receiver
    """,
)
def shell(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Scenario (TOML).", show_default=False)],
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="COMMAND", help="Program and its arguments, after -- (default: your shell).", show_default=False
        ),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(metavar="HOST", help="Host of the command (default: sender, or the first one of a graph)."),
    ] = None,
    serve: Annotated[
        list[str] | None,
        typer.Option(
            metavar="HOST=COMMAND",
            help="Command at another host. It starts first, and ends with the session. May be repeated.",
        ),
    ] = None,
    seed: Annotated[str, typer.Option(metavar="NUMBER", help="Random seed of the links.")] = "1",
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="PATH=VALUE", help="Field and its new value. May be repeated."),
    ] = None,
    record: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND[@LINK][/INTERVAL]",
            help="Table to record and write with --out, such as queue@bottleneck/10ms. May be repeated.",
        ),
    ] = None,
    pcap: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="New pcapng file of what the command's host sends and receives."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="New folder for the result and its tables (Parquet).")] = None,
) -> None:
    """Run your shell or any program at a host of a scenario, through its links in real time (Linux).

    Hosts are sender and receiver; those of a graph are the nodes with flows. Programs find them by these names. Data
    from the sender crosses the bottleneck. The flows of the scenario are not started, and its duration does not limit
    the session, which ends with the command. The exit status is that of the command.

    The command is your own program with your rights to files and to sockets in the file system, without capabilities,
    and with no other network interface than the scenario's. It is not a sandbox. It needs root, or user namespaces that
    may make networks.
    """
    from ackclock.cli.arguments import integer  # noqa: PLC0415
    from ackclock.live import shell as hold  # noqa: PLC0415
    from ackclock.running.run import SEED  # noqa: PLC0415
    from ackclock.running.saving import refuse_existing  # noqa: PLC0415
    from ackclock.scenario import Scenario  # noqa: PLC0415
    from ackclock.scenario.files import read_scenario  # noqa: PLC0415
    from ackclock.scenario.overrides import override  # noqa: PLC0415

    if out is not None:
        refuse_existing(out)
    servers = dict(_server(each) for each in serve or ())
    tables = read_scenario(file)
    override(tables, overrides or [])
    session = hold(
        Scenario.from_dict(tables),
        command or (),
        at=at,
        serve=servers,
        seed=integer("seed", seed, SEED.allowed),
        record=record or (),
        pcap=pcap,
    )
    if out is not None and session.run is not None:
        session.run.save(out)
    _report(session)
    sys.stdout.flush()
    sys.exit(session.status)  # also 130, of a command that Ctrl-C has ended


def _server(text: str) -> tuple[str, list[str]]:
    """Split an option into a host and a command."""
    from ackclock.values.errors import refuse  # noqa: PLC0415

    host, equals, line = text.partition("=")
    try:
        command = shlex.split(line)
    except ValueError:
        command = []
    if not equals or not command:
        raise refuse("--serve", text, "must be HOST=COMMAND, with balanced quotes")
    return host, command


def _report(session: Session) -> None:
    """Print the main measures and all notices on standard error: standard output belongs to the command."""
    from ackclock.running.summary import brief  # noqa: PLC0415

    lines = [*session.lateness.reasons] if session.run is None else session.run.notices
    if session.run is not None:
        lines = (f"{session.run.scenario.measure.link}: {brief(session.run.summary)}", *lines)
    for line in lines:
        sys.stderr.write(f"ackclock: {line}\n")
