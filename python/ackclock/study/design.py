"""The definition of a study: a scenario, the fields that are varied, and the number of runs per point.

A study is one table, in TOML or in Python, which is validated completely before anything runs.
"""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Final, Self

from pydantic import PlainValidator, PrivateAttr
from pydantic_core import InitErrorDetails

from ackclock.running.run import SEED
from ackclock.running.summary import MEASURES
from ackclock.scenario import Scenario
from ackclock.scenario.files import beside, read_scenario, read_toml
from ackclock.scenario.model import Part
from ackclock.scenario.overrides import assigned
from ackclock.study.asking import Asking, unknown_groups
from ackclock.study.fields import FIRST_BLOCK, MOST, Grid, Listed, Percentage, Ranges, Requests, Variants, Warmup, seeds
from ackclock.study.sampling import METHODS, draw
from ackclock.study.taking import Taking
from ackclock.study.wanted import Point, Scalar
from ackclock.values import errors
from ackclock.values.kinds import whole, word
from ackclock.values.quantity import TIME

VARIANT: Final = "variant"
"""Name of the coordinate whose value is the name of a variant."""

MOST_POINTS: Final = 10_000_000
"""Maximum number of points of a study; each takes some 300 bytes of memory."""
MOST_RUNS: Final = 100_000_000
"""Maximum number of runs of a study."""


class Until(Part):
    """Replications until a measure has the required precision."""

    until: Percentage
    """Required half-width of the 95 % confidence interval, relative to the mean."""

    measure: Annotated[str, word(MEASURES)]
    """The measure of the summary whose precision is required."""

    most: Annotated[int, whole(FIRST_BLOCK, MOST)] = 200
    """Maximum number of replications."""

    @property
    def share(self) -> float:
        """The required half-width divided by the mean."""
        return float(self.until.rstrip("% ")) / 100


class Sample(Part):
    """Points drawn from ranges."""

    over: Ranges
    """The lower and the upper end of the range of each field, by its path."""

    count: Annotated[int, whole(1, MOST)]
    """Number of points to draw."""

    method: Annotated[str, word(METHODS)] = "latin-hypercube"
    """``latin-hypercube`` draws one point in each of `count` equal slices of every range, ``random`` draws independent
    points."""

    seed: Annotated[int, SEED] = 1
    """Random seed of the points; nothing else depends on it."""


def _replications(given: object) -> object:
    if isinstance(given, Mapping):
        return Until.__pydantic_validator__.validate_python(dict(given), by_alias=True, by_name=False)
    if isinstance(given, Until):
        return given
    try:
        return seeds().check(given)
    except ValueError as error:
        raise errors.not_allowed(str(error)) from None


def _scenario(given: object) -> dict[str, Any]:
    if isinstance(given, Scenario):
        return given.to_dict()
    if not isinstance(given, Mapping):
        raise errors.not_allowed("must be a table, or the path of a scenario file relative to the study's file")
    return dict(given)


def shared(at: Any, checked: Any, paths: Sequence[Sequence[str]]) -> Any:
    """Replace the tables that no path changes with their validated models."""
    if isinstance(checked, Part) and not paths:
        return checked
    if not all(paths):  # a path ends here, so the whole table is replaced
        return at
    if isinstance(at, dict) and isinstance(checked, Part):
        fields = {field.alias or name: getattr(checked, name) for name, field in type(checked).model_fields.items()}
    elif isinstance(at, list) and isinstance(checked, tuple):
        return [
            shared(each, part, _below(str(place), paths))
            for place, (each, part) in enumerate(zip(at, checked, strict=True))
        ]
    else:
        return at
    return {step: shared(each, fields.get(step), _below(step, paths)) for step, each in at.items()}


