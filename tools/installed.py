"""Check an installed Ackclock from outside of the repository: ``python tools/installed.py [--digest FILE]``.

It uses only the interpreter that runs it, and a folder of its own. It writes and runs each scenario of `ackclock init`,
sweeps a study, resumes the sweep, and writes the lab's page. ``--digest`` writes a hash of all results, which must be
equal on all systems.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

KINDS = ("dumbbell", "parking-lot", "buffer-sizing", "last-hop")

STUDY = """\
scenario = "dumbbell.toml"
replications = {replications}

[over]
"clients.0.count" = [2, 4]
"duration" = ["21 s"]
"""


def ackclock(*arguments: str, folder: Path) -> str:
    """Run the installed command line, and return what it prints."""
    command = [sys.executable, "-m", "ackclock", *arguments]
    ran = subprocess.run(command, cwd=folder, capture_output=True, check=False, encoding="utf-8")
    if ran.returncode:
        raise SystemExit(f"ackclock {' '.join(arguments)}: exit code {ran.returncode}\n{ran.stderr}")
    return ran.stdout


def results(folder: Path) -> list[object]:
    """Run every scenario of ``ackclock init``, and return the summaries."""
    found: list[object] = []
    for kind in KINDS:
        ackclock("init", kind, folder=folder)
        run = json.loads(ackclock("run", f"{kind.replace('-', '_')}.toml", "--json", folder=folder))
        found.append([kind, run["revision"], run["scenario"], run["summary"]])
    return found


def sweeps(folder: Path) -> None:
    """Sweep twice: the second study has more runs, and makes only those that are missing."""
    for replications, stored in ((1, 0), (2, 2)):
        (folder / "study.toml").write_text(STUDY.format(replications=replications), encoding="utf-8")
        said = ackclock("sweep", "study.toml", "--store", "results", "--jobs", "2", folder=folder)
        if f"2 runs made, {stored} already in the store" not in said:
            raise SystemExit(f"the sweep of {replications} runs per point printed: {said}")


def main() -> None:
    """Check the installation, and write the digest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--digest", type=Path, help="file for the hash of the results")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(ackclock("--version", folder=folder).strip())
        digest = hashlib.sha256(json.dumps(results(folder), sort_keys=True).encode()).hexdigest()
        sweeps(folder)
        ackclock("lab", "dumbbell.toml", "--no-open", folder=folder)
    print(f"{len(KINDS)} scenarios, 2 sweeps, the lab; SHA-256 of the results: {digest}")
    if given.digest is not None:
        given.digest.write_text(f"{digest}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
