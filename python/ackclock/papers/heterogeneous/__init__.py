"""*The Adverse Impact of the TCP Congestion-Control Mechanism in Heterogeneous Computing Systems*.

W. Feng and P. Tinnakornsrisuphap, ICPP 2000: further clients, which run Reno or Vegas, join 20 or 40 Reno clients at a
bottleneck. The paper compares the goodput and the loss of these newcomers, and has a stochastic model of Reno.
"""