def _below(step: str, paths: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    return [rest for first, *rest in paths if first == step]


@dataclass(frozen=True)
class Place:
    """A point of a study."""

    source: str
    """The section of the study that defines the point."""
    coordinates: Mapping[str, Scalar]
    """The value of each swept field, by its path."""
    fields: Mapping[str, Any]
    """The fields of the scenario that the point changes, with their values."""

    @property
    def name(self) -> str:
        """The coordinates as text."""
        return ", ".join(f"{path} = {errors.shown(value)}" for path, value in self.coordinates.items())

    @contextmanager
    def prefixing_errors(self) -> Iterator[None]:
        """Prefix errors raised in the body with the coordinates."""
        try:
            yield
        except errors.ScenarioError as error:
            where = f"{self.source}: {self.name}" if self.coordinates else self.source
            raise errors.located(error, where) from None


def _too_many(study: "Study", field: str) -> list[InitErrorDetails]:
    """Check the numbers of points and runs before any point is made."""
    points = len(study.variants or ("",))
    if study.points is not None:
        points *= len(study.points)
    elif study.over is not None:
        points *= math.prod(map(len, study.over.values()))
    elif study.sample is not None:
        points *= study.sample.count
    split = "split the study by values of a field; the resulting studies may share a store"
    if points > MOST_POINTS:
        allowed = f"must have at most {MOST_POINTS:,} points, but has {points:,}; {split}"
        return [errors.wrong((field,), getattr(study, field), allowed)]
    rule = study.replications
    runs = points * (rule.most if isinstance(rule, Until) else len(rule))
    if runs > MOST_RUNS:
        allowed = f"must give at most {MOST_RUNS:,} runs, but gives {runs:,} for {points:,} points; {split}"
        return [errors.wrong(("replications",), rule, allowed)]
    return []


class Study(Asking):
    """A scenario, the fields to vary, and the number of runs per point.

    Fields of the scenario are named by their paths, as in ``ackclock run --set``. Points are a grid (`over`), a list
    (`points`) or a random sample (`sample`). Each point is combined with every variant. Without points and variants,
    the scenario itself is the only point.

    Raises
    ------
    ScenarioError
        An argument is invalid; the error names each wrong field, its value and what is allowed.

    Examples
    --------
    >>> import ackclock as ac
    >>> scenario = ac.Scenario(
    ...     duration="10 s",
    ...     dumbbell=ac.Dumbbell(
    ...         access=ac.Link(rate="10 Mbps", delay="25 ms"),
    ...         bottleneck=ac.Link(rate="5 Mbps", delay="25 ms"),
    ...     ),
    ...     clients=[ac.Clients(count=3, transport=ac.Tcp("reno"), source=ac.Greedy())],
    ... )
    >>> study = ac.Study(scenario=scenario, over={"clients.0.count": [2, 4], "measure.bin": ["50 ms", "1 s"]})
    >>> for point in study.each():
    ...     print(point.name)
    clients.0.count = 2, measure.bin = '50 ms'
    clients.0.count = 2, measure.bin = '1 s'
    clients.0.count = 4, measure.bin = '50 ms'
    clients.0.count = 4, measure.bin = '1 s'
    """

    scenario: Annotated[dict[str, Any], PlainValidator(_scenario)]
    """The scenario on which every point is based, as tables. In TOML it may be the path of a scenario file, relative to
    the study's file."""

    replications: Annotated[tuple[int, ...] | range | Until, PlainValidator(_replications)] = range(1, 6)
    """The number of seeds (seeds 1, 2, ...), a list of seeds, or a required precision (`Until`)."""

    over: Grid | None = None
    """The values of each field: every combination is a point, and the last field changes fastest."""

    points: Listed | None = None
    """List of points, each with the values of its varied fields."""

    sample: Sample | None = None
    """Points drawn from ranges."""

    variants: Variants | None = None
    """Named sets of field values; tables and figures show the name of the set."""

    record: Requests = ()
    """Records of each run, as for `ackclock.simulate`."""

    warmup: Warmup | None = None
    """Exclude the warm-up of each run, as determined by MSER-5."""

    _folders: tuple[Path, ...] = PrivateAttr(default=())
    _taking: Taking | None = PrivateAttr(default=None)

    @property
    def taking(self) -> Taking | None:
        """The function that takes numbers of its own from each run (`with_taking`)."""
        return self._taking

    def with_taking(self, taking: Taking | None) -> Self:
        """Return the same study, whose runs have the numbers of a function as well."""
        study = self.model_copy()
        study._taking = taking  # noqa: SLF001  # a copy of its own
        return study

    @property
    def folders(self) -> tuple[Path, ...]:
        """Folders whose files a study on Ray may always read: the folders of the study and of its scenario.

        For a study made in Python, this is the current directory.
        """
        return self._folders or (Path.cwd(),)

    @classmethod
    def own_problems(cls, data: Mapping[str, Any], part: Self | None) -> list[InitErrorDetails]:
        """Check that points have one definition, and that a field is set either by points or by variants."""
        given = [name for name in ("over", "points", "sample") if data.get(name) is not None]
        problems = [errors.wrong((name,), data[name], f"must be absent when {given[0]} is given") for name in given[1:]]
        if part is not None:
            problems += [
                errors.wrong(("variants",), name, "must be named by 1 to 200 printable characters")
                for name in part.variants or ()
                if not (name.isprintable() and 1 <= len(name) <= 200)
            ]
            swept = set(part.swept())
            problems += [
                errors.wrong(
                    ("variants", name, path), value, f"must be absent: {given[0]} sets this field at each point"
                )
                for name, fields in (part.variants or {}).items()
                for path, value in fields.items()
                if path in swept
            ]
            problems += _too_many(part, given[0] if given else "variants")
            if set(part.swept()).union(*(part.variants or {}).values()).isdisjoint({"clients", "flows"}):
                problems += unknown_groups(part.scenario, part.measures, part.objective)
        return problems

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read a study from tables, as parsed from TOML."""
        return cls.model_validate(data, by_alias=True, by_name=False)

    @classmethod
    def from_toml(cls, path: str | Path) -> Self:
        """Read a study from a TOML file."""
        data, folders = read_toml(Path(path)), [Path(path).parent]
        given = data.get("scenario")
        if given is None and data.keys() & Scenario.field_names().keys():
            why = "it has the fields of a scenario, which `ackclock run` runs"
            raise errors.unreadable(path, why, 'a study that names it, as in scenario = "FILE.toml"')
        if isinstance(given, str):
            data["scenario"] = read_scenario(folders[0] / given)
            folders.append((folders[0] / given).parent)
        elif isinstance(given, dict):
            data["scenario"] = beside(given, folders[0])
        study = cls.from_dict(data)
        study._folders = tuple(folders)  # noqa: SLF001  # our own
        return study

    @property
    def measure(self) -> str:
        """The measure whose interval is reported: ``cov``, unless `replications` names another measure."""
        return self.replications.measure if isinstance(self.replications, Until) else "cov"

    def each(self) -> Iterator[Point]:
        """Make the points, one at a time.

        Yields
        ------
        Point
            A point with its coordinates and its complete scenario.

        Raises
        ------
        ScenarioError
            The scenario of a point is invalid; the message begins with the coordinates of the point.
        """
        return map(self.point, self.places())

    def places(self) -> Iterator[Place]:
        """Yield the points in order, without validating them."""
        for name, fields in (self.variants or {"": {}}).items():
            for source, coordinates in self._drawn():
                if self.variants is None:
                    yield Place(source, coordinates, coordinates)
                else:
                    at = "variants" if source == "scenario" else source
                    yield Place(at, {VARIANT: name, **coordinates}, {**fields, **coordinates})

    def point(self, place: Place) -> Point:
        """Make a point with its scenario; raises the same errors as `each`."""
        with place.prefixing_errors():
            tables = self._start
            for path, value in place.fields.items():
                tables = assigned(tables, path, value)
            scenario = Scenario.from_dict(tables)
        work = TIME.parse(scenario.duration) * sum(group.count for group in scenario.groups)
        return Point(name=place.name, scenario=scenario, coordinates=place.coordinates, work=work)

    @cached_property
    def _start(self) -> dict[str, Any]:
        """Return the scenario's tables. Tables that no point changes are replaced with their validated models."""
        try:
            checked = Scenario.from_dict(self.scenario)
        except errors.ScenarioError:  # fields that the points set may be missing
            return self.scenario
        changed = [*self.swept(), *(path for fields in (self.variants or {}).values() for path in fields)]
        start: dict[str, Any] = shared(self.scenario, checked, [path.split(".") for path in changed])
        return start

    def swept(self) -> Iterator[str]:
        """Yield the paths of the fields that points set, possibly repeatedly."""
        yield from self.over or ()
        yield from self.sample.over if self.sample else ()
        yield from (path for point in self.points or () for path in point)

    def _drawn(self) -> Iterator[tuple[str, dict[str, Scalar]]]:
        if self.points is not None:
            yield from ((f"points.{number}", point) for number, point in enumerate(self.points))
        elif self.over is not None:
            for values in itertools.product(*self.over.values()):
                yield "over", dict(zip(self.over, values, strict=True))
        elif self.sample is not None:
            drawn = self.sample
            for place in draw(drawn.over, method=drawn.method, count=drawn.count, seed=drawn.seed):
                yield "sample", place
        else:
            yield "scenario", {}
