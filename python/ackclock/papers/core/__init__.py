"""The framework of all studies: evidence, quantities, questions, rules and claims as values."""
