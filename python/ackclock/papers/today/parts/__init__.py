"""The runs of the study, by topic."""
