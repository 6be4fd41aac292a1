"""Compare today's senders and queues with ns-3.44, and write `docs/agreement_ns3.md`."""
