"""Names that the shell completes; each function imports what it needs only then."""

from collections.abc import Mapping

_Names = list[tuple[str, str]]
"""Names and their meanings, which some shells show."""


def kinds(incomplete: str) -> _Names:
    """Complete the kind of a scenario for ``ackclock init``."""
    from ackclock.cli.starting import KINDS  # noqa: PLC0415

    return _beginning(incomplete, KINDS)


def studies(incomplete: str) -> _Names:
    """Complete the name of a study."""
    from ackclock.papers import STUDIES  # noqa: PLC0415

    return _beginning(incomplete, STUDIES)


def profile_names(incomplete: str) -> _Names:
    """Complete the name of a profile."""
    from ackclock.scenario.profile import PROFILES  # noqa: PLC0415

    return _beginning(incomplete, PROFILES)


def variants(incomplete: str) -> _Names:
    """Complete the name of a TCP variant."""
    from ackclock.engine.catalogue import catalogue  # noqa: PLC0415

    return _beginning(incomplete, {name: variant.doc for name, variant in catalogue().variants.items()})


def lists(incomplete: str) -> _Names:
    """Complete the name of a list of ``ackclock list``."""
    from ackclock.cli.listing import LISTS  # noqa: PLC0415

    return _beginning(incomplete, dict.fromkeys(LISTS, ""))


def records(incomplete: str) -> _Names:
    """Complete the kind of a record."""
    from ackclock.running.records import KINDS  # noqa: PLC0415

    return _beginning(incomplete, dict.fromkeys(KINDS, ""))


def figures(incomplete: str) -> _Names:
    """Complete the name of a figure."""
    from ackclock.running.figures import FIGURES  # noqa: PLC0415

    return _beginning(incomplete, {kind.name: kind.doc for kind in FIGURES})


def experiments(incomplete: str) -> _Names:
    """Complete the key of an experiment with laws."""
    from ackclock.scorecard.experiments import EXPERIMENTS  # noqa: PLC0415

    return _beginning(incomplete, {each.key: each.question for each in EXPERIMENTS})


def queue_experiments(incomplete: str) -> _Names:
    """Complete the key of an experiment with queues."""
    from ackclock.scorecard.queues import EXPERIMENTS  # noqa: PLC0415

    return _beginning(incomplete, {each.key: each.question for each in EXPERIMENTS})


def _beginning(incomplete: str, names: Mapping[str, str]) -> _Names:
    return [(name, meaning) for name, meaning in names.items() if name.startswith(incomplete)]
