"""Congestion control written in Python: the class of a law, and everything that runs, identifies and checks it."""
