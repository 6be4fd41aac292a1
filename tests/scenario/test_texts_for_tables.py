"""A text where a table belongs: the error shows what to write, in TOML and in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import ackclock as ac

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    ("part", "fields", "example"),
    [
        (ac.Clients, {"transport": "dctcp", "source": ac.Greedy()}, 'ac.Tcp("cubic")'),
        (ac.Clients, {"source": "greedy", "transport": ac.Udp()}, "ac.Greedy()"),
        (ac.Link, {"queue": "codel", "rate": "1 Mbps", "delay": "1 ms"}, "ac.CoDel()"),
        (ac.Link, {"loss": 0.01, "rate": "1 Mbps", "delay": "1 ms"}, "ac.RandomLoss(probability=0.01)"),
        (ac.Change, {"loss": "much", "at": "1 s"}, "ac.RandomLoss(probability=0.01)"),
    ],
)
def test_the_example_is_allowed(part: Callable[..., object], fields: dict[str, Any], example: str) -> None:
    field = next(iter(fields))
    with pytest.raises(ac.ScenarioError, match=rf"^{field}: .* is not allowed; must be a table with ") as refused:
        part(**fields)
    assert str(refused.value).endswith(f", or in Python {example}")
    assert eval(example, {"ac": ac}) is not None  # noqa: S307  # what the error recommends
