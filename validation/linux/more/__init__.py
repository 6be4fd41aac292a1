"""The second set of measurements of the kernel: many flows, bursts, outages, changes of the rate and short flows."""
