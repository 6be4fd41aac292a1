"""The faults of `make mutants`: mutated and excluded code, and the tests that judge a mutant."""

from __future__ import annotations

import json
import threading
from functools import partial
from typing import TYPE_CHECKING, Any

import coverage
import pytest

from mutants.__main__ import go_on
from mutants.changes import changed_lines
from mutants.edits import mutants_of, sample
from mutants.judging import Judge, Outcome, Tree

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from mutants.edits import Mutant

PACKAGE = "python/ackclock"


def found(root: Path, text: str, name: str = "some.py") -> list[Mutant]:
    path = root / PACKAGE / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return mutants_of(root, PACKAGE)


@pytest.mark.parametrize(
    ("text", "mutated"),
    [
        ("a < b", ["a <= b"]),
        ("a is not b", ["a is b"]),
        ("(a - b) * c", ["(a - b) / c", "(a + b) * c"]),
        ("a and b or c", ["a and b and c", "a or b or c"]),
        ("not a", ["a"]),
        ("x = f(-1)", ["x = f(1)", "x = f(-2)"]),
        ("x = var(a, ddof=1)", ["x = var(a)", "x = var(a, ddof=2)"]),
        ("x = a if b else c", ["x = a if (not (b)) else c"]),
        ("f(True)", ["pass", "f(False)"]),
        ("x += 'é' and y", ["x -= 'é' and y", "x += 'é' or y"]),
    ],
)
def test_faults(tmp_path: Path, text: str, mutated: list[str]) -> None:
    assert [mutant.apply(text.encode()).decode() for mutant in found(tmp_path, text)] == mutated


@pytest.mark.parametrize(
    "text",
    [
        '"""1 + 1."""',
        "x: Literal[1] | None",
        "if TYPE_CHECKING:\n    N = 1 + 1",
        "if __name__ == '__main__':\n    main(1)",
        "__all__ = ['a', *OTHERS[1:]]",
        "@cache(maxsize=1)\ndef f() -> None: ...",
        "raise ValueError(f'{1 + 1}')",
        "print_nothing = f'{a + 1}'",
        "x = [*zip(a, b, strict=True)]",
        "x = Point(a=b)",
        "x = open(path, encoding='utf-8')",
        "from a import b",
    ],
)
def test_what_is_left_alone(tmp_path: Path, text: str) -> None:
    assert found(tmp_path, text) == []


def test_numbers_of_looks_are_left_alone(tmp_path: Path) -> None:
    kinds = [mutant.kind for mutant in found(tmp_path, "x = pen(width=1.5, dashed=not solid)", "drawing/paper.py")]
    assert kinds == ["sign or not"]


def test_fewer_of_a_seed_are_the_first_of_more(tmp_path: Path) -> None:
    found(tmp_path, "\n".join(f"x{place} = a + {place}" for place in range(10)))
    names = [mutant.name for mutant in sample(tmp_path, PACKAGE, count=9, seed=1)]
    assert [mutant.name for mutant in sample(tmp_path, PACKAGE, count=3, seed=1)] == names[:3]
    assert [mutant.name for mutant in sample(tmp_path, PACKAGE, count=9, seed=2)] != names


def test_changed_lines_are_those_after_the_patch() -> None:
    patch = "--- a/x.py\n+++ b/x.py\n@@ -3,0 +4,2 @@\n+a\n+b\n@@ -9 +11 @@\n-c\n+d\n@@ -20,3 +21,0 @@\n-e\n-f\n-g\n"
    removed = "--- a/y.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"
    assert changed_lines(patch + removed) == {"x.py": {4, 5, 11}}


def test_only_changed_lines_are_mutated(tmp_path: Path) -> None:
    text = "a = 1\nb = f(\n    2,\n    c=d,\n)\nif a:\n    e = 3\n"
    found(tmp_path, text)
    found(tmp_path, text, "other.py")
    only = {f"{PACKAGE}/some.py": {4, 7}}
    drawn = {mutant.before: mutant.file for mutant in sample(tmp_path, PACKAGE, count=99, seed=1, lines=only)}
    assert drawn == dict.fromkeys(["2", "c=d,", "3"], f"{PACKAGE}/some.py")


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    """Return a judge for two files and six tests; one test fails without a mutant, and one starts a process."""
    tree = Tree(tmp_path)
    found(tree.root, "from ackclock.some import N\n\ndef g():\n    return N\n", "user.py")
    found(tree.root, "N = 1\n\ndef f(x):\n    if x:\n        return 2\n    return 3\n\ndef h():\n    return 4\n")
    data = coverage.CoverageData(str(tree.data))
    for context, file, line in [
        ("a.py::slow", "some.py", 4),
        ("b.py::quick", "some.py", 4),
        ("a.py::second", "some.py", 4),
        ("fixture wide", "some.py", 5),
        ("broken.py::test", "some.py", 5),
        ("b.py::quick", "some.py", 6),
        ("user.py::test", "user.py", 4),
    ]:
        data.set_context(context)
        data.add_lines({str(tree.root / PACKAGE / file): [line]})
    data.write()
    tests = {
        name: {"seconds": seconds, "fixtures": fixtures, "passed": name != "broken.py::test", "starts": name[0] == "s"}
        for name, seconds, fixtures in [
            ("a.py::slow", 2.0, []),
            ("a.py::second", 1.0, ["fixture wide"]),
            ("b.py::quick", 0.1, []),
            ("broken.py::test", 0.0, []),
            ("user.py::test", 9.0, []),
            ("starts.py::test", 0.0, []),
        ]
    }
    tree.tests_file.write_text(json.dumps(tests), encoding="utf-8")
    return Judge(tree, 0)


