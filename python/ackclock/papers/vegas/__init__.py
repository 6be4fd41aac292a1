"""When does Vegas get its share in competition with Reno? A map of conditions, and the effect of each cause.

Feng and Tinnakornsrisuphap (ICPP 2000) find that Vegas performs as well as the competing Reno clients; Mo, La,
Anantharam and Walrand ("Analysis and Comparison of TCP Reno and Vegas", INFOCOM 1999) find that Reno fills the buffer
and gets more. Here clients of both kinds share one gateway. The study varies the gateway's buffer, the share of Vegas
clients, their start and the application.
"""
