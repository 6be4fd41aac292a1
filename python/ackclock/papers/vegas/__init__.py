"""When does Vegas get its share in competition with Reno? A map that no paper has, and the effect of each cause.

Feng and Tinnakornsrisuphap (ICPP 2000) find that Vegas does as well as the Reno that it competes with, Mo, La,
Anantharam and Walrand ("Analysis and Comparison of TCP Reno and Vegas", INFOCOM 1999) that Reno takes the buffer. Here
clients of both kinds share one gateway. Its buffer, the share of Vegas clients, their start and the application vary.
"""
