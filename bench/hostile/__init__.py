"""The hostile exam: runs random malicious scenarios on the command line, each within 6 s and a memory limit."""
