"""What speed costs and comes to: `make bench` measures it, writes docs/performance.md, and `make guard` keeps it."""
