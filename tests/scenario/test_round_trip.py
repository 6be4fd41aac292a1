"""Scenarios with every field in every form: TOML preserves them, and the engine accepts them."""

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

import ackclock as ac
from ackclock.engine.catalogue import Entry, Parameter, catalogue
from ackclock.scenario.profile import PROFILES
from ackclock.values.quantity import RATE, SIZE, TIME, Quantity

if TYPE_CHECKING:
    from pydantic import BaseModel

CODEL = f"{Path(__file__).parents[2] / 'examples' / 'codel.py'}:Codel"
CUBIC = f"{Path(__file__).parents[2] / 'examples' / 'cubic.py'}:Cubic"
BURSTS = str(Path(__file__).parents[2] / "examples" / "bursts.csv")
flags = st.booleans()
names = st.from_regex(r"[a-z][\w.>-]{0,8}", fullmatch=True)


def quantities(quantity: Quantity, low: str, high: str) -> st.SearchStrategy[str]:
    """Draw quantities in any unit in which they are whole numbers."""
    bases = st.integers(quantity.parse(low), quantity.parse(high))
    return st.builds(
        lambda base, unit: f"{base * quantity.units[unit]} {quantity.spoken[0]}",
        bases,
        st.just(next(iter(quantity.units))),
    ) | bases.map(quantity.format)


waits = quantities(TIME, "0 s", "1000 s")
timers = quantities(TIME, "1 us", "1 s")
rates = quantities(RATE, "1 bps", "100 Gbps")
delays = quantities(TIME, "1 ms", "1 s")


def tables(
    required: dict[str, st.SearchStrategy[Any]], optional: dict[str, st.SearchStrategy[Any]]
) -> st.SearchStrategy[dict[str, Any]]:
    """Draw tables with all required fields and any of the optional fields."""
    return st.fixed_dictionaries(required, optional=optional)


def declared(entry: Entry) -> dict[str, st.SearchStrategy[Any]]:
    """Draw the parameters that a window law or a queue declares."""
    return {name: _parameter(parameter) for name, parameter in entry.parameters.items()}


