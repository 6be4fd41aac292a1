//! A sender whose transmissions are dictated: a trace says when which segment was sent, and the sender's law answers.

use ackclock_units::Time;

use super::Sender;
use crate::config::IdleRestart;
use crate::recovery::Recovery;

/// Data that the application of such a sender has supplied: more than any trace contains.
const ENDLESS: u64 = u64::MAX / 4;

impl Sender {
    /// Supplies data without end.
    pub(crate) fn supply_without_end(&mut self) {
        self.supply(ENDLESS);
        self.handle_supply();
    }

    /// Sends segment `number`, whatever the window, the pacing rate and the recovery say. The number is one of an outstanding
    /// segment, or of the first that was never sent.
    pub(crate) fn send_dictated(&mut self, number: u64, now: Time) {
        let Self { connection, recovery, .. } = self;
        debug_assert!(connection.snd_una <= number && number <= connection.snd_max, "segments are sent in order");
        connection.urgent.take();
        if connection.config.idle_restart != IdleRestart::Timeout {
            connection.restart_after_idle(now);
        }
        recovery.on_sent(connection, number);
        if let Recovery::Rack(rack) = recovery {
            rack.transmit(connection, number, now);
        } else {
            connection.transmit(number, now);
        }
    }

    /// Ends a turn of dictated transmissions.
    pub(crate) fn end_dictated_turn(&mut self, now: Time) {
        self.end_turn(now);
        self.choose_path();
    }

    /// The first segment that is not acknowledged, and the first that was never sent.
    pub(crate) const fn outstanding_range(&self) -> (u64, u64) {
        (self.connection.snd_una, self.connection.snd_max)
    }

    /// Number of segments in the network, as the recovery believes.
    pub(crate) fn in_network(&self) -> u64 {
        self.recovery.in_flight(&self.connection)
    }

    /// The rate at which the sender would pace now, in segments per second, if it paces.
    pub(crate) fn rate_of_pacing(&self) -> Option<f64> {
        self.connection.pacer()?;
        let each = self.connection.pacing_interval()?.as_secs_f64();
        (each > 0.0).then(|| 1.0 / each)
    }
}
