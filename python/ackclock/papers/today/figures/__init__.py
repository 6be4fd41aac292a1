"""The figures of the study, by topic."""
