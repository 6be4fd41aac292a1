"""Creates the page of a store, with figures chosen automatically."""

from __future__ import annotations

from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from ackclock.report.html import Drawing, Report, Section, Statement, Table
from ackclock.report.rows import rows_csv
from ackclock.study.figures.answering import answers, best_point
from ackclock.study.figures.layout import MOST_PANELS, choose
from ackclock.study.figures.measuring import better, displayed, label, resolved, words
from ackclock.study.figures.plots import heat_map, lines
from ackclock.study.figures.points import Points
from ackclock.study.figures.responding import responses
from ackclock.values.errors import refuse
from ackclock.values.words import capital

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

    from ackclock.analysis import Interval
    from ackclock.analysis.ranking import Better
    from ackclock.study.asking import Asking
    from ackclock.study.figures.layout import Layout
    from ackclock.study.figures.points import Point
    from ackclock.study.figures.responding import Response

__all__ = ["sweep_report"]

MAIN: Final = (
    "cov",
    "goodput_bps",
    "loss",
    "marks",
    "sojourn_mean",
    "queue_mean",
    "delay_mean",
    "timeouts",
    "jain_index",
    "jain_windows",
    "convergence_join",
    "convergence_leave",
    "convergence_rate",
)
"""The measures drawn by default, if they are defined in any run; marks only if there are any."""

_OF_GROUPS: Final = (
    "goodput_bps",
    "loss",
    "delay_mean",
    "delay_p95",
    "lost",
    "mos",
    "completion_p50",
    "completion_p95",
    "slowdown_mean",
    "page_load_p50",
    "page_load_p95",
    "video_bitrate",
    "stall_share",
)
"""The measures of groups that may become the headline by default."""

_MOST_ROWS: Final = 200
_MOST_OF_GROUPS: Final = 6
"""Maximum number of measures of groups that are drawn by default."""


def sweep_report(
    name: str,
    runs: pa.Table,
    groups: pa.Table | None = None,
    *,
    names: Mapping[str, str] = MappingProxyType({}),
    asking: Asking | None = None,
    why: bool = False,
    failures: Sequence[str],
    notices: Sequence[str],
    x: str | None = None,
    y: Sequence[str] | None = None,
    by: Sequence[str] | None = None,
    command: str,
    fixed: Sequence[tuple[str, str]] = (),
    provenance: Sequence[tuple[str, str]] = (),
) -> Report:
    """Create the page of a store.

    Parameters
    ----------
    name
        Name of the store.
    runs
        The view ``runs`` of the store.
    groups
        The view ``groups`` of the store.
    names
        Names of the groups, by paths such as ``clients.1``.
    asking
        What the studies of the store ask.
    why
        Include a table of the measures that could be the headline, and how much they respond.
    failures
        The message of each failed run.
    notices
        Warnings for the reader.
    x, by
        Paths of the swept fields for the x axis and for the series (default: chosen by
        `ackclock.study.figures.layout.choose`).
    y
        Measures to draw, one figure per measure (default: the main measures that are defined).
    command
        The command that creates the page.
    fixed
        Fields that all scenarios have in common: pairs of path and value.
    provenance
        Origin of the page, such as program versions: pairs of name and value.

    Returns
    -------
    Report
        The page, for `ackclock.report.html.render`.

    Raises
    ------
    ScenarioError
        There is no such field or measure, or the store has no successful run.

    """
    if not len(runs):
        raise refuse("store", name, "must contain a run that did not fail")
    points = Points.of(runs, groups, names)
    layout = choose(points, x=x, by=by)
    defined = points.measures
    found = responses(points, _candidates(points, defined))
    asked = _asked(asking, defined)
    wanted = list(dict.fromkeys(each for name in y or () for each in _named(name, defined)))
    headline = next(iter([*wanted, *asked, *(each.measure for each in found)]), None)
    shown = wanted or list(dict.fromkeys([*([headline] if headline else []), *asked, *_usual(points, found)]))
    measures = [each for each in shown if any(point.interval(each) for point in points.points)]
    drawings = list(_drawings(points, measures, layout, command)) if layout else []
    answer, more = _answers(points, measures, asking)
    return Report(
        title=asking.question if asking and asking.question else f"The runs in {name}",
        source=_extent(points),
        answer=answer,
        warning=_few(points, measures),
        summary=[*more, *_statements(points, measures, layout, failures, notices)],
        overview=_overview(points, measures),
        sections=[
            *([Section(title="Figures", drawings=drawings)] if drawings else []),
            *([_ranges(points, measures)] if measures else []),
            *([_reasons(found, headline, asked, wanted)] if why else []),
        ],
        setup=[*((field.path, ", ".join(map(field.shown, field.values))) for field in points.fields), *fixed],
        provenance=provenance,
    )


