//! The congestion window, and the events that a law receives.

use ackclock_units::Time;

/// More than sums of fractions of a segment are rounded by.
const ROUNDING: f64 = 1e-9;

/// The whole part of a number of segments. It is neither negative nor 2^63 or more, and this conversion needs no call of a
/// function.
pub(super) const fn whole(segments: f64) -> f64 {
    (segments as i64) as f64
}

/// The same, rounded up.
pub(super) fn whole_above(segments: f64) -> f64 {
    let whole = whole(segments);
    if whole < segments { whole + 1.0 } else { whole }
}

/// The congestion window and the slow-start threshold (RFC 5681, section 2): real numbers, in segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Congestion window.
    pub cwnd: f64,
    /// Slow-start threshold.
    pub ssthresh: f64,
}

/// A window that grows by whole segments: what was taken from it, and the rest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Growth {
    fraction: f64,
    before: f64,
}

impl Window {
    /// The whole segments of the congestion window. A window is neither negative nor 2^63 or more; a conversion to an i64
    /// takes half as long as one to a u64.
    #[inline(always)]
    pub(crate) const fn segments(&self) -> u64 {
        (self.cwnd as i64).cast_unsigned()
    }

    /// Takes the fraction of a segment from the window. A window at the threshold remains there: the fraction of the
    /// threshold is then taken too, as the window would be in slow start without its own.
    fn take_fraction(&mut self) -> f64 {
        if self.cwnd >= self.ssthresh {
            self.ssthresh = whole(self.ssthresh);
        }
        let fraction = self.cwnd - whole(self.cwnd);
        self.cwnd -= fraction;
        fraction
    }

    /// Adds the fraction of a segment, which counts ACKs in units of `before`, the window before it grew. The rest of a
    /// count stays the same number of ACKs when the window grows.
    fn add_fraction(&mut self, fraction: f64, before: f64) {
        let total = self.cwnd + fraction;
        let whole = whole(total + ROUNDING);
        let rest = (total - whole).max(0.0);
        self.cwnd = whole + if whole > before { rest * before / whole } else { rest };
    }

    /// Called before the window grows with an ACK. If it grows by whole segments, only the rest is given to the law; the
    /// result goes to [`end_growth`](Self::end_growth).
    #[inline(always)]
    pub(crate) fn begin_growth(&mut self, by_whole: bool) -> Option<Growth> {
        by_whole.then(|| Growth { fraction: self.take_fraction(), before: self.cwnd })
    }

    /// Called after the window has grown with an ACK.
    #[inline(always)]
    pub(crate) fn end_growth(&mut self, growth: Option<Growth>) {
        if let Some(Growth { fraction, before }) = growth {
            self.add_fraction(fraction, before);
        }
    }

    /// Halves the window once per timeout of idle time, but not below `restart`, and keeps a threshold of three quarters
    /// of it (RFC 2861, section 3.2).
    pub(crate) fn decay(&mut self, timeouts: u64, restart: f64) {
        self.ssthresh = self.ssthresh.max(0.75 * self.cwnd);
        let halved = self.cwnd / 2.0_f64.powi(timeouts.min(64) as i32);
        self.cwnd = halved.floor().max(restart);
    }

    /// Reduces the window to `kept` segments, or to one segment after a timeout; `ssthresh` is at least two (RFC 5681,
    /// equation 4).
    pub(crate) fn reduce_to(&mut self, kept: f64, event: &CongestionEvent) {
        let kept = kept.max(event.least);
        self.ssthresh = kept.max(2.0);
        self.cwnd = if event.signal == Signal::Timeout { 1.0 } else { kept };
    }
}

/// A new ACK as the law receives it, after the sender has updated its own state.
#[derive(Clone, Copy, Debug)]
pub struct AckSample {
    /// Arrival time.
    pub now: Time,
    /// First unacknowledged segment.
    pub snd_una: u64,
    /// Next segment to send.
    pub snd_nxt: u64,
    /// Number of segments newly acknowledged by this ACK, cumulatively or, with RACK, selectively.
    pub newly_acked: u64,
    /// Number of segments by which this ACK advances `snd_una`.
    pub advance: u64,
    /// RFC 3465's `L`, or 0 if the sender counts ACKs.
    pub byte_counting: u32,
    /// Smoothed round-trip time in seconds; NaN before the first sample.
    pub srtt: f64,
    /// Time since the last transmission of the highest acknowledged segment, including retransmissions. Set only if the
    /// law [times segments](super::CongestionControl::times_segments).
    pub elapsed: Option<Time>,
    /// Same as `elapsed`, but set only if that segment was sent once, so that the sample is valid (Karn's algorithm).
    pub rtt: Option<Time>,
    /// Whether the sender had less in flight than the window allowed.
    pub app_limited: bool,
    /// Number of marked segments that the ACKs since the last new one report; at most one per ACK with classic feedback.
    pub marked: u64,
}

