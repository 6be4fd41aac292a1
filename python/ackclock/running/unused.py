"""Notices about pacing rates that a scenario sets and nothing uses."""

from collections.abc import Iterator

from ackclock.scenario import Scenario, Tcp


def unused_rate(scenario: Scenario) -> Iterator[str]:
    """Report laws written in Python that set a pacing rate which their transport does not use."""
    for group in scenario.groups:
        tcp = group.transport
        if isinstance(tcp, Tcp) and tcp.law is not None and tcp.pacing != "law":
            from ackclock.laws.finding import known  # noqa: PLC0415  # few scenarios have such laws
            from ackclock.laws.source import source  # noqa: PLC0415

            law = known(tcp.law, tcp.law_sha256 or "")
            if law is not None and "pacing_rate" in source(law).names:
                yield (
                    f"The law {law.__name__} of group {group.name} sets a pacing rate without effect: the transport's "
                    f"pacing is {tcp.pacing}. With pacing law, the rate is used."
                )
