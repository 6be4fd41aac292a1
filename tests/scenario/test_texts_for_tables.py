"""A text where a table belongs: the error shows what to write, in TOML and in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import ackclock as ac

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    ("make", "field", "example"),
    [
        (lambda: ac.Clients(transport="dctcp", source=ac.Greedy()), "transport", 'ac.Tcp("cubic")'),
        (lambda: ac.Clients(transport=ac.Udp(), source="greedy"), "source", "ac.Greedy()"),
        (lambda: ac.Link(rate="1 Mbps", delay="1 ms", queue="codel"), "queue", "ac.CoDel()"),
        (lambda: ac.Link(rate="1 Mbps", delay="1 ms", loss=0.01), "loss", "ac.RandomLoss(probability=0.01)"),
        (lambda: ac.Change(at="1 s", loss="much"), "loss", "ac.RandomLoss(probability=0.01)"),
    ],
)
def test_the_example_is_allowed(make: Callable[[], object], field: str, example: str) -> None:
    with pytest.raises(ac.ScenarioError, match=rf"^{field}: .* is not allowed; must be a table with ") as refused:
        make()
    assert str(refused.value).endswith(f", or in Python {example}")
    assert eval(example, {"ac": ac}) is not None  # noqa: S307  # what the error recommends
