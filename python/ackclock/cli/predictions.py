"""Implements ``ackclock model``: evaluates the models and prints their predictions."""

import dataclasses
import json
import math
import sys
from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from ackclock.analysis import models
from ackclock.cli.arguments import option
from ackclock.cli.console import console
from ackclock.engine.catalogue import catalogue
from ackclock.running.estimate import Estimate
from ackclock.running.run import SEED
from ackclock.scenario.fields import LONGEST_PACKET
from ackclock.values.errors import impossible
from ackclock.values.kinds import Kind, measured, number, whole
from ackclock.values.quantity import PICOSECONDS_PER_SECOND, RATE, TIME

# A model stores one number per client and replication: these limits bound its memory and time.
_CLIENTS: Final = whole(1, 10_000)
_REPLICATIONS: Final = whole(1, 1_000)
_WINDOW: Final = number(low=1, high=1e9)
_BITS: Final = 8
_LEAST_LOSS: Final = 1e-300
_LOSS: Final = number(low=_LEAST_LOSS, high=0.999999)
_LOSS_OR_NONE: Final = number(low=0, high=0.999999)
_TIME: Final = measured(TIME, "1 us", "3600 s")
_TIME_OR_NONE: Final = measured(TIME, "0 s", "3600 s")
_PER_ACK: Final = number(low=1, high=1e6)
_QUEUED: Final = number(low=0, high=1e6)
_INTERVALS: Final = 600
_WARMUP: Final = 200
_LATEST: Final = 10_000


def _time(name: str, text: str, kind: Kind = _TIME) -> float:
    """Return the value of an option in seconds."""
    return TIME.parse(option(name, text, kind, str)) / PICOSECONDS_PER_SECOND


def stochastic_reno(
    *,
    clients: str,
    rate: str,
    bandwidth: str,
    packet_size: str,
    buffer: str,
    rtt: str,
    initial_window: str,
    max_window: str | None,
    replications: str,
    seed: str,
    as_json: bool,
) -> None:
    """Run the model of Reno by Feng and Tinnakornsrisuphap (2000), and print its predictions."""
    size = option("--packet-size", packet_size, whole(1, LONGEST_PACKET), int)
    bits = RATE.parse(option("--bandwidth", bandwidth, measured(RATE, "1 bps", "1000 Gbps"), str))
    predicted = models.stochastic_reno(
        clients=option("--clients", clients, _CLIENTS, int),
        rate=option("--rate", rate, number(low=1e-6, high=1e9), float),
        interval=_time("--rtt", rtt),
        capacity=bits / _BITS / size,
        buffer=option("--buffer", buffer, number(low=0, high=1e9), float),
        initial_window=option("--initial-window", initial_window, _WINDOW, float),
        max_window=None if max_window is None else option("--max-window", max_window, _WINDOW, float),
        replications=option("--replications", replications, _REPLICATIONS, int),
        seed=option("--seed", seed, SEED, int),
    )
    _print(
        "stochastic-reno",
        as_json=as_json,
        values={"cov": predicted.cov, "mean": predicted.mean, "cuts": predicted.cuts},
        fixed={"gamma": predicted.gamma, "poisson_cov": predicted.poisson_cov},
    )


def mixed(
    *,
    model: str,
    counts: Mapping[str, tuple[str, str]],
    rate: str,
    bandwidth: str,
    packet_size: str,
    buffer: str,
    rtt: str,
    max_window: str,
    start: str,
    alpha: str,
    beta: str,
    gamma: str,
    replications: str,
    seed: str,
    as_json: bool,
) -> None:
    """Run the round model with some clients of each law (`counts`), and print its predictions."""
    size = option("--packet-size", packet_size, whole(1, LONGEST_PACKET), int)
    capacity = RATE.parse(option("--bandwidth", bandwidth, measured(RATE, "1 bps", "1000 Gbps"), str)) / _BITS / size
    delay, begins = _time("--rtt", rtt), _time("--vegas-start", start, _TIME_OR_NONE)
    if begins > _LATEST * delay:
        raise impossible(f"--vegas-start: {start!r} is not allowed; must be at most {_LATEST} times --rtt")
    least = option("--alpha", alpha, _QUEUED, float)
    laws: dict[str, models.Reno | models.Vegas] = {
        "reno": models.Reno(),
        "delayed_ack_reno": models.Reno(per_ack=2),
        "vegas": models.Vegas(
            alpha=least,
            beta=option("--beta", beta, number(low=least, high=1e6), float),
            gamma=option("--gamma", gamma, _QUEUED, float),
        ),
    }
    low = 1 if len(counts) == 1 else 0
    numbers = {law: option(name, given, whole(low, 10_000), int) for name, (law, given) in counts.items()}
    some = {law: count for law, count in numbers.items() if count}
    if not some:
        raise impossible(f"{', '.join(counts)}: one of these options must be at least 1")
    generated = option("--rate", rate, number(low=1e-6, high=1e9), float)
    widest = option("--max-window", max_window, _WINDOW, float)
    streams = [
        models.Streams(
            law=laws[law],
            count=count,
            rate=generated,
            delay=delay,
            start=begins if law == "vegas" else 0.0,
            max_window=widest,
        )
        for law, count in some.items()
    ]
    try:
        predicted = models.rounds(
            streams,
            capacity=capacity,
            buffer=option("--buffer", buffer, whole(1, 10**9), int),
            warmup=_WARMUP + math.ceil(begins / delay),
            intervals=_INTERVALS,
            replications=option("--replications", replications, _REPLICATIONS, int),
            seed=option("--seed", seed, SEED, int),
        )
    except ValueError as refused:
        raise impossible(str(refused)) from None
    values = {
        name: getattr(predicted, name)
        for name in ("cov", "mean", "loss", "utilization", "queue", "fast_retransmits", "timeouts")
    }
    if len(counts) > 1:
        values |= {f"{law}_share": predicted.shares[:, place] for place, law in enumerate(some)}
    _print(model, as_json=as_json, values=values, fixed={})


