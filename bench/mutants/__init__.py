"""Mutation tests: inserts small faults into the sources one by one, which the tests must detect (``make mutants``)."""
