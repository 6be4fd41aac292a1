"""The rules of the study's claims, by topic."""
