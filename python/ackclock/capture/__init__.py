"""Captured packets: analyses capture files, simulated or real, and reports on them.

`ackclock.Run.write_pcapng` writes the packets of a run to such a file. `read_capture` analyses a file and returns a
`Capture`: protocols, arrivals per bin, conversations. On request it also writes a Parquet file with one row per packet.
"""

from ackclock.capture.reading import Capture, Protocol, read_capture

__all__ = ["Capture", "Protocol", "read_capture"]
