"""Figures in the field's style, and reports as single HTML files that need no network."""
