"""Finds the laws and disciplines that a scenario names by their files, before a run.

This is the step of a run that executes files. What only reads a scenario leaves it out.
"""

from collections.abc import Iterator
from typing import Any

from ackclock.laws.algorithm import Algorithm
from ackclock.laws.discipline import Discipline
from ackclock.laws.finding import UnknownLawError, find
from ackclock.laws.law import Law
from ackclock.laws.source import source
from ackclock.scenario import Scenario
from ackclock.scenario.files import named_queues, named_transports
from ackclock.values.errors import ScenarioError, refuse

__all__ = ["with_laws"]


def with_laws(scenario: Scenario) -> Scenario:
    """Find the classes that a scenario names, add their digests, and check the values of their parameters.

    Raises
    ------
    ScenarioError
        A class does not exist or has another digest, or the value of a parameter is not allowed.
    """
    tables = scenario.to_dict()
    for at, table, base in _places(tables):
        noun = base.interface.noun
        law = table[noun]
        try:
            law_source = source(find(law, base, table.get(f"{noun}_sha256"), table.get(f"{noun}_files_sha256")))
        except UnknownLawError as error:
            raise refuse(f"{at}.{noun}", law, str(error)) from error.__cause__
        except ScenarioError as error:
            raise refuse(f"{at}.{noun}", law, f"must be a complete {noun}: {error.headline}") from None
        digests = {f"{noun}_sha256": law_source.sha256, f"{noun}_files_sha256": law_source.files_sha256}
        table.update({name: digest for name, digest in digests.items() if digest is not None})
    return scenario.from_dict(tables)


def _places(tables: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], type[Algorithm]]]:
    """Yield the tables that name a class, each with its path in the scenario and the base of the class."""
    for at, table in named_transports(tables):
        if table.get("law") is not None:
            yield at, table, Law
    for at, table in named_queues(tables):
        if table.get("discipline") is not None:
            yield at, table, Discipline
