"""Mutation tests: inserts small faults into the sources one by one, which the tests must detect (``make mutants``).

`net` uses cargo-mutants for the engine. For Python, the published tools were tried and cannot do this:

- mutmut 3.8 compiles all faults into the functions of a module and selects one at run time. Code outside of functions
  and in decorated functions has no faults: here 4,291 of 16,742, among them the rules of claims, the profiles and all
  properties. It names modules by their path, which works for packages in ``.``, ``src`` and ``source`` but not in
  ``python``; and it has no random sample and no limit to the lines that a branch changes.
- cosmic-ray 8.7 reaches all code, and limits faults to the lines of a branch, but runs one command for every fault: all
  tests, which take minutes, or the same few.

Here a random sample of faults is judged by the tests that reach each one (`reach`, `judging`), so that 200 faults take
an hour or two, and the share of caught faults has a confidence interval.
"""
