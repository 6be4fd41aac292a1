"""Loss rate of many synchronised Reno flows in a large pipe: printed formula, corrected formula and exact count.

Derivations for any number of packets per ACK: docs/models/loss_law.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ackclock.analysis.models._checks import reals, refuse_unless_together

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Reals = NDArray[np.float64]

__all__ = ["LargePipeLoss", "large_pipe_loss"]


@dataclass(frozen=True, kw_only=True, slots=True)
class LargePipeLoss:
    """The share of packets that are lost.

    Parameters
    ----------
    printed
        The formula as printed by Qiu, Zhang and Keshav.
    corrected
        The printed formula, corrected for the new packets that are sent in fast recovery.
    counted
        The result of an exact count of Reno's packets, with a window that grows by 1 / cwnd per ACK.

    """

    printed: Reals
    corrected: Reals
    counted: Reals


def large_pipe_loss(*, window: ArrayLike, b: ArrayLike = 1.0, smooth: bool = False) -> LargePipeLoss:
    """Compute the loss if each flow loses one packet per epoch; both arrays are broadcast.

    Parameters
    ----------
    window
        A flow's share W of the pipe: the packets that path and buffer hold, divided by the number of flows. At least 3,
        since smaller windows allow no fast retransmit. Whole numbers, unless `smooth`.
    b
        Packets that one ACK acknowledges: 1, or 2 with delayed ACKs.
    smooth
        Use one polynomial for all windows, instead of one for odd and one for even windows.

    Returns
    -------
    LargePipeLoss
        Arrays of the arguments' broadcast shape.

    Raises
    ------
    ValueError
        A number is out of its range, or the shapes cannot be broadcast together; the message names the argument.

    Notes
    -----
    Qiu, Zhang and Keshav, "Understanding the Performance of Many TCP Flows", section 5.1.1. With m = floor((W + 1) / 2)
    and one loss per epoch of S packets, the loss is 1 / S:

        printed     S = b (m + ... + W) + 2W + 1
        corrected   S = b (m + ... + W) + 2W + 1 + (m - 1)
        counted     S = b ceil(((W + 1)^2 - m^2) / 2) + 2W + 1 - (b - 1)

    The three formulas for S have the same term in W^2. At W = 5 and b = 1 the losses are 1/23, 1/25 and 1/25, and a
    deterministic run gives 1/25. At other windows a deterministic run agrees with the exact count.

    Examples
    --------
    >>> losses = large_pipe_loss(window=[5, 20])
    >>> [(1 / law).round(9).tolist() for law in (losses.printed, losses.corrected, losses.counted)]
    [[23.0, 206.0], [25.0, 215.0], [25.0, 212.0]]
    >>> (8 / large_pipe_loss(window=5, smooth=True).corrected).round(9).item()  # 3 W^2 + 25 W + 4
    204.0

    """
    w, b = reals("window", window, low=3), reals("b", b, low=1)
    refuse_unless_together(window=w, b=b)
    if smooth:
        # These polynomials lie between the formulas for odd and for even windows.
        printed = (b * (3 * w * w + 5 * w) + 16 * w + 8) / 8
        counted = (b * (3 * w * w + 7 * w - 2.5) + 16 * w + 16) / 8
        return LargePipeLoss(
            printed=np.asarray(1 / printed),
            corrected=np.asarray(1 / (printed + (w - 1) / 2)),
            counted=np.asarray(1 / counted),
        )
    if (w % 1 != 0).any():
        raise ValueError(f"window: {w[w % 1 != 0].flat[0]} is not allowed: must be a whole number, unless smooth")
    m = (w + 1) // 2
    printed = b * (m + w) * (w - m + 1) / 2 + 2 * w + 1
    acks = np.ceil(((w + 1) ** 2 - m * m) / 2)
    return LargePipeLoss(
        printed=np.asarray(1 / printed),
        corrected=np.asarray(1 / (printed + m - 1)),
        counted=np.asarray(1 / (b * (acks - 1) + 2 * w + 2)),
    )
