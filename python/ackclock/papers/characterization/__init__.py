"""The short paper of W. Feng, P. Tinnakornsrisuphap and I. Philp on TCP's effect on traffic characterization.

It uses the network of the burstiness paper, with clients of one kind and with newcomers that compete with 20 Reno
clients. Its figures are Figures 2 to 8 of the heterogeneous paper; the two studies share runs and most rules.
"""
