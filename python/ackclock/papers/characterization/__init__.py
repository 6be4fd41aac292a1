"""The short paper of W. Feng, P. Tinnakornsrisuphap and I. Philp on TCP's effect on traffic characterization.

The network of the burstiness paper with clients of one kind, and with newcomers that compete with 20 Reno clients. Its
figures are Figures 2 to 8 of the heterogeneous paper, and the runs and most rules are shared with that study.
"""
