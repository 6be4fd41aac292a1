"""Bad input: each case exits with code 2 at once, with one clear line, no traceback and no partial output."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ackclock import Scenario, ScenarioError
from ackclock.cli import main

SCENARIO = """
profile = "rfc"
duration = "200 s"
packet_size = 1500
measure = { from = "0 s", bin = "100 ms" }

[dumbbell]
access = { rate = "10 Mbps", delay = "25 ms" }
bottleneck = { rate = "50 Mbps", delay = "25 ms", queue = { kind = "red", packets = 50, min_th = 10, max_th = 40 } }

[[clients]]
count = 60
transport = { kind = "tcp", variant = "vegas", max_window = 20, alpha = 1, overhead = "12 us" }
source = { kind = "poisson", rate = 100 }
"""

QUEUES = "cake, cobalt, codel, droptail, dualpi2, fq, fq_codel, pie, priority, red, python"

GRAPH = """
duration = "10 s"
measure = { link = "a->b" }
nodes = [{ name = "a" }, { name = "b" }, { name = "c" }]

[[links]]
from = "a"
to = "b"
rate = "10 Mbps"
delay = "10 ms"

[[flows]]
from = "a"
to = "b"
transport = { kind = "tcp" }
source = { kind = "greedy" }
"""

MEDIUM = """
duration = "10 s"
media = [{ name = "air", cw_min = 15, schedule = "turns" }]

[dumbbell]
access = { rate = "1 Gbps", delay = "10 ms" }
bottleneck = { rate = "65 Mbps", delay = "0 s", medium = "air", queue = { kind = "codel" } }

[[clients]]
transport = { kind = "tcp" }
source = { kind = "greedy" }

[[changes]]
at = "100 ms"
delay = "1 ms"
"""

FABRIC = """
duration = "1 s"
measure = { link = "leaf0->h0", links = "all" }
routing = { paths = "ecmp" }
links = [{ from = "h0", to = "leaf0", rate = "1 Gbps", delay = "1 us", weight = 2 }]

[topology]
kind = "leaf-spine"
leaves = 2
spines = 2
hosts = 2
access = { rate = "10 Gbps", delay = "1 us" }

