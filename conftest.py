"""Settings for the examples in docstrings: modules whose optional package is missing are not collected."""

from importlib.util import find_spec

collect_ignore = [
    f"python/ackclock/gym/{module}.py"
    for module, package in (("environment", "gymnasium"), ("parallel", "pettingzoo"))
    if find_spec(package) is None
]
