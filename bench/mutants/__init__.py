"""Small faults are put into the sources one by one, and the tests must notice each: ``make mutants``."""
