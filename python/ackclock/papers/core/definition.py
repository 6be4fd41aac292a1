"""The TOML files of a study: `study.toml` defines its runs and texts, `claims.toml` its claims.

`study.toml` has title, source, set-up, and grids of runs in the format of `ackclock.Study`; ``takes`` is the measured
duration with the default seeds on two cores.

Each table of ``parts`` is such a grid with four additional fields:

- ``take``: the function of the study's ``measures`` module that extracts the numbers of a run (default: ``summary``),
- ``set``: fields of the scenario that differ in the whole part, by path,
- ``where``: additional coordinates of all points,
- ``seeds``: number of seeds, if it differs from the study's.

The table ``fields`` gives short names to paths of the scenario; parts use these names as axes. ``variants`` are named
sets of fields; a part runs the variants that its ``over.variant`` lists, or all variants. ``figures`` has the titles
and captions of figures by their slugs.

``measures`` has label, unit and decimals of measures by their names, ``pens`` the styles of lines, and ``tables`` the
captions and heads of tables.

`claims.toml` has the texts of each claim by its key. ``rule = "claims.py"`` names the file of the study that defines
the claim's rule; ``rule = "STUDY: KEY"`` names another study's claim that has the same rule. ``topics`` lists the
claims that summarize the study.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from importlib.resources import files
from inspect import isfunction
from types import MappingProxyType
from typing import Any, get_args

from ackclock.papers import SEEDS, STUDIES
from ackclock.papers.core.claim import Change, Claim, Said
from ackclock.papers.core.folds import Number
from ackclock.papers.core.marks import Pen
from ackclock.papers.core.measures import Measure
from ackclock.papers.core.parts import Part, Spot
from ackclock.papers.core.quantities import Quantity
from ackclock.papers.core.rules import Rule
from ackclock.papers.summary import Topic
from ackclock.report.html import Origin, Table, Verdict
from ackclock.scenario import Scenario
from ackclock.scenario.overrides import assigned
from ackclock.study.design import VARIANT, Study
from ackclock.values.errors import impossible, one_of, refuse

_REQUIRED = ("title", "source", "question", "headline", "setup")

_PART = ("over", "points", "set", "where", "seeds", "record", "take")
"""Fields of a part in `study.toml`."""

_WORDS = {"where": "", "text": "", "paper": "", "origin": "paper", "figure": "", "command": "", "changed": None}
"""Texts of a claim in `claims.toml`, with their defaults; a claim needs the first two."""

_FIELDS = (*_WORDS, "why", "rule")
"""Fields of a claim in `claims.toml`."""

_VERDICTS = {
    "reproduced": Verdict.REPRODUCED,
    "partly": Verdict.PARTLY,
    "depends": Verdict.DEPENDS,
    "not_reproduced": Verdict.NOT,
    "reversed": Verdict.REVERSED,
}


@dataclass(frozen=True)
class Definition:
    """The contents of a `study.toml` and the `claims.toml` next to it.

    Parameters
    ----------
    package
        The study's package, such as ``ackclock.papers.burstiness``.

    """

    package: str

    @cached_property
    def _data(self) -> dict[str, Any]:
        data = tomllib.loads(files(self.package).joinpath("study.toml").read_text(encoding="utf-8"))
        for name in _REQUIRED:
            if name not in data:
                raise impossible(f"{self.name}/study.toml: {name}: missing; a study needs {', '.join(_REQUIRED)}")
        return data

    @property
    def name(self) -> str:
        """Name of the study: the last part of the package's name."""
        return self.package.rpartition(".")[2]

    @property
    def title(self) -> str:
        """Title of the paper, or the question of a study of our own."""
        return str(self._data["title"])

    @property
    def source(self) -> str:
        """The repeated paper: authors, title, venue and year."""
        return str(self._data["source"])

    @property
    def question(self) -> str:
        """The question that the study answers."""
        return str(self._data["question"])

    @property
    def headline(self) -> str:
        """Slug of the figure that shows the answer."""
        return str(self._data["headline"])

    @property
    def seeds(self) -> int:
        """Default number of seeds."""
        return int(self._data.get("seeds", SEEDS))

    def numbered(self, count: int) -> range:
        """Return the numbers of this many seeds; they begin at `first_seed` of the file (default: 1)."""
        first = int(self._data.get("first_seed", 1))
        return range(first, first + count)

    @property
    def takes(self) -> str:
        """Measured duration with the default seeds on two cores, such as ``1 min``; empty if it is not stated."""
        return str(self._data.get("takes", ""))

    @property
    def setup(self) -> Sequence[tuple[str, str]]:
        """The rows of the set-up: name and value."""
        return [(name, str(value)) for name, value in self._data["setup"].items()]

    @cached_property
    def _claims(self) -> dict[str, Any]:
        data = tomllib.loads(files(self.package).joinpath("claims.toml").read_text(encoding="utf-8"))
        for key, words in data["claims"].items():
            for name in words.keys() - {*_FIELDS}:
                raise refuse(f"{self.name}/claims.toml: {key}", name, f"must be one of {', '.join(_FIELDS)}")
            if not {"where", "text"} <= words.keys():
                raise impossible(f"{self.name}/claims.toml: {key}: a claim needs where and text")
            if words.get("origin", "paper") not in get_args(Origin):
                raise refuse(
                    f"{self.name}/claims.toml: {key}: origin",
                    words["origin"],
                    one_of(words["origin"], get_args(Origin)),
                )
            self._check_rule(key, words.get("rule", ""))
        return data

    def _check_rule(self, key: str, rule: str) -> None:
        study, repeated, _ = rule.partition(": ")
        known = study in STUDIES if repeated else rule and files(self.package).joinpath(rule).is_file()
        if not known:
            allowed = (
                "must be the file of the study that defines the claim's rule, such as 'claims.py', or 'STUDY: KEY' for "
                "the rule of another study's claim"
            )
            raise refuse(f"{self.name}/claims.toml: {key}: rule", rule, allowed)

    def _rule(self, key: str) -> str:
        """Return where the rule of a claim is."""
        if key not in self.keys:
            raise refuse(f"{self.name}/claims.toml: claim", key, f"must be one of {', '.join(self.keys)}")
        return str(self._claims["claims"][key]["rule"])

    @property
    def keys(self) -> Sequence[str]:
        """Keys of the claims, in the order of the file."""
        return list(self._claims["claims"])

    def words(self, key: str) -> dict[str, Any]:
        """Return the texts of a claim as arguments of `Claim`: key, sentence, source, command and others."""
        table = self._claims["claims"][key]
        changed = Change(**table["changed"]) if "changed" in table else None
        words = {name: table.get(name, default) for name, default in _WORDS.items()}
        return {**words, "key": key, "changed": changed}

    def claim(
        self,
        module: str,
        key: str,
        test: Rule,
        *,
        why: str | Callable[[Said], str] = "",
        shows: Mapping[str, Quantity] = MappingProxyType({}),
        numbers: tuple[Quantity, ...] | None = None,
        brief: str | Callable[[Said], str] = "",
    ) -> Claim:
        """Make a claim from its texts and the rule that judges it; the parameters after `module` are fields of `Claim`.

        `module` is the name of the module that defines the rule. If `why` is a text, it is in the file.

        Raises
        ------
        ScenarioError
            If `claims.toml` has no such claim, or says that its rule is elsewhere.

        """
        rule, file = self._rule(key), module.removeprefix(f"{self.package}.").replace(".", "/") + ".py"
        if rule != file:
            raise refuse(f"{self.name}/claims.toml: {key}: rule", rule, f"must be '{file}', which defines the rule")
        words, why = self.words(key), why or self._claims["claims"][key].get("why", "")
        return Claim(**words, test=test, why=why, shows=shows, numbers=numbers, brief=brief)

    def repeated(self, study: str, of: Sequence[Claim]) -> list[Claim]:
        """Make the claims that have the rule of one of another study's claims `of`.

        A claim without a command has the command of the other study's claim.

        Raises
        ------
        ScenarioError
            If the other study has no such claim.

        """
        theirs = {claim.key: claim for claim in of}
        claims = []
        for key in self.keys:
            name, repeated, other = self._rule(key).partition(": ")
            if not repeated or name != study:
                continue
            if other not in theirs:
                raise refuse(f"{self.name}/claims.toml: {key}: rule", self._rule(key), one_of(other, theirs))
            words = self.words(key)
            claims.append(replace(theirs[other], **words | {"command": words["command"] or theirs[other].command}))
        return claims

    def ordered(self, claims: Iterable[Claim]) -> Sequence[Claim]:
        """Sort claims in the order of the file."""
        return sorted(claims, key=lambda claim: self.keys.index(claim.key))

    @property
    def topics(self) -> Sequence[Topic]:
        """The claims that summarize the study, with a sentence for each verdict."""
        return [
            Topic(
                key=str(table["key"]),
                leads={verdict: table[name] for name, verdict in _VERDICTS.items() if name in table},
                also=tuple(table.get("also", ())),
            )
            for table in self._claims.get("topics", [])
        ]

    def figure(self, name: str, *, slug: str = "", **fields: object) -> dict[str, Any]:
        """Return slug, title and caption of a figure as arguments of `Figure`.

        Similar figures share the table `name` and differ in their slugs; `fields` fill the placeholders of the texts.
        """
        words: dict[str, str] = self._data["figures"][name]
        return {"slug": slug or name, **(_filled(words, fields) if fields else words)}

    def laid_out(self, name: str, rows: Sequence[Sequence[str]], **fields: object) -> Table:
        """Make a table with caption and head from the file; `fields` fill the placeholders of the caption."""
        words = self._data["tables"][name]
        return Table(caption=words["caption"].format_map(fields), head=words["head"], rows=rows)

    def measure(self, name: str, *, of: Number | None = None) -> Measure:
        """Make the measure of a key in the file; its name is the key by default, and `of` is as for `Measure`."""
        return Measure(**{"name": name, **self._data["measures"][name]}, of=of)

    def pens(self, name: str) -> Mapping[str, Pen]:
        """Return the pens of lines, by the names of the lines."""
        return {line: Pen(**pen) for line, pen in self._data["pens"][name].items()}

    def table(self, name: str) -> Mapping[str, Any]:
        """Return a table of the file that only this study uses, such as numbers that the paper prints."""
        return dict(self._data[name])

    def parts(self) -> list[Part]:
        """Return the parts of the study, each with its points in the order of its grid.

        Raises
        ------
        ScenarioError
            If a part is not a valid grid of runs.

        """
        return list(self._parts)

    @cached_property
    def _parts(self) -> Sequence[Part]:
        return [self._part(name, table) for name, table in self._data.get("parts", {}).items()]

    def scenario(self, variant: str, **fields: Any) -> Scenario:
        """Make the scenario of a variant with some fields changed, by short name or path.

        Raises
        ------
        ScenarioError
            If there is no such variant or field.

        """
        names: dict[str, str] = self._data.get("fields", {})
        changed = {names.get(name, name): value for name, value in fields.items()}
        (point,) = self._study({"over": {VARIANT: [variant]}, "set": changed}, names).each()
        return point.scenario

    def _part(self, name: str, table: Mapping[str, Any]) -> Part:
        self._check(f"parts.{name}", table, _PART)
        fields: dict[str, str] = self._data.get("fields", {})
        names = {path: axis for axis, path in fields.items()}
        seeds = self.numbered(table["seeds"]) if "seeds" in table else None
        takes = vars(import_module(f"{self.package}.measures"))
        take = table.get("take", "summary")
        self._check(f"parts.{name}.take", [take], [each for each, value in takes.items() if isfunction(value)])
        spots = [
            Spot(
                where={
                    **table.get("where", {}),
                    **{names.get(path, path): value for path, value in point.coordinates.items()},
                },
                scenario=point.scenario,
            )
            for point in self._study(table, fields).each()
        ]
        return Part(name=name, spots=spots, take=takes[take], record=tuple(table.get("record", ())), seeds=seeds)

    def _study(self, table: Mapping[str, Any], fields: Mapping[str, str]) -> Study:
        """Make the `Study` with the points of a part."""
        over, changed = dict(table.get("over", {})), table.get("set", {})
        variants: dict[str, Any] = self._data.get("variants", {})
        chosen = over.pop(VARIANT, list(variants))
        scenario = self._data["scenario"]
        axes = (axis for point in (over, *table.get("points", ())) for axis in point if "." not in axis)
        self._check("axis", axes, [VARIANT, *fields, *Scenario.model_fields])
        self._check("variant", chosen, variants)
        for path, value in changed.items() if not chosen else ():
            scenario = assigned(scenario, path, value)
        design: dict[str, Any] = {"scenario": scenario}
        if chosen:
            design["variants"] = {one: {**variants[one], **changed} for one in chosen}
        if over:
            design["over"] = {fields.get(axis, axis): values for axis, values in over.items()}
        if "points" in table:
            design["points"] = [{fields.get(axis, axis): at for axis, at in point.items()} for point in table["points"]]
        return Study.from_dict(design)

    def _check(self, what: str, names: Iterable[str], allowed: Iterable[str]) -> None:
        for name in names:
            if name not in allowed:
                raise refuse(f"{self.name}/study.toml: {what}", name, one_of(name, allowed))


def _filled(words: Mapping[str, str], fields: Mapping[str, object]) -> dict[str, str]:
    return {name: text.format_map(fields) for name, text in words.items()}
