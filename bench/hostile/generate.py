"""Hostile cases: command lines with their input files, determined by the seed."""

import json
import math
import random
from dataclasses import dataclass
from typing import Any, Final

MEMORY: Final = "2GB"
"""Memory limit of a run, unless the case tests this option."""

_TIMES: Final = (
    *("0 s", "1 ps", "3 ps", "1 ns", "1 us", "40 us", "1 ms", "25 ms", "100 ms", "1 s", "10 s", "200 s", "3600 s"),
    *(
        "1e6 s",
        "17280000 s",
        "17280001 s",
        "1e99 s",
        "-1 s",
        "1.5 ps",
        "25",
        "ms",
        "",
        "1 s\n",
        "\u0661 s",
        "nan s",
        "inf s",
    ),
)
_RATES: Final = (
    *("1 bps", "7 bps", "9.6 kbps", "1 Mbps", "10 Mbps", "1 Gbps", "999.999999999 Gbps", "1000 Gbps"),
    *("0 bps", "1001 Gbps", "-1 Mbps", "10 mbps", "1e300 bps", "0.5 bps", "Mbps", "10", "\u202e10 Mbps"),
)
_SIZES: Final = ("1 B", "40 B", "1 kB", "1 MB", "1 GB", "1000000 GB", "0 B", "-1 B", "1e12 GB", "1", "B", "1 MiB")
_INTEGERS: Final = (
    *(0, 1, 2, 3, 7, 20, 50, 64, 65, 1000, 1500, 65_535, 65_536, 100_000, 10**6, 10**6 + 1, 10**7, 10**9, 10**9 + 1),
    *(10**12, 10**15, 2**31, 2**32, 2**63 - 1, 2**63, 2**64, 10**40, -1, -(10**9)),
)
_REALS: Final = (
    *(0.0, -0.0, 1e-300, 1e-9, 1e-6, 0.1, 0.5, 0.99, 1.0, 1.5, 100.0, 1e5, 1e6, 1e9, 1e10, 1e12, 1e300),
    *(math.nan, math.inf, -math.inf, -1.0),
)
_TEXTS: Final = (
    *(
        "",
        " ",
        "x",
        "reno",
        "droptail",
        "x" * 10_000,
        "a\x00b",
        "a\x1b[31mb",
        "a\r\nb",
        "\u202eabc",
        "\u00e9",
        "\U0001d518",
        "a/b@c,d",
    ),
    *("../../etc/passwd", "'; drop table runs; --", "{0}", "%s", "$(id)", "-", "--", "clients-0", "infinity"),
)

_TABLES: Final[tuple[Any, ...]] = ([], {}, [[]], {"kind": "tcp"}, True, False)
_KINDS: Final[tuple[tuple[Any, ...], ...]] = (_TIMES, _RATES, _SIZES, _INTEGERS, _REALS, _TEXTS, _TABLES)


@dataclass(frozen=True)
class Case:
    """A command line with its files."""

    number: int
    arguments: tuple[str, ...]
    files: dict[str, str]


def case(number: int, seed: int) -> Case:
    """Generate a case; it depends only on the number and the seed."""
    rng = random.Random(f"{seed}-{number}")  # noqa: S311
    scenario = rng.choice(_BASES)(rng)
    for _ in range(rng.choice((0, 1, 1, 1, 2, 2, 3, 5))):
        rng.choice(_HARMS)(rng, scenario)
    if rng.random() < 0.85:
        return Case(number, ("run", "case.toml", *_options(rng)), {"case.toml": toml(scenario)})
    replications = rng.choice((1, 1, 2, 0, -1, 10**6, 10**9, [1, 2], [1, 1], "x"))
    study: dict[str, Any] = {"scenario": scenario, "replications": replications}
    paths = [
        "clients.0.count",
        "duration",
        "clients.0.transport.max_window",
        "measure.bin",
        "dumbbell.bottleneck.rate",
        "x",
    ]

    def values() -> list[Any]:
        return rng.sample(_INTEGERS, 2) if rng.random() < 0.7 else [wild(rng) for _ in range(3)]

    match rng.randrange(4):
        case 0:
            study["over"] = {rng.choice(paths): values() for _ in range(2)}
        case 1:
            study["over"] = {f"a{axis}.b": list(range(10_000)) for axis in range(3)}
        case 2:
            study["points"] = [{rng.choice(paths): each} for each in values()]
        case _:
            study["variants"] = {rng.choice(_TEXTS): {}, "b": {"clients.0.transport.max_window": rng.choice(_INTEGERS)}}
    return Case(number, ("sweep", "case.toml", "--store", "store", "--memory", MEMORY), {"case.toml": toml(study)})


