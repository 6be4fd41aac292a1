"""*Comparison of TCP Variants Over Self-Similar Traffic*.

M. Salleh and A. Z. Abu Bakar: one connection of Tahoe, NewReno, Vegas or SACK crosses a bottleneck with next to no
buffer beside on/off sources whose periods have heavy tails. What does it deliver, and is it self-similar itself?
"""
