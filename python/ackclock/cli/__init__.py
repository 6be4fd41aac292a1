"""The command line: ``ackclock run | sweep | query | report | burstiness | capture | reproduce | model | ...``.

What costs time to load is loaded by the command that needs it, so that ``--help`` answers at once.
"""

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from ackclock.cli.measuring import measuring
from ackclock.cli.models import models
from ackclock.cli.profiles import profiles
from ackclock.cli.stores import stores

app = typer.Typer(
    name="ackclock",
    help="A laboratory for TCP congestion control and the burstiness it makes.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.add_typer(measuring)
app.add_typer(models, name="model")
app.add_typer(profiles, name="profile")
app.add_typer(stores, name="store")

_INTERRUPTED = 128 + signal.SIGINT

# What typer raises for a command line that it cannot read.
_UsageError: Any = typer.BadParameter.__base__


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit.

    The status is 0 if all went well; each other comes with one line: 2 if the input is wrong, 1 if writing failed or a
    file of ours is damaged, 130 after an interrupt.
    """
    if sys.__stdout__ is None:
        _fail("standard output: cannot be written: it is closed", code=1)
    # Commands that must not load the package do not import it; by the time there is an error, it is loaded.
    try:
        code = app(args=arguments, prog_name="ackclock", standalone_mode=False)
        sys.stdout.flush()
    except _UsageError as error:
        more = f" (see {error.ctx.command_path} --help)" if error.ctx else ""
        _fail(error.format_message() + more)
    except (KeyboardInterrupt, RuntimeError) as error:  # Python makes the second of the first while it builds a class
        if not _is_interrupt(error):
            raise
        code = _INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has seen enough.
        _silence()
        sys.exit(1)
    except OSError as error:
        _silence()
        _fail(f"{error.filename or 'standard output'}: cannot be written: {error.strerror or error}", code=1)
    except ValueError as error:
        from ackclock.running.engine import PlanError  # noqa: PLC0415
        from ackclock.scenario.errors import DamagedError, ScenarioError  # noqa: PLC0415

        if not isinstance(error, ScenarioError | PlanError):
            raise
        code = 1 if isinstance(error, DamagedError) else 2
        _fail(error.headline if isinstance(error, ScenarioError) else str(error), code=code)
    if code == _INTERRUPTED:  # by typer too, for it catches interrupts itself
        _fail("interrupted; nothing half-made is left", code=code)
    sys.exit(code or 0)


def _is_interrupt(error: BaseException | None) -> bool:
    """Tell whether an interrupt is behind an error."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _fail(message: str, *, code: int = 2) -> NoReturn:
    """End with one line, whatever names are in it."""
    line = "".join(letter if letter.isprintable() else "?" for letter in message.rstrip())
    sys.stderr.write(line + "\n")
    sys.exit(code)


def _silence() -> None:
    """Keep Python from writing once more, and complaining once more, when it closes the standard output."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print_version(wanted: bool) -> None:  # typer calls it so
    if wanted:
        from ackclock.running.catalogue import catalogue  # noqa: PLC0415

        sys.stdout.write(f"ackclock {catalogue().version}\n")
        raise typer.Exit


@app.callback()
def ackclock(
    version: Annotated[  # its callback acts
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Describe a network, flows and traffic; every packet is simulated; tables, figures and a report come out."""


@app.command(
    epilog="""Examples:

    \b
    ackclock run examples/feng60.toml
    ackclock run examples/feng60.toml --set "duration=20 s" --set clients.0.count=40
    ackclock run examples/feng60.toml --record arrivals --record windows@0,9/100ms --out result
    ackclock run examples/feng60.toml --pcap bottleneck=gateway.pcapng
    ackclock run examples/feng60.toml --pcap access.0,access.0.reverse@receive=sender.pcapng --snap-length 1500
    ackclock run result --seed 2
    """
)
def run(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A scenario (TOML), or a result to run again.", show_default=False)
    ],
    seed: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER", help="Seed of the random numbers: by default 1, or the result's own.", show_default=False
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="PATH=VALUE", help="Override a field, as in clients.0.count=40; repeatable."),
    ] = None,
    record: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND[@PLACE,PLACE][/INTERVAL]",
            help="Keep a table with --out: arrivals, queue@bottleneck/10ms, windows@0,9; repeatable. "
            "`ackclock list records` lists the kinds.",
        ),
    ] = None,
    pcap: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LINK[@POINT][,LINK...]=FILE",
            help="Write packets into this new file (pcapng): as they are offered to the link's queue, or at the point "
            "dequeue or receive; repeatable.",
        ),
    ] = None,
    snap_length: Annotated[
        str | None,
        typer.Option(
            metavar="BYTES", help="Most bytes of a packet that --pcap keeps: 96 by default.", show_default=False
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Write the record and its tables (Parquet) into this new directory.")
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Most memory that the run may take, such as 8GB: half of the machine's by default.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Simulate a scenario and print its summary."""
    from ackclock.cli import runner  # noqa: PLC0415
    from ackclock.cli.capture_writing import captures_of  # noqa: PLC0415

    runner.run(
        file,
        seed=seed,
        as_json=json,
        overrides=overrides or [],
        record=record,
        captures=captures_of(pcap or [], snap_length),
        out=out,
        memory=memory,
    )


@app.command(
    epilog="""Examples:

    \b
    ackclock sweep examples/study.toml --dry-run
    ackclock sweep examples/study.toml --store results --jobs 2
    ackclock sweep examples/study.toml --engine ray --address 10.0.0.1:6379
    """
)
def sweep(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="A study (TOML).", show_default=False)],
    store: Annotated[
        Path | None,
        typer.Option(help="The folder that keeps the runs: out/STUDY by default.", show_default=False),
    ] = None,
    engine: Annotated[
        str, typer.Option(metavar="threads|ray", help="Where runs are made: on this machine, or by Ray.")
    ] = "threads",
    address: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT", help="The Ray cluster to join: one is started here by default.", show_default=False
        ),
    ] = None,
    jobs: Annotated[
        str | None,
        typer.Option(metavar="NUMBER", help="How many runs at once: one per core by default.", show_default=False),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Most memory that all runs at once may take, such as 8GB: half of the machine's by default.",
            show_default=False,
        ),
    ] = None,
    allow_paths: Annotated[
        bool,
        typer.Option(
            "--allow-paths", help="With Ray, read traces outside the study's folder too: on threads this is always so."
        ),
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List the points, and how long they would take.")] = False,
) -> None:
    """Make the runs of a study that are not in its store yet.

    The same command goes on where an earlier one ended, however it ended. Ctrl-C finishes what is under way.
    """
    from ackclock.cli import sweeper  # noqa: PLC0415
    from ackclock.cli.arguments import integer  # noqa: PLC0415

    sweeper.sweep(
        study,
        store=store,
        engine=engine,
        address=address,
        jobs=None if jobs is None else integer("--jobs", jobs, "must be an integer from 1"),
        memory=memory,
        allow_paths=allow_paths,
        dry_run=dry_run,
    )