def wild(rng: random.Random) -> Any:
    """Generate a value of a random type."""
    return rng.choice(rng.choice(_KINDS))


def toml(value: Any) -> str:
    r"""Write tables as TOML, with each value on one line.

    >>> toml({"a": {"b": [1, math.nan, True]}, "c": "x"})
    '"a" = { "b" = [1, nan, true] }\n"c" = "x"\n'
    """
    return "".join(f"{json.dumps(name)} = {_inline(each)}\n" for name, each in value.items())


class _Written(str):
    """A value that is TOML already."""

    __slots__ = ()


def _inline(value: Any) -> str:
    if isinstance(value, _Written):
        return str(value)
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(name)} = {_inline(each)}" for name, each in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_inline, value)) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return json.dumps(value)


# --------------------------------------------------------------------------------------------------------------------
# Valid scenarios, before the damage


def _queue(rng: random.Random) -> dict[str, Any]:
    if rng.random() < 0.2:
        return {"kind": "red", "packets": rng.choice((50, 1000)), "min_th": 5, "max_th": 15}
    return {"kind": "droptail", "packets": rng.choice((1, 5, 50, 1000, 10**6, 10**12, 10**15))}


def _link(rng: random.Random) -> dict[str, Any]:
    rate = rng.choice(("9.6 kbps", "1 Mbps", "10 Mbps", "1 Gbps", "100 Gbps", "1000 Gbps"))
    link = {"rate": rate, "delay": rng.choice(("0 s", "1 us", "1 ms", "25 ms", "1 s", "3600 s")), "queue": _queue(rng)}
    if rng.random() < 0.2:
        link["loss"] = {"kind": "random", "probability": rng.choice((0, 0.01, 0.5, 1))}
    return link


def _transport(rng: random.Random) -> dict[str, Any]:
    if rng.random() < 0.3:
        return {"kind": "udp", "packet_sizes": rng.choice(("fixed", "exponential"))}
    variant = rng.choice(("tahoe", "reno", "newreno", "sack", "vegas"))
    window = rng.choice((1, 20, 1000, 10**5, 10**6, 10**9))
    tcp = {"kind": "tcp", "variant": variant, "max_window": window}
    if rng.random() < 0.3:
        tcp["initial_window"] = window
    return tcp


def _source(rng: random.Random, transport: dict[str, Any]) -> dict[str, Any]:
    rate = rng.choice((1e-6, 1, 100, 1e4, 1e6, 1e9))
    drawn = rng.choice(({"kind": "poisson", "rate": rate}, {"kind": "constant", "rate": rate}, None, None, None))
    if drawn is not None:
        return drawn
    period = {
        "kind": "pareto",
        "mean": rng.choice(("1 us", "500 ms", "1000 s")),
        "shape": rng.choice((1.01, 1.2, 100)),
    }
    match rng.randrange(4 if transport["kind"] == "tcp" else 2):
        case 0:
            return {"kind": "onoff", "rate": rate, "on": period, "off": {"kind": "exponential", "mean": "10 ms"}}
        case 1:
            return {
                "kind": "fgn",
                "rate": rate,
                "hurst": 0.8,
                "cov": 0.3,
                "bin": rng.choice(("1 us", "1 ms", "100 ms")),
            }
        case 2:
            return {"kind": "greedy"} | ({"size": rng.choice(("1 B", "1 MB", "1 GB"))} if rng.random() < 0.5 else {})
        case _:
            return {"kind": "transfers", "size": {"kind": "fixed", "mean": "10 kB"}, "think": period}


def _traffic(rng: random.Random) -> dict[str, Any]:
    transport = _transport(rng)
    group = {"count": rng.choice((1, 1, 2, 10, 60, 1000, 10**5)), "transport": transport}
    return group | {"source": _source(rng, transport)}


def _top(rng: random.Random) -> dict[str, Any]:
    duration, width = rng.choice(
        (("1 ms", "100 us"), ("100 ms", "1 ms"), ("1 s", "100 ms"), ("10 s", "100 ms"), ("1000 s", "1 s"))
    )
    top = {"duration": duration, "measure": {"bin": width}, "packet_size": rng.choice((41, 100, 1500, 9000, 65_535))}
    return top | ({"profile": rng.choice(("rfc", "ns2-2.35", "ns2-2000"))} if rng.random() < 0.5 else {})


