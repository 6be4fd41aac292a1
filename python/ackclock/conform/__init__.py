"""Runs scripts in the language of packetdrill against a sender, and compares what it does with what they expect."""

from ackclock.conform.finding import scripts
from ackclock.conform.junit import junit
from ackclock.conform.running import Expectations, ScriptResult, Skipped, conform

__all__ = ["Expectations", "ScriptResult", "Skipped", "conform", "junit", "scripts"]
