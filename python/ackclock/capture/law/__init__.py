"""Identifies the congestion control of a captured sender by letting each law follow its trace."""
