"""*Comparison of TCP Variants Over Self-Similar Traffic*.

M. Salleh and A. Z. Abu Bakar: one connection of Tahoe, NewReno, Vegas or SACK competes with on/off sources with
heavy-tailed periods at a bottleneck with a small buffer. How much does it deliver, and is its traffic self-similar?
"""
