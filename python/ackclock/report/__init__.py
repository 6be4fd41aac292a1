"""Writes reports as single HTML files that need no network."""
