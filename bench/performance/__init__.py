"""Measures speed and memory: `make bench` writes docs/performance.md, and `make guard` checks the instruction count."""
