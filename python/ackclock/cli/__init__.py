"""Defines the command line: ``ackclock init | run | sweep | query | plot | report | capture | reproduce | ...``.

Modules that are slow to load are imported by the command that needs them, so that ``--help`` is fast.
"""

import copy
import io
import os
import signal
import sys
import threading
import traceback
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from ackclock.cli import completing
from ackclock.cli.advice import advice
from ackclock.cli.calibration import calibration
from ackclock.cli.evaluation import evaluation
from ackclock.cli.measuring import measuring
from ackclock.cli.models import models
from ackclock.cli.profiles import profiles
from ackclock.cli.sessions import sessions
from ackclock.cli.stores import stores

app = typer.Typer(
    name="ackclock",
    help="A laboratory for TCP congestion control and the burstiness it causes.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.add_typer(advice)
app.add_typer(calibration)
app.add_typer(evaluation)
app.add_typer(measuring)
app.add_typer(sessions)
app.add_typer(models, name="model")
app.add_typer(profiles, name="profile")
app.add_typer(stores, name="store")

_LONGEST_NAME = 500
_INTERRUPTED = 128 + signal.SIGINT

# Base class of the exceptions that typer raises for an invalid command line.
_UsageError: Any = typer.BadParameter.__base__
_Revision = Annotated[
    str | None,
    typer.Option(
        metavar="REVISION",
        help="Show the runs of this engine revision, given by its first letters (default: the newest one).",
        show_default=False,
    ),
]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit.

    The exit status is 0 on success. Otherwise one line is printed, and the exit status is 2 if the input is invalid, 1
    if writing failed or a file of a store or capture folder is damaged, and 130 after an interrupt.
    """
    if sys.__stdout__ is None:
        _fail("standard output: cannot be written: it is closed", code=1)
    _use_utf_8()
    _end_as_interrupted()
    # Some commands must not load the whole package, so its error classes are imported only after an error.
    try:
        given = _joined(sys.argv[1:] if arguments is None else arguments)
        code = _needed(given)(args=given, prog_name="ackclock", standalone_mode=False)
        sys.stdout.flush()
    except _UsageError as error:
        _fail_by_usage(error)
    except (KeyboardInterrupt, RuntimeError) as error:  # an interrupt while Python builds a class is a RuntimeError
        if not _is_interrupt(error):
            _fail_by_law(error)
        code = _INTERRUPTED
    except BrokenPipeError:
        # The reader closed the pipe: stop silently.
        _silence()
        sys.exit(1)
    except OSError as error:
        _silence()
        _fail(f"{error.filename or 'standard output'}: cannot be written: {error.strerror or error}", code=1)
    except ValueError as error:
        _fail_by_input(error)
    if code == _INTERRUPTED:  # typer also returns this code, because it handles interrupts itself
        _fail("interrupted; no partial output was written", code=code)
    sys.exit(code or 0)


def _joined(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with ``live shell`` or ``live calibrate``, commands beside ``live``, as one of them."""
    is_joined = arguments[:1] == ["live"] and arguments[1:2] in (["shell"], ["calibrate"])
    return [" ".join(arguments[:2]), *arguments[2:]] if is_joined else list(arguments)


def _needed(arguments: Sequence[str]) -> typer.Typer:
    """Return the app with only the command that the arguments name, if they name one: typer builds all it is given."""
    first = next(iter(arguments), None)
    named = [each for each in app.registered_commands if each.callback is not None and each.callback.__name__ == first]
    if not named:
        return app
    one = copy.copy(app)
    one.registered_commands, one.registered_groups = named, []
    return one


def _is_interrupt(error: BaseException | None) -> bool:
    """Return whether an error was caused by an interrupt."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _fail_by_usage(error: Any) -> NoReturn:
    """Report an invalid command line and exit; without a command, the message is the help of the command group."""
    message = error.format_message()
    if error.ctx and message == error.ctx.get_help():
        sys.stderr.write(message + "\n")
        sys.exit(2)
    if getattr(error, "option_name", "") == "--profile" and "No such option" in message:
        message = 'No such option: --profile; it is a field of the scenario: profile = "linux", or --set profile=linux'
    _fail(message + (f" (see {error.ctx.command_path} --help)" if error.ctx else ""))


def _fail_by_law(error: BaseException) -> NoReturn:
    """Print the traceback of a law or discipline that failed, the user's own code, and exit; raise any other error."""
    from ackclock.laws.adapter import DisciplineError, LawError  # noqa: PLC0415

    if not isinstance(error, LawError | DisciplineError):
        raise error
    if error.__cause__ is not None:
        sys.stderr.writelines(traceback.format_exception(error.__cause__))
    _fail(str(error))


def _fail_by_input(error: ValueError) -> NoReturn:
    """Print the error of an invalid input, and exit; raise any other error."""
    from ackclock.engine.core import PlanError  # noqa: PLC0415
    from ackclock.values.errors import DamagedError, ScenarioError  # noqa: PLC0415

    if isinstance(error, UnicodeEncodeError) and isinstance(error.object, str):
        _fail(f"{error.object[:_LONGEST_NAME]}: cannot be used: it is not UTF-8")
    if not isinstance(error, ScenarioError | PlanError):
        raise error
    code = 1 if isinstance(error, DamagedError) else 2
    _fail(error.headline if isinstance(error, ScenarioError) else str(error), code=code)


def _fail(message: str, *, code: int = 2) -> NoReturn:
    """Print a one-line message and exit; unprintable characters, such as line breaks, are replaced."""
    line = "".join(letter if letter.isprintable() else "?" for letter in message.rstrip())
    sys.stderr.write(line + "\n")
    sys.exit(code)


def _use_utf_8() -> None:
    """Encode pipes and files in UTF-8 on Windows, as other systems do. Names of files may have other bytes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            if sys.platform == "win32":
                stream.reconfigure(encoding="utf-8")
            if stream.errors == "strict":
                stream.reconfigure(errors="backslashreplace")


def _end_as_interrupted() -> None:
    """Handle SIGTERM, with which batch systems stop programs, as Ctrl-C."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)


def _silence() -> None:
    """Discard further output, so that Python reports no error when it closes the standard output."""
    with suppress(io.UnsupportedOperation):  # the output of a test
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print_version(wanted: bool) -> None:  # signature required by typer
    if wanted:
        from ackclock.engine import core  # noqa: PLC0415

        sys.stdout.write(f"ackclock {core.version()}\n")
        raise typer.Exit


@app.callback()
def ackclock(
    version: Annotated[  # the callback of the option prints the version
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Simulate every packet of a network and its flows, and produce tables, figures and a report."""


Overrides = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="PATH=VALUE", help="Field and its new value, such as clients.0.count=40. May be repeated."
    ),
]


@app.command(
    epilog="""Examples:

    \b
    ackclock init dumbbell
    ackclock init buffer-sizing sizes/first.toml
    ackclock run sizes/first.toml
    """
)
def init(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help="Kind of file: dumbbell, parking-lot, leaf-spine, buffer-sizing, last-hop or uplink.",
            show_default=False,
            autocompletion=completing.kinds,
        ),
    ],
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="New file (default: KIND.toml, with underscores).", show_default=False),
    ] = None,
) -> None:
    """Write a complete scenario, or a question for `ackclock advise`, with comments, to begin with.

    The comments state the unit of each value and the reason for it.
    """
    from ackclock.cli import starting  # noqa: PLC0415

    starting.start(kind, file)


@app.command(
    epilog="""Examples:

    \b
    ackclock run examples/feng60.toml
    ackclock run examples/feng60.toml --set "duration=20 s" --set clients.0.count=40
    ackclock run examples/feng60.toml --record arrivals --record windows@0,9/100ms --out result
    ackclock run examples/feng60.toml --pcap bottleneck=gateway.pcapng
    ackclock run examples/feng60.toml --pcap access.0,access.0.reverse@receive=sender.pcapng --snap-length 1500
    ackclock run examples/feng60.toml --law mylaw.py:MyLaw --set clients.0.transport.gain=0.7
    ackclock run result --seed 2
    """
)
def run(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="Scenario (TOML), or saved result to run again.", show_default=False),
    ],
    seed: Annotated[
        str | None,
        typer.Option(metavar="NUMBER", help="Random seed (default: 1, or the seed of the result).", show_default=False),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
    law: Annotated[
        str | None,
        typer.Option(
            metavar="FILE.py:CLASS",
            help="Window law written in Python, for all TCP transports; their recovery and options remain.",
            show_default=False,
        ),
    ] = None,
    overrides: Overrides = None,
    record: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND[@PLACE,PLACE][/INTERVAL]",
            autocompletion=completing.records,
            help="Table to record and write with --out, such as queue@bottleneck/10ms. PLACE is a link, group or "
            "flow. May be repeated. `ackclock list records` lists all kinds.",
        ),
    ] = None,
    pcap: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LINK[@POINT][,LINK...]=FILE",
            help="New pcapng file for the packets of a link. POINT is dequeue or receive (default: packets offered to "
            "the queue). May be repeated.",
        ),
    ] = None,
    snap_length: Annotated[
        str | None,
        typer.Option(
            metavar="BYTES", help="Maximum stored bytes per packet with --pcap (default: 96).", show_default=False
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="New folder for the result and its tables (Parquet).")] = None,
    memory: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Memory limit of the run, such as 8GB (default: half of the machine's memory).",
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
        law=law,
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
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="File of the study (TOML).", show_default=False)],
    store: Annotated[
        Path | None,
        typer.Option(help="Folder in which the runs are stored (default: out/STUDY).", show_default=False),
    ] = None,
    engine: Annotated[
        str,
        typer.Option(
            metavar="threads|ray",
            help="Where to run the simulations: in threads on this machine, or on a Ray cluster.",
        ),
    ] = "threads",
    address: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT",
            help="Address of a Ray cluster (default: start one on this machine).",
            show_default=False,
        ),
    ] = None,
    jobs: Annotated[
        str | None,
        typer.Option(metavar="NUMBER", help="Number of parallel runs (default: one per CPU core).", show_default=False),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Memory limit of all parallel runs together, such as 8GB (default: half of the machine's memory).",
            show_default=False,
        ),
    ] = None,
    allow_paths: Annotated[
        bool,
        typer.Option(
            "--allow-paths",
            help="Allow runs on Ray to read traces outside the study's folder; runs in threads always may.",
        ),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List the points and the estimated time without running them.")
    ] = False,
) -> None:
    """Run the simulations of a study that are not in its store yet.

    A study has a scenario, the fields to vary, and the number of seeds (docs/guide/sweeps.md). It can state what it
    asks: `question`, `measures` and `objective`, which `ackclock report` answers. The same command resumes an
    interrupted sweep. Ctrl-C lets running simulations finish.
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
    ackclock query lan.pcapng "select count(*) from packets where ecn = 3 and destination_port = 443"
    """
)
def query(
    store: Annotated[
        Path,
        typer.Argument(
            metavar="STORE", help="Folder of a store or of a capture, or a capture file.", show_default=False
        ),
    ],
    sql: Annotated[
        str,
        typer.Argument(
            metavar="SQL",
            help="A single SELECT in DuckDB's dialect. Tables of a store: runs, groups, scenarios, failures, notices, "
            "costs and the recorded tables. The column of a swept field is named by its path, in double quotes.",
            show_default=False,
        ),
    ],
    json: Annotated[bool, typer.Option("--json", help="Print one JSON array of objects.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print comma-separated values.")] = False,
    revision: _Revision = None,
) -> None:
    """Query a store of runs, or a capture, with SQL."""
    from ackclock.cli import querying  # noqa: PLC0415

    querying.query(store, sql, as_json=json, as_csv=csv, revision=revision)


@app.command(
    epilog="""Examples:

    \b
    ackclock run examples/cubic_beside_reno.toml --record windows --record queue --out result
    ackclock plot result
    ackclock plot result --figure cwnd --flow 0 --from "10 s" --to "20 s" --out cwnd.pdf
    ackclock run examples/codel.toml --record gauges/10ms --out codel
    ackclock plot codel --gauge count --out count.svg
    ackclock run examples/bbr.toml --record states --out bbr
    ackclock plot bbr --figure diagram --out diagram.png
    ackclock plot result bbr --figure cwnd --figure rtt --out both.png
    ackclock plot examples/join_and_leave.toml --figure throughput --figure jain --out fairness.png
    """
)
def plot(
    results: Annotated[
        list[Path],
        typer.Argument(
            metavar="RESULT",
            help="Folder of a result of ackclock run --out. Several results, stores of ackclock sweep and scenario "
            "files are drawn in one figure.",
            show_default=False,
        ),
    ],
    figure: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Figure to draw (default: one for each record of the result). `ackclock list figures` lists all "
            "figures. Of several runs, a panel: cwnd, rtt, throughput, queue or jain (default: all), which may be "
            "repeated, or completion or load_times.",
            show_default=False,
            autocompletion=completing.figures,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="New file, PNG, SVG or PDF (default: RESULT-NAME.png beside the result, or together.png of several "
            "runs).",
            show_default=False,
        ),
    ] = None,
    link: Annotated[
        str | None,
        typer.Option(
            metavar="LINK",
            help="Link to draw (default: the measured link, or the first recorded link).",
            show_default=False,
        ),
    ] = None,
    gauge: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Gauge to draw, one panel per gauge (default: the usual ones of the discipline). May be repeated. "
            "`ackclock list gauges` lists all gauges.",
        ),
    ] = None,
    flow: Annotated[
        str | None,
        typer.Option(
            metavar="FLOW",
            help="Flow to draw: its number, or the name of a group of one flow (default: all recorded flows; states of "
            "the first one).",
            show_default=False,
        ),
    ] = None,
    variable: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="State variable to draw, one panel per variable (default: the usual ones of the window law). May be "
            "repeated. `ackclock list states` lists all variables.",
        ),
    ] = None,
    diagram: Annotated[bool, typer.Option("--diagram", help="Same as --figure diagram.")] = False,
    from_: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="TIME",
            help='Start of the plot, such as "10 s" (default: 0 s, or the start of the measured time).',
            show_default=False,
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="End of the plot (default: the end of the run).", show_default=False),
    ] = None,
) -> None:
    """Draw the records of a saved run: congestion windows, throughput, queues, completion times and more.

    Each record has a usual figure, such as `cwnd` for windows. Without --figure, each record of the result is drawn.

    Several runs are drawn in one figure, with a panel for each quantity over one time axis and a line for each run.
    Scenario files are simulated with seed 1, and the points of a store are means over seeds with 95 % intervals.
    """
    from ackclock.cli import plotting  # noqa: PLC0415

    names = ["diagram"] if diagram else figure or []
    choice = plotting.Choice(names[0] if names else None, link, flow, gauge or [], variable or [], from_, to)
    if plotting.is_one(results):
        plotting.plot(results[0], choice, names, out=out)
    else:
        from ackclock.cli import plotting_together  # noqa: PLC0415

        plotting_together.plot_together(results, choice, names, out=out)


@app.command(
    epilog="""Examples:

    \b
    ackclock report results
    ackclock report results --y cov --y loss --out figures/burstiness.html
    ackclock report results --x clients.0.count --by clients.0.transport.variant
    """
)
def report(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="Folder of a sweep.", show_default=False)],
    x: Annotated[
        str | None,
        typer.Option(
            metavar="FIELD", help="Field on the x axis (default: the first numeric field).", show_default=False
        ),
    ] = None,
    y: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MEASURE",
            help="Measure to plot, one figure per measure; of a group: GROUP.MEASURE. May be repeated. "
            "`ackclock list measures` lists all.",
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD", help="Field that defines the series (default: every non-numeric field). May be repeated."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Output file (default: STORE.html). An existing report is replaced.",
            show_default=False,
        ),
    ] = None,
    revision: _Revision = None,
    why: Annotated[bool, typer.Option("--why", help="Show how the measure of the headline was chosen.")] = False,
) -> None:
    """Draw the results of a store on one page that works offline.

    The page begins with the level of each field that is best, and by how much. A study file can name what it asks: a
    `question` for the heading, `measures` to draw first, and an `objective`, such as { measure = "calls.delay_mean",
    better = "lower" }. Without them, the measure that responds most to the fields decides. The page has one figure per
    measure with 95 % confidence bands, heat maps if two numeric fields are swept, and a table of all points
    (combinations of the swept fields).
    """
    from ackclock.cli import reporter  # noqa: PLC0415

    reporter.report(store, x=x, y=y or [], by=by, out=out, revision=revision, why=why)


@app.command(
    epilog="""Examples:

    \b
    ackclock lab
    ackclock lab examples/feng60.toml
    ackclock lab examples/parking_lot.toml --out parking_lot.html --no-open
    ackclock lab examples/feng60.toml --law mylaw.py:MyLaw
    """
)
def lab(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="Scenario (TOML), or saved result, to begin with.", show_default=False),
    ] = None,
    seed: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER",
            help="Random seed to begin with (default: 1, or the seed of the result).",
            show_default=False,
        ),
    ] = None,
    law: Annotated[
        str | None,
        typer.Option(
            metavar="FILE.py:CLASS",
            help="Window law written in Python, for all TCP transports. The page is then served on this machine only, "
            "until Ctrl-C.",
            show_default=False,
        ),
    ] = None,
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="PATH=VALUE", help="Field of FILE and its new value. May be repeated."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="PAGE",
            help="Output file (default: lab.html, or the name of FILE with .lab.html). An existing page of the lab is "
            "replaced.",
            show_default=False,
        ),
    ] = None,
    opens: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in a browser.")] = True,
) -> None:
    """Change a scenario with sliders and see each packet, in a browser.

    The page is one file with the engine as WebAssembly. It needs no server and no network, and gives the same bytes as
    `ackclock run`. Only for a law in Python, which a page cannot run, this command runs each scenario, and reads the
    file of the law again each time.
    """
    from ackclock.cli import lab_writing  # noqa: PLC0415

    lab_writing.lab(file, seed=seed, law=law, overrides=overrides or [], out=out, opens=opens)


@app.command()
def reproduce(
    study: Annotated[
        str,
        typer.Argument(help="Name of the study (see `ackclock list studies`).", autocompletion=completing.studies),
    ] = "burstiness",
    seeds: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER",
            help="Number of runs per point, with seeds 1, 2, ... (default: 5; selfsimilar: 10).",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder of the report (default: out/STUDY, or out/STUDY-capture with --capture). An existing report "
            "of the study is replaced.",
            show_default=False,
        ),
    ] = None,
    jobs: Annotated[
        str | None,
        typer.Option(metavar="NUMBER", help="Number of parallel runs (default: one per CPU core).", show_default=False),
    ] = None,
    capture: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Capture for Figure 3 of selfsimilar: it is analysed alone, without runs (default: the whole study, "
            "with simulated packets, because the authors' capture is not public).",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Reproduce a published study and write its report.

    The report is a folder with figures, their data, and one page that works offline. `ackclock list studies` states how
    long each study takes. In a terminal, the command shows the remaining time; elsewhere it prints a line for each
    twentieth of the work.
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


@app.command(
    epilog="""Examples:

    \b
    ackclock controllers
    ackclock controllers controller.json --networks 100 --json
    ackclock controllers controller.json --law cubic --law bbr3 --networks 8
    """
)
def controllers(
    policies: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="POLICY",
            help="Files of trained policies (JSON), made by ackclock.gym.Policy.save.",
            show_default=False,
        ),
    ] = None,
    networks: Annotated[
        str, typer.Option(metavar="NUMBER", help="Number of networks in each set, a multiple of 4.")
    ] = "40",
    duration: Annotated[str, typer.Option(metavar="TIME", help="Simulated time on each network.")] = "20 s",
    law: Annotated[
        list[str] | None,
        typer.Option(
            metavar="VARIANT",
            help="TCP variant to compare with (default: all). May be repeated.",
            autocompletion=completing.variants,
        ),
    ] = None,
    baseline: Annotated[
        str, typer.Option(metavar="NAME", help="Variant or policy that the differences are from.")
    ] = "cubic",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON array of objects, with all scores.")] = False,
) -> None:
    """Score trained policies and the built-in laws on networks for training, and on networks held out from it.

    The score is the power relative to an ideal flow, from 0 to 1: goodput over the equal share of the bottleneck, at
    most 1, divided by the mean round-trip time over that of the empty path. Means have 95 % intervals over networks.
    """
    from ackclock.cli import scoring  # noqa: PLC0415
    from ackclock.cli.arguments import integer  # noqa: PLC0415

    scoring.score(
        policies or [],
        count=integer("--networks", networks, "must be a multiple of 4"),
        duration=duration,
        laws=law,
        baseline=baseline,
        as_json=json,
    )


@app.command(
    epilog="""Examples:

    \b
    ackclock conform examples/conformance
    ackclock conform script.pkt --law reno --set "timer_tick=1 ms"
    ackclock conform scripts --law mylaw.py:MyLaw --junit results.xml
    ackclock conform script.pkt --figure script.svg
    """,
)
def conform(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="SCRIPT", help="Scripts in the language of packetdrill, or folders of them.", show_default=False
        ),
    ],
    law: Annotated[
        str | None,
        typer.Option(
            metavar="LAW",
            help="Congestion control of the sender: a variant, or FILE.py:CLASS (default: the one that the script "
            "selects, or cubic).",
            show_default=False,
            autocompletion=completing.variants,
        ),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            metavar="PROFILE",
            help="Profile of the sender's options (default: the one that the script selects, or linux).",
            show_default=False,
            autocompletion=completing.profile_names,
        ),
    ] = None,
    overrides: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="OPTION=VALUE",
            help='Option of the transport and its value, such as "timer_tick=1 ms"; it takes precedence over the '
            "script. May be repeated.",
        ),
    ] = None,
    seed: Annotated[
        str, typer.Option(metavar="NUMBER", help="Random seed of the sender, such as for the phase of its clock.")
    ] = "1",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON array of objects and nothing else.")] = False,
    junit: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Output file for the results as JUnit XML. An existing file is replaced.",
            show_default=False,
        ),
    ] = None,
    figure: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Output file (.png, .svg or .pdf) for a time-sequence picture of one script. An existing file is "
            "replaced.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Run scripts in the language of packetdrill against a sender, and report where it first differs.

    The exit status is 0 if no script differs, 1 if one differs, and 2 if one cannot be read. Scripts with statements
    that are not expressible are counted and listed with the line and the reason.
    """
    from ackclock.cli import conforming  # noqa: PLC0415
    from ackclock.cli.arguments import integer  # noqa: PLC0415
    from ackclock.running.run import SEED  # noqa: PLC0415

    code = conforming.run(
        paths,
        law=law,
        profile=profile,
        overrides=overrides or [],
        seed=integer("seed", seed, SEED.allowed),
        as_json=json,
        junit_file=junit,
        figure_file=figure,
    )
    raise typer.Exit(code)


@app.command(
    epilog="""Examples:

    \b
    ackclock live examples/codel.toml --set "duration=20 s"
    ackclock live examples/codel.toml --record queue/10ms --record windows --out result
    ackclock live examples/codel.toml --compare --repetitions 5
    """
)
def live(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Scenario (TOML).", show_default=False)],
    seed: Annotated[str, typer.Option(metavar="NUMBER", help="Random seed of the links and the sources.")] = "1",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
    overrides: Overrides = None,
    record: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND[@PLACE,PLACE][/INTERVAL]",
            autocompletion=completing.records,
            help="Table to record and write with --out, such as queue@bottleneck/10ms. PLACE is a link, group or "
            "flow. May be repeated.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="New folder for the result and its tables (Parquet); the page (HTML) with --compare."),
    ] = None,
    compare: Annotated[
        bool, typer.Option("--compare", help="Also simulate the scenario with the profile linux, and compare.")
    ] = False,
    repetitions: Annotated[str, typer.Option(metavar="NUMBER", help="Repetitions with --compare, from 2 to 30.")] = "5",
) -> None:
    """Run a scenario in real time with the machine's own kernel, through the simulator's links (Linux).

    The run needs root, or user namespaces that may make networks. It takes as long as the duration of the scenario.
    Nothing leaves the machine, and nothing remains afterwards.
    """
    from ackclock.cli import living  # noqa: PLC0415
    from ackclock.cli.arguments import integer  # noqa: PLC0415
    from ackclock.live.comparing import MOST_REPETITIONS  # noqa: PLC0415
    from ackclock.running.run import SEED  # noqa: PLC0415

    living.run(
        file,
        seed=integer("seed", seed, SEED.allowed),
        as_json=json,
        overrides=overrides or [],
        record=record or [],
        out=out,
        compared=integer("repetitions", repetitions, f"must be from 2 to {MOST_REPETITIONS}") if compare else None,
    )


@app.command("list")
def list_(
    what: Annotated[
        str | None,
        typer.Argument(
            help="List to print: studies, experiments, variants, queues, sources, records, figures, measures, gauges, "
            "states or profiles (default: all).",
            show_default=False,
            autocompletion=completing.lists,
        ),
    ] = None,
) -> None:
    """List the names that scenarios and commands can use."""
    from ackclock.cli import listing  # noqa: PLC0415

    listing.show(what)


@app.command()
def schema() -> None:
    """Print the JSON Schema of scenarios, for editors."""
    from json import dumps  # noqa: PLC0415

    from ackclock.scenario.schema import json_schema  # noqa: PLC0415

    sys.stdout.write(dumps(json_schema(), indent=2) + "\n")
