"""Captured packets, both ways: runs become files, and files, simulated or real, become what can be counted.

`ackclock.capture.writing` makes a pcapng file of the packets of a run (`ackclock.Run.write_pcapng`). `read_capture`
takes a file apart and gives a `Capture`: protocols, arrivals per bin, conversations. Where it is asked to, it writes
each packet as a row of Parquet.
"""

from ackclock.capture.reading import Capture, Protocol, read_capture

__all__ = ["Capture", "Protocol", "read_capture"]
