"""Defines the common style of figures, with colours that suit colour-blind readers, dark pages and grey print.

In the charts of Ackclock, related curves share a hue, the second curve is lighter and dashed, and every curve with
markers has its own shape. The hues are close to the palette of Okabe and Ito (2008), which readers with common kinds of
colour-blindness can distinguish.
"""

from __future__ import annotations

import io
import re
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from cycler import cycler
from matplotlib.colors import LinearSegmentedColormap

from ackclock.drawing.chart import PENS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure
    from matplotlib.typing import RcKeyType

    from ackclock.drawing.chart import Heat

__all__ = [
    "BAND",
    "COLOURS",
    "PARTED",
    "Colour",
    "heat_colours",
    "paper_style",
    "to_pdf",
    "to_png",
    "to_small_png",
    "to_svg",
]


@dataclass(frozen=True, kw_only=True, slots=True)
class Colour:
    """A colour for white paper and its counterpart for dark screens, both as #rrggbb."""

    light: str
    dark: str


COLOURS = {
    "ink": Colour(light="#1c1e21", dark="#e4e6e9"),
    "faint": Colour(light="#5c6168", dark="#a3a9b1"),
    "grid": Colour(light="#e2e4e7", dark="#33383e"),
    "paper": Colour(light="#ffffff", dark="#16191d"),
    "grey": Colour(light="#767b82", dark="#9aa0a8"),
    "blue": Colour(light="#0067a5", dark="#3d9fe0"),
    "sky": Colour(light="#45a3dc", dark="#8fd0f7"),
    "green": Colour(light="#00805e", dark="#1fb38a"),
    "mint": Colour(light="#4dbd9c", dark="#8be0c6"),
    "red": Colour(light="#c8500a", dark="#ef7634"),
    "orange": Colour(light="#e69f00", dark="#f5c04a"),
    "amber": Colour(light="#8f5f00", dark="#e8b04b"),
}
"""Every colour that a figure may use, by name."""

BAND = 0.18
"""Opacity of bands."""

_HEAT = "cividis"
"""Sequential colour map, by its Matplotlib name: even in lightness and suitable for colour-blind readers."""

PARTED = ("#7a3305", "#c2661c", "#f0b988", "#f4f3f0", "#a3c8e6", "#3a83b8", "#093f66")
"""Diverging colour map from low to high at equal steps: orange and blue, suitable for colour-blind readers."""

_STYLE: dict[RcKeyType, Any] = {
    "axes.edgecolor": COLOURS["ink"].light,
    "axes.facecolor": COLOURS["paper"].light,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.labelcolor": COLOURS["ink"].light,
    "axes.labelsize": 10,
    "axes.linewidth": 0.8,
    "axes.prop_cycle": cycler(color=[COLOURS[name].light for name, _ in PENS]),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "errorbar.capsize": 1.8,
    "figure.dpi": 100,
    "figure.facecolor": COLOURS["paper"].light,
    "font.family": "DejaVu Sans",
    "font.size": 9.5,
    "grid.color": COLOURS["grid"].light,
    "grid.linewidth": 0.7,
    "legend.fontsize": 9,
    "legend.edgecolor": "none",
    "legend.facecolor": COLOURS["paper"].light,
    "legend.framealpha": 1,
    "legend.labelcolor": COLOURS["ink"].light,
    "lines.linewidth": 1.4,
    "lines.solid_capstyle": "butt",  # a line ends at its last point
    "pdf.fonttype": 42,  # TrueType: publishers reject Type 3 fonts
    "ps.fonttype": 42,
    "svg.fonttype": "none",  # text stays text, which can be searched and edited
    "svg.hashsalt": "ackclock",  # the same ids inside the file
    "text.color": COLOURS["ink"].light,
    "xtick.color": COLOURS["ink"].light,
    "xtick.labelsize": 9.5,
    "ytick.color": COLOURS["ink"].light,
    "ytick.labelsize": 9.5,
}


def heat_colours(heat: Heat) -> Colormap:
    """Return the colour map of a heat map."""
    return LinearSegmentedColormap.from_list("parted", PARTED) if heat.parted else mpl.colormaps[_HEAT]


_ALIKE = re.compile(r'<g((?: clip-path="[^"]*")?)>\n(<use [^>]*?( style="[^"]*")/>\n(?:<use [^>]*?\3/>\n)*)</g>')
"""Matches the markers of one curve in an SVG, which repeat the same style."""


@contextmanager
def paper_style() -> Iterator[None]:
    """Apply the common style to all figures created and saved in the body, regardless of the user's settings.

    Lines take the colours of `PENS` in turn. Markers are left to the caller, because they would hide a line of many
    points. Text in PDF files is TrueType, which publishers ask for, and text in SVG files stays text. Matplotlib
    decides this when a file is written, so ``savefig`` belongs into the body too.
    """
    with mpl.rc_context():
        mpl.rcdefaults()
        with mpl.rc_context(_STYLE):
            yield


def to_png(figure: Figure) -> bytes:
    """Render a figure at 200 dots per inch, deterministically."""
    target = io.BytesIO()
    with paper_style():
        figure.savefig(target, format="png", dpi=200)
    return target.getvalue()


def to_small_png(figure: Figure) -> bytes:
    """Render a figure as `to_png` does, with 128 colours: a quarter of the size, for figures stored in notebooks."""
    from PIL import Image  # noqa: PLC0415  # only notebooks need it

    target = io.BytesIO()
    with Image.open(io.BytesIO(to_png(figure))) as image:
        image.convert("RGB").quantize(128).save(target, format="PNG", optimize=True)
    return target.getvalue()


def to_pdf(figure: Figure) -> bytes:
    """Render a figure as PDF with embedded TrueType fonts, deterministically."""
    target = io.BytesIO()
    with paper_style():
        figure.savefig(target, format="pdf", metadata={"CreationDate": None})
    return target.getvalue()


def to_svg(figure: Figure) -> str:
    """Render a figure as an SVG whose text stays text, deterministically."""
    target = io.StringIO()
    with paper_style():
        figure.savefig(target, format="svg", metadata={"Date": None, "Creator": None})
    return _compact(target.getvalue())


def _compact(svg: str) -> str:
    """Shorten an SVG without a visible change."""
    # A hundredth of a point is finer than any printer. Matplotlib's six digits double the file.
    svg = re.sub(r' (?:d|x|y)="[^"]*"|translate\([^)]*\)', lambda at: re.sub(r"(\.\d\d)\d+", r"\1", at[0]), svg)
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = re.sub(
        r' d="[^"]*"', lambda at: re.sub(r"\s*([A-Za-z])\s*", r"\1", at[0][4:-1].strip()).join((' d="', '"')), svg
    )
    svg = re.sub(r' style="[^"]*"', lambda at: re.sub(r"([:;]) ", r"\1", at[0]), svg)
    svg = re.sub(r"\n\s*", "\n", svg)
    return _ALIKE.sub(lambda at: f"<g{at[1]}{at[3]}>\n{at[2].replace(at[3], '')}</g>", svg)
