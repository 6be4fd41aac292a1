//! State that only some senders have.

use crate::config::{Pacing, RecoverySpec, SenderConfig};
use crate::congestion::Law;
use crate::delivery_rate::DeliveryRate;
use crate::send_log::SendLog;
use crate::sender::gso::Gso;
use crate::sender::marks::Marks;
use crate::sender::pacer::Pacer;
use crate::sender::persist::PeerWindow;
use crate::sender::pushes::Pushes;
use crate::sender::small_queue::SmallQueue;
use crate::sender::usage::Usage;
use crate::slow_start::SlowStart;

/// State of a sender that times every segment, samples its delivery rate, is paced, uses ECN or segmentation offload,
/// pushes segments, has a receiver whose window changes, remembers a full window, limits its packets in the host's queue, or
/// has a slow start other than the standard one.
#[derive(Debug)]
pub(crate) struct Extra {
    /// The send time of each segment.
    pub(crate) log: Option<SendLog>,
    pub(crate) rate: Option<Box<DeliveryRate>>,
    pub(crate) slow_start: SlowStart,
    pub(crate) pacer: Option<Pacer>,
    pub(crate) marks: Option<Marks>,
    /// The advertised window, if ACKs carry it.
    pub(super) window: Option<PeerWindow>,
    pub(crate) pushes: Option<Pushes>,
    pub(super) usage: Option<Usage>,
    pub(super) gso: Option<Box<Gso>>,
    pub(super) small_queue: Option<Box<SmallQueue>>,
}

impl Extra {
    /// The additional state of a sender, if it needs any. `times_segments` states whether its recovery or its law needs
    /// the send time of each segment.
    pub(super) fn of(config: &SenderConfig, times_segments: bool, law: &Law) -> Option<Box<Self>> {
        let slow_start = SlowStart::new(config.slow_start, config.pacing != Pacing::Off);
        let log = (times_segments || slow_start.times_segments())
            .then(|| SendLog::new(Self::has_stale_records(config).then_some(config.max_window)));
        let extra = Self::with(log, slow_start, config, law);
        let is_needed = !extra.only_slow_start() || !extra.slow_start.is_standard();
        is_needed.then(|| Box::new(extra))
    }

    /// Returns to the initial state. The log keeps its memory.
    pub(super) fn renew(&mut self, config: &SenderConfig, law: &Law) {
        let slow_start = SlowStart::new(config.slow_start, config.pacing != Pacing::Off);
        *self = Self::with(self.log.take().map(SendLog::emptied), slow_start, config, law);
    }

    fn with(log: Option<SendLog>, slow_start: SlowStart, config: &SenderConfig, law: &Law) -> Self {
        let pacer = (config.pacing != Pacing::Off).then(|| Pacer::new(config));
        let rate = law.samples_rate().then(|| Box::new(DeliveryRate::new(config)));
        let window = config.first_window().map(PeerWindow::new);
        let (marks, pushes) = (Marks::of(config.ecn, law.is_scalable()), Pushes::of(config));
        let usage = config.remember_full_window.then(Usage::default);
        let (gso, small_queue) = (Gso::of(config), SmallQueue::of(config));
        Self { log, rate, slow_start, pacer, marks, window, pushes, usage, gso, small_queue }
    }

    /// Whether the records are ns-2's, which RACK cannot use.
    fn has_stale_records(config: &SenderConfig) -> bool {
        config.stale_records && config.recovery != RecoverySpec::Rack
    }

    /// Whether there is nothing here but a slow start.
    pub(super) const fn only_slow_start(&self) -> bool {
        self.marks.is_none()
            && self.window.is_none()
            && self.pushes.is_none()
            && self.usage.is_none()
            && self.log.is_none()
            && self.rate.is_none()
            && self.pacer.is_none()
            && self.gso.is_none()
            && self.small_queue.is_none()
    }

    /// Whether nothing but the last segment that the application has supplied, and an answer to a mark, needs a flag of its
    /// own, an ACK without an echo changes nothing here, and packets in the host's queue do not count.
    pub(super) const fn labels_seldom(&self, config: &SenderConfig) -> bool {
        self.window.is_none()
            && self.small_queue.is_none()
            && !config.most_marks
            && (self.pushes.is_none() || Pushes::only_ends(config))
    }

    /// Heap memory in bytes.
    pub(super) fn memory(&self) -> usize {
        size_of::<Self>()
            + self.log.as_ref().map_or(0, SendLog::memory)
            + self.pushes.as_ref().map_or(0, Pushes::memory)
            + self.rate.as_ref().map_or(0, |rate| rate.memory())
            + self.gso.as_ref().map_or(0, |gso| size_of_val(&**gso))
            + self.small_queue.as_ref().map_or(0, |queue| queue.memory())
    }
}
