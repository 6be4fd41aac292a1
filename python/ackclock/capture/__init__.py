"""Captured packets: what a pcap or pcapng file shows, read in one pass and in bounded memory.

`read_capture` takes a file apart and gives a `Capture`: protocols, arrivals per bin, conversations. Where it is
asked to, it writes each packet as a row of Parquet.
"""

from ackclock.capture.reading import Capture, Protocol, read_capture

__all__ = ["Capture", "Protocol", "read_capture"]
