"""Values of an input: quantities with units, the kinds of values that a field allows, and errors about them."""