impl AckSample {
    /// Number of segments that the ACK counts for in congestion avoidance: 1 if the sender counts ACKs, and otherwise at
    /// most one window. The ACK that fills a gap after a timeout may cover many windows, and congestion avoidance adds at
    /// most one segment per round trip (RFC 5681, section 3.1).
    #[inline(always)]
    pub fn counted(&self, window: &Window) -> f64 {
        if self.byte_counting == 0 { 1.0 } else { real(self.newly_acked).min(window.cwnd) }
    }

    /// Growth of the window in standard slow start. A sender that counts segments does not grow beyond `ssthresh` with
    /// one ACK, so that the ACK that fills a gap after a timeout does not release a burst (as in Linux).
    #[inline(always)]
    pub fn slow_start_growth(&self, window: &Window) -> f64 {
        if self.byte_counting == 0 {
            return 1.0;
        }
        real(self.newly_acked.min(self.byte_counting.into())).min(window.ssthresh - window.cwnd)
    }
}

/// Not inlined, so that the conversion is made only if it is needed.
#[cold]
fn real(segments: u64) -> f64 {
    segments as f64
}

#[cfg(test)]
impl AckSample {
    /// An ACK for one segment, for tests.
    pub(crate) const ONE: Self = Self {
        now: Time::ZERO,
        snd_una: 1,
        snd_nxt: 3,
        newly_acked: 1,
        advance: 1,
        byte_counting: 0,
        srtt: f64::NAN,
        elapsed: None,
        rtt: None,
        app_limited: false,
        marked: 0,
    };
}

/// A loss or a mark that requires a window reduction. The law receives at most one per congestion event.
#[derive(Clone, Copy, Debug)]
pub struct CongestionEvent {
    /// How it was detected.
    pub signal: Signal,
    /// Window that the reduction is computed from, in segments (see [`DecreaseFrom`](crate::DecreaseFrom)).
    pub window: f64,
    /// Lower limit of the halved window: two segments (RFC 5681, equation 4), or one as in ns-2.
    pub least: f64,
    /// Whether the lost segment had already been retransmitted.
    pub lost_again: bool,
    /// Whether a mark reduces the window less than a loss (RFC 8511).
    pub abe: bool,
}

impl CongestionEvent {
    /// The factor of a reduction: `abe` for a mark if marks have a factor of their own, and otherwise `loss`.
    pub(crate) const fn factor(&self, loss: f64, abe: f64) -> f64 {
        if self.abe && matches!(self.signal, Signal::Mark) { abe } else { loss }
    }
}

/// How congestion was detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// A loss: duplicate ACKs or selective ACKs, the time of transmission, or a fine-grained timer.
    Loss,
    /// A mark (RFC 3168).
    Mark,
    /// The retransmission timer.
    Timeout,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Validates: a window of 44.15 segments that was reduced to its threshold is not in slow start when its fraction is
    ///     taken, and one of 44.15 below a threshold of 44.9 is.
    /// Source: RFC 5681, section 3.1: slow start is below `ssthresh`.
    /// Tolerance: exact.
    #[test]
    fn a_fraction_does_not_begin_slow_start() {
        let taken = [44.15, 44.9].map(|ssthresh| {
            let mut window = Window { cwnd: 44.15, ssthresh };
            window.take_fraction();
            window
        });
        assert_eq!(taken.map(|window| window.cwnd < window.ssthresh), [false, true]);
        assert_eq!(taken.map(|window| window.ssthresh), [44.0, 44.9]);
    }

    proptest! {
        #[test]
        fn whole_segments_are_the_floor_and_the_ceiling(segments in 0.0_f64..1e15, is_whole in any::<bool>()) {
            let cwnd = if is_whole { segments.trunc() } else { segments };
            prop_assert_eq!((whole(cwnd), whole_above(cwnd)), (cwnd.floor(), cwnd.ceil()));
            prop_assert_eq!(Window { cwnd, ssthresh: 1.0 }.segments(), cwnd as u64);
        }
    }
}
