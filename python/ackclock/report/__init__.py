"""Draws figures, and writes reports as single HTML files that need no network."""
