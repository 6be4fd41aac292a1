"""CUBIC (RFC 9438), with the same bytes as the variant ``cubic`` of the profile ``rfc``."""

import ackclock as ac


class Cubic(ac.Law):
    fast_convergence: bool = True

    def setup(self):
        self.w_max = self.cwnd_prior = self.origin = self.k = self.w_est = 0.0
        self.start = -1  # the beginning of the epoch in picoseconds, once it has begun
        self.last_ack = 0

    def observe(self, ack):
        if ack.app_limited and self.start >= 0:
            self.start = min(self.start + ack.now_ps - self.last_ack, ack.now_ps)
        self.last_ack = ack.now_ps

    def on_ack(self, window, ack):
        cwnd, n = window.cwnd, float(ack.newly_acked)
        if self.start < 0:
            self.start, self.w_est, self.origin = ack.now_ps, cwnd, max(self.w_max, cwnd)
            self.k = ac.cbrt((self.origin - cwnd) / 0.4)
        t = (ack.now_ps - self.start) / 1e12
        self.w_est += (3 * (1 - 0.7) / (1 + 0.7) if self.w_est < self.cwnd_prior else 1.0) * n / cwnd
        if self.curve(t) < self.w_est:
            window.cwnd += min(max(self.w_est - cwnd, 0.0), 0.5 * n)
        else:
            ahead = ack.srtt if ack.srtt > 0 else 0.0
            window.cwnd += n * (min(max(self.curve(t + ahead), cwnd), 1.5 * cwnd) - cwnd) / cwnd

    def curve(self, t):
        return 0.4 * ((t - self.k) * (t - self.k) * (t - self.k)) + self.origin

    def on_congestion(self, window, event):
        lowers = self.fast_convergence and window.cwnd < self.w_max
        self.cwnd_prior = max(window.cwnd, self.cwnd_prior) if event.is_timeout else window.cwnd
        self.w_max = 0.0 if event.is_timeout else window.cwnd * (1 + 0.7) / 2 if lowers else window.cwnd
        self.start = -1
        window.ssthresh = max((0.85 if event.abe and event.is_mark else 0.7) * event.window, 2.0)
        window.cwnd = 1.0 if event.is_timeout else window.ssthresh

    def on_idle(self, idle):
        if self.start >= 0:
            self.start = min(self.start + idle.idle_ps, idle.now_ps)
        self.last_ack = idle.now_ps
