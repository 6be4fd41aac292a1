"""The paper's stochastic model of Reno."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ackclock.analysis.models import StochasticReno, stochastic_reno

# A published evaluation of equations (1) to (4), five replications of 2000 intervals after 200, with gamma = 466.67:
# clients, and the c.o.v. from windows of 1 and of 20 packets.
EVALUATED = [
    (10, 0.09990, 0.09990),
    (20, 0.06993, 0.06993),
    (30, 0.05749, 0.05749),
    (36, 0.05226, 0.05226),
    (38, 0.22266, 0.05126),
    (39, 0.22230, 0.05057),
    (40, 0.22230, 0.04950),
    (44, 0.22678, 0.22680),
    (50, 0.22770, 0.22783),
    (60, 0.23570, 0.23570),
]


def paper(clients: int = 10, **changed: Any) -> StochasticReno:
    """Run the model with the paper's Table 1."""
    table = {"clients": clients, "rate": 100, "interval": 0.1, "capacity": 50e6 / 12000, "buffer": 50}
    return stochastic_reno(**(table | changed))


@pytest.mark.parametrize(("clients", "closed", "opened"), EVALUATED)
def test_agrees_with_another_evaluation(clients: int, closed: float, opened: float) -> None:
    """Validates: the stochastic model, with small and with large initial windows.
    Source: Feng and Tinnakornsrisuphap 2000, equations (1) to (4), evaluated independently in NumPy.
    Tolerance: 3 % over 40 replications.
    """
    assert paper(clients).cov.mean() == pytest.approx(closed, rel=0.03)
    assert paper(clients, initial_window=20).cov.mean() == pytest.approx(opened, rel=0.03)


def test_between_its_regimes_it_is_either() -> None:
    # Started with open windows, 42 clients are Poisson for some time and then always congested.
    cov = paper(42, initial_window=20).cov
    assert cov.min() == pytest.approx(0.048, rel=0.05)
    assert cov.max() == pytest.approx(0.222, rel=0.05)


def test_uncongested_it_sends_what_the_sources_make() -> None:
    result = paper(20, intervals=4000)
    assert result.mean.mean() == pytest.approx(200, rel=0.005)
    assert result.cov.mean() == pytest.approx(result.poisson_cov, rel=0.02)
    assert not result.cuts.any()


def test_one_client_by_hand() -> None:
    # Data is always available. The window grows from 1 to 4, which exceeds 3 and causes a cut; then it repeats 2, 3, 4.
    result = paper(1, rate=1e6, capacity=20, buffer=1, intervals=6, warmup=1, replications=2)
    assert result.gamma == 3
    np.testing.assert_allclose(result.mean, 3)
    np.testing.assert_allclose(result.cov, np.sqrt(2 / 3) / 3)
    np.testing.assert_allclose(result.cuts, 1 / 3)


def test_the_advertised_window_bounds() -> None:
    result = paper(10, rate=1e4, max_window=20)
    np.testing.assert_allclose(result.mean, 200)
    np.testing.assert_allclose(result.cov, 0)


def test_the_same_seed_gives_the_same_numbers() -> None:
    first, again, other = paper(30, replications=3), paper(30, replications=3), paper(30, replications=3, seed=2)
    np.testing.assert_array_equal(first.cov, again.cov)
    assert (first.cov != other.cov).all()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("clients", 0),
        ("rate", 0),
        ("interval", -1),
        ("capacity", float("nan")),
        ("buffer", -1),
        ("initial_window", 0),
        ("max_window", float("inf")),
        ("intervals", 0),
        ("warmup", -1),
        ("replications", 0),
    ],
)
def test_refuses_what_makes_no_sense(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"^{name}: .* is not allowed"):
        paper(**dict[str, Any]({name: value}))
