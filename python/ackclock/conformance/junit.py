"""Writes results of scripts in the form of JUnit, which continuous integration reads."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

from ackclock.conformance.running import ScriptResult


def junit(results: Sequence[ScriptResult], unreadable: Mapping[Path, str]) -> str:
    """Return an XML document: a script that differs is a failure, one that is not expressible is skipped.

    Parameters
    ----------
    results
        Results of scripts.
    unreadable
        Scripts that could not be read, and why: errors.
    """
    counts = {
        "tests": len(results) + len(unreadable),
        "failures": sum(each.verdict == "differs" for each in results),
        "errors": len(unreadable),
        "skipped": sum(each.verdict == "inexpressible" for each in results),
    }
    suite = ET.Element("testsuite", {"name": "ackclock conform"} | {name: str(each) for name, each in counts.items()})
    for result in results:
        case = _case(suite, result.path)
        if result.verdict == "differs":
            message = f"line {result.line}: expected {result.expected}"
            failure = ET.SubElement(case, "failure", message=_plain(message))
            failure.text = _plain(f"expected {result.expected}\nfound {result.found}\n")
        elif result.verdict == "inexpressible":
            ET.SubElement(case, "skipped", message=_plain(f"line {result.line}: {result.reason}"))
    for path, reason in unreadable.items():
        ET.SubElement(_case(suite, path), "error", message=_plain(reason))
    ET.indent(suite)
    return ET.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def _case(suite: ET.Element, path: Path) -> ET.Element:
    return ET.SubElement(suite, "testcase", classname=_plain(path.parent.as_posix()), name=_plain(path.name))


def _plain(text: str) -> str:
    """Replace what XML does not allow."""
    return "".join(letter if letter.isprintable() or letter == "\n" else "?" for letter in text)
