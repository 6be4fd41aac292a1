"""Maps the names of a scenario's directed links to the engine's numbers, and back."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

from ackclock.scenario.routes import directed

if TYPE_CHECKING:
    from ackclock.scenario.whole import Scenario


class Links(Protocol):
    """The directed links of a scenario."""

    def __len__(self) -> int:
        """Return the number of links; they are numbered from 0."""

    def number(self, name: str) -> int | None:
        """Look up the engine's number of a link; ``None`` if there is no such link."""

    def name(self, number: int) -> str:
        """Return the name of a link."""

    def names(self) -> Iterable[str]:
        """List the names of links for an error message."""


class DumbbellLinks:
    """The links of a dumbbell: ``bottleneck`` and ``access.<client>`` (from 0), each with its ``.reverse``."""

    def __init__(self, clients: int) -> None:
        self._clients = clients

    def __len__(self) -> int:
        """Return the number of links; they are numbered from 0."""
        return 2 + 2 * self._clients

    def number(self, name: str) -> int | None:
        """Look up the engine's number of a link; ``None`` if there is no such link."""
        forward = name.removesuffix(".reverse")
        back = int(forward != name)
        if forward == "bottleneck":
            return back
        client = forward.removeprefix("access.")
        if client == forward or not client.isdecimal() or not client.isascii() or client != str(int(client[:9])):
            return None
        return 2 + 2 * int(client) + back if int(client) < self._clients else None

    def name(self, number: int) -> str:
        """Return the name of a link."""
        forward = "bottleneck" if number < 2 else f"access.{number // 2 - 1}"
        return forward + (".reverse" if number % 2 else "")

    def names(self) -> Iterable[str]:
        """List the names of links for an error message."""
        last = f"access.{self._clients - 1}"
        return (
            "bottleneck",
            "bottleneck.reverse",
            "access.0",
            "access.0.reverse",
            "...",
            last,
            f"{last}.reverse",
        )


class GraphLinks:
    """The links of a graph, with the names that the scenario gives them."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = tuple(names)
        self._numbers = {name: number for number, name in enumerate(self._names)}

    def __len__(self) -> int:
        """Return the number of links; they are numbered from 0."""
        return len(self._names)

    def number(self, name: str) -> int | None:
        """Look up the engine's number of a link; ``None`` if there is no such link."""
        return self._numbers.get(name)

    def name(self, number: int) -> str:
        """Return the name of a link."""
        return self._names[number]

    def names(self) -> Iterable[str]:
        """List the names of links for an error message."""
        return self._names


def links_of(scenario: "Scenario") -> Links:
    """Return the links of a scenario."""
    if scenario.dumbbell is not None:
        return DumbbellLinks(sum(group.count for group in scenario.clients))
    return GraphLinks(link.name for link in directed(scenario.links))
