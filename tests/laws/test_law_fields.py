"""A law written in Python in a scenario: its parameters, its place in TOML and on the command line, its digest."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.laws.own import Gentle, Gentler, Rated, Timed

import ackclock as ac
from ackclock.cli import main
from ackclock.laws import finding
from ackclock.laws.finding import find
from ackclock.laws.source import source
from ackclock.running.result import load
from ackclock.running.run import Prepared

if TYPE_CHECKING:
    from collections.abc import Mapping

OWN = Path(__file__).with_name("own.py")


def scenario(transport: ac.Tcp | Mapping[str, Any]) -> ac.Scenario:
    tables = {
        "duration": "10 s",
        "dumbbell": {
            "access": {"rate": "10 Mbps", "delay": "5 ms"},
            "bottleneck": {"rate": "2 Mbps", "delay": "10 ms", "queue": {"kind": "droptail", "packets": 20}},
        },
        "clients": [{"count": 2, "transport": transport, "source": {"kind": "greedy"}}],
    }
    return ac.Scenario.from_dict(tables)


def summary(transport: ac.Tcp | Mapping[str, Any], seed: int = 1) -> ac.Summary:
    return ac.simulate(scenario(transport), seed=seed).summary


def test_parameters_are_checked_and_stored() -> None:
    tcp = ac.Tcp(Gentle(gain=0.7, mode="fast"), recovery="sack", slow_start="hystart++")
    whole = scenario(tcp).effective().clients[0].transport
    assert isinstance(whole, ac.Tcp)
    assert whole.parameters == {"gain": 0.7, "every": 1, "noisy": False, "mode": "fast"}
    assert (whole.recovery, whole.law, whole.law_sha256) == ("sack", f"{OWN}:Gentle", source(Gentle).sha256)
    assert (whole.compiled, whole.slow_start) == (False, "hystart++")
    wrongs: list[tuple[dict[str, Any], str]] = [
        ({"gain": 0}, "Gentle.gain: 0 is not allowed; must be a number above 0 up to 2"),
        ({"every": 1.5}, "Gentle.every: 1.5 is not allowed; must be an integer from"),
        ({"noisy": 1}, "Gentle.noisy: 1 is not allowed; must be true or false"),
        ({"mode": "faster"}, "Gentle.mode: 'faster' is not allowed; did you mean 'fast'? must be one of slow, fast"),
        (
            {"gains": 1},
            "Gentle: unknown parameter 'gains'; did you mean 'gain'? must be one of gain, every, noisy, mode",
        ),
    ]
    for wrong, words in wrongs:
        with pytest.raises(ac.ScenarioError) as caught:
            Gentle(**wrong)
        assert str(caught.value) == words or str(caught.value).startswith(words)


def test_a_table_is_checked_like_any_other() -> None:
    table: dict[str, Any] = {"kind": "tcp", "law": f"{OWN}:Gentle", "recovery": "sack", "gain": 0.7}
    assert summary(table) == summary(ac.Tcp(Gentle(gain=0.7), recovery="sack"))
    changes: list[tuple[dict[str, Any], str]] = [
        ({"gain": 3}, "clients.0.transport.gain: 3 is not allowed; must be a number above 0 up to 2"),
        ({"gian": 3}, "clients.0.transport.gian: unknown field; did you mean 'gain'?"),
        ({"recovery": "sak"}, "clients.0.transport.recovery: 'sak' is not allowed; did you mean 'sack'?"),
        (
            {"variant": "newreno"},
            "clients.0.transport.recovery: 'sack' is not allowed; must be absent: the variant newreno has",
        ),
        ({"law": "own.py"}, "clients.0.transport.law: 'own.py' is not allowed; must be FILE.py:CLASS"),
        ({"law": f"{OWN}:Gantle"}, "the laws in this file: Gentle, Gentler, Timed, Rated"),
        ({"law": f"{OWN.parent}/none.py:Gentle"}, "the file cannot be read (No such file or directory)"),
        (
            {"law": None, "recovery": None, "gain": None, "compiled": True},
            "compiled: true is not allowed; must be absent",
        ),
    ]
    for change, words in changes:
        with pytest.raises(ac.ScenarioError) as caught:
            ac.simulate(scenario({name: value for name, value in (table | change).items() if value is not None}))
        assert words in str(caught.value)


def test_a_law_without_recovery_has_racks() -> None:
    whole = scenario(ac.Tcp(Gentle)).effective().clients[0].transport
    assert isinstance(whole, ac.Tcp)
    assert (whole.variant, whole.recovery) == ("reno", "rack")


def test_laws_that_need_more_get_it() -> None:
    """Round-trip times are there for a law that reads them, and delivery rates for a law with `on_rate`."""
    timed = summary(ac.Tcp(Timed, recovery="sack", pacing="law"))
    reno = summary(ac.Tcp("sack"))
    assert (timed.loss or 0) < (reno.loss or 0)
    assert 0.9 < summary(ac.Tcp(Rated, pacing="law")).utilization <= 1
    with pytest.raises(ac.ScenarioError, match=r"clients.0.transport.recovery: 'sack' is not allowed; must be rack"):
        summary(ac.Tcp(Rated, recovery="sack"))


def test_fields_are_changed_and_swept_like_any_other() -> None:
    base = scenario(ac.Tcp(Gentle, recovery="sack"))
    assert ac.simulate(base.changed({"clients.0.transport.gain": 0.9})).summary == summary(
        ac.Tcp(Gentle(gain=0.9), recovery="sack")
    )
    with pytest.warns(UserWarning, match="fewer than 3 values"), pytest.warns(UserWarning, match="of another seed"):
        store = ac.sweep(base, over={"clients.0.transport.gain": [0.5, 0.9]}, replications=2, jobs=2)
    rows = store.sql('select "clients.0.transport.gain" as gain, seed, loss from runs order by all').to_pylist()
    expected = [(gain, seed) for gain in (0.5, 0.9) for seed in (1, 2)]
    assert [(row["gain"], row["seed"]) for row in rows] == expected
    for row in rows:
        assert row["loss"] == summary(ac.Tcp(Gentle(gain=row["gain"]), recovery="sack"), seed=row["seed"]).loss


def test_random_numbers_depend_on_the_seed_and_the_flow() -> None:
    noisy = ac.Tcp(Gentle(noisy=True), recovery="sack")
    assert summary(noisy) == summary(noisy) != summary(noisy, seed=2)
    runs = ac.replicate(scenario(noisy), seeds=3, jobs=3)
    assert runs[0].summary == summary(noisy)
    assert runs[1].summary == summary(noisy, seed=2)
    goodputs = ac.simulate(scenario(noisy)).table("flows")["goodput_bps"].to_pylist()
    assert goodputs[0] != goodputs[1]


def test_the_digest_is_of_the_law_alone(tmp_path: Path) -> None:
    """The text contains the class, its bases, and what they use; other text in the file does not matter."""
    text = source(Gentle).text
    assert "class Gentle(ac.Law)" in text
    assert "def share(cwnd: float)" in text
    assert "STEP = 2" in text
    assert "import math" in text
    assert "class Timed" not in text
    assert "class Gentle(ac.Law)" in source(Gentler).text
    digests = []
    for place, (old, new) in enumerate(
        [("", ""), ("paces.", "paces itself."), ("STEP = 2", "STEP = 3"), ("sqrt(STEP)", "sqrt(STEP) * 1")]
    ):
        file = tmp_path / f"law{place}.py"
        file.write_text(OWN.read_text().replace(old, new))
        digests.append(source(find(f"{file}:Gentler", ac.Law)).sha256)
    assert digests[0] == digests[1] == source(Gentler).sha256
    assert len(set(digests)) == 3


def test_a_result_runs_again_only_with_its_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(OWN.read_text())
    run = ac.simulate(scenario({"kind": "tcp", "law": f"{file}:Gentler", "recovery": "sack", "gain": 0.7}))
    run.save(tmp_path / "result")
    kept = json.loads((tmp_path / "result" / "record.json").read_text())
    described = {"law": f"{file}:Gentler", "sha256": source(Gentler).sha256, "source": source(Gentler).text}
    assert kept["laws"] == [described | {"python": ".".join(map(str, sys.version_info[:3]))}]
    assert kept["scenario"]["clients"][0]["transport"]["gain"] == 0.7
    assert load(tmp_path / "result").laws == run.laws

    def again(code: int) -> tuple[str, str]:
        monkeypatch.setattr(finding, "_known", {})  # as in another process
        with pytest.raises(SystemExit) as end:
            main(["run", str(tmp_path / "result"), "--json"])
        assert end.value.code == code
        return capsys.readouterr()

    assert json.loads(again(0)[0])["summary"] == json.loads(json.dumps(run.summary.to_dict()))

    file.write_text(OWN.read_text().replace("STEP = 2", "STEP = 3"))
    out, err = again(2)
    assert out == ""
    assert err.startswith("clients.0.transport.law: ")
    assert "must have files with the digest" in err
    assert "a result runs again only with the source that made it" in err
    program = f"""
