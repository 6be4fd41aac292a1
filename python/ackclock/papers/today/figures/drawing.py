"""Panels that compare senders: dots with intervals side by side, and heat maps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ackclock.drawing.chart import Axis, Heat, Level, Panel, Series
from ackclock.papers.core.evidence import Evidence, Scalar
from ackclock.papers.core.quantities import Quantity
from ackclock.papers.today.senders import DEFINITION, SENDERS

PENS = DEFINITION.pens("senders")
POISSON = (Level(y=1),)
SHOWN = ("Reno", "CUBIC", "BBR", "BBRv3", "Copa", "Vegas", "Prague", "Reno of 2000")
"""Senders of figures with lines, whose tables and CSV files have all."""

_TICKS = (0.25, 0.5, 1, 2, 4)


def names(label: str) -> Axis:
    """Return an axis with all senders; without a label, the axis of the panel below."""
    return Axis(
        label=label,
        low=-0.5,
        high=len(SENDERS) - 0.5,
        ticks=list(enumerate(staggered(SENDERS))),
    )


def staggered(senders: Iterable[str]) -> list[str]:
    """Return names in two rows, so that neighbours do not touch."""
    broken = [name.replace("Paced ", "Paced\n").replace(" of ", "\n") for name in senders]
    return [f"\n{name}" if place % 2 else name for place, name in enumerate(broken)]


def dots(
    evidence: Evidence,
    *,
    of: Mapping[str, Quantity],
    label: str,
    title: str = "",
    levels: Sequence[Level] = (),
    x: str = "",
) -> Panel:
    """Draw means with intervals by sender; several quantities by name have a colour each."""
    colours = ("blue", "red", "orange", "green")
    markers = ("circle", "square", "diamond", "triangle")
    places = {name: place for place, name in enumerate(SENDERS)}
    drawn = []
    for number, (name, one) in enumerate(of.items()):
        points = one.points(evidence.ours).ordered(("sender",)).cells
        shift = 0.18 * (number - (len(of) - 1) / 2)
        drawn.append(
            Series(
                name=name,
                x=[places[str(sender)] + shift for (sender,) in points],
                y=[point.mean for point in points.values()],
                error=[point.half_width for point in points.values()],
                colour=colours[number],
                marker=markers[number],  # type: ignore[arg-type]
                dash="none",
            )
        )
    return Panel(title=title, x=names(x), y=Axis(label=label, low=0), series=drawn, levels=levels)


def heat(
    evidence: Evidence,
    *,
    of: Quantity,
    across: Mapping[Scalar, str],
    axis: str,
    title: str = "",
    high: float = 4,
    label: str = "C.o.v. / Poisson's",
) -> Panel:
    """Draw a ratio with senders in rows and the values of `axis` in columns, on a logarithmic scale around one."""
    points = of.points(evidence.ours).ordered(("sender", axis))
    rows = [sender for sender in SENDERS if any(key[0] == sender for key in points.cells)][::-1]
    means = np.array(
        [[points.cells[row, at].mean if (row, at) in points.cells else np.nan for at in across] for row in rows]
    )
    return Panel(
        title=title,
        x=Axis(ticks=list(enumerate(across.values()))),
        y=Axis(ticks=list(enumerate(rows))),
        series=(),
        heat=Heat(
            values=np.log2(means),
            words=[["" if np.isnan(one) else f"{one:.2f}" for one in row] for row in means],
            label=label,
            low=-np.log2(high),
            high=np.log2(high),
            parted=True,
            ticks=[(float(np.log2(at)), f"{at:g}") for at in _TICKS],
        ),
    )
