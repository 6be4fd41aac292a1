"""Figures of a sweep: a measure against the swept fields."""
