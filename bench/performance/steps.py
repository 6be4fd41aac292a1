"""Steps a second of the environment for reinforcement learning, through Gymnasium."""

from __future__ import annotations

import importlib.util
import sys
import time
from typing import Any

import numpy as np

from performance.measure import Spread, run
from performance.page import table

STEPS = 40_000
ROUNDS = 5
INTERVAL = "40 ms"
CASES = {
    "window 33 packets: the link is full": ("power", "10 Mbps", 33.0),
    "window 60 packets: 27 packets wait": ("power", "10 Mbps", 60.0),
    "rate 95 % of the link's": ("aurora", "10 Mbps", 792.0),
    "CUBIC, which the agent leaves alone": ("orca", "10 Mbps", 1.0),
    "2 Mb/s, window 7 packets": ("power", "2 Mbps", 7.0),
    "100 Mb/s, window 340 packets": ("power", "100 Mbps", 340.0),
}
"""Scheme, rate of the link, and the control that the agent holds."""


def steps() -> str:
    """Measure each case in a process of its own, and the time of the engine alone."""
    if importlib.util.find_spec("gymnasium") is None:
        return "Gymnasium is not installed (`make gym`).\n"
    lines: list[list[object]] = []
    for name in CASES:
        per_second = [float(each) for each in run([sys.executable, "-m", "performance.steps", name]).output.split()]
        env, engine = Spread.of(per_second[::2]), Spread.of(per_second[1::2])
        lines.append(
            [name, *(f"{each.median:,.0f} ({each.least:,.0f} to {each.greatest:,.0f})" for each in (env, engine))]
        )
    return table(["", "steps per CPU s, through Gymnasium", "steps per CPU s, engine alone"], lines)


def main() -> None:
    """Print for each round the steps per second of CPU time, through Gymnasium and without it."""
    import gymnasium  # noqa: PLC0415  # an extra

    from ackclock.gym import Network  # noqa: PLC0415
    from ackclock.gym.episode import Episode  # noqa: PLC0415
    from ackclock.gym.schemes import scheme_named  # noqa: PLC0415
    from ackclock.values.quantity import TIME  # noqa: PLC0415

    name, rate, control = CASES[sys.argv[1]]
    network = Network(rate=rate, rtt=INTERVAL, buffer=2000 if rate == "100 Mbps" else 100)
    scheme = scheme_named(name)
    held: Any = type("Held", (scheme,), {"begin": lambda _: control, "act": lambda *_: control})
    env = gymnasium.make("Ackclock/Dumbbell-v0", networks=network, scheme=held, interval=INTERVAL, duration="3600 s")
    env.reset(seed=1)
    action = np.zeros(1, np.float32)
    picos = TIME.parse(INTERVAL)
    episode = Episode(network, seed=1, duration="3600 s", interval=picos, control=scheme.control)
    episode.setter(scheme.control)(0, control)
    for _ in range(250):
        env.step(action)
        episode.stepper.step(picos)
    for _ in range(ROUNDS):
        begun = time.process_time()
        for _ in range(STEPS // ROUNDS):
            env.step(action)
        between = time.process_time()
        for _ in range(STEPS // ROUNDS):
            episode.stepper.step(picos)
        ended = time.process_time()
        print(STEPS / ROUNDS / (between - begun), STEPS / ROUNDS / (ended - between))


if __name__ == "__main__":
    main()