def pftk(*, p: str, rtt: str, t0: str, b: str, w_max: str | None, as_json: bool) -> None:
    """Evaluate the formulas of Padhye et al. and print their predictions."""
    predicted = models.pftk(
        p=option("--p", p, _LOSS, float),
        rtt=_time("--rtt", rtt),
        t0=_time("--t0", t0),
        b=option("--b", b, _PER_ACK, float),
        w_max=math.inf if w_max is None else option("--w-max", w_max, _WINDOW, float),
    )
    _print("pftk", as_json=as_json, fixed={"approximate": float(predicted.approximate), "full": float(predicted.full)})


def mathis(*, p: str, rtt: str, b: str, as_json: bool) -> None:
    """Evaluate the square-root formula of Mathis et al. and print its prediction."""
    predicted = models.mathis(
        p=option("--p", p, _LOSS, float),
        rtt=_time("--rtt", rtt),
        b=option("--b", b, _PER_ACK, float),
    )
    _print("mathis", as_json=as_json, fixed={"rate": float(predicted.rate)})


def cardwell(
    *,
    packets: str,
    p: str,
    rtt: str,
    t0: str,
    b: str,
    initial_window: str,
    w_max: str | None,
    delayed_ack: str,
    as_json: bool,
) -> None:
    """Evaluate the model of short flows by Cardwell et al. and print its prediction."""
    first = option("--initial-window", initial_window, _WINDOW, float)
    advertised = math.inf if w_max is None else option("--w-max", w_max, number(low=first, high=1e9), float)
    predicted = models.cardwell(
        packets=option("--packets", packets, whole(1, 10**9), int),
        p=_loss_or_zero(option("--p", p, _LOSS_OR_NONE, float)),
        rtt=_time("--rtt", rtt),
        t0=_time("--t0", t0),
        b=option("--b", b, _PER_ACK, float),
        initial_window=first,
        w_max=advertised,
        delayed_ack=_time("--delayed-ack", delayed_ack, _TIME_OR_NONE),
    )
    parts = {field.name: float(getattr(predicted, field.name)) for field in dataclasses.fields(predicted)}
    _print("cardwell", as_json=as_json, fixed=parts)


def large_pipe_loss(*, window: str, b: str, smooth: bool, as_json: bool) -> None:
    """Evaluate the three forms of the loss law by Qiu et al., and print their predictions."""
    kind = number(low=3, high=1e6) if smooth else whole(3, 10**6)
    predicted = models.large_pipe_loss(
        window=option("--window", window, kind, float if smooth else int),
        b=option("--b", b, _PER_ACK, float),
        smooth=smooth,
    )
    laws = {"printed": predicted.printed, "corrected": predicted.corrected, "counted": predicted.counted}
    _print("large-pipe-loss", as_json=as_json, fixed={name: float(law) for name, law in laws.items()})


_MEANINGS: Final = {
    "cov": "coefficient of variation of the packets per interval",
    "mean": "packets per interval",
    "loss": "fraction of packets dropped",
    "utilization": "fraction of the capacity that is used",
    "queue": "mean packets at the bottleneck",
    "fast_retransmits": "fast retransmits per second, of all clients",
    "timeouts": "timeouts per second, of all clients",
    "reno_share": "fraction of the carried packets, Reno",
    "delayed_ack_reno_share": "fraction of the carried packets, Reno with delayed ACKs",
    "vegas_share": "fraction of the carried packets, Vegas",
    "cuts": "fraction of intervals in which all windows are halved",
    "gamma": "maximum packets per interval without congestion",
    "poisson_cov": "coefficient of variation of the offered traffic",
    "approximate": "packets per second, by the approximate formula",
    "full": "packets per second, by the full formula",
    "rate": "packets per second",
    "latency": "seconds in total",
    "slow_start": "seconds in slow start",
    "first_loss": "seconds to recover from the loss that ends slow start",
    "congestion_avoidance": "seconds for the remaining packets",
    "delayed_ack": "seconds by which the ACK of the first packet is delayed",
    "slow_start_packets": "packets sent in slow start",
    "slow_start_window": "window at the end of slow start, in packets",
    "printed": "fraction of packets lost, by the law as printed in the paper",
    "corrected": "fraction of packets lost, by the printed law plus the new packets sent in fast recovery",
    "counted": "fraction of packets lost, by an exact count of the packets that each ACK releases",
}


def _print(
    model: str, *, as_json: bool, fixed: Mapping[str, float], values: Mapping[str, NDArray[np.float64]] | None = None
) -> None:
    """Print a model's predictions: means of replications (`values`), and deterministic numbers (`fixed`)."""
    estimates = {name: Estimate.of(each.tolist()) for name, each in (values or {}).items()}
    if as_json:
        means = {name: {"mean": each.mean, "half_width": each.half_width} for name, each in estimates.items()}
        sys.stdout.write(
            json.dumps({"model": model, "version": catalogue().version, **means, **fixed}, indent=2, allow_nan=False)
            + "\n"
        )
        return
    table = Table(box=None, pad_edge=False, show_header=False)
    for name, each in estimates.items():
        table.add_row(name, str(each), _MEANINGS[name])
    for name, value in fixed.items():
        table.add_row(name, f"{value:.5g}", _MEANINGS[name])
    console().print(table)


def _loss_or_zero(loss: float) -> float:
    """Return a loss rate, or 0 if it is too small for the formulas."""
    return loss if loss >= _LEAST_LOSS else 0.0
