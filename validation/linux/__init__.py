"""Compare the profile `linux` with measurements of a Linux kernel, and write `docs/agreement_linux.md`."""
