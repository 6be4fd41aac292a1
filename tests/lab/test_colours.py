"""The colours of groups in the lab differ for readers with common kinds of colour-blindness."""

from __future__ import annotations

import re
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

KINDS = {
    "normal": np.eye(3),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
}
"""What readers see of linear RGB (Machado, Oliveira and Fernandes 2009, severity 1)."""

XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
WHITE = np.array([0.95047, 1.0, 1.08883])
FIRST = 5
"""Groups that must differ by colour alone. Further groups differ by dashes and markers as well."""
LEAST_DISTANCE = 20
LEAST_DISTANCE_OF_PHASES = 10
LEAST_CONTRAST = 3
"""Of WCAG 2.2, for parts of graphics."""


def linear(colour: str) -> NDArray[np.float64]:
    values = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def lab(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Convert linear RGB to CIELAB."""
    x, y, z = (XYZ @ np.clip(values, 0, 1)) / WHITE
    f = [np.cbrt(v) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (x, y, z)]
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def contrast(a: str, b: str) -> float:
    light, dark = sorted((float(XYZ[1] @ linear(each)) for each in (a, b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.fixture(params=["light", "dark"])
def theme(request: pytest.FixtureRequest, root: Path) -> dict[str, str]:
    style = (root / "web" / "src" / "style.css").read_text(encoding="utf-8")
    part = style.split(":root {")[1 if request.param == "light" else 2].split("}")[0]
    colours = dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{3,6})\b", part))
    return {
        name: value if len(value) == 7 else "#" + "".join(2 * digit for digit in value[1:])
        for name, value in colours.items()
    }


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_groups_differ(theme: dict[str, str], kind: str) -> None:
    seen = {group: lab(KINDS[kind] @ linear(theme[f"g{group}"])) for group in range(FIRST)}
    near = {pair: float(np.linalg.norm(seen[pair[0]] - seen[pair[1]])) for pair in combinations(seen, 2)}
    assert min(near.values()) >= LEAST_DISTANCE, near


def test_phases_of_senders_differ(theme: dict[str, str]) -> None:
    names = ("slow", "startup", "recovery", "timeout", "drain", "other", "probe", "up", "rtt")
    seen = {name: lab(linear(theme[name])) for name in names}
    near = {pair: float(np.linalg.norm(seen[pair[0]] - seen[pair[1]])) for pair in combinations(seen, 2)}
    assert min(near.values()) >= LEAST_DISTANCE_OF_PHASES, near


def test_groups_differ_from_the_paper(theme: dict[str, str]) -> None:
    found = {group: contrast(theme[f"g{group}"], theme["paper"]) for group in range(8)}
    assert min(found.values()) >= LEAST_CONTRAST, found


def test_dashes_and_markers_of_neighbours_differ(root: Path) -> None:
    pens = (root / "web" / "src" / "pens.ts").read_text(encoding="utf-8")
    dashes = re.findall(r"\[[0-9, ]*\]", pens.split("DASHES")[1].split(";")[0].split("=")[1])
    markers = re.findall(r'"(.)"', pens.split("MARKERS")[1].split(";")[0])
    assert len(set(dashes)) == len(set(markers)) == 8
    assert all(a != b for a, b in pairwise(dashes))