def _dumbbell(rng: random.Random) -> dict[str, Any]:
    dumbbell = {"access": _link(rng), "bottleneck": _link(rng)}
    return _top(rng) | {"dumbbell": dumbbell, "clients": [_traffic(rng) for _ in range(rng.choice((1, 1, 2, 5)))]}


def _graph(rng: random.Random) -> dict[str, Any]:
    count = rng.choice((2, 3, 10, 100, 3000))
    names = [f"n{place}" for place in range(count)]
    joined = [(place, rng.randrange(place) if rng.random() < 0.5 else place - 1) for place in range(1, count)]
    links = [{"from": names[place], "to": names[to], **_link(rng)} for place, to in joined]
    flows = [
        {**dict(zip(("from", "to"), rng.sample(names, 2), strict=True)), **_traffic(rng)}
        for _ in range(rng.choice((1, 2, 20)))
    ]
    scenario = _top(rng) | {"nodes": [{"name": name} for name in names], "links": links, "flows": flows}
    scenario["measure"] = scenario["measure"] | {"link": "n1->n0"}
    return scenario


_BASES: Final = (_dumbbell, _dumbbell, _dumbbell, _graph)


# --------------------------------------------------------------------------------------------------------------------
# Damage


def _places(value: Any) -> list[tuple[Any, Any]]:
    """List the location of each value: its container, and its key or index."""
    names = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    found = [(value, name) for name in names]
    for name in names:
        found += _places(value[name])
    return found[:2000]


def _same_kind(rng: random.Random, value: Any) -> Any:
    if isinstance(value, str):
        kinds = [kind for kind in (_TIMES, _RATES, _SIZES) if value in kind]
        return rng.choice(rng.choice(kinds or [_TEXTS]))
    return rng.choice(_INTEGERS if isinstance(value, int) else _REALS)


def _change(rng: random.Random, scenario: dict[str, Any]) -> None:
    holder, name = rng.choice(_places(scenario))
    holder[name] = _same_kind(rng, holder[name]) if not isinstance(holder[name], dict | list) else wild(rng)


def _replace(rng: random.Random, scenario: dict[str, Any]) -> None:
    holder, name = rng.choice(_places(scenario))
    holder[name] = wild(rng)


def _remove(rng: random.Random, scenario: dict[str, Any]) -> None:
    holder, name = rng.choice(_places(scenario))
    del holder[name]


def _add(rng: random.Random, scenario: dict[str, Any]) -> None:
    tables = [scenario, *(holder[name] for holder, name in _places(scenario) if isinstance(holder[name], dict))]
    known = (
        "start",
        "spread",
        "name",
        "overhead",
        "initial_window",
        "min_rto",
        "delayed_ack_timeout",
        "rate_trace",
        "from",
    )
    rng.choice(tables)[rng.choice((*known, *_TEXTS))] = wild(rng)


def _deep(rng: random.Random, scenario: dict[str, Any]) -> None:
    depth = rng.choice((5, 100, 900, 5000))
    begin, end = rng.choice((("[", "]"), ("{ a = ", " }"), ("[{ a = ", " }]")))
    scenario[rng.choice(("clients", "dumbbell", "x"))] = _Written(begin * depth + "1" + end * depth)


_HARMS: Final = (_change, _change, _change, _replace, _remove, _add, _deep)


def _options(rng: random.Random) -> list[str]:
    options = ["--memory", MEMORY if rng.random() < 0.95 else rng.choice(_SIZES)]
    if rng.random() < 0.35:
        kinds = ("arrivals", "queue", "drops", "packets", "windows", "acks", "transfers", rng.choice(_TEXTS))
        intervals = ("", "", "/10ms", "/1us", "/1ps", "/0s", "/" + rng.choice(_TIMES))
        for kind in rng.sample(kinds, rng.choice((1, 1, 2, 6))):
            options += ["--record", kind + rng.choice(intervals)]
        options += ["--out", "result"] if rng.random() < 0.7 else []
    if rng.random() < 0.1:
        options += ["--pcap", rng.choice(("bottleneck", "access.0", "n1->n0", "x")) + "=taken.pcapng"]
    if rng.random() < 0.1:
        options += ["--seed", str(rng.choice(_INTEGERS))]
    if rng.random() < 0.2:
        options += ["--set", f"{rng.choice(('duration', 'clients.0.count', 'a.b', ''))}={wild(rng)}"]
    if rng.random() < 0.2:
        options += ["--json"]
    return [option.replace("\0", "") for option in options]
