"""What happens inside a run: arrivals, queue, losses, windows, how clients start, what duplicate ACKs release."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ackclock.analysis import autocorrelation, cov_ladder, dependence, loss_events, loss_sequences, window_cuts
from ackclock.papers.burstiness.experiment import ADVERTISED_WINDOW, ARRIVALS, DROPS, FINE, WARM
from ackclock.papers.burstiness.windows import UNIT
from ackclock.papers.core.evidence import Run as Observed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from ackclock.papers.core.evidence import Row
    from ackclock.running.run import Run

SCALES: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
"""Lengths of the bins, in seconds, in which arrivals are looked at."""

RECORDS: Final = (ARRIVALS, f"queue@bottleneck/{FINE:g}s", DROPS, f"windows/{UNIT:g}s")

_FINE_PER_UNIT: Final = round(UNIT / FINE)

_ROUNDING: Final = 1e-9  # seconds by which a time may be off, written as a double

LAGS: Final = 50
"""The longest lag of the autocorrelations, in bins: half a second of `FINE` ones and five seconds of `UNIT` ones."""

BURST = 0.02  # seconds within which packets of a client count as one burst: a fifth of a round trip

_AT_ONCE = 13e-6
"""Seconds after an ACK within which what leaves was let out by it: the longest processing time, and a little."""


def look(run: Run) -> Mapping[str, Any]:
    """Take what a run shows from `WARM` seconds on; None where a number has no meaning.

    - `above_max_th`: share of the samples of the queue at which RED's average, as of the last arrival, was at `max_th`
      or above; None without RED;
    - `dependence`: variance of the number of clients that cut their windows in one `UNIT`, over the sum of the clients'
      own variances; None for UDP and without cuts;
    - `cutting`: mean share of clients that cut, of the units in which any did; likewise;
    - `window_ratio`: variance of the sum of all effective windows over the sum of their own variances; likewise;
    - `window_cov`: the c.o.v. of that sum; None for UDP;
    - `losses_per_event`: packets that a client lost within one `UNIT`, on average over such events; None without;
    - `multiple_losses`: share of these events with two losses or more; likewise;
    - `longest_sequence`, `mean_sequence`: drops at the gateway of which each follows the one before by `FINE` or less;
      0 and None without drops;
    - `queue_mean`, `queue_cov`: packets waiting, on average over the samples, and their c.o.v.;
    - `queue_full`: share of the samples at which there was no room;
    - `occupancy`: share of the samples at which 0, 1, 2, ... packets were waiting, up to the limit of the queue;
    - `ladder`, `ladder_poisson`: the c.o.v. of the arrivals at each of `SCALES`, and a Poisson process's;
    - `short`, `long`: autocorrelation of the arrivals at lags of 0 to `LAGS` bins of `FINE` and of `UNIT`, and
      `short_error`, `long_error`, the standard errors of white noise.
    """
    arrivals = _warm(run, "arrivals")["packets"].to_numpy()
    units = arrivals[: arrivals.size // _FINE_PER_UNIT * _FINE_PER_UNIT].reshape(-1, _FINE_PER_UNIT).sum(axis=1)
    ladder, short, long = (
        cov_ladder(arrivals, FINE, SCALES),
        autocorrelation(arrivals, LAGS),
        autocorrelation(units, LAGS),
    )
    return {
        **_cuts(run),
        **_losses(run),
        **_queue(run),
        "ladder": ladder.cov,
        "ladder_poisson": ladder.poisson,
        "short": short.values,
        "short_error": short.standard_error,
        "long": long.values,
        "long_error": long.standard_error,
    }


def _warm(run: Run, name: str) -> pa.Table:
    """Give the rows of a table from `WARM` seconds on."""
    table = run.table(name)
    return table.slice(int(np.searchsorted(table["time"].to_numpy(), WARM - _ROUNDING)))


def _queue(run: Run) -> dict[str, Any]:
    settings = run.scenario.to_dict()["dumbbell"]["bottleneck"]["queue"]
    samples = _warm(run, "queue")
    waiting = samples["packets"].to_numpy()
    limit = settings["packets"] - settings["count_in_service"]
    max_th = settings.get("max_th")
    above = None if max_th is None else float(np.mean(samples["average"].to_numpy() >= max_th))
    return {
        "queue_mean": float(waiting.mean()),
        "queue_cov": _number(float(waiting.std() / waiting.mean()) if waiting.any() else math.nan),
        "queue_full": float(np.mean(waiting >= limit)),
        "above_max_th": above,
        "occupancy": np.bincount(waiting, minlength=limit + 1) / waiting.size,
    }


def _cuts(run: Run) -> dict[str, float | None]:
    table = _warm(run, "windows")
    if not len(table):
        return {"dependence": None, "cutting": None, "window_ratio": None, "window_cov": None}
    flows = table["flow"].to_numpy()
    windows = table["cwnd"].to_numpy().reshape(-1, flows.max() + 1).T
    cuts = window_cuts(windows, most=ADVERTISED_WINDOW)
    shares = cuts.mean(axis=0)
    effective = np.minimum(windows, ADVERTISED_WINDOW)
    total, own = effective.sum(axis=0), float(effective.var(axis=1).sum())
    return {
        "dependence": _number(dependence(cuts)),
        "cutting": _mean(shares[shares > 0]),
        "window_ratio": float(total.var()) / own if own else None,
        "window_cov": float(total.std() / total.mean()),
    }


def _losses(run: Run) -> dict[str, float | None]:
    drops = _warm(run, "drops")
    times = drops["time"].to_numpy()
    events = loss_events(times, drops["flow"].to_numpy(), within=UNIT)
    sequences = loss_sequences(times, gap=FINE)
    return {
        "losses_per_event": _mean(events),
        "multiple_losses": _mean(events > 1),
        "longest_sequence": float(sequences.max(initial=0)),
        "mean_sequence": _mean(sequences),
    }


def _mean(values: NDArray[np.float64] | NDArray[np.int64] | NDArray[np.bool_]) -> float | None:
    return float(np.mean(values)) if values.size else None


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def start(run: Run) -> Mapping[str, Any]:
    """Take when clients sent packets for the first time, and when they sent any, client after client."""
    packets = run.table("packets").to_pandas()
    sent = packets[(packets["event"] == "enqueue") & (packets["kind"] == "data")]
    taken: dict[str, Any] = {}
    for name, rows in (("first", sent[~sent["retransmission"]]), ("sent", sent)):
        ordered = rows.sort_values(["flow", "time"], kind="stable")
        taken |= {f"{name}_flow": ordered["flow"].to_numpy(), f"{name}_time": ordered["time"].to_numpy()}
    return taken


def starts(rows: Sequence[Row]) -> list[Row]:
    """Hold the packets that Reno sends against those that UDP sends with the same seed.

    A source draws from a stream of its own, whatever the transport does: it generates the packets that UDP sends.
    Gives `backlog`, the most packets that wait in a client to be sent for the first time, and `burst`, the most packets
    that a client sends within `BURST`, both on average over the clients.
    """
    generated = {row.seed: _by_client(row, "first") for row in rows if row.where["variant"] == "UDP"}
    return [
        Observed(
            where=row.where,
            seed=row.seed,
            values={
                "backlog": _mean_over_clients(_backlog, generated[row.seed], _by_client(row, "first")),
                "burst": _mean_over_clients(_burst, _by_client(row, "sent")),
            },
        )
        for row in rows
        if row.where["variant"] != "UDP"
    ]


def _by_client(row: Row, name: str) -> list[NDArray[np.float64]]:
    flows, times = row.values[f"{name}_flow"], row.values[f"{name}_time"]
    return [times[flows == flow] for flow in range(int(row.where["clients"]))]


def _mean_over_clients(measure: Callable[..., float], *columns: Sequence[NDArray[np.float64]]) -> float:
    return float(np.mean([measure(*client) for client in zip(*columns, strict=True)]))


def _backlog(generated: NDArray[np.float64], sent: NDArray[np.float64]) -> float:
    """Give the most packets that wait at any moment: it is one at which a packet is generated."""
    gone = np.searchsorted(sent, generated, side="right")
    return float((np.arange(1, generated.size + 1) - gone).max(initial=0))


def _burst(sent: NDArray[np.float64]) -> float:
    return float((np.searchsorted(sent, sent + BURST, side="right") - np.arange(sent.size)).max(initial=0))


def push(run: Run) -> Mapping[str, float | None]:
    """Take what leaves from `WARM` seconds on.

    `pushed` are the packets of new data that leave at once for each duplicate ACK; `pushed_loss` and `loss` the
    percentages that the gateway drops of these and of all data sent for the first time.
    """
    import pandas as pd  # noqa: PLC0415 - slow to load

    packets, acks, drops = (run.table(name).to_pandas() for name in ("packets", "acks", "drops"))
    new = (packets["event"] == "enqueue") & (packets["kind"] == "data") & ~packets["retransmission"]
    sent = packets.loc[new & (packets["time"] >= WARM), ["time", "flow", "segment"]]
    acks = acks.sort_values("time", kind="stable")[["time", "flow", "duplicate"]]
    sent = pd.merge_asof(sent.sort_values("time", kind="stable"), acks, on="time", by="flow", tolerance=_AT_ONCE)
    # The first drop of a segment is that of its first transmission, if it was the first transmission that was dropped.
    first = drops.drop_duplicates(["flow", "segment"]).rename(columns={"time": "dropped"})[
        ["flow", "segment", "dropped"]
    ]
    sent = sent.merge(first, on=["flow", "segment"], how="left")
    lost = sent["dropped"] - sent["time"] < 0.05
    pushed = sent["duplicate"].fillna(value=False).astype(bool)
    heard = int((acks["duplicate"] & (acks["time"] >= WARM)).sum())
    return {
        "pushed": float(pushed.sum() / heard) if heard else None,
        "pushed_loss": float(100 * lost[pushed].mean()) if pushed.any() else None,
        "loss": float(100 * lost.mean()),
    }