def _parameter(parameter: Parameter) -> st.SearchStrategy[Any]:
    schema = parameter.kind.schema
    if schema.get("type") == "boolean":
        return flags
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if schema.get("type") == "integer":
        step = 8 if parameter.name == "queues" else 1  # CAKE's
        return st.integers(-(-schema["minimum"] // step), schema["maximum"] // step).map(lambda value: step * value)
    if parameter.quantity is not None:
        return st.just(parameter.default)
    # The default and half of it are always within the bounds, and keep thresholds in order.
    default = float(parameter.default)
    return st.sampled_from([default, default / 2 if parameter.name not in {"max_th", "beta"} else default])


def queues() -> st.SearchStrategy[dict[str, Any]]:
    """Draw queues of every kind, and one whose discipline is written in Python; its digest is added when it is read."""
    limits = st.integers(1, 10**6)

    def of(kind: str, entry: Entry) -> st.SearchStrategy[dict[str, Any]]:
        common = {"kind": st.just(kind)}
        optional = {"count_in_service": flags} | declared(entry)
        both = tables(common, optional | {"packets": limits}) | tables(common, optional | {"bytes": limits})
        # with byte_mode, PIE divides by mtu
        return both.filter(lambda queue: not queue.get("byte_mode") or queue.get("mtu") != 0) if kind == "pie" else both

    own = {"count_in_service": flags, "mtu": st.sampled_from([0, 1500]), "ecn": flags}
    codel = tables({"kind": st.just("python"), "discipline": st.just(CODEL)}, own | {"packets": limits})
    return st.one_of([codel, *(of(kind, entry) for kind, entry in catalogue().queues.items())])


places = st.sampled_from(["before", "after"])
probabilities = st.floats(0, 1) | st.integers(0, 1)
losses = st.one_of(
    tables(
        {"kind": st.just("list"), "packets": st.lists(st.integers(1, 10**6), min_size=1, max_size=8, unique=True)},
        {"place": places},
    ),
    tables({"kind": st.just("random"), "probability": probabilities}, {"place": places}),
    tables(
        {"kind": st.just("gilbert-elliott-packets"), "to_bad": probabilities, "to_good": st.floats(1e-9, 1)},
        {"good": probabilities, "bad": probabilities, "place": places},
    ),
    tables(
        {
            "kind": st.just("gilbert-elliott-time"),
            "good_time": quantities(TIME, "1 ns", "100 s"),
            "bad_time": quantities(TIME, "1 ns", "100 s"),
        },
        {"good": probabilities, "bad": probabilities, "place": places},
    ),
    st.fixed_dictionaries({"kind": st.just("random"), "probability": probabilities, "idle": probabilities}),
)
delay_traces = tables(
    {
        "steps": st.lists(delays, min_size=1, max_size=4).map(
            lambda given: [[f"{place} s", delay] for place, delay in enumerate(given)]
        )
    },
    {"period": quantities(TIME, "10 s", "100 s"), "reorders": flags},
)
loss_traces = tables(
    {
        "steps": st.lists(probabilities, min_size=1, max_size=4).map(
            lambda given: [[f"{place} s", loss] for place, loss in enumerate(given)]
        )
    },
    {"period": quantities(TIME, "10 s", "100 s"), "place": places},
)


buckets = st.fixed_dictionaries({"rate": rates, "burst": st.integers(65_535, 10**9)})
jitters = tables({"max": delays}, {"reorders": flags})
reorders = st.fixed_dictionaries({"probability": probabilities, "delay": delays})


air_times = quantities(TIME, "0 s", "1 ms")
MEDIUM: dict[str, st.SearchStrategy[Any]] = {
    **dict.fromkeys(("sifs", "aifs", "preamble", "symbol", "ack", "block_ack", "aggregate_time"), air_times),
    "slot": quantities(TIME, "1 us", "100 us"),
    "cw_min": st.integers(0, 31),
    "cw_max": st.integers(1023, 65_535),
    "overhead": st.integers(0, 100),
    "aggregate_packets": st.integers(1, 1024),
    "aggregate_bytes": st.integers(1, 10**6),
    "retries": st.integers(0, 255),
    "schedule": st.sampled_from(["turns", "airtime"]),
}
"""Fields of a medium in addition to its name."""


rate_traces = st.fixed_dictionaries(
    {
        "steps": st.lists(quantities(RATE, "0 bps", "1 Gbps"), max_size=4).map(
            lambda given: [[f"{place} s", rate] for place, rate in enumerate([*given, "1 Mbps"])]
        )
    },
    optional={"period": quantities(TIME, "10 s", "100 s")},
)


framings = tables(
    {},
    {"kind": st.sampled_from(["plain", "atm", "ptm"]), "overhead": st.integers(-30, 256), "mpu": st.integers(0, 256)},
)


def links(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Draw links with a constant rate or with a trace."""
    changes = {"loss": losses, "policer": buckets, "shaper": buckets, "jitter": jitters, "reorder": reorders}
    changes["framing"] = framings
    more = {"queue": queues(), "reverse_rate_trace": rate_traces, **changes, **fields}
    lossy = {name: field for name, field in more.items() if name not in {"loss", "jitter"}}
    lossy["loss_trace"] = loss_traces
    return (
        tables({"rate": rates, "delay": delays}, more)
        | tables({"rate_trace": rate_traces, "delay": delays}, more)
        | tables({"rate": rates, "delay_trace": delay_traces}, lossy)
    )


def changes() -> st.SearchStrategy[list[dict[str, Any]]]:
    """Draw changes of links that every dumbbell has: the measured one may be that of one of several clients."""
    up = st.fixed_dictionaries({"up": st.just(True)})  # noqa: FBT003
    change = st.builds(
        lambda at, fields, named: {"at": at, "links": named, **fields},
        quantities(TIME, "0 s", "9 s"),
        up,
        st.sampled_from([["bottleneck"], ["bottleneck.reverse"]]),
    )
    return st.lists(change, max_size=3)


GROUP = {
    *("name", "count", "packet_size", "start", "spread", "transport", "source"),
    *("priority", "weight", "ceiling", "dscp"),
}
_NARROWER: dict[str, st.SearchStrategy[Any]] = {
    "max_window": st.integers(1, 10**6),
    "initial_window": st.integers(1, 100),
    "lone_segments": st.integers(0, 10),
    "sack_blocks": st.integers(1, 4),  # recovery sack needs one
    "recovery_burst": st.integers(0, 10),
    "overhead": waits,
    "delayed_ack_timeout": waits,
    "clock": timers,
    "clock_phase": st.just("random") | waits,
    "min_rto": quantities(TIME, "0 s", "1 s"),
    "max_rto": quantities(TIME, "100 s", "1000 s"),
    "initial_rto": timers,
}
TCP: dict[str, st.SearchStrategy[Any]] = {
    name: _NARROWER[name] if name in _NARROWER else _parameter(option)
    for name, option in catalogue().tcp_options.items()
}
"""Fields of TCP in addition to its kind, its variant and the parameters of its window law."""


def transports() -> st.SearchStrategy[dict[str, Any]]:
    """Draw TCP of every variant, and with a law written in Python, whose digest is added when it is read."""
    known = catalogue()
    alone = [each.recovery for each in known.variants.values() if each.recovery]
    bundles = [name for name, each in known.variants.items() if each.recovery]
    recoveries = {"variant": st.sampled_from(bundles), "recovery": st.sampled_from(alone)}
    law = {"compiled": st.just(value=False), "fast_convergence": flags}
    cubic = {"kind": st.just("tcp"), "law": st.just(CUBIC)}
    others = {name: values for name, values in TCP.items() if name != "recovery"}
    laws = [tables(cubic, others | law | {name: values}) for name, values in recoveries.items()]
    # the laws that sample delivery rates need RACK, and Prague needs accurate feedback
    rack = {"recovery": st.just("rack")}
    options = dict.fromkeys(("bbr", "bbr3", "copa"), TCP | rack) | dict.fromkeys(bundles, others)
    options["prague"] = {name: values for name, values in (TCP | rack).items() if name != "ecn"}
    return st.one_of(
        laws
        + [
            tables(
                {"kind": st.just("tcp"), "variant": st.just(name)},
                options.get(name, TCP) | declared(known.law_of(name)),
            )
            for name in known.variants
        ]
    )


def distributions(means: st.SearchStrategy[str]) -> st.SearchStrategy[dict[str, Any]]:
    """Draw distributions of every kind."""
    by_mean = st.fixed_dictionaries({"kind": st.sampled_from(["fixed", "exponential"]), "mean": means})
    shapes = st.floats(1.01, 10) | st.integers(2, 10)
    pareto = st.fixed_dictionaries({"kind": st.just("pareto"), "mean": means, "shape": shapes})
    return (
        by_mean
        | pareto
        | st.fixed_dictionaries({"kind": st.just("lognormal"), "mean": means, "sigma": shapes.map(_half)})
    )


def _half(number: float) -> float:
    return number / 2


def size_tables() -> st.SearchStrategy[dict[str, Any]]:
    """Draw tables of sizes, by name and by points."""
    named = st.fixed_dictionaries({"kind": st.just("table"), "name": st.sampled_from(["web-search", "data-mining"])})
    cdf = st.sampled_from([[["1 B", 1]], [["0 B", 0.25], ["1 kB", 0.5], ["1 kB", 0.75], ["2.5 MB", 1.0]]])
    return named | st.fixed_dictionaries({"kind": st.just("table"), "cdf": cdf})


def groups(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Draw groups of flows; ``fields`` are those of a form."""
    packet_rates = st.floats(0.001, 1e6) | st.integers(1, 1000)
    paced = st.sampled_from(["poisson", "constant"]).flatmap(
        lambda kind: st.fixed_dictionaries({"kind": st.just(kind), "rate": packet_rates})
    )
    periods = distributions(quantities(TIME, "1 us", "1000 s"))
    on_off = st.fixed_dictionaries({"kind": st.just("onoff"), "rate": packet_rates, "on": periods, "off": periods})
    noise = st.fixed_dictionaries(
        {
            "kind": st.just("fgn"),
            "rate": packet_rates,
            "hurst": st.floats(0.01, 0.99),
            "cov": st.floats(0, 1) | st.integers(0, 1),
            "bin": quantities(TIME, "100 ms", "1000 s"),
        }
    )
    traces = tables(
        {"kind": st.just("trace"), "path": st.just(BURSTS)},
        {
            "scale": st.floats(0.001, 1000),
            "period": quantities(TIME, "10 s", "1000 s"),
            "offset": quantities(TIME, "0 s", "9 s"),
        },
    )
    sizes = distributions(quantities(SIZE, "1 B", "1 GB"))
    sizes |= size_tables()
    transfers = st.fixed_dictionaries({"kind": st.just("transfers"), "size": sizes, "think": periods})
    requests = st.fixed_dictionaries({"kind": st.just("requests"), "size": sizes, "every": periods})
    frames = tables(
        {"kind": st.just("frames"), "rate": st.floats(0.001, 1e6)},
        {"packets": st.integers(1, 100), "key_every": st.integers(0, 1000), "key_packets": st.integers(1, 100)},
    ).filter(lambda frames: frames.get("key_packets", 1) == 1 or frames.get("key_every", 0) > 0)
    pages = tables(
        {"kind": st.just("pages"), "document": sizes, "objects": st.integers(1, 100), "size": sizes, "think": periods},
        {"connections": st.integers(1, 20)},
    )
    connections = tables(
        {"kind": st.just("connections"), "load": st.floats(0.01, 2) | st.just(1), "size": sizes},
        {"connections": st.integers(1, 256)},
    )
    greedy = tables({"kind": st.just("greedy")}, {"size": quantities(SIZE, "1 B", "1 GB")})
    common = {
        "count": st.integers(1, 1000),
        "packet_size": st.integers(53, 65535),
        "start": quantities(TIME, "0 s", "9 s"),
        "spread": quantities(TIME, "0 s", "1 s"),
        "priority": st.integers(0, 7),
        "weight": st.integers(1, 1000),
        "ceiling": rates,
        "dscp": st.integers(0, 63) | st.sampled_from(["EF", "CS1", "AF41", "LE"]),
    }
    udp = tables({"kind": st.just("udp")}, {"packet_sizes": st.sampled_from(["fixed", "exponential"])})
    datagrams = paced | on_off | noise | frames | traces
    over_tcp = datagrams | greedy | transfers | requests | pages | connections | videos()
    plain = tables({"transport": transports(), "source": over_tcp}, common | fields)
    plain |= tables({"transport": udp, "source": datagrams}, common | fields)
    plain |= tables({"transport": st.just({"kind": "udp"}), "source": calls()}, common | fields)
    return st.builds(_scheduled, plain, schedules())


def calls() -> st.SearchStrategy[dict[str, Any]]:
    """Draw calls that adapt."""
    bitrates = {
        "min_bitrate": quantities(RATE, "1 kbps", "300 kbps"),
        "max_bitrate": quantities(RATE, "300 kbps", "1 Gbps"),
    }
    return tables(
        {"kind": st.just("call")},
        bitrates | {"rate": st.floats(0.001, 1e6), "feedback": quantities(TIME, "1 ms", "10 s")},
    )


def videos() -> st.SearchStrategy[dict[str, Any]]:
    """Draw adaptive videos whose buffers have room."""
    common = {
        "bitrates": st.lists(st.integers(1, 10**6), min_size=1, max_size=10, unique=True).map(
            lambda kilobits: [f"{each} kbps" for each in sorted(kilobits)]
        ),
        "chunk": quantities(TIME, "10 ms", "10 s"),
        "startup": quantities(TIME, "10 ms", "10 s"),
        "buffer": quantities(TIME, "20 s", "3600 s"),
    }
    share = st.floats(0.01, 0.5)
    by_rate = tables({"kind": st.just("video")}, common | {"rule": st.just("rate"), "safety": st.floats(0.01, 1)})
    of_buffer = {"kind": st.just("video"), "rule": st.just("buffer")}
    return by_rate | tables(of_buffer, common | {"reservoir": share, "cushion": share}).filter(
        lambda video: video.get("reservoir", 0.375) + video.get("cushion", 0.525) <= 1
    )


def schedules() -> st.SearchStrategy[dict[str, Any]]:
    """Draw schedules of groups that start before 9 s, most of them empty."""
    active = st.lists(quantities(TIME, "0 s", "10 s"), min_size=2, max_size=6, unique=True).map(
        lambda times: _pairs(sorted(times, key=TIME.parse))
    )
    stops = {
        "stop": quantities(TIME, "9001 ms", "10 s"),
        "duration": quantities(TIME, "1 ms", "100 s"),
        "active": active,
    }
    given = [tables({name: stop}, {"unfinished": st.just("dropped")}) for name, stop in stops.items()]
    return st.one_of(st.just({}), *given)


def _pairs(times: list[str]) -> list[list[str]]:
    pairs = [list(pair) for pair in zip(times[::2], times[1::2], strict=False)]
    return [pair for pair in pairs if TIME.parse(pair[0]) < TIME.parse(pair[1])] or [["1 s", "2 s"]]


def _scheduled(group: dict[str, Any], schedule: dict[str, Any]) -> dict[str, Any]:
    """Add a schedule to a group, with a choice for what is unfinished that its source allows."""
    # sources start before they stop
    left_out = {"spread", "start"} if "active" in schedule else {"spread"} if "stop" in schedule else set()
    mine = {name: value for name, value in group.items() if name not in left_out} | schedule
    if "unfinished" in mine:
        ends = group["source"]["kind"] in {"transfers", "requests", "connections", "pages", "video"}
        mine["unfinished"] = "drained" if ends else "dropped"
    return mine


def _named(entries: list[dict[str, Any]], unique: list[str]) -> list[dict[str, Any]]:
    return [entry | ({"name": name} if name else {}) for entry, name in zip(entries, unique, strict=False)]


def _merged(dumbbell: dict[str, Any]) -> dict[str, Any]:
    """Omit the rate of the reverse direction if a separate link defines this direction."""
    if "reverse" not in dumbbell:
        return dumbbell
    mine = {name: dict(link) for name, link in dumbbell.items()}
    for name in ("bottleneck", "reverse"):
        mine[name].pop("reverse_rate_trace", None)
    return mine


def dumbbells() -> st.SearchStrategy[dict[str, Any]]:
    """Draw scenarios in the form of a dumbbell."""
    clients = st.lists(
        groups(access=links(), direction=st.sampled_from(["forward", "reverse"])), min_size=1, max_size=3
    )
    unique = st.lists(names, min_size=3, max_size=3, unique=True)
    measure = tables(
        {},
        {
            "from": quantities(TIME, "0 s", "9 s"),
            "bin": quantities(TIME, "1 ms", "10 s"),
            "link": st.sampled_from(["bottleneck", "bottleneck.reverse", "access.0"]),
            "links": st.just(["access.0.reverse"]),
            "convergence": tables({"window": quantities(TIME, "1 s", "10 s")}, {"delta": st.floats(1e-6, 0.99)}),
        },
    )
    return tables(
        {
            "duration": quantities(TIME, "10 s", "1000 s"),
            "dumbbell": tables({"bottleneck": links(), "access": links()}, {"reverse": links()}).map(_merged),
            "clients": st.builds(_named, clients, unique),
            "measure": measure,
        },
        {"profile": st.sampled_from(list(PROFILES)), "packet_size": st.integers(53, 9000), "changes": changes()},
    ).map(_converging)


def _converging(scenario: dict[str, Any]) -> dict[str, Any]:
    """Omit the convergence of scenarios with framing, which never carry packets at the rate of the link."""
    lines = [
        *scenario["dumbbell"].values(),
        *(client["access"] for client in scenario["clients"] if "access" in client),
    ]
    left_out = {"convergence"} if any("framing" in line for line in lines) else set()
    measure = {name: value for name, value in scenario["measure"].items() if name not in left_out}
    return scenario | {"measure": measure}


vias = tables({}, {"via": st.sampled_from([[], ["b"]])})


def graphs() -> st.SearchStrategy[dict[str, Any]]:
    """Draw scenarios in the form of a chain of three nodes."""
    link = links(duplex=st.just(True))  # noqa: FBT003
    hops = st.tuples(link, link).map(
        lambda pair: [pair[0] | {"from": "a", "to": "b", "name": "first"}, pair[1] | {"from": "b", "to": "c"}]
    )
    flows = st.lists(
        st.builds(lambda group, via: group | {"from": "a", "to": "c"} | via, groups(), vias), min_size=1, max_size=2
    )
    moved = st.builds(lambda at, via: [{"at": at, "groups": ["moved"], **via}], quantities(TIME, "0 s", "9 s"), vias)
    return tables(
        {
            "duration": quantities(TIME, "10 s", "1000 s"),
            "nodes": st.just([{"name": "a"}, {"name": "b"}, {"name": "c"}]),
            "links": hops,
            "flows": flows,
            "measure": st.fixed_dictionaries(
                {"link": st.sampled_from(["first", "first.reverse", "b->c", "c->b"]), "bin": st.just("1 s")}
            ),
        },
        {"profile": st.sampled_from(list(PROFILES)), "changes": moved},
    ).map(_with_moved)


def _with_moved(graph: dict[str, Any]) -> dict[str, Any]:
    """Give the group that changes its name, unless the changes change nothing."""
    if not any("via" in change for change in graph.get("changes", ())):
        return {name: value for name, value in graph.items() if name != "changes"}
    first, *others = graph["flows"]
    return graph | {"flows": [first | {"name": "moved"}, *others]}


def shared() -> st.SearchStrategy[dict[str, Any]]:
    """Draw dumbbells whose clients share one medium and the bottleneck's directions another one."""
    air = {"rate": quantities(RATE, "1 Mbps", "10 Gbps"), "delay": delays}
    more = {"loss": losses, "policer": buckets, "jitter": jitters, "reorder": reorders}
    clients = st.lists(groups(), min_size=1, max_size=3)
    names_of_media = ["air", "cable"]
    media = st.tuples(tables({}, MEDIUM), tables({}, MEDIUM)).map(lambda pair: _named(list(pair), names_of_media))
    on = [tables(air | {"medium": st.just(name)}, more) for name in names_of_media]
    return st.fixed_dictionaries(
        {
            "duration": quantities(TIME, "10 s", "1000 s"),
            "dumbbell": st.fixed_dictionaries({"bottleneck": on[1], "access": on[0]}),
            "clients": clients,
            "media": media,
            "measure": st.just({}),
        }
    )


def fabrics() -> st.SearchStrategy[dict[str, Any]]:
    """Draw networks by name, with a link of their own and a choice among paths."""
    link = tables({"rate": quantities(RATE, "1 Mbps", "10 Gbps"), "delay": delays}, {"loss": losses, "jitter": jitters})
    few = st.integers(1, 3)
    both = {"access": link, "hosts": few}
    kinds: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
        "star": (both | {"hosts": st.just(2)}, {}),
        "dumbbell": (both | {"bottleneck": link}, {}),
        "parking-lot": ({"access": link, "bottleneck": link, "bottlenecks": few}, {"hosts": few}),
        "leaf-spine": (both | {"leaves": st.integers(2, 3), "spines": few}, {"fabric": link}),
        "fat-tree": ({"access": link, "k": st.sampled_from([2, 4])}, {"hosts": few, "fabric": link}),
    }
    topologies = st.one_of(*(tables({"kind": st.just(kind), **given}, more) for kind, (given, more) in kinds.items()))
    own = st.just([{"from": "h0", "to": "h1", "rate": "1 Gbps", "delay": "1 us", "weight": 3}])
    routings = tables({}, {"paths": st.sampled_from(["ecmp", "ecmp-polarised", "first"])})
    flows = st.lists(groups().map(lambda group: group | {"from": "h0", "to": "h1"}), min_size=1, max_size=2)
    further = {"links": st.sampled_from(["all", ["h1->h0"]])}
    return tables(
        {
            "duration": quantities(TIME, "10 s", "1000 s"),
            "topology": topologies,
            "links": own,
            "flows": flows,
            "measure": tables({"link": st.just("h0->h1"), "bin": st.just("1 s")}, further),
        },
        {"routing": routings},
    )


@given(data=dumbbells() | graphs() | shared() | fabrics())
@settings(max_examples=150)
def test_toml_says_the_same_as_python(data: dict[str, Any]) -> None:
    scenario = ac.Scenario.from_dict(data)
    assert ac.Scenario.from_dict(tomllib.loads(scenario.to_toml())) == scenario
    effective = scenario.effective()
    assert ac.Scenario.from_dict(tomllib.loads(effective.to_toml())) == effective
    assert effective.effective() == effective


def test_every_field_is_drawn_by_the_round_trip() -> None:
    """A field that the strategies above omit would not be tested."""
    known: dict[type[BaseModel], set[str]] = {
        ac.Scenario: {
            "profile",
            "duration",
            "packet_size",
            "measure",
            "dumbbell",
            "clients",
            "nodes",
            "links",
            "flows",
            "media",
            "changes",
            "topology",
            "routing",
        },
        ac.Routing: {"paths"},
        ac.Star: {"kind", "hosts", "access"},
        ac.DumbbellGraph: {"kind", "hosts", "access", "bottleneck"},
        ac.ParkingLot: {"kind", "hosts", "access", "bottleneck", "bottlenecks"},
        ac.LeafSpine: {"kind", "hosts", "access", "fabric", "leaves", "spines"},
        ac.FatTree: {"kind", "hosts", "access", "fabric", "k"},
        ac.Change: {
            "at",
            "links",
            "rate",
            "delay",
            "reorders",
            "loss",
            "queue",
            "up",
            "waiting",
            "groups",
            "transport",
            "via",
        },
        ac.Medium: {"name", *MEDIUM},
        ac.DelayTrace: {"steps", "path", "sha256", "period", "reorders"},
        ac.LossTrace: {"steps", "path", "sha256", "period", "place"},
        ac.GilbertElliottTime: {"kind", "good_time", "bad_time", "good", "bad", "place"},
        ac.Measure: {"from_", "bin", "link", "links", "convergence"},
        ac.Convergence: {"window", "delta"},
        ac.Connections: {"kind", "load", "size", "connections"},
        ac.Requests: {"kind", "size", "every"},
        ac.Pages: {"kind", "document", "objects", "size", "think", "connections"},
        ac.Call: {"kind", "rate", "bitrate", "min_bitrate", "max_bitrate", "feedback"},
        ac.Video: {
            *("kind", "rule", "bitrates", "chunk", "buffer", "startup", "safety", "reservoir", "cushion"),
        },
        ac.Frames: {"kind", "rate", "packets", "key_every", "key_packets"},
        ac.Lognormal: {"kind", "mean", "sigma"},
        ac.SizeTable: {"kind", "name", "cdf"},
        ac.Dumbbell: {"bottleneck", "reverse", "access"},
        ac.Link: {
            "rate",
            "rate_trace",
            "reverse_rate_trace",
            "delay",
            "delay_trace",
            "queue",
            "loss",
            "loss_trace",
            "framing",
            "policer",
            "shaper",
            "medium",
            "jitter",
            "reorder",
        },
        ac.RateTrace: {"steps", "path", "sha256", "period", "direction"},
        ac.ListedLoss: {"kind", "packets", "place"},
        ac.RandomLoss: {"kind", "probability", "idle", "place"},
        ac.GilbertElliottPackets: {"kind", "to_bad", "to_good", "good", "bad", "place"},
        ac.Policer: {"rate", "burst"},
        ac.Shaper: {"rate", "burst"},
        ac.Framing: {"kind", "overhead", "mpu"},
        ac.Jitter: {"max", "reorders"},
        ac.Reorder: {"probability", "delay"},
        ac.GraphLink: {
            "from_",
            "to",
            "rate",
            "rate_trace",
            "reverse_rate_trace",
            "delay",
            "delay_trace",
            "queue",
            "loss",
            "loss_trace",
            "framing",
            "policer",
            "shaper",
            "medium",
            "jitter",
            "reorder",
            "weight",
            "name",
            "duplex",
        },
        ac.Queue: {
            "kind",
            "packets",
            "bytes",
            "count_in_service",
            "discipline",
            "discipline_sha256",
            "discipline_files_sha256",
        },
        ac.Clients: {
            "name",
            "count",
            "packet_size",
            "start",
            "spread",
            "stop",
            "duration",
            "active",
            "unfinished",
            "transport",
            "source",
            "priority",
            "weight",
            "ceiling",
            "dscp",
            "access",
            "direction",
        },
        ac.Flow: {
            "name",
            "count",
            "packet_size",
            "start",
            "spread",
            "stop",
            "duration",
            "active",
            "unfinished",
            "transport",
            "source",
            "priority",
            "weight",
            "ceiling",
            "dscp",
            "from_",
            "to",
            "via",
        },
    }
    assert set(ac.Tcp.model_fields) == {"kind", "variant", "law", "law_sha256", "law_files_sha256", "compiled", *TCP}
    for part, fields in known.items():
        assert set(part.model_fields) == fields


@given(data=dumbbells() | graphs() | shared())
@settings(max_examples=60)
def test_the_engine_takes_every_plan(data: dict[str, Any]) -> None:
    """Runs are stopped at the first report of progress, or are short enough to end before it."""
    small: dict[str, Any] = {"duration": "100 us", "measure": data["measure"] | {"from": "0 s", "bin": "10 us"}}
    if "convergence" in data["measure"]:
        small["measure"]["convergence"] = {"window": "50 us"}
    for group in (*data.get("clients", ()), *data.get("flows", ())):
        early = {"stop": "60 us", "active": [["0 s", "60 us"], ["70 us", "80 us"]]}
        group.update({name: time for name, time in early.items() if name in group})
        group.update({"start": "0 s", "spread": "50 us", "count": 2})
        group["source"] |= {"rate": 10} if "rate" in group["source"] else {}
    for change in data.get("changes", ()):
        change["at"] = "20 us"
    scenario = ac.Scenario.from_dict(data | small)
    assert ac.simulate(scenario).summary.drops >= 0
