"""Speech, a constant stream and a call that adapts, beside a bulk flow of the law."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ackclock.scenario import Call, Clients, Constant, Frames, Udp
from ackclock.scorecard.experiment import Cell, Experiment
from ackclock.scorecard.experiments.limits import no_less, no_longer_queue, no_more_loss
from ackclock.scorecard.measures import UTILIZATION, group
from ackclock.scorecard.networks import Path, bulk, dumbbell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.scenario import Scenario, Tcp
    from ackclock.scorecard.experiment import Setting

_DELAY = "p95 delay of speech"


def _cells(setting: Setting) -> Iterator[Cell[Tcp]]:
    for path in (Path(10, 40),) if setting.fast else (Path(2, 40), Path(10, 40), Path(100, 40)):
        for part in (1, 4) if setting.fast else (0.25, 1, 4, 16):
            yield _cell(setting, path, part)


def _cell(setting: Setting, path: Path, part: float) -> Cell[Tcp]:
    def scenario(law: Tcp) -> Scenario:
        # Opus at 32 kb/s: 80 bytes every 20 ms, and 40 of headers; a stream of 300 kb/s in packets of 500 bytes.
        # The call adapts its video to the path, by Google's congestion control, from 150 kb/s to 1.5 Mb/s.
        udp: dict[str, Any] = {"transport": Udp(), "spread": "1 s"}
        groups = [
            Clients(name="speech", packet_size=120, source=Frames(rate=50), **udp),
            Clients(name="stream", packet_size=500, source=Constant(rate=75), **udp),
            Clients(name="call", packet_size=1200, source=Call(), **udp),
        ]
        return dumbbell(path, bulk("law", law), *groups, queue=setting.queue(path.buffer(part)))

    lost = group("speech", "lost", words="speech lost", unit="%", factor=100)
    streamed = group("stream", "loss", words="stream's loss", unit="%", factor=100)
    delay = group("speech", "delay_p95", words=_DELAY, unit="ms", factor=1e3)
    return Cell(
        place=f"{path}, buffer {part:g} BDP",
        scenario=scenario,
        rules=[
            no_longer_queue(path, part, delay),
            no_more_loss(lost),
            no_more_loss(streamed),
            no_less(group("call", "sent_bps", words="rate of the call", unit="Mb/s", factor=1e-6), 0.25),
        ],
        shown=[group("speech", "mos", words="MOS of speech", unit=""), UTILIZATION],
    )


EXPERIMENT = Experiment(
    key="real_time",
    title="Beside real-time traffic",
    question="Does real-time traffic suffer more beside the law?",
    source="RFC 9743, section 5.2.2",
    advice="Real-time traffic does not respond; it has the queue and the losses that the law makes. Both follow "
    "from how full the law keeps the buffer.",
    headline=_DELAY,
    cells=_cells,
)
