"""Who gets what when laws share a queue: pairs of today's laws by buffer, queue, number and distance."""
