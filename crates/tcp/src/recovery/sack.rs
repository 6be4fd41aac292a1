//! SACK recovery: RFC 6675, with the SACK blocks of RFC 2018. The option `sack = fall-floyd` selects the older
//! algorithm that ns-2 implements (Fall and Floyd, "Simulation-based Comparisons of Tahoe, Reno and SACK TCP", 1996,
//! section 5).
//!
//! With `prr`, RFC 6675's recovery reduces the window in proportion to what is delivered (`prr.rs`), and otherwise at
//! once.
//!
//! A scoreboard records the data received beyond the cumulative ACK. In recovery the sender transmits whenever `pipe`,
//! the estimated number of segments in the network, is below `cwnd`: holes first, then new data.
//!
//! Differences from RFC 6675:
//! - after a timeout the sender skips segments that the receiver reports as received (section 5.1 leaves the method
//!   open), but still counts them in the flight size;
//! - a SACK block is ignored unless it lies entirely above the cumulative ACK and within the data sent.
//!
//! Differences between the two values of `sack`:
//!
//! | | `rfc6675` | `fall-floyd` |
//! | --- | --- | --- |
//! | number of segments SACKed above a hole that mark the hole as lost | 3 (`IsLost`) | 1 |
//! | `pipe` | recounted at every ACK (`SetPipe`) | starts at flight - 3; an ACK subtracts 1, a partial ACK 2 |
//! | a recovery begins | at the third duplicate ACK, or when the first hole is lost | at the third duplicate ACK |
//! | sent with the first retransmission | all that `pipe` allows | nothing until the next ACK or new data |
//! | before recovery | new data as `pipe` allows | limited transmit as with Reno (RFC 3042) |
//! | sends holes not lost, and a rescue segment | if nothing else can be sent (`NextSeg`, rules 3, 4) | no |
//! | the scoreboard is cleared | at a timeout (RFC 2018, section 8) | also after recovery, and at new ACKs outside it |
//! | the next recovery may begin | once `snd_una` reaches `recover` | at once; after a timeout, once past `recover` |
//! | duplicate ACKs between a timeout and the next new ACK | count | do not count |
//! | a partial ACK ends the back-off of the timer | no | yes |
//! | data first sent and then retransmitted in one recovery | gives no round-trip sample (Karn) | may give one |

use ackclock_units::Time;

use super::prr::{Prr, Start};
use super::{DUP_THRESH, Progress};
use crate::config::SackRule;
use crate::congestion::Signal;
use crate::packed_option::PackedOption;
use crate::scoreboard::Scoreboard;
use crate::segment::Ack;
use crate::sender::connection::Connection;

#[derive(Clone, Debug)]
pub struct Sack {
    rule: SackRule,
    board: Scoreboard,
    in_recovery: bool,
    /// Estimated number of segments in the network, during recovery and RFC 6675's limited transmit.
    pipe: i64,
    /// Whether recovery began with the last ACK. Until another ACK or new data arrives, only the first hole is sent.
    waits: bool,
    /// A rescue retransmission is allowed once `snd_una` exceeds this segment (RFC 6675's `RescueRxt`).
    rescue: u64,
    /// Whether a timeout has occurred and nothing new has been acknowledged since.
    timed_out: bool,
    prr: Option<Prr>,
    /// Number of segments that the last ACK delivered, and whether it showed no further loss.
    delivered: u64,
    is_safe: bool,
}

impl Sack {
    pub(super) fn new(rule: SackRule) -> Self {
        Self {
            rule,
            board: Scoreboard::default(),
            in_recovery: false,
            pipe: 0,
            waits: false,
            rescue: 0,
            timed_out: false,
            prr: None,
            delivered: 0,
            is_safe: false,
        }
    }

    /// Whether new ACKs without blocks and transmissions do not matter.
    pub(super) const fn is_at_rest(&self) -> bool {
        !self.in_recovery && !self.timed_out && self.board.sacked() == 0
    }

    /// Heap memory in bytes.
    pub(super) fn memory(&self) -> usize {
        self.board.memory()
    }

    /// What SACK blocks have reported.
    pub(super) const fn board(&self) -> &Scoreboard {
        &self.board
    }

    /// Number of outstanding segments that SACK blocks report.
    pub(crate) const fn sacked(&self) -> u64 {
        self.board.sacked()
    }

    pub(super) fn before_new_ack(&mut self, connection: &mut Connection, ack: Ack<'_>) -> Progress {
        self.timed_out = false;
        let ends = !connection.recover.is_some_and(|recover| ack.next < recover);
        let (known, lost) = (self.board.sacked(), self.lost_for_prr());
        if self.rule == SackRule::FallFloyd && (ends || !self.in_recovery) {
            self.board.clear();
            self.board.acknowledge(ack.next);
        } else {
            self.board.acknowledge(ack.next);
            self.board.update(ack.sack.blocks(), ack.next, connection.snd_max);
        }
        self.delivered = (ack.next - connection.snd_una + self.board.sacked()).saturating_sub(known);
        self.is_safe = self.lost_for_prr() <= lost;
        if !self.in_recovery {
            return Progress::Open;
        }
        if !ends {
            return Progress::Partial;
        }
        self.in_recovery = false;
        if let Some(prr) = self.prr.take() {
            connection.window.cwnd = prr.target();
        }
        if self.rule == SackRule::FallFloyd {
            connection.recover = PackedOption::NONE;
        }
        Progress::Ends
    }