def _named(measure: str, defined: list[str]) -> list[str]:
    try:
        return resolved(measure, defined)
    except ValueError as error:
        raise refuse("--y", measure, f"{error} (see ackclock list measures)") from None


def _asked(asking: Asking | None, defined: Sequence[str]) -> list[str]:
    """Return the measures that the studies name and that any run has, the objective first."""
    if asking is None:
        return []
    named = [*([asking.objective.measure] if asking.objective else []), *asking.measures]
    return list(dict.fromkeys(each for each in named if each in defined))


def _candidates(points: Points, defined: Sequence[str]) -> list[str]:
    """Return the measures that may become the headline by default."""
    groups = [each for each in defined if "." in each and each.rpartition(".")[2] in _OF_GROUPS]
    return [each for each in [*MAIN, *groups] if each in defined and (each != "marks" or _has_marks(points))]


def _usual(points: Points, found: Sequence[Response]) -> list[str]:
    """Return the measures that are drawn without a request: the main ones, and those of groups that respond most."""
    of_groups = [each.measure for each in found if "." in each.measure and each.ratio > 0][:_MOST_OF_GROUPS]
    return [*(each for each in MAIN if each != "marks" or _has_marks(points)), *of_groups]


def _answers(points: Points, measures: Sequence[str], asking: Asking | None) -> tuple[str, list[Statement]]:
    """Compare the levels of each field by the first measure; return the answer and the further findings."""
    if not measures:
        return "No measure is defined in these runs.", []
    measure = measures[0]
    objective = asking.objective if asking and asking.objective and asking.objective.measure == measure else None
    which: Better | None = (objective.better if objective else better(measure)) or None  # type: ignore[assignment]
    levels = answers(points, measure, which) if which else []
    if not levels:
        return _range_sentence(points, measure), []
    first, *rest = levels
    best = best_point(points, measure, which) if which else ""
    return first.text, [
        *([Statement(lead="Best combination:", text=best)] if best else []),
        *(Statement(lead=f"{capital(each.field.words)}:", text=each.text) for each in rest),
    ]


def _reasons(found: Sequence[Response], headline: str | None, asked: Sequence[str], wanted: Sequence[str]) -> Section:
    """Show how the headline was chosen."""
    if wanted:
        how = f"--y names {headline}."
    elif asked:
        how = f"The study names {headline}."
    else:
        how = f"{headline} responds most to the fields: its F ratio is the largest of the measures below."
    rows = [
        [
            each.measure,
            words(each.measure),
            f"{each.ratio:.4g}",
            better(each.measure) or "-",
            *map(str, (each.points, each.seeds)),
        ]
        for each in found
    ]
    table = Table(
        caption="F ratio of each measure: variance between points over the variance that neither points nor seeds "
        "explain (randomized complete block design, with seeds as blocks). Measures without a better direction come "
        "last.",
        head=["Measure", "Name", "F ratio", "Better", "Points", "Seeds"],
        rows=rows,
    )
    return Section(title="How the headline was chosen", drawings=[], text=how, table=table)


def _has_marks(points: Points) -> bool:
    return any(any(point.values.get("marks", ())) for point in points.points)


