"""The hyperbolas of Tables 4 and 5 as the paper prints them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock.papers.manyflows.places import WITH, WITHOUT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

PAPER: Mapping[float, Mapping[str, tuple[float, float]]] = {
    0.0: {
        "ISDN, W_c 100": (149.2537, 0.4646),
        "ISDN, W_c 200": (333.3333, 0.5262),
        "ISDN, W_c 300": (588.2352, 0.6059),
        "ISDN, W_c 400": (1250.000, 0.9170),
        "ISDN, W_c 500": (2000.000, 1.1852),
        "T1, W_c 100": (144.9275, 0.3237),
        "T1, W_c 200": (285.7143, 0.3429),
        "T1, W_c 300": (454.5454, 0.3682),
        "T1, W_c 400": (526.3158, 0.3517),
        "T1, W_c 500": (769.2308, 0.3948),
    },
    0.1: {
        "ISDN, W_c 100": (125.0000, 0.4930),
        "ISDN, W_c 200": (217.3913, 0.5257),
        "ISDN, W_c 300": (400.0000, 0.6071),
        "ISDN, W_c 400": (714.2857, 0.7536),
        "ISDN, W_c 500": (1428.5714, 1.1110),
        "T1, W_c 100": (125.0000, 0.4263),
        "T1, W_c 200": (227.2727, 0.4505),
        "T1, W_c 300": (333.3333, 0.4690),
        "T1, W_c 400": (500.0000, 0.5123),
        "T1, W_c 500": (666.6666, 0.5366),
    },
}
"""a and b of Table 4 (without processing time) and of Table 5 (where they are "k" and "Scale"), by the curve."""

TABLES = {WITHOUT: "Table 4", WITH: "Table 5"}
"""What the paper calls them."""


def printed(fraction: float, name: str, connections: ArrayLike) -> NDArray[np.float64]:
    """Give the loss by the paper's curve at numbers of connections."""
    a, b = PAPER[fraction][name]
    x = np.asarray(connections, dtype=np.float64)
    return np.asarray(b * x / (x + a))
