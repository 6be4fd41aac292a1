"""Detailed measures of a run: arrivals, queue, losses, windows, start of clients, packets that dup ACKs release."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ackclock.analysis import autocorrelation, cov_ladder, dependence, loss_events, loss_sequences, window_cuts
from ackclock.papers.burstiness.experiment import ADVERTISED_WINDOW, ARRIVALS, DROPS, FINE, WARM
from ackclock.papers.burstiness.windows import UNIT
from ackclock.papers.core.evidence import Row
from ackclock.papers.core.evidence import Run as Observed
from ackclock.running.run import Run

SCALES: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
"""Lengths of the bins in which arrivals are counted, in seconds."""

RECORDS: Final = (ARRIVALS, f"queue@bottleneck/{FINE:g}s", DROPS, f"windows/{UNIT:g}s")

_FINE_PER_UNIT: Final = round(UNIT / FINE)

_ROUNDING: Final = 1e-9  # largest rounding error of a recorded time, in seconds

LAGS: Final = 50
"""The longest lag of the autocorrelations, in bins: 0.5 s with bins of `FINE`, 5 s with bins of `UNIT`."""

BURST = 0.02  # packets that a client sends within this time, in seconds, are one burst: a fifth of an RTT

_AT_ONCE = 13e-6
"""Packets that leave within this time after an ACK, in seconds, count as released by it (processing: up to 12 µs)."""


def details(run: Run) -> Mapping[str, Any]:
    """Return detailed measures of a run from `WARM` seconds on; an undefined number is None.

    - `above_max_th`: share of the samples of the queue at which RED's average, as of the last arrival, was at `max_th`
      or above; None without RED;
    - `dependence`: variance of the number of clients that cut their windows in one `UNIT`, divided by the sum of the
      variances of the individual clients; None for UDP and without cuts;
    - `cutting`: mean share of the clients that cut, over the units with a cut; None for UDP and without cuts;
    - `window_ratio`: variance of the sum of all effective windows, divided by the sum of their variances;
    - `window_cov`: c.o.v. of the sum of all effective windows; None for UDP;
    - `losses_per_event`: mean number of packets that a client loses in a loss event, that is, within one `UNIT`;
    - `multiple_losses`: share of the loss events with two losses or more; None without losses;
    - `longest_sequence`, `mean_sequence`: lengths of the sequences of drops at the gateway with gaps of at most `FINE`;
      0 and None without drops;
    - `queue_mean`, `queue_cov`: mean and c.o.v. of the number of waiting packets over the samples;
    - `queue_full`: share of the samples at which the queue was full;
    - `occupancy`: share of the samples at which 0, 1, 2, ... packets were waiting, up to the limit of the queue;
    - `ladder`, `ladder_poisson`: c.o.v. of the arrivals and of a Poisson process in bins of each of `SCALES`;
    - `short`, `long`: autocorrelation of the arrivals at lags of 0 to `LAGS` bins of `FINE` and of `UNIT`;
      `short_error` and `long_error` are the standard errors for white noise.
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
    """Return the rows of a table from `WARM` seconds on."""
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
    """Return the times of first transmissions and of all transmissions, ordered by client."""
    sent = _sent(run)
    taken: dict[str, Any] = {}
    for name, rows in (("first", _where(sent, ~sent["retransmission"])), ("sent", sent)):
        order = np.lexsort((rows["time"], rows["flow"]))
        taken |= {f"{name}_flow": rows["flow"][order], f"{name}_time": rows["time"][order]}
    return taken


def _sent(run: Run) -> dict[str, NDArray[Any]]:
    """Return the transmitted packets with data."""
    table = run.table("packets")
    rows = table.filter(pc.and_(pc.equal(table["event"], "enqueue"), pc.equal(table["kind"], "data")))
    return {name: rows[name].to_numpy() for name in ("time", "flow", "segment", "retransmission")}


def _where(columns: Mapping[str, NDArray[Any]], rows: NDArray[Any]) -> dict[str, NDArray[Any]]:
    return {name: column[rows] for name, column in columns.items()}


def starts(rows: Sequence[Row]) -> list[Row]:
    """Compare the packets that Reno sends with the generated packets, which UDP sends at once with the same seed.

    A source has its own random stream and generates the same packets with each transport. The result has `backlog`, the
    largest number of packets that wait in a client for their first transmission, and `burst`, the largest number of
    packets that a client sends within `BURST`, both as means over the clients.
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
    """Return the largest number of packets that wait in a client; it occurs when a packet is generated."""
    gone = np.searchsorted(sent, generated, side="right")
    return float((np.arange(1, generated.size + 1) - gone).max(initial=0))


def _burst(sent: NDArray[np.float64]) -> float:
    return float((np.searchsorted(sent, sent + BURST, side="right") - np.arange(sent.size)).max(initial=0))


def push(run: Run) -> Mapping[str, float | None]:
    """Return how many new packets a duplicate ACK releases from `WARM` seconds on, and the loss of these packets.

    `pushed` is the number of new packets that leave within `_AT_ONCE` of a duplicate ACK, per duplicate ACK;
    `pushed_loss` and `loss` are the percentages of these and of all new packets that the gateway drops.
    """
    sent = _sent(run)
    sent = _where(sent, ~sent["retransmission"] & (sent["time"] >= WARM))
    acks, drops = (
        {name: run.table(table)[name].to_numpy() for name in names}
        for table, names in (("acks", ("time", "flow", "duplicate")), ("drops", ("time", "flow", "segment")))
    )
    pushed = np.zeros(sent["time"].size, dtype=bool)
    for flow in np.unique(sent["flow"]):
        here = np.flatnonzero(sent["flow"] == flow)
        heard = _where(acks, acks["flow"] == flow)
        heard = _where(heard, np.argsort(heard["time"], kind="stable"))
        last = np.searchsorted(heard["time"], sent["time"][here], side="right") - 1
        here, last = here[last >= 0], last[last >= 0]
        at_once = sent["time"][here] - heard["time"][last] <= _AT_ONCE
        pushed[here] = at_once & heard["duplicate"][last].astype(bool)
    # If the gateway drops the first transmission of a segment, that is the first drop of the segment.
    dropped: dict[tuple[int, int], float] = {}
    for key, time in zip(
        zip(drops["flow"].tolist(), drops["segment"].tolist(), strict=True), drops["time"], strict=True
    ):
        dropped.setdefault(key, float(time))
    segments = zip(sent["flow"].tolist(), sent["segment"].tolist(), strict=True)
    lost = np.array([dropped.get(key, np.inf) for key in segments]) - sent["time"] < 0.05
    duplicates = int((acks["duplicate"].astype(bool) & (acks["time"] >= WARM)).sum())
    return {
        "pushed": float(pushed.sum() / duplicates) if duplicates else None,
        "pushed_loss": float(100 * lost[pushed].mean()) if pushed.any() else None,
        "loss": float(100 * lost.mean()) if lost.size else math.nan,
    }
