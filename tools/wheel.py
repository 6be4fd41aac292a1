"""Build the sdist, and from it the wheel, into ``dist``: ``python tools/wheel.py``.

The packages are built in a copy of the sources, whose README has no relative links: a package index shows the README
without the files that it links to. If ``[project.urls]`` in ``pyproject.toml`` has a ``Repository``, the links become
absolute, with this address as their base. Otherwise only their text is kept, and images are removed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
COPY = ROOT / "target/wheel"

FILES = ("Cargo.lock", "Cargo.toml", "LICENSE", "README.md", "crates", "pyproject.toml", "python")
LEFT_OUT = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__", "fuzz", "target")

MOST_BYTES = 3_000_000
"""Largest allowed size of the wheel."""

_LINK = re.compile(r"(!?)\[((?:[^\[\]]|!\[[^\]]*\]\([^)]*\))*)\]\(([^)\s]+)\)")


def absolute(text: str, base: str | None, version: str) -> str:
    """Replace the relative links of a page in Markdown by absolute ones, or by their text if there is no base."""

    def replaced(link: re.Match[str]) -> str:
        image, words, target = link.groups()
        words = _LINK.sub(replaced, words)
        if "://" in target or target.startswith("#"):
            return f"{image}[{words}]({target})"
        if base is None:
            return "" if image else words
        return f"{image}[{words}]({base.rstrip('/')}/{'raw' if image else 'blob'}/v{version}/{target})"

    return _LINK.sub(replaced, text)


def copy() -> None:
    """Copy the sources, and make the README independent of the repository."""
    shutil.rmtree(COPY, ignore_errors=True)
    COPY.mkdir(parents=True)
    for name in FILES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, COPY / name, ignore=LEFT_OUT)
        else:
            shutil.copy2(source, COPY / name)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]["version"]
    readme = COPY / "README.md"
    base = project.get("urls", {}).get("Repository")
    readme.write_text(absolute(readme.read_text(encoding="utf-8"), base, version), encoding="utf-8")


def main() -> None:
    """Build both packages, and check them."""
    copy()
    shutil.rmtree(DIST, ignore_errors=True)
    # zig links with the symbols of an old glibc, so that the wheel runs on all systems since CentOS 7.
    portable = ["--zig", "--compatibility", "manylinux2014"] if sys.platform == "linux" else []
    build = ["build", "--release", "--locked", "--strip", "--sdist", "--compression-level", "9"]
    tools = str(Path(sys.executable).parent)  # maturin looks for zig on the PATH
    at = {
        **os.environ,
        "CARGO_TARGET_DIR": str(ROOT / "target"),
        "PATH": os.pathsep.join([tools, os.environ["PATH"]]),
    }
    print(f"Compiling the engine for the wheel{', with Zig as its C compiler' if portable else ''}", flush=True)
    subprocess.run(
        [sys.executable, "-m", "maturin", *build, *portable, "--out", str(DIST)], cwd=COPY, env=at, check=True
    )
    packages = sorted(DIST.iterdir())
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *packages], check=True)
    wheel = next(each for each in packages if each.suffix == ".whl")
    subprocess.run([sys.executable, "-m", "check_wheel_contents", wheel], check=True)
    for each in packages:
        print(f"{each.relative_to(ROOT)}: {each.stat().st_size:,} bytes")
    if wheel.stat().st_size > MOST_BYTES:
        raise SystemExit(f"{wheel.name} must not be larger than {MOST_BYTES:,} bytes")


if __name__ == "__main__":
    main()
