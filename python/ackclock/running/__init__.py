"""Runs scenarios: the plan for the engine, and the run with its summary, tables, notices and figures."""
