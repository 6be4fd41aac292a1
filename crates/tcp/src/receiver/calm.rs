//! The short path of a receiver that delays ACKs: data that is sent for the first time, arrives in order and has no mark,
//! while nothing is missing. It does exactly what the general path would do.

use ackclock_units::Time;

use super::batch::Taken;
use super::echo::Mark;
use super::{Receiver, ReceiverPool};

/// The answer to data that arrives calmly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Its ACK waits.
    Waits {
        /// When the timer fires ([`Receiver::poll_timeout`]).
        until: Time,
    },
    /// An ACK without SACK blocks and without a window; the fields are those of [`Ack`](crate::Ack).
    Plain {
        /// The next segment that the receiver expects.
        next: u64,
        /// ECN feedback.
        echo: u8,
        /// Whether the ACK answers an original.
        original: bool,
    },
}

impl Receiver {
    /// Handles segment `number` if it is the next one in order, was sent once and has no mark, and the receiver delays ACKs and
    /// misses nothing. If the result is `None`, the receiver is unchanged, and [`handle_segment`](Self::handle_segment)
    /// handles the segment.
    #[inline(always)]
    pub fn take_calmly(&mut self, number: u64, mark: Mark, now: Time, pool: &mut ReceiverPool) -> Option<Answer> {
        let config = &pool.configs[self.config as usize];
        let record = pool.records.get_mut(self.record as usize)?;
        let is_calm = number == self.rcv_nxt
            && number > 0
            && !mark.again
            && record.delays_only
            && !(mark.pushed && config.acks_pushed)
            && record.beyond.is_empty()
            && record.echo.is_unmoved_by(mark);
        if !is_calm {
            return None;
        }
        self.rcv_nxt += 1;
        let next = self.rcv_nxt;
        record.original |= !record.delay.is_delayed();
        let paused = record.adapt(number, true, mark.sent, now, config);
        let (duplicate, again, is_old, is_urgent) = (false, false, false, false);
        let taken = Taken { number, count: 1, duplicate, again, is_old, may_wait: true, is_urgent, paused };
        if record.waits_calmly(taken, next, now, config) {
            return Some(Answer::Waits { until: record.delay.deadline.get().unwrap_or(Time::MAX) });
        }
        let (echo, original) = record.report(config);
        Some(Answer::Plain { next, echo, original })
    }
}
