"""Reno's congestion control (RFC 5681): additive increase, multiplicative decrease.

It gives the same bytes as the variants ``tahoe``, ``reno``, ``newreno``, ``sack`` and ``rack``, whose law it repeats.
"""

import math

import ackclock as ac


class Reno(ac.Law):
    def on_ack(self, window, ack):
        window.cwnd += ack.counted / window.cwnd

    def on_congestion(self, window, event):
        kept = event.window * (0.8 if event.abe and event.is_mark else 0.5)  # RFC 8511
        window.ssthresh = max(float(math.floor(kept)), 2.0)
        window.cwnd = 1.0 if event.is_timeout else max(kept, event.least)
