"""The lab: one web page that simulates a scenario again whenever a setting changes."""