    pub(super) fn after_partial_ack(&mut self, connection: &mut Connection, now: Time) {
        connection.restart_timer(now);
        if self.rule == SackRule::FallFloyd {
            connection.rtt.end_back_off(&connection.config.rtt);
        }
        self.set_pipe(connection, 2);
        self.reduce_in_proportion(connection, self.pipe, self.is_safe);
    }

    pub(super) fn on_duplicate_ack(&mut self, connection: &mut Connection, ack: Ack<'_>, now: Time) {
        if self.timed_out && self.rule == SackRule::FallFloyd {
            return;
        }
        self.board.acknowledge(connection.snd_una); // new ACKs at rest have not
        let known = self.board.sacked();
        let news = self.board.update(ack.sack.blocks(), connection.snd_una, connection.snd_max);
        self.delivered = self.board.sacked() - known;
        connection.dup_acks += u32::from(news);
        if self.in_recovery {
            self.set_pipe(connection, 1);
            self.reduce_in_proportion(connection, self.pipe, false);
        } else if news {
            self.suspect(connection, known, now);
        }
    }

    pub(super) fn before_timeout(&mut self) {
        self.board.clear();
        self.in_recovery = false;
        self.prr = None;
        self.timed_out = true;
    }

    /// Called when the application supplies data.
    pub(super) const fn on_supply(&mut self) {
        self.waits = false;
    }

    /// Whether segments allowed by `pipe` wait because recovery began with the last ACK.
    pub(super) fn is_paused(&self, connection: &Connection) -> bool {
        self.waits && self.in_recovery && self.is_open(connection)
    }

    /// Whether new data would be sent if there were any.
    pub(super) fn is_open(&self, connection: &Connection) -> bool {
        if self.counts_pipe(connection) {
            self.is_below_window(connection) && connection.flight() < connection.rwnd()
        } else {
            connection.is_window_open()
                && (connection.has_timed_out() || self.hole_before_new_data(connection).is_none())
        }
    }

    pub(super) const fn recovers(&self) -> bool {
        self.in_recovery
    }

    /// Whether there is data to send, if the window allowed it.
    pub(super) fn has_data(&self, connection: &Connection) -> bool {
        if self.counts_pipe(connection) {
            connection.snd_nxt < connection.supplied || self.in_recovery && self.board.next_hole().is_some()
        } else {
            self.board.skip(connection.snd_nxt) < connection.supplied
        }
    }

    /// Whether only the advertised window holds back data.
    pub(super) fn is_limited_by_receiver(&self, connection: &Connection) -> bool {
        if self.counts_pipe(connection) {
            !self.waits && self.is_below_window(connection)
        } else {
            connection.is_limited_by_receiver()
        }
    }

    fn is_below_window(&self, connection: &Connection) -> bool {
        (self.pipe + 1) as f64 <= connection.window.cwnd
    }

    /// The next segment to send.
    #[inline(never)]
    pub(super) fn next_segment(&self, connection: &Connection) -> Option<u64> {
        if !self.counts_pipe(connection) {
            let next = self.board.skip(connection.snd_nxt);
            let hole = self.hole_before_new_data(connection).filter(|_| connection.allows(next));
            return match hole {
                Some(hole) => connection.has_timed_out().then_some(hole),
                None => connection.allows(next).then_some(next),
            };
        }
        if self.waits || !self.is_below_window(connection) {
            return None;
        }
        let hole = self.board.next_hole().filter(|_| self.in_recovery);
        let lost = self.board.lost_below(self.lost_after());
        let new = connection.snd_nxt < connection.supplied && connection.flight() < connection.rwnd();
        hole.filter(|hole| lost.is_some_and(|lost| *hole < lost))
            .or_else(|| new.then_some(connection.snd_nxt))
            .or(hole)
            .or_else(|| self.rescue(connection))
    }

    pub(super) fn on_sent(&mut self, connection: &mut Connection, number: u64) {
        if !self.counts_pipe(connection) {
            if self.hole_before_new_data(connection) == Some(number) {
                self.board.retransmitted(number);
            }
            // after a timeout, `pipe` may count from the next segment on
            self.pipe += i64::from(number >= connection.snd_max);
            connection.snd_nxt = connection.snd_nxt.max(number + 1);
            return;
        }
        self.pipe += 1;
        if let Some(prr) = &mut self.prr {
            prr.on_sent();
        }
        if number >= connection.snd_nxt {
            connection.snd_nxt = number + 1;
            connection.limited += u32::from(!self.in_recovery);
            return;
        }
        if self.rule == SackRule::Rfc6675 {
            connection.stop_timing(number);
        }
        if self.board.next_hole() == Some(number) {
            self.board.retransmitted(number);
        } else {
            self.rescue = connection.snd_max;
        }
    }

