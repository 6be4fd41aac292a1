"""The short paper of W. Feng, P. Tinnakornsrisuphap and I. Philp on TCP's effect on traffic characterization.

The network of the burstiness paper with clients of one kind, and with newcomers beside 20 Reno clients: its figures are
Figures 2 to 8 of the heterogeneous paper. Runs, figures and most rules are those of that study.
"""
