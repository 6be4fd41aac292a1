"""The questions of five papers of 2000, asked of today's senders and queues."""