    /// Whether `pipe`, rather than the flight size, limits transmission.
    fn counts_pipe(&self, connection: &Connection) -> bool {
        let limited_transmit = connection.config.limited_transmit
            && self.rule == SackRule::Rfc6675
            && (1..DUP_THRESH).contains(&connection.dup_acks)
            && connection.snd_nxt == connection.snd_max;
        self.in_recovery || limited_transmit
    }

    /// The hole that blocks new data outside of recovery with `sack_holds_new_data`, as in ns-2; `None` if there is
    /// none.
    fn hole_before_new_data(&self, connection: &Connection) -> Option<u64> {
        let holds = connection.config.sack_holds_new_data && self.rule == SackRule::FallFloyd && !self.in_recovery;
        holds.then(|| self.board.next_hole()).flatten()
    }

    /// Handles a duplicate ACK with new SACK information outside of recovery; `known` is the number of segments that were
    /// SACKed before.
    fn suspect(&mut self, connection: &mut Connection, known: u64, now: Time) {
        let first = connection.snd_una;
        let (lost, past) = match self.rule {
            SackRule::Rfc6675 => {
                let lost = self.board.lost_below(self.lost_after()).is_some_and(|lost| first < lost);
                (lost || connection.dup_acks >= DUP_THRESH, !connection.recover.is_some_and(|recover| first < recover))
            }
            SackRule::FallFloyd => (connection.dup_acks == DUP_THRESH, connection.is_past_recover()),
        };
        if lost && past {
            self.in_recovery = true;
            let start = Start { cwnd: connection.window.segments(), flight: connection.flight(), known };
            connection.reduce(Signal::Loss, false, known);
            connection.fast_retransmit();
            connection.restart_timer(now);
            self.board.restart_at(first + 1);
            self.rescue = first + 1;
            self.pipe = connection.flight() as i64;
            self.set_pipe(connection, i64::from(DUP_THRESH));
            self.waits = self.rule == SackRule::FallFloyd;
            self.begin_prr(connection, start);
        } else if self.rule == SackRule::Rfc6675 {
            self.board.restart_at(first);
            self.set_pipe(connection, 0);
        } else if connection.dup_acks < DUP_THRESH {
            connection.limited_transmit();
        }
    }

    /// Begins proportional rate reduction, if it is chosen. `pipe` includes the first retransmission.
    fn begin_prr(&mut self, connection: &mut Connection, start: Start) {
        if self.rule == SackRule::FallFloyd {
            return;
        }
        self.prr = Prr::begin(connection.config.prr, connection, start);
        self.reduce_in_proportion(connection, self.pipe - 1, false);
        if let Some(prr) = &mut self.prr {
            prr.on_sent();
        }
    }

    /// Every hole below this segment is lost; only if proportional rate reduction asks for it.
    fn lost_for_prr(&self) -> Option<u64> {
        self.prr.as_ref().and_then(|_| self.board.lost_below(DUP_THRESH.into()))
    }

    /// Sets the window in a recovery with proportional rate reduction.
    fn reduce_in_proportion(&mut self, connection: &mut Connection, pipe: i64, safe: bool) {
        if let Some(prr) = &mut self.prr {
            prr.reduce(&mut connection.window, self.delivered, pipe.max(0).cast_unsigned(), safe);
        }
    }

    /// Updates `pipe` after an ACK that shows that `left` segments have left the network. RFC 6675 recounts `pipe`;
    /// Fall and Floyd subtract `left`.
    fn set_pipe(&mut self, connection: &Connection, left: i64) {
        self.waits = false;
        self.pipe = match self.rule {
            SackRule::Rfc6675 => self.board.pipe(connection.snd_una, connection.snd_max, self.lost_after()) as i64,
            SackRule::FallFloyd => self.pipe - left,
        };
    }

    /// The segment of a rescue retransmission (RFC 6675, `NextSeg`, rule 4): the last segment that is not SACKed. It
    /// may be sent once per recovery, when nothing else can be sent.
    fn rescue(&self, connection: &Connection) -> Option<u64> {
        let due = self.rule == SackRule::Rfc6675 && self.in_recovery && connection.snd_una > self.rescue;
        // there may be no hole above the cumulative ACK if the receiver contradicts itself
        due.then(|| self.board.highest_hole(connection.snd_max)).filter(|hole| *hole >= connection.snd_una)
    }

    /// Number of segments SACKed above a hole that mark the hole as lost.
    const fn lost_after(&self) -> u64 {
        match self.rule {
            SackRule::Rfc6675 => DUP_THRESH as u64,
            SackRule::FallFloyd => 1,
        }
    }
}
