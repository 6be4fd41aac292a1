"""CoDel (RFC 8289, section 5), written in Python. The decisions are bit for bit those of the built-in discipline."""

from math import sqrt

import ackclock as ac


class Codel(ac.Discipline):
    """Controlled delay: drops or marks at the head while packets wait too long."""

    target: float = 0.005
    interval: float = 0.1
    mtu: int = 1500
    ecn: bool = False

    def setup(self):
        # times are whole picoseconds, as in the engine
        self.target_ps, self.interval_ps = round(self.target * 1e12), round(self.interval * 1e12)
        self.first_above_time = None
        self.drop_next = self.count = self.lastcount = 0
        self.dropping = self.entering = self.again = False

    def on_departure(self, queue, packet):
        late, now = self.is_late(queue, packet), queue.now_ps
        if self.entering:  # the packet before this one was dropped, and began the dropping state
            self.entering = False
            return "deliver"
        if self.again and late:  # the packet before this one was dropped in the dropping state
            self.drop_next = self.after(self.drop_next)
        self.again = False
        if not self.dropping:
            return self.enter(now, packet) if late else "deliver"
        if late and now >= self.drop_next:
            self.count += 1
            if self.ecn and packet.ecn_capable:
                self.drop_next = self.after(self.drop_next)
                return "mark"
            self.again = True
            return "drop"
        self.dropping = late
        return "deliver"

    def enter(self, now, packet):
        self.dropping = True
        delta = self.count - self.lastcount
        soon = now - self.drop_next < 16 * self.interval_ps
        self.count = self.lastcount = delta if delta > 1 and soon else 1
        self.drop_next = self.after(now)
        if self.ecn and packet.ecn_capable:
            return "mark"
        self.entering = True
        return "drop"

    def is_late(self, queue, packet):
        if packet.waited_ps < self.target_ps or queue.bytes <= self.mtu:
            self.first_above_time = None
            return False
        if self.first_above_time is None:
            self.first_above_time = queue.now_ps + self.interval_ps
            return False
        return queue.now_ps >= self.first_above_time

    def after(self, last):
        return last + int(self.interval_ps / sqrt(self.count))