[[flows]]
from = "h0"
to = "h2"
transport = { kind = "tcp" }
source = { kind = "greedy" }
"""

POISSON = '{ kind = "poisson", rate = 100 }'


def video(fields: str) -> str:
    """Write adaptive video."""
    return f'{{ kind = "video", {fields} }}'


def on_off(mean: str, shape: str = "1.5") -> str:
    """Write an on/off source."""
    on, off = f'{{ kind = "pareto", mean = {mean}, shape = {shape} }}', '{ kind = "exponential", mean = "1 s" }'
    return f'{{ kind = "onoff", rate = 100, on = {on}, off = {off} }}'


def transfers(mean: str) -> str:
    """Write a source of transfers."""
    size, think = f'{{ kind = "pareto", mean = {mean}, shape = 1.5 }}', '{ kind = "exponential", mean = "1 s" }'
    return f'{{ kind = "transfers", size = {size}, think = {think} }}'


def trace(**fields: str) -> str:
    """Write a replay of a trace."""
    more = "".join(f", {name} = '{value}'" for name, value in fields.items())
    return f'{{ kind = "trace", path = "bursts.csv"{more} }}'


# The replaced text, its replacement, the field that the message names, and the text of the message.
EDITS = [
    ('"200 s"', "200", "duration", "200 is not allowed; must be a time with its unit"),
    ('"200 s"', '"200"', "duration", "'200' is not allowed; must be a time with its unit"),
    ('"200 s"', '"0 s"', "duration", "must be a time from 1 ps to 17280000 s"),
    ('"200 s"', '"-5 s"', "duration", "'-5 s' is not allowed; must be above 0: a time from 1 ps to 17280000 s"),
    ('"200 s"', '"201 h 5"', "duration", "must be a time with its unit"),
    ('"200 s"', '"5000 h"', "duration", "must be a time from 1 ps to 17280000 s"),
    ('"200 s"', '"nan s"', "duration", "must be a time with its unit"),
    ('"200 s"', "nan", "duration", "nan is not allowed"),
    ('"200 s"', "2020-01-01", "duration", "2020-01-01 is not allowed"),
    ('duration = "200 s"\n', "", "duration", "missing; must be a time with its unit"),
    ('duration = "200 s"', 'duraton = "200 s"', "duraton", "unknown field; did you mean 'duration'?"),
    ('"rfc"', '"rcf"', "profile", "did you mean 'rfc'? must be one of rfc, linux, ns2-2.35, ns2-2000, ns2-1999-qiu"),
    ("packet_size = 1500", "packet_size = 0", "packet_size", "0 is not allowed; must be an integer from 1 to 65535"),
    ("packet_size = 1500", "packet_size = 40", "packet_size", "must be above 40 for TCP, whose headers have 40 bytes"),
    ("packet_size = 1500", "packet_size = 70000", "packet_size", "must be an integer from 1 to 65535"),
    ("packet_size = 1500", "packet_size = 1500.0", "packet_size", "1500.0 is not allowed; must be an integer"),
    ("packet_size = 1500", "packet_size = true", "packet_size", "true is not allowed; must be an integer"),
    ('"100 ms"', '"300 s"', "measure.bin", "must be at most the duration (200 s)"),
    ('"100 ms"', '"1 us"', "measure.bin", "must give at most 10000000 bins"),
    ('"100 ms"', '"0 s"', "measure.bin", "must be a time from 1 ps"),
    ('from = "0 s"', 'from = "200 s"', "measure.from", "must be before the end, at 200 s"),
    ('from = "0 s"', 'link = "botleneck"', "measure.link", "did you mean 'bottleneck'?"),
    (
        '"100 ms" }',
        '"100 ms", convergence = { window = "300 s" } }',
        "measure.convergence.window",
        "must be from 10 ps to",
    ),
    ('"100 ms" }', '"100 ms", convergence = { window = "1 us" } }', "measure.convergence.window", "must be longer"),
    ('"100 ms" }', '"100 ms", convergence = { window = "1 s", delta = 1 } }', "measure.convergence.delta", "to 0.99"),
    ('"100 ms" }', '"100 ms", convergence = {} }', "measure.convergence.window", "missing"),
    ('measure = { from = "0 s", bin = "100 ms" }', "measure = 5", "measure", "5 is not allowed; must be a table with"),
    ('"10 Mbps"', '"-10 Mbps"', "dumbbell.access.rate", "is not allowed; must be above 0: a rate from 1 bps"),
    ('"10 Mbps"', '"-10 mbps"', "dumbbell.access.rate", "is not allowed; must be a rate with its unit"),
    ('"10 Mbps"', '"1.0.0 mbps"', "dumbbell.access.rate", "is not allowed; must be a rate with its unit"),
    ('delay = "25 ms"', 'delay = "-1 ms"', "dumbbell.access.delay", "must be 0 or more: a time from 0 s to 3600 s"),
    (
        '"10 Mbps"',
        '"10"',
        "dumbbell.access.rate",
        "must be a rate with its unit (bps kbps Mbps Gbps; also such as Mb/s Mbit/s MB/s)",
    ),
    ('"10 Mbps"', '"10 mbps"', "dumbbell.access.rate", "did you mean 'Mbps'?"),
    ('"10 Mbps"', '"50Gbit"', "dumbbell.access.rate", "'50Gbit' is not allowed; did you mean 'Gbps'? must be a rate"),
    ('"10 Mbps"', '"10 Mbit"', "dumbbell.access.rate", "did you mean 'Mbps'?"),
    ('"10 Mbps"', '"10 kbits/s"', "dumbbell.access.rate", "did you mean 'kbps'?"),
    ('"200 s"', '"200 seconds"', "duration", "did you mean 's'?"),
    ('"10 Mbps"', '"0 bps"', "dumbbell.access.rate", "must be a rate from 1 bps to 1000 Gbps"),
    ('"10 Mbps"', '"10 ms"', "dumbbell.access.rate", "must be a rate with its unit"),
    ("access = {", "acess = {", "dumbbell.acess", "unknown field; did you mean 'access'?"),
    ('access = { rate = "10 Mbps", delay = "25 ms" }\n', "", "clients.0.access", "here or as dumbbell.access"),
    ('kind = "red"', 'kind = "rde"', "dumbbell.bottleneck.queue.kind", "did you mean 'red'?"),
    (
        'kind = "red"',
        'kind = "fifo"',
        "dumbbell.bottleneck.queue.kind",
        f"unknown queue 'fifo'; did you mean 'droptail'? must be one of {QUEUES}",
    ),
    (
        'kind = "red", ',
        "",
        "dumbbell.bottleneck.queue.kind",
        f"missing; must be one of {QUEUES}",
    ),
    ("packets = 50", "packets = 0", "dumbbell.bottleneck.queue.packets", "0 is not allowed; must be an integer from 1"),
    ("packets = 50", "packets = 50, bytes = 50", "dumbbell.bottleneck.queue.bytes", "must be absent when packets"),
    ("max_th = 40", "max_th = 5", "dumbbell.bottleneck.queue.max_th", "5.0 is not allowed; must be above min_th (10)"),
    (
        "max_th = 40",
        "max_p = 2",
        "dumbbell.bottleneck.queue.max_p",
        "2 is not allowed; must be a number above 0 up to 1",
    ),
    ("max_th = 40", "max_th = nan", "dumbbell.bottleneck.queue.max_th", "nan is not allowed; must be a number above 0"),
    ("max_th = 40", "max_th = true", "dumbbell.bottleneck.queue.max_th", "true is not allowed; must be a number"),
    ("max_th = 40", "maxth = 40", "dumbbell.bottleneck.queue.maxth", "unknown field; did you mean 'max_th'?"),
    ("max_th = 40", "gentle = 1", "dumbbell.bottleneck.queue.gentle", "1 is not allowed; must be true or false"),
    (
        "max_th = 40",
        "unit = 'p'",
        "dumbbell.bottleneck.queue.unit",
        "'p' is not allowed; must be one of packets, bytes",
    ),
    (
        'access = { rate = "10 Mbps",',
        'access = { loss = { kind = "list", packets = [3, 3] }, rate = "10 Mbps",',
        "dumbbell.access.loss.packets",
        "[3, 3] is not allowed; must be an array of 1 to 100000 different integers from 1 to 1000000000000",
    ),
    (
        'access = { rate = "10 Mbps",',
        'access = { loss = { kind = "list", packets = [0] }, rate = "10 Mbps",',
        "dumbbell.access.loss.packets",
        "different integers from 1",
    ),
    (
        'access = { rate = "10 Mbps",',
        'access = { loss = { kind = "lists", packets = [1] }, rate = "10 Mbps",',
        "dumbbell.access.loss.kind",
        "unknown loss 'lists'; did you mean 'list'? must be one of list",
    ),
    (
        'access = { rate = "10 Mbps",',
        'access = { loss = { kind = "list" }, rate = "10 Mbps",',
        "dumbbell.access.loss.packets",
        "missing; must be an array of 1 to 100000 different integers",
    ),
    (
        'access = { rate = "10 Mbps",',
        'access = { loss = { kind = "random", probability = 0.1, place = "behind" }, rate = "10 Mbps",',
        "dumbbell.access.loss.place",
        "'behind' is not allowed; must be",
    ),
    (
        'access = { rate = "10 Mbps",',
        'access = { policer = { rate = "8 Mbps", burst = 999 }, rate = "10 Mbps",',
        "clients.0.access.policer.burst",
        "999 is not allowed; must be at least 1500 bytes, the largest packet_size",
    ),
    (
        'access = { rate = "10 Mbps",',
        'access = { shaper = { rate = "0 bps", burst = 5000 }, rate = "10 Mbps",',
        "dumbbell.access.shaper.rate",
        "'0 bps' is not allowed; must be",
    ),
    (
        'access = { rate = "10 Mbps",',
        'access = { shaper = { rate = "8 Mbps" }, rate = "10 Mbps",',
        "dumbbell.access.shaper.burst",
        "missing; must be",
    ),
    (
        'access = { rate = "10 Mbps",',
        'access = { jitter = { max = "2 m" }, rate = "10 Mbps",',
        "dumbbell.access.jitter.max",
        "'2 m' is not allowed; did you mean 'ms'? must be a time with its unit",
    ),
    (
        'access = { rate = "10 Mbps",',
        'access = { jitter = { max = "2 ms", reorder = true }, rate = "10 Mbps",',
        "dumbbell.access.jitter.reorder",
        "unknown field; did you mean 'reorders'?",
    ),
    (
        'access = { rate = "10 Mbps",',
        'access = { reorder = { probability = 1.5, delay = "5 ms" }, rate = "10 Mbps",',
        "dumbbell.access.reorder.probability",
        "1.5 is not allowed; must be a number from 0 to 1",
    ),
    (
        'access = { rate = "10 Mbps",',
        'access = { reorder = { probability = 0.5 }, rate = "10 Mbps",',
        "dumbbell.access.reorder.delay",
        "missing; must be",
    ),
    ("count = 60", "priority = 8", "clients.0.priority", "8 is not allowed; must be an integer from 0 to 7"),
    ("count = 60", "weight = 0", "clients.0.weight", "0 is not allowed; must be an integer from 1 to 1000"),
    ("count = 60", 'ceiling = "0 bps"', "clients.0.ceiling", "'0 bps' is not allowed; must be"),
    ("count = 60", "dscp = 64", "clients.0.dscp", "64 is not allowed; must be one of AF11, AF12"),
    (
        "count = 60",
        'dscp = "ef"',
        "clients.0.dscp",
        "'ef' is not allowed; did you mean 'EF'? must be one of AF11, AF12",
    ),
    (
        'access = { rate = "10 Mbps",',
        'access = { framing = { kind = "atm", overhead = 257 }, rate = "10 Mbps",',
        "dumbbell.access.framing.overhead",
        "257 is not allowed; must be an integer from -64 to 256",
    ),
    (
        'access = { rate = "10 Mbps",',
        'access = { framing = { kind = "aal5" }, rate = "10 Mbps",',
        "dumbbell.access.framing.kind",
        "'aal5' is not allowed; must be one of plain, atm, ptm",
    ),
    (
        'access = { rate = "10 Mbps",',
        'access = { framing = { overhead = 40 }, shaper = { rate = "1 Mbps", burst = 1501 }, rate = "10 Mbps",',
        "clients.0.access.shaper.burst",
        "1501 is not allowed; must be at least 1540 bytes, the largest packet_size with its framing",
    ),
    (
        'access = { rate = "10 Mbps",',
        'access = { queue = { kind = "cake", tins = "diffserv5" }, rate = "10 Mbps",',
        "dumbbell.access.queue.tins",
        "'diffserv5' is not allowed; did you mean 'diffserv8'? must be one of besteffort, diffserv3",
    ),
    (
        'access = { rate = "10 Mbps",',
        'access = { queue = { kind = "cake", ack_filter = true }, rate = "10 Mbps",',
        "dumbbell.access.queue.ack_filter",
        "true is not allowed; must be one of off, conservative, aggressive",
    ),
    (
        "alpha = 1",
        'packet_sizes = "exponential"',
        "clients.0.transport.packet_sizes",
        "'exponential' is not allowed; must be absent: TCP sends segments of one size, packet_size; only UDP",
    ),
    (
        'kind = "tcp", variant = "vegas", max_window = 20, alpha = 1, overhead = "12 us"',
        'kind = "udp", packet_sizes = "normal"',
        "clients.0.transport.packet_sizes",
        "'normal' is not allowed; must be one of fixed, exponential",
    ),
    ("alpha = 1", 'sack = "fack"', "clients.0.transport.sack", "must be one of rfc6675, fall-floyd"),
    ("count = 60", "count = 1000000000000", "clients.0.count", "must be an integer from 1 to 1000000"),
    (
        "count = 60",
        "count = 'sixty'",
        "clients.0.count",
        "'sixty' is not allowed; must be an integer from 1 to 1000000",
    ),
    ("count = 60", "count = 0", "clients.0.count", "0 is not allowed"),
    ("count = 60", "count = " + "9" * 4000, "clients.0.count", "an integer of 13288 bits is not allowed"),
    ("count = 60", "name = '7'", "clients.0.name", "must be a name of 1 to 64 letters, digits"),
    ("count = 60", "name = 'a/b'", "clients.0.name", "must be a name of 1 to 64 letters, digits"),
    ("count = 60", "start = '200 s'", "clients.0.start", "must be before the end, at 200 s"),
    ("count = 60", "spread = '1'", "clients.0.spread", "'1' is not allowed; must be a time with its unit"),
    (
        "count = 60",
        "start = '199 s'\nspread = '1.5 s'",
        "clients.0.spread",
        "'1500 ms' is not allowed; must be at most 1 s, so that all flows start before the end",
    ),
    ("count = 60", "direction = 'up'", "clients.0.direction", "'up' is not allowed; must be one of forward, reverse"),
    ("[[clients]]", "[clients]", "clients", "a table is not allowed; must be an array of tables"),
    ("[[clients]]", "[[client]]", "client", "unknown field; did you mean 'clients'?"),
    ("[[clients]]", "[[flows]]", "flows.0.from", "missing; must be a name of"),
    ('kind = "tcp"', 'kind = "sctp"', "clients.0.transport.kind", "unknown transport 'sctp'; must be one of tcp, udp"),
    ('kind = "tcp", ', "", "clients.0.transport.kind", "missing; must be one of tcp, udp"),
    ('variant = "vegas"', 'variant = "vega"', "clients.0.transport.variant", "did you mean 'vegas'?"),
    (
        'variant = "vegas"',
        'variant = "ictcp"',
        "clients.0.transport.variant",
        "unknown variant 'ictcp'; did you mean 'dctcp'? must be one of",
    ),
    ('variant = "vegas"', 'variant = "reno"', "clients.0.transport.alpha", "unknown field; allowed:"),
    (
        "max_window = 20",
        "max_window = 0",
        "clients.0.transport.max_window",
        "0 is not allowed; must be an integer from 1",
    ),
    ("max_window = 20", "window = 20", "clients.0.transport.window", "unknown field; did you mean 'max_window'?"),
    ("max_window = 20", "handshake = 'no'", "clients.0.transport.handshake", "'no' is not allowed; must be true or"),
    ("max_window = 20", "min_rto = '90 s'", "clients.0.transport.min_rto", "must be at most max_rto (60 s)"),
    ("max_window = 20", "clock = '0 s'", "clients.0.transport.clock", "must be a time from 1 us to 1000000 s"),
    ("max_window = 20", "clock_phase = 'x'", "clients.0.transport.clock_phase", "must be one of random, or a time"),
    ("alpha = 1", "alpha = 5", "clients.0.transport.beta", "must be at least alpha (5)"),
    ("alpha = 1", "alpha = -1", "clients.0.transport.alpha", "-1 is not allowed; must be a number from 0"),
    ("rate = 100 }", "rate = -1 }", "clients.0.source.rate", "-1 is not allowed; must be a number from 1e-06 to 1e+09"),
    ("rate = 100 }", "rate = inf }", "clients.0.source.rate", "inf is not allowed; must be a number from"),
    (", rate = 100 }", "}", "clients.0.source.rate", "missing; must be a number from"),
    ('kind = "poisson", rate = 100', 'kind = "greedy", size = "1 Mb"', "clients.0.source.size", "did you mean 'MB'?"),
    (POISSON, on_off('"500 ms"', "1.0"), "clients.0.source.on.shape", "1.0 is not allowed; must be a number from 1.01"),
    (POISSON, on_off('"500 kB"'), "clients.0.source.on.mean", "'500 kB' is not allowed; must be a time with its unit"),
    (POISSON, on_off('"0 s"'), "clients.0.source.on.mean", "'0 s' is not allowed; must be a time from 1 us to 1000000"),
    (POISSON, on_off('"1"'), "clients.0.source.on.mean", "'1' is not allowed; must be a time with its unit (ps ns us"),
    (POISSON, on_off('"1 s"').replace("pareto", "normal"), "clients.0.source.on.kind", "must be one of exponential,"),
    (POISSON, on_off('"1 s"').replace("rate", "shape"), "clients.0.source.shape", "unknown field; allowed: kind, rate"),
    (POISSON, transfers('"60 s"'), "clients.0.source.size.mean", "'60 s' is not allowed; must be a size with its unit"),
    (POISSON, transfers('"0 B"'), "clients.0.source.size.mean", "'0 B' is not allowed; must be a size from 1 B to"),
    (POISSON, transfers('"1 B" ').replace('"1 s"', '"1 B"'), "clients.0.source.think.mean", "must be a time with its"),
    (POISSON, transfers('"1 B"').replace("think", "thnk"), "clients.0.source.thnk", "did you mean 'think'?"),
    (POISSON, "{ kind = 'call' }", "clients.0.source.kind", "'call' is not allowed; must be absent with TCP: a call"),
    (POISSON, "{ kind = 'call', bitrate = '2 Mbps' }", "clients.0.source.bitrate", "must be from min_bitrate to max_b"),
    (POISSON, "{ kind = 'call', feedback = '0 s' }", "clients.0.source.feedback", "'0 s' is not allowed; must be"),
    (POISSON, video("rule = 'rates'"), "clients.0.source.rule", "did you mean 'rate'? must be one of rate, buffer"),
    (
        POISSON,
        video("bitrates = []"),
        "clients.0.source.bitrates",
        "must be an array of 1 to 100 rising values",
    ),
    (
        POISSON,
        video("bitrates = ['2 Mbps', '1 Mbps']"),
        "clients.0.source.bitrates",
        "must rise: '1 Mbps' is not",
    ),
    (
        POISSON,
        video("bitrates = ['1 B']"),
        "clients.0.source.bitrates",
        "in the value at 0, '1 B' did you mean 'bps'?",
    ),
    (
        POISSON,
        video("buffer = '7 s'"),
        "clients.0.source.buffer",
        "'7 s' is not allowed; must be at least chunk and",
    ),
    (POISSON, video("chunk = '1 ms'"), "clients.0.source.chunk", "'1 ms' is not allowed; must be a time from 10 ms"),
    (POISSON, video("startup = '0 s'"), "clients.0.source.startup", "'0 s' is not allowed; must be"),
    (POISSON, video("safety = 0"), "clients.0.source.safety", "0 is not allowed; must be a number above 0 up to 1"),
    (POISSON, video("reservoir = 0.2"), "clients.0.source.reservoir", "must be absent with the rule rate"),
    (
        POISSON,
        video("rule = 'buffer', cushion = 0.7"),
        "clients.0.source.cushion",
        "must be at most 0.625: reserv",
    ),
    (POISSON, trace(offset="random"), "clients.0.source.offset", "must be a time when no period is given"),
    (POISSON, trace(offset="1 s", period="1 s"), "clients.0.source.offset", "must be below the period (1 s)"),
    (POISSON, trace(offset="often", period="1 s"), "clients.0.source.offset", "must be one of random, or a time with"),
    (POISSON, trace(sha256="12"), "clients.0.source.sha256", "'12' is not allowed; must be a SHA-256 digest"),
    (
        POISSON,
        '{ kind = "trace", path = "" }',
        "clients.0.source.path",
        "'' is not allowed; must be the path of a file",
    ),
    (POISSON, '{ kind = "trace" }', "clients.0.source.path", "missing; must be the path of a file"),
    (
        POISSON,
        '"poisson"',
        "clients.0.source",
        "must be a table with kind = poisson or constant or onoff or fgn or trace or greedy or",
    ),
    (POISSON, '"greedy"', "clients.0.source", 'such as { kind = "greedy" }, or in Python ac.Greedy()'),
]

GRAPH_EDITS = [
    ('{ name = "c" }', '{ name = "b" }', "nodes.2.name", "'b' is not allowed; must be unique among names"),
    ('to = "b"\nrate', 'to = "a"\nrate', "links.0.to", "'a' is not allowed; must differ from the node in from"),
    ('to = "b"\nrate', 'to = "x"\nrate', "links.0.to", "unknown node 'x'; must be one of a, b, c"),
    ('to = "b"\ntransport', 'to = "c"\ntransport', "flows.0.to", "must have a route: no links lead from a to c"),
    (
        'delay = "10 ms"',
        'delay = "10 ms"\nduplex = false',
        "flows.0.to",
        "no links lead from b to a, the path of the ACKs",
    ),
    ('to = "b"\ntransport', 'to = "a"\ntransport', "flows.0.to", "must differ from the node in from"),
    ('measure = { link = "a->b" }', "", "measure.link", "missing; must be one of a->b, b->a"),
    ('"a->b"', '"a-b"', "measure.link", "did you mean 'a->b'?"),
    (
        'kind = "tcp"',
        'kind = "udp"',
        "flows.0.source.kind",
        "must be one of poisson, constant, onoff, fgn, trace, frames, call: over UDP",
    ),
    ('"10 ms"', '"0 s"', "measure.bin", "missing; must be given when no link has a delay"),
    (
        "duration",
        "dumbbell = { bottleneck = { rate = '1 Mbps', delay = '1 ms' } }\nduration",
        "nodes",
        "must be absent",
    ),
]

FABRIC_EDITS = [
    ('paths = "ecmp"', 'paths = "spray"', "routing.paths", "must be one of ecmp, ecmp-polarised, first"),
    ("weight = 2", "weight = 0", "links.0.weight", "0 is not allowed; must be an integer from 1 to 1000"),
    ('links = "all"', 'links = "any"', "measure.links", "must be an array of 1 to 1000 different names, or one of all"),
    ("spines = 2", "spines = 300", "measure.links", "must be a list of at most 1000 links: there are 1,208"),
    ("spines = 2", "spines = 0", "topology.spines", "0 is not allowed; must be an integer from 1 to 1000"),
    ("spines = 2", "", "topology.spines", "missing; must be an integer from 1 to 1000"),
    ("hosts = 2", "hosts = 90000", "topology.hosts", "must be an integer from 1 to 10000"),
    ("leaves = 2\nspines = 2\nhosts = 2", "leaves = 1000\nspines = 1000\nhosts = 2", "topology.hosts", "100,000 links"),
    ("hosts = 2", "hosts = 2\nk = 4", "topology.k", "unknown field"),
    ('kind = "leaf-spine"', 'kind = "torus"', "topology.kind", "dumbbell, fat-tree, leaf-spine, parking-lot, star"),
    (
        'kind = "leaf-spine"\nleaves = 2\nspines = 2',
        'kind = "fat-tree"\nk = 5',
        "topology.k",
        "5 is not allowed; must be even",
    ),
    ('delay = "1 us" }\n\n', 'delay = "1" }\n\n', "topology.access.delay", "must be a time with its unit"),
    ('to = "leaf0"', 'to = "leaf9"', "links.0.to", "unknown node 'leaf9'"),
    ('to = "h2"', 'to = "h9"', "flows.0.to", "unknown node 'h9'"),
    (
        "[topology]",
        "[dumbbell]\nbottleneck = { rate = '1 Gbps', delay = '1 us' }\n\n[topology]",
        "topology",
        "must be absent when dumbbell is given",
    ),
]

_CONSTANT = "which has a constant rate"
MEDIUM_EDITS = [
    ('name = "air"', 'name = "sky"', "dumbbell.bottleneck.medium", "unknown medium 'air'; must be one of sky"),
    (
        "media =",
        "nodes = []\n#",
        "dumbbell.bottleneck.medium",
        "must be the name of one of the media, but there are none",
    ),
    ('{ name = "air"', '{ name = "air" }, { name = "air"', "media.1.name", "must be unique among names of its kind"),
    ('name = "air", ', "", "media.0.name", "missing; must be a name of 1 to 64 letters"),
    ("cw_min = 15", "cw_min = 2000", "media.0.cw_max", "1023 is not allowed; must be at least cw_min (2000)"),
    ("cw_min = 15", "cw_min = -1", "media.0.cw_min", "-1 is not allowed; must be an integer from 0 to 65535"),
    ("cw_min = 15", 'slot = "0 s"', "media.0.slot", "must be a time from 1 ns to 1 s"),
    ("cw_min = 15", 'aggregate_time = "4"', "media.0.aggregate_time", "must be a time with its unit"),
    ("cw_min = 15", "aggregate_packets = 0", "media.0.aggregate_packets", "must be an integer from 1 to 1024"),
    ("cw_min = 15", "retries = 256", "media.0.retries", "must be an integer from 0 to 255"),
    ('"turns"', '"fair"', "media.0.schedule", "'fair' is not allowed; must be one of turns, airtime"),
    ('"codel"', '"red"', "dumbbell.bottleneck.queue.kind", "must be a queue that stores its packets on a link with a"),
    ('rate = "65 Mbps"', 'rate_trace = { steps = [["0 s", "1 Mbps"]] }', "dumbbell.bottleneck.rate_trace", _CONSTANT),
    (
        'delay = "0 s"',
        'delay = "0 s", shaper = { rate = "1 Mbps", burst = 9000 }',
        "dumbbell.bottleneck.shaper",
        _CONSTANT,
    ),
    ('delay = "1 ms"', "up = false", "changes.0.up", "a link with a medium has a constant rate"),
    ('delay = "1 ms"', 'rate = "1 Mbps"', "changes.0.rate", "a link with a medium has a constant rate"),
    ("media = [", "medium = [", "medium", "unknown field; did you mean 'media'?"),
]


Refused = Callable[..., str]

QUICK = 2
"""CPU seconds that a refusal may take: about ten times the usual time. CPU time does not depend on other processes."""


@pytest.fixture
def refused(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Refused:
    """Return a function that runs a file that must be refused, and returns the error message."""

    def run(file: Path, *arguments: str) -> str:
        before = sorted(tmp_path.rglob("*"))
        began = time.process_time()
        with pytest.raises(SystemExit) as ended:
            main(["run", str(file), "--json", "--out", str(tmp_path / "out"), *arguments])
        took = time.process_time() - began
        out, err = capfd.readouterr()
        assert ended.value.code == 2
        assert out == ""
        assert "Traceback" not in err
        assert err.count("\n") == 1
        assert len(err) < 600
        assert took < QUICK
        assert sorted(tmp_path.rglob("*")) == before
        return err

    return run


def names_the_field(text: str, edit: tuple[str, str, str, str], folder: Path, refused: Refused) -> None:
    """Check that a scenario with an edit is refused by its field, with a message."""
    old, new, field, message = edit
    assert old in text
    file = folder / "broken.toml"
    file.write_text(text.replace(old, new, 1))
    printed = refused(file)
    assert printed.startswith(f"{field}: ")
    assert message in printed.splitlines()[0]


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: f"{edit[2]} {edit[1][:20]}")
def test_broken_dumbbells(tmp_path: Path, refused: Refused, edit: tuple[str, str, str, str]) -> None:
    names_the_field(SCENARIO, edit, tmp_path, refused)


@pytest.mark.parametrize("edit", FABRIC_EDITS, ids=lambda edit: f"{edit[2]} {edit[1][:20]}")
def test_broken_fabrics(tmp_path: Path, refused: Refused, edit: tuple[str, str, str, str]) -> None:
    names_the_field(FABRIC, edit, tmp_path, refused)


@pytest.mark.parametrize("edit", GRAPH_EDITS, ids=lambda edit: f"{edit[2]} {edit[1][:20]}")
def test_broken_graphs(tmp_path: Path, refused: Refused, edit: tuple[str, str, str, str]) -> None:
    names_the_field(GRAPH, edit, tmp_path, refused)


@pytest.mark.parametrize("edit", MEDIUM_EDITS, ids=lambda edit: f"{edit[2]} {edit[1][:20]}")
def test_broken_media(tmp_path: Path, refused: Refused, edit: tuple[str, str, str, str]) -> None:
    names_the_field(MEDIUM, edit, tmp_path, refused)


def test_the_unbroken_ones_run(tmp_path: Path) -> None:
    for name, text in (("dumbbell", SCENARIO), ("graph", GRAPH), ("medium", MEDIUM)):
        file = tmp_path / f"{name}.toml"
        file.write_text(text)
        with pytest.raises(SystemExit) as ended:
            main(["run", str(file), "--json", "--set", "duration=200 ms"])
        assert ended.value.code == 0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "duration: missing"),
        (b"\x89PNG\r\n\x1a\n\x00\xff\xfe", "byte 0 is not UTF-8; must be a text file"),
        (b'duration = "5 s" # \xe2\x82', "byte 19 is not UTF-8; must be a text file"),
        (b"duration = = 5", "must be TOML"),
        (b"duration = 5 s", 'must be TOML, with quantities in quotes, as in duration = "5 s"'),
        (b"a = " + b"[" * 5000 + b"]" * 5000, "it is nested too deeply; must be TOML of a few levels"),
        (b"a = " + b"{a=" * 5000 + b"1" + b"}" * 5000, "it is nested too deeply; must be TOML of a few levels"),
        (b".".join([b"a"] * 5000) + b" = 1", "a: unknown field"),
        (b"[clients]\n" * 2, "must be TOML"),
        (b'"' + b"x" * 100_000 + b'" = 1', "unknown field"),
        (b"duration = '" + b"x" * 1_000_000 + b"'", "x…x"),
        (b"# nothing but a comment", "duration: missing"),
    ],
)
def test_files_that_are_no_scenario(tmp_path: Path, refused: Refused, content: bytes, message: str) -> None:
    file = tmp_path / "broken.toml"
    file.write_bytes(content)
    assert message in refused(file)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "must be JSON"),
        (b"[]", "it holds an empty array; must be JSON that holds one table"),
        (b"{}", "it contains no scenario and seed; must be the record of a run"),
        (b'{"scenario": {}, "seed": true}', "it contains no scenario and seed"),
        (b'{"scenario": {}, "seed": -1}', "duration: missing"),
        (b"[" * 100_000, "it is nested too deeply"),
        (b'{"scenario": {"duration": NaN}, "seed": 1}', "duration: nan is not allowed"),
    ],
)
def test_records_that_are_none(tmp_path: Path, refused: Refused, content: bytes, message: str) -> None:
    file = tmp_path / "record.json"
    file.write_bytes(content)
    assert message in refused(file)
    assert message in refused(tmp_path)  # as the directory of a result


def test_files_that_cannot_be_read(tmp_path: Path, refused: Refused) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "a directory without record.json" in refused(empty)
    assert "No such file or directory" in refused(tmp_path / "missing.toml")
    assert "No such file or directory" in refused(tmp_path / "missing.json")
    huge = tmp_path / "huge.toml"
    with huge.open("wb") as file:
        file.truncate(60_000_000)
    assert "it is too large; must be a file of at most 50 MB" in refused(huge)


@pytest.mark.parametrize(
    ("arguments", "field", "message"),
    [
        (["--seed", "one"], "seed", "'one' is not allowed; must be an integer from 0"),
        (["--seed", "-1"], "seed", "-1 is not allowed; must be an integer from 0"),
        (["--seed", "18446744073709551616"], "seed", "must be an integer from 0 to 18446744073709551615"),
        (["--record", "arival"], "record", "did you mean 'arrivals'?"),
        (["--record", "queue/1ns"], "record", "must fill at most 50000000 rows"),
        (["--set", "clients.0.count"], "set", "must be PATH=VALUE"),
        (["--set", "clients.1.count=5"], "set", "clients has 1 entry, numbered from 0 as in clients.0, and has no"),
        (["--set", "duration.x=5"], "set", "duration is a value, not a table"),
        (["--set", "=5"], "set", "must be PATH=VALUE"),
        (["--set", "clients.0.cuont=5"], "clients.0.cuont", "unknown field; did you mean 'count'?"),
        (["--set", "clients.0.count=sixty"], "clients.0.count", "'sixty' is not allowed; must be an integer"),
        (["--set", "clients=[]"], "clients", "missing; must be given: a scenario has dumbbell and clients, or"),
    ],
)
def test_broken_arguments(tmp_path: Path, refused: Refused, arguments: list[str], field: str, message: str) -> None:
    file = tmp_path / "right.toml"
    file.write_text(SCENARIO)
    printed = refused(file, *arguments)
    assert printed.startswith(f"{field}: ")
    assert message in printed
    assert printed.count("\n") == 1


def test_a_study_is_not_a_scenario(tmp_path: Path, refused: Refused) -> None:
    file = tmp_path / "study.toml"
    file.write_text('scenario = "scenario.toml"\nreplications = 3\n')
    assert refused(file) == f"{file}: cannot be used: it is a study, which `ackclock sweep` runs; must be a scenario\n"
    file.write_text('rate = "5 Mbps"\ndelay = "20 ms"\nusers = 3\n', encoding="utf-8")
    says = "it is a question, which `ackclock advise` answers; must be a scenario"
    assert refused(file) == f"{file}: cannot be used: {says}\n"


def test_all_problems_are_reported_the_most_useful_first(tmp_path: Path, refused: Refused) -> None:
    file = tmp_path / "broken.toml"
    text = SCENARIO.replace("duration", "duraton").replace("count = 60", "count = 0").replace('"10 Mbps"', '"10"')
    file.write_text(text)
    assert (
        refused(file) == "duraton: unknown field; did you mean 'duration'? allowed: "
        "profile, duration, packet_size, measure, dumbbell, clients, topology, nodes, links, flows, media, changes, "
        "routing"
        "; 3 other errors: dumbbell.access.rate, clients.0.count, duration\n"
    )
    with pytest.raises(ScenarioError) as caught:
        Scenario.from_toml(file)
    fields = [problem.field for problem in caught.value.problems]
    assert fields == ["duraton", "dumbbell.access.rate", "clients.0.count", "duration"]


def test_a_root_cause_comes_before_what_follows_from_it(tmp_path: Path, refused: Refused) -> None:
    file = tmp_path / "broken.toml"
    file.write_text(GRAPH.replace('to = "b"\nrate', 'to = "x"\nrate'))
    assert refused(file) == "links.0.to: unknown node 'x'; must be one of a, b, c\n"
    text = GRAPH.replace('to = "b"\nrate', 'to = "b"\nqueue = { packets = 0, max_th = 5 }\nrate')
    file.write_text(text)
    missing = f"links.0.queue.kind: missing; must be one of {QUEUES}"
    assert refused(file) == f"{missing}; another error: links.0.queue.packets\n"
    file.write_text(GRAPH.replace('kind = "tcp"', 'kind = "sctp", alpha = 1'))
    assert refused(file) == "flows.0.transport.kind: unknown transport 'sctp'; must be one of tcp, udp\n"


def test_very_many_problems_are_cut_short(tmp_path: Path, refused: Refused) -> None:
    file = tmp_path / "broken.toml"
    file.write_text("duration = '1 s'\n" + "[[clients]]\ncount = 0\n" * 500)
    assert re.search(r"; \d+ other errors: clients\.\d+\.count(, clients\.\d+\.\w+){4}, …\n$", refused(file))
    with pytest.raises(ScenarioError) as caught:
        Scenario.from_toml(file)
    lines = str(caught.value).splitlines()
    assert len(lines) == 11
    assert re.fullmatch(r"and \d+ more", lines[-1])


def test_too_many_flows_in_all(tmp_path: Path, refused: Refused) -> None:
    file = tmp_path / "broken.toml"
    group = SCENARIO[SCENARIO.index("[[clients]]") :].replace("count = 60", "count = 600000")
    file.write_text(SCENARIO[: SCENARIO.index("[[clients]]")] + group * 2)
    assert refused(file).startswith("clients.1.count: 600000 is not allowed; must keep the total at or below 1000000")


def test_names_that_come_twice(tmp_path: Path, refused: Refused) -> None:
    file = tmp_path / "broken.toml"
    group = SCENARIO[SCENARIO.index("[[clients]]") :].replace("count = 60", "name = 'clients-1'")
    file.write_text(SCENARIO[: SCENARIO.index("[[clients]]")] + group + group.replace("name = 'clients-1'", ""))
    assert refused(file).startswith("clients.1.name: 'clients-1' is not allowed; must be unique among names")


def test_the_whole_program_refuses_in_time(tmp_path: Path) -> None:
    """Time includes the start of Python, as for a user."""
    file = tmp_path / "broken.toml"
    file.write_text(SCENARIO.replace("count = 60", "count = 'sixty'"))
    began = os.times()
    ended = subprocess.run(
        [sys.executable, "-m", "ackclock", "run", str(file)], capture_output=True, check=False, text=True
    )
    assert os.times().children_user - began.children_user < QUICK
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "clients.0.count: 'sixty' is not allowed; must be an integer from 1 to 1000000\n"
