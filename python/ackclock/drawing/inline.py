"""Fragments of HTML by which objects show themselves in notebooks: notices, tables, and a small drawing.

Colours follow the notebook's theme, all texts are escaped, and no figure library is loaded.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = ["block", "small_bars", "small_line", "table"]

_WIDTH: Final = 200
_HEIGHT: Final = 60
_MARGIN: Final = 2
"""Size of a small drawing and free space at its edge, in pixels."""
_FINE: Final = 10
"""Units of a small drawing per pixel."""

_NUMBER: Final = re.compile(r"-?\d[\d,.]*(?:e[+-]?\d+)?(?: ± .+)?|-|undefined")

_NOTICE: Final = "border-left:3px solid #c98a00;padding:2px 8px;margin:4px 0;max-width:60em"
_CELL: Final = "padding:1px 10px 1px 0;white-space:nowrap"


def block(title: str, *parts: str, notices: Iterable[str] = ()) -> str:
    """Join the parts of an object's HTML below its title, with the notices first."""
    notes = "".join(f'<div style="{_NOTICE}">Note: {escape(notice)}</div>' for notice in notices)
    return f"<div><div><b>{escape(title)}</b></div>{notes}{''.join(parts)}</div>"


def table(rows: Iterable[Sequence[str]], *, head: Sequence[str] = (), caption: str = "") -> str:
    """Write a table; numbers align to the right."""
    above = f'<caption style="text-align:left">{escape(caption)}</caption>' if caption else ""
    names = "".join(f'<th style="{_CELL};text-align:left">{escape(name)}</th>' for name in head)
    body = "".join(f"<tr>{''.join(_cell(cell) for cell in row)}</tr>" for row in rows)
    first = f"<thead><tr>{names}</tr></thead>" if names else ""
    inner = f'<table style="border-collapse:collapse">{above}{first}<tbody>{body}</tbody></table>'
    return f'<div style="overflow-x:auto">{inner}</div>'


def small_line(values: ArrayLike, label: str) -> str:
    """Draw values at equal distances as a line above zero, with a label below it."""
    import numpy as np  # noqa: PLC0415  # slow to load

    from ackclock.drawing.paths import runs, thinned, trace  # noqa: PLC0415

    heights = np.asarray(values, dtype=np.float64)
    x = np.linspace(_MARGIN, _WIDTH - _MARGIN, heights.size) * _FINE
    pieces = [thinned(piece, joined=True) for piece in runs(x, _down(heights))]
    return _drawing(f'<path d="{trace(pieces)}" stroke-width="{_FINE}" stroke-linejoin="round"/>', label)


def small_bars(values: ArrayLike, label: str) -> str:
    """Draw values as bars above zero, with a label below them."""
    import numpy as np  # noqa: PLC0415  # slow to load

    from ackclock.drawing.paths import bars  # noqa: PLC0415

    heights = np.asarray(values, dtype=np.float64)
    step = (_WIDTH - 2 * _MARGIN) / max(heights.size, 1)
    x = (_MARGIN + step * (np.arange(heights.size, dtype=np.float64) + 0.5)) * _FINE
    path = bars(x, _down(np.zeros_like(heights), of=heights), _down(heights))
    return _drawing(f'<path d="{path}" stroke-width="{max(1, round(0.7 * step * _FINE))}"/>', label)


def _down(heights: ArrayLike, *, of: ArrayLike | None = None) -> NDArray[np.float64]:
    """Convert heights to distances from the upper edge; the highest of all values touches it."""
    import numpy as np  # noqa: PLC0415

    numbers = np.asarray(heights, dtype=np.float64)
    most = float(np.nanmax(np.asarray(numbers if of is None else of), initial=0.0)) or 1.0
    return (_HEIGHT - _MARGIN - numbers / most * (_HEIGHT - 2 * _MARGIN)) * _FINE


def _drawing(path: str, label: str) -> str:
    words = escape(label)
    size = f'width="{_WIDTH}" height="{_HEIGHT}" viewBox="0 0 {_WIDTH * _FINE} {_HEIGHT * _FINE}"'
    base = (_HEIGHT - _MARGIN) * _FINE
    axis = f'<path d="M0 {base}H{_WIDTH * _FINE}" stroke-opacity="0.4" stroke-width="{_FINE}"/>'
    drawn = f'<svg {size} role="img" aria-label="{words}" fill="none" stroke="currentColor">{axis}{path}</svg>'
    return f'<figure style="margin:6px 0">{drawn}<figcaption><small>{words}</small></figcaption></figure>'


def _cell(text: str) -> str:
    side = "right" if _NUMBER.fullmatch(text) else "left"
    return f'<td style="{_CELL};text-align:{side}">{escape(text)}</td>'
