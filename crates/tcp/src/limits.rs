//! What limits a sender: the reason why it does not send more, and the time for which each reason held.
//!
//! Linux keeps such *chronographs* for each socket (`tcp_chrono_start` in `tcp_output.c`, read as `tcp_info`): it
//! distinguishes time with data outstanding, with a closed receive window and with a full send buffer. Here the reasons
//! are complete, so that their times add up to the time of the connection: a sender is in exactly one state at any time.
//! The state is chosen at the end of each [turn](crate::Turn), when the sender may send nothing more for now, and holds
//! until the next turn ends or a processing time begins.

use ackclock_units::Time;

macro_rules! limits {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal,)+) => {
        /// Why a sender does not send.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Limit {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Limit {
            /// All reasons, in the order of results.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// The name of the reason.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// The name of the share of time in which it limited senders, in results.
            pub const fn field(self) -> &'static str {
                match self { $(Self::$variant => concat!("limited_", $name),)+ }
            }

            /// Its meaning.
            pub const fn doc(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc),+),)+ }
            }

            /// The meaning of the share of time.
            pub const fn share_doc(self) -> &'static str {
                match self {
                    $(Self::$variant => concat!("Share of the measured time for this reason.\n\n", $($doc),+),)+
                }
            }
        }
    };
}

limits! {
    /// The application has supplied no data to send: before its first data, between its data, and after its last.
    Application "application",
    /// Data waits because the receive window is full. The receive window, which the receiver advertises, is smaller
    /// than the congestion window.
    ReceiverWindow "receiver_window",
    /// Data waits because the congestion window is full, and it is in slow start. It is in slow start at the start,
    /// including the handshake, after a timeout, and after an idle time.
    SlowStart "slow_start",
    /// Data waits because the congestion window is full, outside of slow start. A loss has reduced the window, and no
    /// mark has reduced it since.
    Loss "loss",
    /// Data waits because the congestion window is full, outside of slow start. A mark (ECN) has reduced the window,
    /// and no loss has reduced it since.
    Marks "marks",
    /// Data waits because the congestion window is full, outside of slow start, by the choice of the law. Either
    /// nothing has reduced the window yet, or the law sets the window by a model of the path and no loss is being
    /// repaired.
    Window "window",
    /// Data that the window allows waits for its pacing time, or until packets have left the first link
    /// (`limit_output_bytes`).
    Pacing "pacing",
    /// Data that the window allows waits for the sender's processing time (`overhead`).
    Processing "processing",
    /// The sender waits for ACKs that do not arrive: from its last turn until its retransmission timer fires.
    Timeout "timeout",
}

impl Limit {
    /// What holds a window that a model of the path sets, given whether slow start has not ended.
    pub(crate) const fn of_model(is_starting: bool) -> Self {
        if is_starting { Self::SlowStart } else { Self::Window }
    }
}

/// The time for which a sender was in each state.
#[derive(Clone, Debug)]
#[repr(C)] // the first fields share a cache line with the processing time
pub(crate) struct Chronograph {
    /// The present state, and the time up to which states are recorded.
    state: Limit,
    until: Time,
    spent: [Time; Limit::ALL.len()],
}

impl Chronograph {
    /// Starts at `now`, without data.
    pub(crate) const fn start(now: Time) -> Self {
        Self { state: Limit::Application, until: now, spent: [Time::ZERO; Limit::ALL.len()] }
    }

    /// Counts the time up to `now` for the present state.
    #[inline(always)]
    pub(crate) fn pass(&mut self, now: Time) {
        self.spent[self.state as usize] += now - self.until;
        self.until = now;
    }

    /// The same, and counts a processing time that ends at `end`. The state must be set then.
    #[inline(always)]
    pub(crate) fn process(&mut self, now: Time, end: Time) {
        self.pass(now);
        self.spent[Limit::Processing as usize] += end - now;
        self.until = end;
    }

    /// Sets the state from `now` on, up to which time has been counted.
    #[inline(always)]
    pub(crate) fn set(&mut self, state: Limit, now: Time) {
        debug_assert_eq!(self.until, now, "all time is counted");
        self.state = state;
    }

    /// Begins a state, which may be the present one.
    #[inline(always)]
    pub(crate) fn enter(&mut self, state: Limit, now: Time) {
        self.pass(now);
        self.state = state;
    }

    /// The same for a state that began at `at`, but not before the last turn.
    pub(crate) fn enter_since(&mut self, state: Limit, at: Time) {
        self.enter(state, at.max(self.until));
    }

    /// Records that the retransmission timer has fired. The time since the last turn was spent waiting for it, unless the
    /// sender has held back data itself.
    pub(crate) const fn time_out(&mut self) {
        if !matches!(self.state, Limit::Pacing | Limit::Processing) {
            self.state = Limit::Timeout;
        }
    }

    /// The present state.
    #[inline(always)]
    pub(crate) const fn state(&self) -> Limit {
        self.state
    }

    /// Forgets the past.
    pub(crate) const fn restart(&mut self, now: Time) {
        *self = Self { state: self.state, ..Self::start(now) };
    }

    /// The time spent in each state up to `now`, in the order of [`Limit::ALL`].
    pub(crate) fn spent(&self, now: Time) -> [Time; Limit::ALL.len()] {
        let mut whole = self.clone();
        whole.pass(now);
        whole.spent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Validates: times add up; a timeout takes the time since the last turn, but no processing time or pacing.
    /// Source: definitions (`Limit`).
    /// Tolerance: exact.
    #[test]
    fn every_instant_belongs_to_one_state() {
        let at = Time::from_millis;
        let mut chronograph = Chronograph::start(at(5));
        for (state, now) in [(Limit::SlowStart, 7), (Limit::Loss, 10), (Limit::Loss, 12)] {
            chronograph.enter(state, at(now));
        }
        chronograph.time_out();
        chronograph.enter(Limit::Pacing, at(20));
        chronograph.time_out();
        let spent = |chronograph: &Chronograph, now| {
            let spent = chronograph.spent(at(now));
            Limit::ALL.into_iter().zip(spent).filter(|(_, time)| *time > Time::ZERO).collect::<Vec<_>>()
        };
        let expected = [
            (Limit::Application, at(2)),
            (Limit::SlowStart, at(3)),
            (Limit::Loss, at(2)),
            (Limit::Pacing, at(1)),
            (Limit::Timeout, at(8)),
        ];
        assert_eq!(spent(&chronograph, 21), expected);
        chronograph.process(at(21), at(23));
        chronograph.set(Limit::Window, at(23));
        assert_eq!(chronograph.spent(at(24))[Limit::Processing as usize], at(2));
        assert_eq!(chronograph.spent(at(24)).iter().fold(Time::ZERO, |sum, time| sum + *time), at(24 - 5));
        chronograph.restart(at(24));
        assert_eq!(spent(&chronograph, 27), [(Limit::Window, at(3))]);
    }

    #[test]
    fn names_differ() {
        let mut names = Limit::ALL.map(Limit::name).to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Limit::ALL.len());
        assert!(Limit::ALL.iter().zip(0_usize..).all(|(limit, place)| *limit as usize == place));
    }
}
