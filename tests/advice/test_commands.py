"""The commands for Linux: the syntax of the manual pages of iproute2, with the parameters of the runs."""

from __future__ import annotations

import pytest

from ackclock.advice.commands import commands
from ackclock.advice.contenders import contenders, reference
from ackclock.advice.question import Question
from ackclock.engine.catalogue import catalogue

QUESTION = Question(rate="50 Mbps", up="10 Mbps", delay="20 ms", users=30, laws=("cubic", "bbr", "bbr3"))
AT_LINK = QUESTION.model_copy(update={"shaping": 1.0})

SHAPED = ["tc qdisc replace dev eth0 root handle 1: htb default 1"]
SHAPED += ["tc class replace dev eth0 parent 1: classid 1:1 htb rate 9500kbit"]
BELOW = "tc qdisc replace dev eth0 parent 1:1 "


def upward(question: Question, key: str) -> list[str]:
    """Return the commands for the direction from the users, and those for senders."""
    contender = next(each for each in contenders(question) if each.key == key)
    lines = [line for line in commands(question, contender) if not line.startswith("#")]
    return [line for line in lines if "eth1" not in line]


@pytest.mark.parametrize(
    ("key", "lines"),
    [
        ("cake cubic", ["tc qdisc replace dev eth0 root cake bandwidth 9500kbit besteffort triple-isolate"]),
        ("fq_codel cubic", [*SHAPED, f"{BELOW}fq_codel limit 10240 target 5ms interval 100ms noecn"]),
        ("pie cubic", [*SHAPED, f"{BELOW}pie limit 1000 target 15ms tupdate 15ms noecn"]),
        (
            "dualpi2 cubic",
            [*SHAPED, f"{BELOW}dualpi2 limit 10000 target 15ms tupdate 16ms alpha 0.16 beta 3.2 coupling_factor 2"],
        ),
        ("droptail 4 BDP cubic", ["tc qdisc replace dev eth0 root pfifo limit 67"]),  # 67 packets of 1,500 bytes
        (
            "fq_codel cubic ecn",
            [
                *SHAPED,
                f"{BELOW}fq_codel limit 10240 target 5ms interval 100ms ecn",
                "sysctl -w net.ipv4.tcp_ecn=1",
            ],
        ),
        (
            "cake bbr",
            [
                "tc qdisc replace dev eth0 root cake bandwidth 9500kbit besteffort triple-isolate",
                "sysctl -w net.ipv4.tcp_congestion_control=bbr",
            ],
        ),
    ],
)
def test_commands(key: str, lines: list[str]) -> None:
    """Validates: the commands that set up a recommended queue, shaped to 95 % of 10 Mb/s.

    Source: the manual pages tc-cake(8), tc-fq_codel(8), tc-pie(8), tc-dualpi2(8), tc-pfifo(8), tc-htb(8) of iproute2.
    Tolerance: exact.
    """
    assert upward(QUESTION, key) == lines


def test_the_link_itself_needs_no_shaper() -> None:
    assert upward(AT_LINK, "cake cubic") == ["tc qdisc replace dev eth0 root cake unlimited besteffort triple-isolate"]
    assert upward(AT_LINK, "pie cubic ecn")[0] == (
        "tc qdisc replace dev eth0 root pie limit 1000 target 15ms tupdate 15ms ecn"
    )


def test_cubic_is_set_where_another_law_is_in_use() -> None:
    asked = QUESTION.model_copy(update={"laws": ("bbr", "cubic")})
    assert upward(asked, "cake cubic")[-1] == "sysctl -w net.ipv4.tcp_congestion_control=cubic"


def test_of_equal_buffers_the_simplest_stays() -> None:
    """On 1 Mb/s and 20 ms, half and one, and one and two bandwidth-delay products have one or two packets."""
    slow = Question(rate="1 Mbps", delay="20 ms", users=2, queues=("droptail",), laws=("cubic",), ecn=False)
    found = contenders(slow)
    assert found[0].buffer == 1
    assert len({each.limits for each in found}) == len(found)


def test_bbr3_is_not_in_the_kernel() -> None:
    contender = next(each for each in contenders(QUESTION) if each.key == "cake bbr3")
    assert any("BBRv3 is not in the kernel" in line for line in commands(QUESTION, contender))


def test_the_runs_have_the_parameters_of_the_commands() -> None:
    """The times in the commands are the defaults of the engine's queues."""
    queues = catalogue().queues
    defaults = {
        (queue, name): parameter.default
        for queue in ("fq_codel", "pie", "dualpi2")
        for name, parameter in queues[queue].parameters.items()
    }
    assert defaults["fq_codel", "target"] == "5 ms"
    assert defaults["fq_codel", "interval"] == "100 ms"
    assert (defaults["pie", "target"], defaults["pie", "update"]) == ("15 ms", "15 ms")
    assert (defaults["dualpi2", "target"], defaults["dualpi2", "update"]) == ("15 ms", "16 ms")
    assert (defaults["dualpi2", "alpha"], defaults["dualpi2", "beta"]) == (0.16, 3.2)
    assert defaults["dualpi2", "coupling"] == 2


def test_the_reference_is_drop_tail_of_one_bandwidth_delay_product() -> None:
    """50 Mb/s and 10 Mb/s times 20 ms are 83.3 and 16.7 packets of 12,000 bits."""
    assert reference(QUESTION).limits == (83, 17)
