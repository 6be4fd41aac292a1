"""The hostile exam: random scenarios that mean harm, each run by the command line within 6 s and a bound of memory."""