from pathlib import Path
from ackclock.running.result import load
print(load(Path({str(tmp_path / "result")!r})).summary.loss)
"""
    opened = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert float(opened.stdout) == run.summary.loss, "a result can be read without its law"


def test_toml_and_the_command_line(root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "laws").mkdir()
    (tmp_path / "laws" / "mine.py").write_text(OWN.read_text())
    table = scenario(ac.Tcp("sack")).to_dict()
    table["clients"][0]["transport"] = {"kind": "tcp", "law": "laws/mine.py:Gentle", "recovery": "sack", "gain": 0.7}
    file = tmp_path / "own.toml"
    import tomli_w  # noqa: PLC0415

    file.write_text(tomli_w.dumps(table))
    read = ac.Scenario.from_toml(file)
    assert tomllib.loads(read.to_toml()) == read.to_dict()
    assert ac.simulate(read).summary == summary(ac.Tcp(Gentle(gain=0.7), recovery="sack"))

    def run(*arguments: str) -> dict[str, Any]:
        with pytest.raises(SystemExit) as end:
            main(["run", *arguments, "--json"])
        assert end.value.code == 0
        printed: dict[str, Any] = json.loads(capsys.readouterr().out)
        return printed

    replaced = run(str(file), "--law", f"{OWN}:Timed")
    transport = replaced["scenario"]["clients"][0]["transport"]
    assert transport["law"] == f"{OWN}:Timed"
    assert "gain" not in transport
    built_in = [str(root / "examples" / "cubic_beside_reno.toml"), "--set", "duration=12 s"]
    assert run(*built_in, "--law", f"{OWN}:Gentle", "--set", "clients.0.transport.gain=0.9")["laws"]


def test_a_run_travels_to_another_process(tmp_path: Path) -> None:
    """As on a cluster: the text of a file goes along, and is the same law there, even if the file is gone."""
    file = tmp_path / "mine.py"
    file.write_text(OWN.read_text())
    prepared = Prepared.of(scenario({"kind": "tcp", "law": f"{file}:Gentler", "recovery": "sack"}), ())
    expected = prepared.run(1).summary
    (tmp_path / "run.pickle").write_bytes(pickle.dumps(prepared))
    file.unlink()
    program = f"""
