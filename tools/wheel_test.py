"""Test the wheel in ``dist`` in new environments: ``python tools/wheel_test.py [--studies]``.

There is an environment for each Python from 3.11 on that uv finds. In each one, `tools/installed.py` runs
scenarios and sweeps, all with the same results. In the first one, an example has the same summary as in this
environment, the tests of statistics pass, and with ``--studies`` each study makes its report with two seeds.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UV = ROOT / ".venv/wheel/bin/uv"
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
EXAMPLE = ROOT / "examples/feng60.toml"
TESTS = ("tests/analysis", "tests/scenario/test_quantity.py", "tests/papers/test_summary.py")
MOST_MB = 450
MOST_IMPORT_SECONDS = 0.040

_IMPORT = "import time; start = time.process_time(); import ackclock; print(time.process_time() - start)"


def output(*command: str | Path, folder: Path) -> str:
    """Run a command outside of the repository, and return what it prints."""
    at = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    ran = subprocess.run(command, cwd=folder, env=at, capture_output=True, check=False, encoding="utf-8")
    if ran.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}: exit code {ran.returncode}\n{ran.stdout}{ran.stderr}")
    return ran.stdout


def interpreters(folder: Path) -> dict[str, str]:
    """Return a path or a request for each version of Python that uv finds."""
    found = {}
    for version in VERSIONS:
        asked = subprocess.run(
            [UV, "python", "find", version], cwd=folder, capture_output=True, check=False, encoding="utf-8"
        )
        if asked.returncode == 0:
            found[version] = asked.stdout.strip()
        else:
            print(f"Python {version}: not found")
    return found


def installed_mb(folder: Path) -> float:
    """Return the size of all files of an environment in MB."""
    return sum(each.stat().st_size for each in folder.rglob("*") if each.is_file() and not each.is_symlink()) / 1e6


def summary(python: Path, folder: Path) -> object:
    """Return the summary and the engine's revision of the example."""
    run = json.loads(output(python, "-m", "ackclock", "run", EXAMPLE, "--json", folder=folder))
    return run["summary"], run["revision"]


def studies(python: Path, folder: Path) -> None:
    """Reproduce each study with two seeds."""
    listing = "from ackclock.papers import STUDIES; print(*STUDIES)"
    for study in output(python, "-c", listing, folder=folder).split():
        start = time.monotonic()
        output(python, "-m", "ackclock", "reproduce", study, "--seeds", "2", "--out", study, folder=folder)
        print(f"  {study}: {time.monotonic() - start:.0f} s", flush=True)


def main() -> None:
    """Test the wheel."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", action="store_true", help="reproduce every study")
    given = parser.parse_args()
    wheels = sorted((ROOT / "dist").glob("*.whl"))
    if len(wheels) != 1:
        raise SystemExit("dist must contain one wheel: `make wheel`")
    digests = set()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number, (version, interpreter) in enumerate(interpreters(folder).items()):
            place = folder / version
            python = place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
            output(UV, "venv", "--quiet", "--python", interpreter, place, folder=folder)
            output(UV, "pip", "install", "--quiet", "--python", python, wheels[0], folder=folder)
            size = installed_mb(place)
            seconds = min(float(output(python, "-c", _IMPORT, folder=folder)) for _ in range(5))
            output(python, ROOT / "tools/installed.py", "--digest", folder / "digest", folder=folder)
            digests.add((folder / "digest").read_text(encoding="utf-8"))
            print(
                f"Python {version}: {size:.1f} MB, import {1e3 * seconds:.0f} ms of CPU time, runs and sweeps",
                flush=True,
            )
            if size > MOST_MB or seconds > MOST_IMPORT_SECONDS:
                raise SystemExit(f"allowed are {MOST_MB} MB and {1e3 * MOST_IMPORT_SECONDS:.0f} ms")
            if number:
                continue
            if summary(python, folder) != summary(Path(sys.executable), folder):
                raise SystemExit(f"{EXAMPLE.name}: the summary or the revision is not that of {sys.executable}")
            print(f"  {EXAMPLE.name}: summary and revision as in this environment")
            version_printed = output(UV, "tool", "run", "--from", wheels[0], "ackclock", "--version", folder=folder)
            print(f"  uvx: {version_printed.strip()}")
            if given.studies:
                studies(python, folder)
            needed = ("pytest", "hypothesis", "mpmath", "pywavelets")
            output(UV, "pip", "install", "--quiet", "--python", python, *needed, folder=folder)
            for part in ("bench", "examples", "tests", "tools", "validation", "pyproject.toml"):
                (folder / "copy").mkdir(exist_ok=True)
                source = ROOT / part
                (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / "copy" / part)
            tested = output(
                python,
                "-m",
                "pytest",
                "-q",
                *TESTS,
                "--ignore=tests/analysis/test_synchrony.py",
                folder=folder / "copy",
            )
            print(f"  tests: {tested.splitlines()[-1]}")
        if len(digests) != 1:
            raise SystemExit("the results differ between the versions of Python")


if __name__ == "__main__":
    main()
