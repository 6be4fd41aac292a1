"""States what was inferred for a twin, what could not be inferred, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ackclock.capture.twin.twinning import MOST_LISTED, USUAL
from ackclock.values.words import counted, listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.capture.twin.twinning import Twin

Certainty = Literal["inferred", "assumed", "unknown"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One property of the path or the connection."""

    what: str
    certainty: Certainty
    words: str


def findings(twin: Twin) -> tuple[Finding, ...]:
    """Return what is known of each property."""
    found = (_place, _rate, _base, _buffer, _loss, _beside, _pattern, _law, _receiver, _start)
    return tuple(finding for each in found for finding in each(twin))


def _place(twin: Twin) -> Iterator[Finding]:
    seen = twin.seen
    near = f"{1e3 * seen.found.shift:.3g} ms (there and back) from the sender"
    if seen.place == "receiver":
        yield Finding(
            "point of capture",
            "inferred",
            f"beside the receiver, {near}: queues are not seen in round-trip times, so that the buffer is assumed, and "
            "only the goodput shows whether the twin fits",
        )
    elif seen.place == "middle":
        yield Finding(
            "point of capture",
            "inferred",
            f"{near}, which is added to all round-trip times; a queue between the sender and this point is not seen",
        )
    elif twin.seen.has_syn:
        yield Finding("point of capture", "inferred", "beside the sender: round-trip times are those of the whole path")
    else:
        yield Finding("point of capture", "assumed", "beside the sender; without the handshake it is not known")


def _rate(twin: Twin) -> Iterator[Finding]:
    rate = twin.path.rate
    value = f"{rate.value / 1e6:.4g} Mb/s with headers of IP"
    if rate.is_bound:
        why = f"only {rate.pairs} packet pairs left a busy link; the highest rate that was seen"
        why += ", or by which a full packet takes longer than a SYN"
        yield Finding("bottleneck rate", "assumed", f"{value}: {why}, so that the link may be faster")
    else:
        yield Finding("bottleneck rate", "inferred", f"{value}, from {rate.pairs:,} packet pairs that left a busy link")


def _base(twin: Twin) -> Iterator[Finding]:
    yield Finding(
        "base delay",
        "inferred",
        f"{1e3 * twin.path.base:.4g} ms there and back, from the shortest round-trip time"
        f"{'' if twin.seen.has_syn else '; if a queue never emptied, it is in this delay'}",
    )


def _buffer(twin: Twin) -> Iterator[Finding]:
    path, packets = twin.path, counted(twin.path.buffer, "packet")
    if path.is_filled:
        yield Finding("buffer", "inferred", f"{packets}, from the queueing delay before packets were lost")
    elif twin.seen.place == "receiver":
        yield Finding("buffer", "assumed", f"{packets}; beside the receiver no queue is seen")
    else:
        yield Finding("buffer", "assumed", f"{packets}; no loss shows that it was full, so that it may be larger")
    if twin.mark_above is not None:
        marks = counted(twin.mark_above, "waiting packet")
        yield Finding("ECN marks", "inferred", f"from {marks} on, by the queueing delay of ACKs that echo them")


def _loss(twin: Twin) -> Iterator[Finding]:
    losses = twin.path.losses
    full = len(losses.places) - len(losses.random)
    count = counted(len(losses.random), "packet")
    if losses.unplaced and twin.seen.place != "sender":
        yield Finding(
            "losses before the point of capture",
            "unknown",
            f"{counted(losses.unplaced, 'segment')}; whether a full queue caused them is not seen there",
        )
    if not losses.places:
        yield Finding("random loss", "inferred", "none: no packet was lost")
    elif not losses.random:
        yield Finding("random loss", "inferred", f"none: a full queue explains all losses ({full:,})")
    else:
        how = (
            "at the same places" if len(losses.random) <= MOST_LISTED and not losses.unplaced else "with this frequency"
        )
        share = 100 * len(losses.random) / twin.seen.sent.size
        yield Finding(
            "random loss",
            "inferred",
            f"{count} ({share:.2g} %) that no full queue explains, lost {how} in the twin; "
            f"a full queue explains {full:,} others",
        )


def _beside(twin: Twin) -> Iterator[Finding]:
    beside = twin.beside
    if beside.known == "inferred":
        yield Finding(
            "other traffic",
            "inferred",
            f"{beside.mean / 1e6:.3g} Mb/s on average, as a trace with bins of {beside.bin:.2g} s; it does not "
            "react to changes of the queue or the law, which real traffic may do",
        )
        return
    words = {
        "none": "none: while a queue waited, the connection had the whole rate",
        "too little queue": "none; the queue was empty for most of the time, when other traffic does not show",
        "rate unknown": "none; without the link's rate it does not show",
        "too much": "none; it would be more packets than are simulated",
        "receiver": "none; beside the receiver, it does not show",
    }
    yield Finding("other traffic", "inferred" if beside.known == "none" else "unknown", words[beside.known])


def _pattern(twin: Twin) -> Iterator[Finding]:
    pattern = twin.pattern
    words = {
        "greedy": "greedy: it had data to send until the capture ended",
        "transfer": f"a transfer of {pattern.size:,} bytes",
        "writes": f"{counted(len(pattern.times), 'write')} at the captured times",
    }
    yield Finding("application", "inferred", words[pattern.kind])


def _law(twin: Twin) -> Iterator[Finding]:
    certainty: Certainty = "inferred" if twin.law.is_identified else "assumed"
    closest = f" Of {listed(USUAL)}, the twin is closest to the capture with it." if certainty == "assumed" else ""
    yield Finding("congestion control", certainty, f"{twin.law.name} ({twin.law.stack}). {twin.law.why}{closest}"[:-1])


def _receiver(twin: Twin) -> Iterator[Finding]:
    if twin.window == "auto":
        yield Finding("receiver's window", "inferred", "grows, and limits at times: auto-tuned")
    elif twin.is_limited:
        yield Finding("receiver's window", "inferred", f"{counted(int(twin.window), 'packet')}, which limits at times")


def _start(twin: Twin) -> Iterator[Finding]:
    if not twin.seen.has_syn:
        words = "the capture does not have it; the twin begins with slow start, which the captured sender had behind it"
        yield Finding("start", "unknown", words)
    if not twin.seen.found.is_whole:
        yield Finding("end", "unknown", "only the first part of the connection was used")
