"""Runs scenarios: the plan for the engine, the engine, and the run with its summary, tables and notices.

No other package imports the compiled engine. Other packages access the engine through `ackclock.running.engine`.
"""
