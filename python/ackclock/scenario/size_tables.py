"""Published distributions of transfer sizes.

The papers show their distributions only as figures. The points are from widely used simulation scripts, whose authors
read them from the figures, in packets of 1460 data bytes. `SizeTable` interpolates linearly between points, as the
scripts do.
"""

from dataclasses import dataclass
from typing import Final

_DATA: Final = 1460
"""Bytes of data in a packet of the scripts."""


@dataclass(frozen=True)
class Published:
    """A published distribution of transfer sizes."""

    source: str
    """Where the sizes were measured, and which scripts use the points."""
    packets: tuple[tuple[int, float], ...]
    """Pairs of a size in packets and the share of all sizes up to this size."""

    @property
    def points(self) -> tuple[tuple[int, float], ...]:
        """The points with sizes in bytes."""
        return tuple((_DATA * packets, share) for packets, share in self.packets)


TABLES: Final = {
    "web-search": Published(
        source="a web-search cluster: Alizadeh et al., Data Center TCP (DCTCP), SIGCOMM 2010; points as in the "
        "scripts of pFabric (Alizadeh et al., SIGCOMM 2013) and later work",
        packets=(
            (6, 0.15),
            (13, 0.2),
            (19, 0.3),
            (33, 0.4),
            (53, 0.53),
            (133, 0.6),
            (667, 0.7),
            (1333, 0.8),
            (3333, 0.9),
            (6667, 0.97),
            (20000, 1.0),
        ),
    ),
    "data-mining": Published(
        source="a data-mining cluster: Greenberg et al., VL2, SIGCOMM 2009; points as in the scripts of pFabric "
        "(Alizadeh et al., SIGCOMM 2013) and later work",
        packets=(
            (1, 0.5),
            (2, 0.6),
            (3, 0.7),
            (7, 0.8),
            (267, 0.9),
            (2107, 0.95),
            (66667, 0.99),
            (666667, 1.0),
        ),
    ),
}
"""The published tables by name. Their mean sizes are 1,141 and 5,117 packets."""