def _drawings(points: Points, measures: Sequence[str], layout: Layout, command: str) -> Iterator[Drawing]:
    bars = "bands are" if layout.x.numeric and not layout.scattered else "bars are"
    for measure in measures:
        yield Drawing(
            slug=measure.replace(".", "-"),
            title=words(measure),
            caption=f"Means over replications; {bars} 95 % confidence intervals.",
            chart=lines(points.points, measure, layout),
            csv=_csv(points, measure),
            numbers=_numbers(points, measure),
            command=command,
        )
    if layout.across is None or layout.scattered:
        return
    for measure in measures:
        yield Drawing(
            slug=f"{measure.replace('.', '-')}-map",
            title=f"{words(measure)} over two fields",
            caption=f"Means over replications, by {layout.x.words} and {layout.across.words}.",
            chart=heat_map(points.points, measure, layout),
            csv=_csv(points, measure),
            numbers=_numbers(points, measure),
            command=command,
        )


def _statements(
    points: Points, measures: Sequence[str], layout: Layout | None, failures: Sequence[str], notices: Sequence[str]
) -> Iterator[Statement]:
    found = [value for point in points.points for value in point.values.get("warmup", ()) if value is not None]
    total = sum(len(point.seeds) for point in points.points)
    if found:
        ends = (
            f"between {min(found):.4g} s and {max(found):.4g} s" if min(found) < max(found) else f"at {found[0]:.4g} s"
        )
        yield Statement(
            lead="Warm-up:", text=f"ends {ends} of simulated time by MSER-5, in {len(found)} of {total} runs."
        )
    yield from _doubts(points, measures, layout)
    if failures:
        reasons = "; ".join(
            f"{message} ({count} time{'' if count == 1 else 's'})"
            for message, count in Counter(failures).most_common(3)
        )
        runs = "1 run failed" if len(failures) == 1 else f"{len(failures)} runs failed"
        yield Statement(lead=f"{runs}:", text=f"not included in the figures: {reasons}.")
    for notice in notices:
        yield Statement(lead="Note:", text=notice)


def _ends(points: Points, measure: str) -> list[tuple[Interval, str]]:
    """Return the smallest and the largest mean, each with its point; only one if all are equal."""
    known = [(found, point) for point in points.points if (found := point.interval(measure)) is not None]
    least, most = (choice(known, key=lambda each: each[0].mean) for choice in (min, max))
    ends = [least] if least[0].mean == most[0].mean else [least, most]
    return [(found, _place(points, point)) for found, point in ends]


def _range_sentence(points: Points, measure: str) -> str:
    """Describe the range of a measure in a sentence."""
    unit = f" {displayed(measure)[0]}".rstrip()
    least, *most = _ends(points, measure)
    if not most:
        return f"{words(measure)} is {least[0]}{unit}."
    places = [f"{found}{unit} ({place})" for found, place in (least, *most)]
    return f"{words(measure)} ranges from {' to '.join(places)}."


def _ranges(points: Points, measures: Sequence[str]) -> Section:
    """Show the smallest and the largest mean of each measure."""
    rows = []
    for measure in measures:
        cells = [str(cell) for end in _ends(points, measure) for cell in end]
        rows.append([label(measure), *cells, *["-"] * (4 - len(cells))])
    table = Table(
        caption="Points with the lowest and the highest mean; ± is the half-width of the 95 % confidence interval.",
        head=["Measure", "Lowest", "at", "Highest", "at"],
        rows=rows,
    )
    return Section(title="Range of each measure", drawings=[], table=table)


def _few(points: Points, measures: Sequence[str]) -> str:
    """Return a warning about points with too few replications; empty if there are none."""
    found = [[point.interval(measure) for point in points.points] for measure in measures]
    few = max((sum(bool(each and each.too_few) for each in some) for some in found), default=0)
    if not few:
        return ""
    have = "has" if few == 1 else "have"
    return f"{few} of {len(points.points)} points {have} fewer than three replications, which is too few."


