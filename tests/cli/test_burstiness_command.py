"""``ackclock burstiness``: its input, output, figures and errors."""

from __future__ import annotations

import dataclasses
import io
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

import ackclock as ac
from ackclock import analysis
from ackclock.analysis import burstiness, cov_ladder, fractional_gaussian_noise, poisson_cov
from ackclock.cli import main
from ackclock.report.scaling import hurst_words

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    Command = Callable[..., tuple[int, str, str]]

METHODS = ["abry_veitch", "local_whittle", "kettani_gubner_k1", "kettani_gubner", "variance_time", "rescaled_range"]


@pytest.fixture
def command(capfd: pytest.CaptureFixture[str]) -> Command:
    """Return a function that runs the command and returns its exit code and both output streams."""

    def run(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(["burstiness", *map(str, arguments)])
        out, err = capfd.readouterr()
        assert isinstance(ended.value.code, int)
        return ended.value.code, out, err

    return run


@pytest.fixture
def json_of(command: Command) -> Callable[..., dict[str, Any]]:
    """Return a function that runs the command and parses the JSON object that it prints."""

    def run(*arguments: object) -> dict[str, Any]:
        code, out, err = command(*arguments, "--json")
        assert (code, err) == (0, "")
        data: dict[str, Any] = json.loads(out)
        return data

    return run


@pytest.fixture(scope="module")
def counts() -> NDArray[np.int64]:
    """Return counts with a Hurst parameter of 0.8."""
    noise = fractional_gaussian_noise(4096, hurst=0.8, seed=3)
    return np.maximum(np.round(100 + 20 * noise), 0).astype(np.int64)


@pytest.fixture
def lines(counts: NDArray[np.int64], tmp_path: Path) -> Path:
    path = tmp_path / "counts.txt"
    path.write_text("# counts\n" + "\n".join(map(str, counts)) + "\n")
    return path


class TestLadder:
    def test_agrees_with_the_ladder_of_whole_counts(self, counts: NDArray[np.int64]) -> None:
        """Validates: c.o.v. at each scale equals that of exact sums.
        Source: `cov_ladder`.
        Tolerance: rounding, 1e-12.
        """
        found = burstiness(counts)
        exact = cov_ladder(counts, 1.0, found.scales.astype(float).tolist())
        assert found.cov == pytest.approx(exact.cov, rel=1e-12)
        assert found.bins.tolist() == exact.bins.tolist()
        assert found.bins[-1] >= 10

    def test_poisson_counts(self) -> None:
        """Validates: Poisson counts have a dispersion of 1 and a c.o.v. of 1 / sqrt(mean) at every scale.
        Source: Gusella 1991; Tinnakornsrisuphap et al. 2000, section 3.2.
        Tolerance: four standard errors.
        """
        found = burstiness(np.random.default_rng(1).poisson(5, 65_536))
        assert np.all(np.abs(found.dispersion - 1) < 4 * np.sqrt(2 / found.bins))
        assert np.all(np.abs(found.cov / poisson_cov(5 * found.scales) - 1) < 4 / np.sqrt(2 * found.bins))
        assert np.all(np.abs(found.autocorrelation) < 4 / np.sqrt(found.bins))

    def test_dispersion_is_that_of_the_bins_themselves(self) -> None:
        """Validates: the index of dispersion is the variance over the mean: (c.o.v.)^2 times the mean.
        Source: Gusella 1991; 8 and 12 in turn, worked by hand: 4 over 10, then 0.
        Tolerance: exact.
        """
        assert burstiness([8, 12] * 10).dispersion.tolist() == [0.4, 0.0]

    def test_peak_to_mean(self) -> None:
        assert burstiness([1, 1, 1, 5] * 5).peak_to_mean.tolist() == [2.5, 1.5]

    def test_refuses_negative_values(self) -> None:
        with pytest.raises(ValueError, match="must hold no negative values"):
            burstiness([1.0, -1.0] * 50)


class TestPrints:
    def test_json(self, json_of: Callable[..., dict[str, Any]], lines: Path, counts: NDArray[np.int64]) -> None:
        data = json_of(lines)
        assert data["cov"] == pytest.approx(counts.std() / counts.mean())
        assert data["count"] == 4096
        assert [each["method"] for each in data["hurst"]] == METHODS
        for each in data["hurst"]:
            assert list(each) == ["method", "h", "low", "high", "scales", "bias"]
            assert each["low"] <= each["h"] <= each["high"]
            assert each["low"] < 0.8 < each["high"]
        assert data["long_range"] is True
        assert data["autocorrelation"][0] == 1
        assert data["notices"]

    def test_tables(self, command: Command, lines: Path) -> None:
        code, out, err = command(lines)
        assert (code, err) == (0, "")
        assert all(method in out for method in METHODS)
        assert "Note: Long-range dependence: from " in out

    def test_figures_appear_whole(self, command: Command, lines: Path, tmp_path: Path) -> None:
        out = tmp_path / "figures"
        for _ in range(2):  # the second run replaces the figure of the first
            assert command(lines, "--out", out)[0] == 0
        names = {path.name for path in out.iterdir()}
        charts = ("cov", "variance_time", "rescaled_range", "log_scale")
        assert names == {f"{name}.{kind}" for name in charts for kind in ("png", "svg", "csv")} | {
            "burstiness.json",
            "record.json",
            "report.html",
        }
        (out / "mine.txt").write_text("kept")
        code, _, err = command(lines, "--out", out)
        assert (code, err.count("\n")) == (2, 1)
        assert (out / "mine.txt").exists()

    def test_the_page_answers_first(self, command: Command, lines: Path, tmp_path: Path) -> None:
        out = tmp_path / "figures"
        assert command(lines, "--out", out)[0] == 0
        first, rest = (out / "report.html").read_text(encoding="utf-8").split('<h2 id="summary">')
        assert "The series has long-range dependence: estimates of H range from 0." in first
        assert '<figure id="cov"' in first
        assert all(method in rest for method in METHODS)
        assert f"ackclock burstiness {lines} --out {out}" in rest

    def test_what_is_not_claimed_is_not_stated(self) -> None:
        found = analysis.hurst(np.random.default_rng(1).poisson(5, 16_384))
        assert hurst_words(found).startswith("Long-range dependence is not claimed; estimates of H range from 0.")
        assert hurst_words(dataclasses.replace(found, estimates=())) == "No method can estimate the Hurst parameter."


class TestReads:
    def test_times_are_binned(self, json_of: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
        random = np.random.default_rng(1)
        times = 7 + np.sort(random.uniform(0, 100, 20_000))
        path = tmp_path / "packets.csv"
        csv.write_csv(pa.table({"time": times, "bytes": np.full(20_000, 40)}), path)
        packets, octets = json_of(path, "--bin", "100 ms"), json_of(path, "--bin", "100 ms", "--sum", "bytes")
        assert packets["bin"] == octets["bin"] == 0.1
        assert packets["count"] in {999, 1000}
        assert packets["about"].startswith("packets in ")
        assert packets["mean"] == pytest.approx(20, rel=0.01)
        assert octets["mean"] == 40 * packets["mean"]
        assert octets["cov"] == pytest.approx(packets["cov"])
        assert packets["long_range"] is False

    def test_the_folder_of_a_run(self, json_of: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
        scenario = ac.Scenario(
            profile="ns2-2.35",
            duration="60 s",
            dumbbell=ac.Dumbbell(
                access=ac.Link(rate="10 Mbps", delay="10 ms"),
                bottleneck=ac.Link(rate="5 Mbps", delay="10 ms", queue=ac.DropTail(packets=10)),
            ),
            clients=[ac.Clients(count=6, transport=ac.Tcp("reno"), source=ac.Poisson(rate=100))],
        )
        run = ac.simulate(scenario, seed=1, record=["arrivals/100ms"])
        run.save(tmp_path / "run")
        whole = json_of(tmp_path / "run")
        column = json_of(tmp_path / "run" / "arrivals.parquet", "--column", "packets")
        assert whole["count"] == 600
        assert whole["hurst"] == column["hurst"]
        assert whole["cov"] == pytest.approx(np.std(run.table("arrivals")["packets"]) / whole["mean"])

    def test_the_standard_input(
        self, json_of: Callable[..., dict[str, Any]], lines: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO(lines.read_text()))
        assert json_of("-")["hurst"] == json_of(lines)["hurst"]


class TestRefuses:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("1\n2\nthree\n", "line 3: 'three' is not allowed; must be one number"),
            ("1 2\n", "line 1: '1 2' is not allowed"),
            ("1\n2\n3\n", "it has 3 bins; must be a series of at least 100 bins"),
            ("", "it has 0 bins; must be a series of at least 100 bins"),
            ("1\nnan\n" * 100, "value 2: nan is not allowed; must be finite and not negative"),
            ("1\n-2\n" * 100, "value 2: -2.0 is not allowed"),
            ("inf\n" * 100, "value 1: inf is not allowed"),
            ("7\n" * 200, "all 200 values are 7; must be a series that varies"),
        ],
    )
    def test_what_is_no_series(self, command: Command, tmp_path: Path, text: str, message: str) -> None:
        path = tmp_path / "series.txt"
        path.write_text(text)
        code, out, err = command(path)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert message in err

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (["--column", "packet"], "did you mean 'packets'? must be a column of numbers: time, packets, bytes"),
            ([], "--column: missing; must be one of the numeric columns: time, packets, bytes"),
            (["--bin", "100"], "--bin: '100' is not allowed; must be a time with its unit"),
            (["--sum", "bytes"], "--sum: 'bytes' is not allowed; must come with --bin"),
            (["--bin", "10 ms", "--sum", "byte"], "--sum: 'byte' is not allowed; did you mean 'bytes'?"),
            (["--bin", "1 h"], "must be a series of at least 100 bins"),
        ],
    )
    def test_options(self, command: Command, tmp_path: Path, options: list[str], message: str) -> None:
        path = tmp_path / "table.parquet"
        many = np.arange(1000)
        parquet.write_table(pa.table({"time": many / 100, "packets": many % 7, "bytes": many % 5}), path)
        code, out, err = command(path, *options)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert message in err

    def test_what_never_ends_is_not_read_to_its_end(self, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
        code, _, err = command("/dev/zero")
        assert code == 2
        assert err.startswith("/dev/zero: cannot be used: it is a device, not a regular file; must be text with one")
        monkeypatch.setattr("ackclock.files.reading.limit", lambda: 1000)
        monkeypatch.setattr("sys.stdin", io.StringIO("1\n" * 501))
        assert "-: cannot be used: its content needs at least" in command("-")[2]

    def test_files(self, command: Command, tmp_path: Path) -> None:
        binary, holes = tmp_path / "binary.txt", tmp_path / "holes.csv"
        binary.write_bytes(b"\xff\xfe\x00")
        holes.write_text("packets,bytes\n" + "1,40\n2,\n" * 200)
        headless = tmp_path / "headless.csv"
        headless.write_text("1\n2\n" * 200)
        assert "its first line contains a number" in command(headless)[2]
        parquet_ = tmp_path / "broken.parquet"
        parquet_.write_text("no")
        code, _, err = command(holes, "--column", "bytes")
        assert (code, err.count("\n")) == (2, 1)
        assert "column bytes has 200 rows without a number" in err
        for path in (tmp_path / "missing.txt", tmp_path / "missing.csv", tmp_path, binary, parquet_):
            code, out, err = command(path)
            assert (code, out, err.count("\n")) == (2, "", 1), path
            assert "cannot be used" in err
