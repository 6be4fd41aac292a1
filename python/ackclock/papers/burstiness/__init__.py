"""*On the Burstiness of the TCP Congestion-Control Mechanism in a Distributed Computing System*.

P. Tinnakornsrisuphap, W. Feng and I. Philp, ICDCS 2000: Poisson clients behind one bottleneck, over UDP and
three kinds of TCP, with a FIFO or a RED gateway. The more clients, the smoother their sum should be; TCP
makes it rougher.
"""
