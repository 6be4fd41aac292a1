"""Charts: their description, and drawings of them with Matplotlib, as SVG for pages and as HTML for notebooks."""