def _doubts(points: Points, measures: Sequence[str], layout: Layout | None) -> Iterator[Statement]:
    """Yield statements about reasons to doubt the figures, such as wide intervals."""
    count = len(points.points)
    found = {measure: [point.interval(measure) for point in points.points] for measure in measures}
    wide = {
        measure: sum(bool(each and each.warning and not each.too_few) for each in those)
        for measure, those in found.items()
    }
    if any(wide.values()):
        uncertain = ", ".join(f"{measure} at {number} of {count} points" for measure, number in wide.items() if number)
        yield Statement(
            lead="Uncertain means:", text=f"the half-width of the 95 % interval exceeds the mean of {uncertain}."
        )
    if points.repeated:
        were = "run was" if points.repeated == 1 else "runs were"
        yield Statement(
            lead=f"{points.repeated} {were} omitted:",
            text="another run had the same scenario and seed. The runs differ in their records, in the "
            "excluded warm-up or in the engine's version.",
        )
    if layout and (panels := layout.panels(points.points)) > MOST_PANELS:
        yield Statement(
            lead=f"{MOST_PANELS} of {panels} panels are drawn:",
            text="--x and --by select other panels; the CSV files contain all points.",
        )


def _overview(points: Points, measures: Sequence[str]) -> Table:
    rows = []
    for point in points.points[:_MOST_ROWS]:
        found = [point.interval(measure) for measure in measures]
        rows.append([*_fields(points, point), *(str(each or "-") for each in found), str(len(point.seeds))])
    rest = f" The first {_MOST_ROWS} of {len(points.points)} points." if len(points.points) > _MOST_ROWS else ""
    caption = f"Mean ± half-width of the 95 % confidence interval at each point, with n replications.{rest}"
    return Table(caption=caption, head=[*_heads(points), *map(label, measures), "n"], rows=rows)


def _numbers(points: Points, measure: str) -> Table:
    rows = []
    for point in points.points[:_MOST_ROWS]:
        found = point.interval(measure)
        ends = [f"{found.low:.6g}", f"{found.high:.6g}", found.method] if found else ["-"] * 3
        rows.append([*_fields(points, point), str(found or "-"), *ends, str(found.count if found else 0)])
    head = [*_heads(points), "Mean ± half-width", "Low", "High", "Method", "n"]
    return Table(caption=f"{label(measure)}: 95 % confidence intervals.", head=head, rows=rows)


def _heads(points: Points) -> list[str]:
    """Name the columns that identify the point of a row."""
    return [field.label for field in points.fields] or ["Point"]


def _fields(points: Points, point: Point) -> list[str]:
    return [field.shown(point.place[field.path]) for field in points.fields] or ["the only point"]


def _csv(points: Points, measure: str) -> str:
    unit = displayed(measure)[0] or "1"
    columns = ("mean", "low", "high", "standard_error")
    heads = [f"{measure}_{column} [{unit}]" for column in columns]
    rows: list[list[object]] = [[*(field.path for field in points.fields), *heads, "n", "by"]]
    for point in points.points:
        found = point.interval(measure)
        numbers = [found.mean, found.low, found.high, found.standard_error] if found else [""] * len(columns)
        counted = [found.count, found.method] if found else [0, ""]
        rows.append([*(point.place[field.path] for field in points.fields), *numbers, *counted])
    return rows_csv(rows)


def _place(points: Points, point: Point) -> str:
    return ", ".join(field.named(point.place[field.path]) for field in points.fields) or "the only point"


def _extent(points: Points) -> str:
    """Describe the number of runs and points."""
    runs = sum(len(point.seeds) for point in points.points)
    counts = sorted({len(point.seeds) for point in points.points})
    if runs == 1:
        return "A single run"
    if len(points.points) == 1:
        return f"{runs:,} runs of one point"
    each = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    return f"{runs:,} runs: {len(points.points):,} points, with n = {each}"
