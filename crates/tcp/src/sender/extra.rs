//! State that only some senders have.

use crate::config::SenderConfig;
use crate::send_log::SendLog;
use crate::slow_start::SlowStart;

/// State of a sender that times every segment or has a slow start other than the standard one.
#[derive(Debug)]
pub(crate) struct Extra {
    /// The send time of each segment.
    pub(crate) log: Option<SendLog>,
    pub(crate) slow_start: SlowStart,
}

impl Extra {
    /// The additional state of a sender, if it needs any. `times_segments` states whether its recovery or its law needs
    /// the send time of each segment.
    pub(super) fn of(config: &SenderConfig, times_segments: bool) -> Option<Box<Self>> {
        let slow_start = SlowStart::new(config.slow_start);
        let log = (times_segments || slow_start.times_segments())
            .then(|| SendLog::new(config.stale_records.then_some(config.max_window)));
        (log.is_some() || !slow_start.is_standard()).then(|| Box::new(Self { log, slow_start }))
    }

    /// Heap memory in bytes.
    pub(super) fn held(&self) -> usize {
        size_of::<Self>() + self.log.as_ref().map_or(0, SendLog::held)
    }
}