import pickle
run = pickle.load(open({str(tmp_path / "run.pickle")!r}, "rb")).run(1)
print(run.summary.loss, run.laws[0]["sha256"])
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout.split() == [str(expected.loss), source(Gentler).sha256]


def test_a_law_in_use_cannot_be_changed() -> None:
    ac.Tcp(Gentle)
    with pytest.raises(AttributeError, match="Gentle.gain cannot be assigned: all flows share the class"):
        Gentle.gain = 1.0


def test_a_law_of_one_method_has_renos_response() -> None:
    class Additive(ac.Law):
        def on_ack(self, window: Any, ack: Any) -> None:
            window.cwnd += ack.counted / window.cwnd

    class Repeats(Additive):
        def on_congestion(self, window: Any, event: Any) -> None:
            super().on_congestion(window, event)

    own = summary(ac.Tcp(Additive, recovery="sack", initial_window=10))
    assert own == summary(ac.Tcp("sack", initial_window=10)) == summary(ac.Tcp(Repeats, recovery="sack"))


def test_a_rate_without_effect_is_reported() -> None:
    notice = "The law Timed of group clients-0 sets a pacing rate without effect: the transport's pacing is off."
    assert [text for text in ac.simulate(scenario(ac.Tcp(Timed))).notices if text.startswith(notice)]
    paced = ac.simulate(scenario(ac.Tcp(Timed, pacing="law")))
    assert not [text for text in paced.notices if "pacing" in text]