def test_a_mutant_that_acts_on_import_is_judged_by_tests_of_files_that_import_it(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    (number,) = found(tree.root, "N = 1\n", "data.py")
    (tree.root / "tests").mkdir()
    for name, text in (
        ("world", "from ackclock.data import N"),
        ("test_direct", "import ackclock.data"),
        ("test_through_world", "from tests import world"),
        ("test_other", "import ackclock"),
    ):
        (tree.root / "tests" / f"{name}.py").write_text(text, encoding="utf-8")
    coverage.CoverageData(str(tree.data)).write()
    test = {"seconds": 1.0, "fixtures": [], "passed": True, "starts": False}
    names = [f"tests/test_{name}.py::test" for name in ("direct", "other", "through_world")]
    tree.tests_file.write_text(json.dumps(dict.fromkeys(names, test)), encoding="utf-8")
    assert Judge(tree, 0).tests_of(number) == [names[0], names[2]]


def test_a_mutant_of_a_study_is_judged_by_tests_of_the_whole_study(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    (number,) = found(tree.root, "N = 1\n", "papers/some/claims.py")
    (tree.root / "tests").mkdir()
    package = tree.root / PACKAGE / "papers"
    (package / "other").mkdir()
    for path, text in (
        (package / "some" / "study.py", "from ackclock.papers.some.claims import N"),
        (package / "other" / "claims.py", "from ackclock.papers.some.claims import N"),
        (tree.root / "tests" / "papers.py", "from ackclock.papers.some.study import N"),
        (tree.root / "tests" / "test_all.py", "from tests.papers import N"),
        (tree.root / "tests" / "test_other.py", "from ackclock.papers.other.claims import N"),
    ):
        path.write_text(text, encoding="utf-8")
    coverage.CoverageData(str(tree.data)).write()
    test = {"seconds": 1.0, "fixtures": [], "passed": True, "starts": False}
    names = [f"tests/test_{name}.py::test" for name in ("all", "other")]
    tree.tests_file.write_text(json.dumps(dict.fromkeys(names, test)), encoding="utf-8")
    assert Judge(tree, 0).tests_of(number) == names[:1]


def test_a_mutant_is_judged_by_the_tests_that_reach_it(judge: Judge) -> None:
    chosen = {
        (mutant.line, mutant.before): judge.tests_of(mutant)
        for mutant in mutants_of(judge.tree.root, PACKAGE)
        if mutant.file.endswith("some.py")
    }
    assert chosen == {
        # code that runs on import: tests that reach this file or a file that imports it, the fastest file first
        (1, "1"): ["b.py::quick", "a.py::second", "a.py::slow", "user.py::test"],
        (4, "x"): ["b.py::quick", "a.py::second", "a.py::slow"],
        # reached by a fixture of several tests; a test that fails without a mutant is not used
        (5, "2"): ["a.py::second"],
        (6, "3"): ["b.py::quick"],
        # reached by no test in this process
        (9, "4"): ["starts.py::test"],
    }


def test_mutants_are_shared_among_judges_and_those_in_the_log_are_not_judged_again(tmp_path: Path) -> None:
    log, busy, meet = tmp_path / "some.jsonl", [], threading.Barrier(2, timeout=60)

    def judge(number: int, mutant: Mapping[str, Any]) -> Outcome:
        busy.append(number)
        meet.wait()  # neither judge ends before the other one has a mutant
        return Outcome(outcome="caught", test=f"{mutant['name']}.py", tests=1, seconds=0.0)

    log.write_text(json.dumps({"name": "b", "outcome": "survived"}) + "\n", encoding="utf-8")
    go_on(log, [{"name": name} for name in "abc"], [partial(judge, number) for number in (1, 2)])
    outcomes = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert sorted(busy) == [1, 2]
    assert sorted((one["name"], one["outcome"], one.get("test")) for one in outcomes) == [
        ("a", "caught", "a.py"), ("b", "survived", None), ("c", "caught", "c.py"),
    ]  # fmt: skip
