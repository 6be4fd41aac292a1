"""When does Vegas hold its own beside Reno? The map that no paper has, and which cause makes what of it.

Feng and Tinnakornsrisuphap (ICPP 2000) find that Vegas does as well as Reno beside Reno, Mo, La, Anantharam and Walrand
("Analysis and Comparison of TCP Reno and Vegas", INFOCOM 1999) that Reno takes the buffer. Here both kinds of client
share one gateway, over its room, the part of the clients that run Vegas, when they start and what they send.
"""
