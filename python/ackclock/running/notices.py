"""Notices: facts that users of a result must know, such as a window limit or an overload.

The crate ``notices`` writes them, for the page of `ackclock lab` as well. Some depend on what only
Python knows: those about defaults of earlier versions, and laws in Python.
"""

import functools
import json
from typing import Any

from ackclock.engine import core
from ackclock.running.unused import unused_rate
from ackclock.scenario import Connections, Scenario, profile
from ackclock.scenario.earlier import changed_meaning
from ackclock.scenario.links import links_of


class Notices:
    """The notices of the runs of a scenario.

    Parameters
    ----------
    scenario
        The effective scenario.
    plan
        Its plan.
    given
        The scenario as given, if its defaults matter.
    """

    def __init__(self, scenario: Scenario, plan: str, given: Scenario | None = None) -> None:
        self._plan = plan
        self._labels = json.dumps(
            labels(scenario)
            | {
                "changed": list(changed_meaning(given or scenario, scenario)),
                "unused": list(unused_rate(scenario)),
            }
        )

    def of(self, outcome: str) -> tuple[str, ...]:
        """Return the notices of a run with this outcome, which the engine gives as JSON."""
        return tuple(self._engine.of(outcome))

    @functools.cached_property
    def _engine(self) -> core.Notices:
        """The engine's part, made after the first run: the engine has accepted the plan by then."""
        return core.Notices(self._plan, self._labels)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for a copy or a pickle, without the engine's part."""
        return {name: value for name, value in self.__dict__.items() if name != "_engine"}


def labels(scenario: Scenario) -> dict[str, Any]:
    """Return the names and values of an effective scenario that its plan does not have."""
    return {
        "groups": [
            {"name": group.name, "load": group.source.load if isinstance(group.source, Connections) else None}
            for group in scenario.groups
        ],
        "link": scenario.measure.link,
        "links": [] if scenario.dumbbell is not None else list(links_of(scenario).names()),
        "packet_size": scenario.packet_size,
        "room": profile.default(scenario.profile, "queue", "packets"),
    }
