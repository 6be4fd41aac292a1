"""*On the Burstiness of the TCP Congestion-Control Mechanism in a Distributed Computing System*.

P. Tinnakornsrisuphap, W. Feng and I. Philp, ICDCS 2000. Clients send Poisson traffic over UDP or one of three
kinds of TCP through one bottleneck with a FIFO or a RED gateway. The sum of their traffic should become
smoother with more clients, but TCP makes it burstier.
"""
