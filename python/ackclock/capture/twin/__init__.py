"""Twins: a scenario of the path of a captured connection, its fit, and answers about other queues and other laws."""
