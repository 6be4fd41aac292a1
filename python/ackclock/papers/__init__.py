"""The studies of Ackclock, one package each. Most reproduce a paper."""

STUDIES = {
    "today": "Twenty-five years later: the questions of five papers, asked of today's transport",
    "burstiness": "On the Burstiness of the TCP Congestion-Control Mechanism "
    "(Tinnakornsrisuphap, Feng and Philp 2000): Figures 2 to 13",
    "heterogeneous": "The Adverse Impact of the TCP Congestion-Control Mechanism in Heterogeneous Computing Systems "
    "(Feng and Tinnakornsrisuphap 2000): Figures 2 to 13",
    "characterization": "TCP's Effect on Traffic Characterization, a short paper "
    "(Feng, Tinnakornsrisuphap and Philp): Figures 2 to 8",
    "vegas": "When does Vegas get its share? Its goodput relative to Reno by buffer, share, start and application",
    "manyflows": "Understanding the Performance of Many TCP Flows (Qiu, Zhang and Keshav 2001): Figures 6 to 24, "
    "Tables 1 to 5",
    "aqm": "Queue disciplines in the scenarios of RFC 7928 (Kuhn, Natarajan, Khademi and Ros 2016)",
    "coexistence": "Who gets what when congestion controls share a queue? Pairs of today's laws, with claims of "
    "Hock et al. 2017 and Ware et al. 2019",
    "buffers": "Sizing Router Buffers (Appenzeller, Keslassy and McKeown 2004): its rules for long flows",
    "selfsimilar": "Comparison of TCP Variants Over Self-Similar Traffic (Salleh and Abu Bakar): Tables 1 and 2, "
    "Figures 3 to 7",
}
"""Name of each study with the paper that it reproduces, or its question."""

SEEDS = 5
"""Default number of runs per point, unless a study has its own."""

WITH_CAPTURE = ("selfsimilar",)
"""Studies that can analyse a capture."""


def few_seeds(seeds: int) -> str:
    """Return a warning if there are fewer than `SEEDS` seeds, otherwise an empty text.

    Examples
    --------
    >>> few_seeds(5)
    ''

    """
    if seeds >= SEEDS:
        return ""
    runs = "A single run of each point has no interval" if seeds == 1 else f"Intervals of {seeds} runs are very wide"
    return f"{runs}: many claims stay undecided. Use --seeds {SEEDS} or more for reliable results."
