"""Runs scripts in the language of packetdrill against a sender, and compares what it does with what they expect."""

from ackclock.conformance.finding import scripts
from ackclock.conformance.junit import junit
from ackclock.conformance.running import Expectations, ScriptResult, Skipped, conform

__all__ = ["Expectations", "ScriptResult", "Skipped", "conform", "junit", "scripts"]
