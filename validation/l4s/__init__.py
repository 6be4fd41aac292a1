"""Compare Prague and CUBIC with a testbed of the L4S kernel, and write `docs/agreement_l4s.md`."""
