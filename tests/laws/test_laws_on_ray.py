"""Laws written in Python on a Ray cluster: a law of the running script, a law of a file, and a law that fails."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.laws.scenarios import EXAMPLES
from tests.study.small import found, scenario
from tests.study.test_ray import ENVIRONMENT, PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.slow, pytest.mark.needs("ray")]

SCRIPT = """
import warnings
import ackclock as ac

GAIN = 0.5

class Own(ac.Law):
    def on_ack(self, window, ack):
        window.cwnd += self.rng.uniform(0, 2 * GAIN) * ack.counted / window.cwnd

class Fails(ac.Law):
    def on_ack(self, window, ack):
        window.cwnd /= 0

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    laws = {"own": ac.Tcp(Own), "fails": ac.Tcp(Fails), "file": ac.Tcp(law="COPY:Reno")}
    base = ac.Scenario.from_toml("base.toml").changed({"clients.0.source": ac.Greedy()})
    variants = {name: {"clients.0.transport": law} for name, law in laws.items()}
    ac.sweep(base, variants=variants, replications=3, store="threads")
    ac.sweep(base, variants=variants, replications=3, store="ray", engine="ray", jobs=2)
"""


def test_laws_give_the_same_bytes_on_a_cluster(tmp_path: Path) -> None:
    law = tmp_path / "renos.py"
    law.write_text((EXAMPLES / "reno.py").read_text())
    (tmp_path / "script.py").write_text(SCRIPT.replace("COPY", str(law)))
    (tmp_path / "base.toml").write_text(scenario(duration="6 s").to_toml())
    command = [sys.executable, "script.py"]
    ended = subprocess.run(
        command, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert ended.returncode == 0, ended.stderr
    threads, ray = found(tmp_path / "threads"), found(tmp_path / "ray")
    assert len(ray["runs"]) == 6
    assert len(ray["failures"]) == 3
    assert all(
        "ZeroDivisionError: float division by zero (script.py, line " in row
        for row in ray["failures"]["failure"].to_pylist()
    )
    assert all(ray[name].equals(threads[name]) for name in threads)
