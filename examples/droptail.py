"""Drop-tail, written in Python: the smallest queue discipline."""

import ackclock as ac


class DropTail(ac.Discipline):
    """Drops the arriving packet if the queue is full."""

    def on_arrival(self, queue, packet):
        return "drop" if queue.full else "accept"