@app.command(
    epilog="""Examples:

    \b
    ackclock query results "select * from runs"
    ackclock query results 'select "clients.0.count", avg(cov), count(*) from runs group by all order by all' --json
    ackclock query results "show tables"
    """
)
def query(
    store: Annotated[
        Path, typer.Argument(metavar="STORE", help="The folder of a store, or of a capture.", show_default=False)
    ],
    sql: Annotated[
        str,
        typer.Argument(
            metavar="SQL",
            help="One SELECT as DuckDB reads it, over runs, groups, scenarios, failures, notices, costs and the "
            "records asked for. Fields that were swept have their path as name: quote it.",
            show_default=False,
        ),
    ],
    json: Annotated[bool, typer.Option("--json", help="Print one JSON array of objects.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print comma-separated values.")] = False,
) -> None:
    """Ask a store of runs, or a capture, by SQL."""
    from ackclock.cli import querying  # noqa: PLC0415

    querying.query(store, sql, as_json=json, as_csv=csv)


@app.command(
    epilog="""Examples:

    \b
    ackclock report results
    ackclock report results --y cov --y loss --out figures/burstiness.html
    ackclock report results --x clients.0.count --by clients.0.transport.variant
    """
)
def report(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="The folder of a sweep.", show_default=False)],
    x: Annotated[
        str | None,
        typer.Option(
            metavar="FIELD", help="What goes along: the first field of numbers by default.", show_default=False
        ),
    ] = None,
    y: Annotated[
        list[str] | None, typer.Option(metavar="MEASURE", help="What is drawn, a figure each; repeatable.")
    ] = None,
    by: Annotated[
        list[str] | None, typer.Option(metavar="FIELD", help="What makes series: words by default; repeatable.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="The page: STORE.html by default. An earlier one is replaced.", show_default=False
        ),
    ] = None,
) -> None:
    """Draw what the runs of a store show, on one page that opens offline.

    A measure against what was swept, with 95 % bands; heat maps for two fields of numbers; a table of every point.
    """
    from ackclock.cli import reporter  # noqa: PLC0415

    reporter.report(store, x=x, y=y or [], by=by, out=out)


@app.command()
def reproduce(
    study: Annotated[str, typer.Argument(help="The study (`ackclock list studies`).")] = "burstiness",
    seeds: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER",
            help="How often each point is run, with the seeds 1, 2, ...: 5 by default, 10 in selfsimilar.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Directory of the report: out/STUDY by default. An earlier report of the study is replaced.",
            show_default=False,
        ),
    ] = None,
    jobs: Annotated[
        str | None,
        typer.Option(metavar="NUMBER", help="How many runs at once: one per core by default.", show_default=False),
    ] = None,
    capture: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="In selfsimilar: a capture (pcap or pcapng) for Figure 3; simulated packets by default, as the "
            "authors' capture is not public.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Repeat a published study and write its report.

    The report has figures, their data, and one page that opens offline. A terminal shows how long it will take.
    """
    from ackclock.cli.arguments import integer  # noqa: PLC0415
    from ackclock.papers import cli as papers  # noqa: PLC0415

    papers.reproduce(
        study,
        seeds=None if seeds is None else integer("--seeds", seeds, papers.COUNT),
        out=out,
        jobs=None if jobs is None else integer("--jobs", jobs, papers.COUNT),
        capture=capture,
    )


@app.command("list")
def list_(
    what: Annotated[
        str | None,
        typer.Argument(
            help="studies, variants, queues, sources, records or profiles: all by default.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """List what a scenario and a command can name."""
    from ackclock.cli import listing  # noqa: PLC0415

    listing.show(what)


@app.command()
def schema() -> None:
    """Print the JSON Schema of scenarios, for editors."""
    from json import dumps  # noqa: PLC0415

    from ackclock.scenario.schema import json_schema  # noqa: PLC0415

    sys.stdout.write(dumps(json_schema(), indent=2) + "\n")
