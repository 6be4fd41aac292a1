"""Captured packets: writes the packets of runs to files, and analyses capture files, simulated or real.

`ackclock.capture.writing` writes the packets of a run to a pcapng file (`ackclock.Run.write_pcapng`). `read_capture`
analyses a file and returns a `Capture`: protocols, arrivals per bin, conversations. On request it also writes a Parquet
file with one row per packet.
"""

from ackclock.capture.reading import Capture, Protocol, read_capture

__all__ = ["Capture", "Protocol", "read_capture"]
