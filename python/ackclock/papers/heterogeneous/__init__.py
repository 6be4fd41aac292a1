"""*The Adverse Impact of the TCP Congestion-Control Mechanism in Heterogeneous Computing Systems*.

W. Feng and P. Tinnakornsrisuphap, ICPP 2000: Reno clients fill half of a bottleneck or all of it, others join them
that run Reno or Vegas, and what the newcomers get and lose is compared; with a stochastic model of Reno.
"""
