"""Figures in the field's style, and reports of one HTML file that opens without a network."""
