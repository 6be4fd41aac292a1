//! The log of the records of senders: `windows`, at each change or sampled, and `acks`.

mod read;
#[cfg(test)]
mod tests;

use std::mem::replace;
use std::sync::Arc;

use ackclock_tcp::{Ack, Sender};
use ackclock_units::Time;

use super::packed::{NEAR_TIMES, Packed, near};
use crate::engine::simulator::Simulator;
use crate::observe::Table;
use crate::packet::FlowId;
pub(super) use read::{ACK_COLUMNS, WINDOW_COLUMNS};
use read::{AckTable, WindowTable};

/// The ACK of a row, if it has one: the next one, a duplicate, or another one. The step from the previous ACK follows,
/// in a byte, or after the byte 255 in a number. It is twice the increase of the ACK number, plus one for a duplicate.
const ACK: u64 = 3 << 2;
const NEXT: u64 = 1 << 2;
const DUPLICATE: u64 = 2 << 2;
const ANY_ACK: u64 = 3 << 2;
/// The flight size of a row with a window: the previous one, one segment less or more, or another one. The increase
/// plus 128 follows in a byte, or the flight size after the byte 255 in a number.
const FLIGHT: u64 = 3 << 4;
const LESS: u64 = 1 << 4;
const MORE: u64 = 2 << 4;
const ANY_FLIGHT: u64 = 3 << 4;
/// The congestion window of a row with a window: the previous one, grown by one step of congestion avoidance, or by
/// one segment. A row without any change has no window. Otherwise a byte states which `FIELDS` have changed.
const CWND: u64 = 3 << 6;
const STEP: u64 = 1 << 6;
const GROWN: u64 = 2 << 6;
const FIELDS: u64 = 3 << 6;

const CWND_BIT: u32 = 6;

/// Bits of the byte of fields. The two lowest bits are those of `CWND`; the others stand for the numbers that follow.
const ANY_CWND: u8 = 3;
const SSTHRESH: u8 = 4;
const SRTT: u8 = 8;
const RTO: u8 = 16;

/// Marks the absence of an ACK.
const NONE: u64 = u64::MAX;

/// The records `windows` and `acks` combined, since most ACKs change a window.
#[derive(Clone, Debug)]
pub(super) struct SenderLog {
    flows: Vec<Last>,
    rows: Packed,
    /// The ACK being processed: twice its number, plus one if it is a duplicate.
    ack: u64,
    /// Number of rows with a window, and 2^32 for each row with an ACK.
    counts: u64,
    usual: Usual,
}

/// [Usual turns](SenderLog::keep_usual) of a flow of which all requested records are wanted.
#[derive(Clone, Copy, Debug)]
struct Usual {
    /// Head of the first row, and the increase of [`Last::next_ack`] and of the counts by both rows.
    head: u64,
    step: u64,
    counts: u64,
}

/// Row with a window, or with an ACK, in the counts.
const WINDOW_ROW: u64 = 1;
const ACK_ROW: u64 = 1 << 32;

/// The fields of a flow's previous row needed to detect changes, and the flow's requested records.
#[derive(Clone, Copy, Debug)]
struct Last {
    cwnd: f64,
    ssthresh: f64,
    /// Smoothed round-trip time and timeout, as in [`Sender::timing`].
    srtt: u64,
    rto: Time,
    flight: u64,
    /// The ACK that acknowledges one more segment, if the flow's ACKs are requested.
    next_ack: u64,
    windows: bool,
    acks: bool,
}

/// The state before a flow's first row; it matches no sender.
const NO_ROW: Last = Last {
    cwnd: 0.0,
    ssthresh: f64::NAN,
    srtt: UNDEFINED,
    rto: Time::MAX,
    flight: 0,
    next_ack: NONE - 1,
    windows: false,
    acks: false,
};

impl Last {
    /// Takes an ACK. Returns how a row describes it, and the step from the previous one.
    #[inline(always)]
    fn take_ack(&mut self, ack: u64) -> (u64, u64) {
        // the step may be negative: it is computed modulo 2^63, which segment numbers never reach
        let step = ack.wrapping_sub(self.next_ack).wrapping_add(2);
        self.next_ack = (ack & !1).wrapping_add(2);
        let head = match step {
            2 => NEXT,
            1 => DUPLICATE,
            _ => ANY_ACK,
        };
        (head, step)
    }
}

/// A round-trip time that equals no sender's; a NaN if it is a real number.
const UNDEFINED: u64 = u64::MAX;

impl SenderLog {
    /// A log of the windows and the ACKs of the given flows.
    pub(super) fn of(windows: &[u32], acks: &[u32]) -> Self {
        let all = windows.iter().chain(acks).max().map_or(0, |last| *last as usize + 1);
        let usual = if acks.is_empty() {
            Usual { head: LESS | STEP, step: 0, counts: 2 * WINDOW_ROW }
        } else {
            Usual { head: NEXT | LESS | STEP, step: 2, counts: 2 * WINDOW_ROW + ACK_ROW }
        };
        // the ACKs of other flows are not usual
        let next_ack = if acks.is_empty() { NONE } else { NO_ROW.next_ack };
        let mut flows = vec![Last { next_ack, ..NO_ROW }; all];
        for flow in windows {
            flows[*flow as usize].windows = true;
        }
        for flow in acks {
            let flow = &mut flows[*flow as usize];
            (flow.acks, flow.next_ack) = (true, 2);
        }
        Self { flows, rows: Packed::new(all), ack: NONE, counts: 0, usual }
    }

    /// Handles an ACK that has reached a sender but is not yet processed: it is stored with the turn that follows, or
    /// by [`keep_ack`](Self::keep_ack) if no windows are requested.
    #[inline(always)]
    pub(super) fn acked(&mut self, ack: Ack<'_>, sender: &Sender) {
        self.ack = ack.next << 1 | u64::from(sender.is_duplicate(ack));
    }

    /// Stores the row of an ACK.
    #[inline(never)]
    pub(super) fn keep_ack(&mut self, now: Time, flow: u32) {
        let ack = replace(&mut self.ack, NONE);
        let Some(last) = self.flows.get_mut(flow as usize).filter(|last| last.acks) else { return };
        let (head, step) = last.take_ack(ack);
        self.counts += ACK_ROW;
        self.push_any(now, flow, (head, step), 0, 0);
    }

    /// Stores a row if there was an ACK or anything changed; an undefined `srtt` always counts as changed.
    #[inline(always)]
    pub(super) fn turn(&mut self, now: Time, flow: u32, sender: &Sender) {
        self.keep(now, flow, sender, sender.windows().2, false);
    }

    /// Stores the rows of two turns if they are usual; otherwise returns false. The first turn ended at `first` with
    /// `flight` segments in flight. In congestion avoidance it usually begins with an ACK for one segment, and in the
    /// second turn the sender sends new ones.
    #[inline(always)]
    pub(super) fn keep_usual(&mut self, first: Time, flight: u64, now: Time, flow: u32, sender: &Sender) -> bool {
        let Self { flows, rows, usual, .. } = self;
        let Some(last) = flows.get_mut(flow as usize) else { return false };
        let (cwnd, ssthresh, flight_now) = sender.windows();
        let (srtt, rto) = sender.timing();
        let (sent, later) = (flight_now.wrapping_sub(flight), now.as_picos().wrapping_sub(first.as_picos()));
        let is_usual = self.ack == last.next_ack
            && flight + 1 == last.flight
            && sent.wrapping_sub(1) < 100
            && later < NEAR_TIMES
            && rto == last.rto
            && srtt == last.srtt
            && ssthresh.to_bits() == last.ssthresh.to_bits()
            && cwnd.to_bits() == next_step(last.cwnd).to_bits()
            && rows.has_space();
        if is_usual {
            last.cwnd = cwnd;
            last.flight = flight_now;
            last.next_ack = last.next_ack.wrapping_add(usual.step);
            self.ack = NONE;
            self.counts += usual.counts;
            let (second, bytes) = match sent {
                1 => (near(MORE, later), 4),
                _ => (near(ANY_FLIGHT, later) | (128 + sent) << 32, 5),
            };
            rows.push_two(first, flow, usual.head, second, bytes);
        }
        is_usual
    }

    /// Stores the rows of two turns.
    #[inline(never)]
    pub(super) fn keep_two(&mut self, first: Time, flight: u64, now: Time, flow: u32, sender: &Sender) {
        self.keep(first, flow, sender, flight, false);
        let Some(last) = self.flows.get_mut(flow as usize).filter(|last| last.windows) else { return };
        if last.srtt == UNDEFINED {
            return self.keep_fields(now, flow, sender, sender.windows().2, (0, 0));
        }
        // since the first turn, only the flight size may have changed
        let flight = sender.windows().2;
        let added = flight.wrapping_sub(replace(&mut last.flight, flight));
        if added != 0 {
            self.counts += WINDOW_ROW;
            self.push_any(now, flow, (flight_of(added), 0), added, flight);
        }
    }

    /// Stores a row of each of some flows.
    pub(super) fn sample(&mut self, now: Time, flows: &[u32], simulator: &Simulator) {
        for flow in flows {
            if let Some(sender) = simulator.sender(FlowId(*flow)) {
                self.keep(now, *flow, sender, sender.windows().2, true);
            }
        }
    }

    #[inline(always)]
    fn keep(&mut self, now: Time, flow: u32, sender: &Sender, flight: u64, always: bool) {
        let ack = replace(&mut self.ack, NONE);
        let Some(last) = self.flows.get_mut(flow as usize) else { return };
        let (mut head, mut step) = (0, 0);
        if ack != NONE && last.acks {
            (head, step) = last.take_ack(ack);
            self.counts += ACK_ROW;
        }
        let mut added = 0;
        if last.windows {
            let (cwnd, ssthresh, _) = sender.windows();
            let (srtt, rto) = sender.timing();
            let changed = growth(last.cwnd, cwnd);
            let others = (ssthresh.to_bits() ^ last.ssthresh.to_bits())
                | (srtt ^ last.srtt)
                | (rto.as_picos() ^ last.rto.as_picos());
            if others != 0 || changed == FIELDS || always {
                return self.keep_fields(now, flow, sender, flight, (head, step));
            }
            added = flight.wrapping_sub(last.flight);
            (last.cwnd, last.flight) = (cwnd, flight);
            head |= changed | flight_of(added);
            self.counts += WINDOW_ROW * u64::from(head & (FLIGHT | CWND) != 0);
        }
        if head != 0 {
            self.push_any(now, flow, (head, step), added, flight);
        }
    }

    /// Stores a row with a window, and the fields that have changed.
    #[inline(never)]
    fn keep_fields(&mut self, now: Time, flow: u32, sender: &Sender, flight: u64, (head, step): (u64, u64)) {
        let last = &mut self.flows[flow as usize];
        let (cwnd, ssthresh, _) = sender.windows();
        let (srtt, rto) = sender.timing();
        let srtt = if srtt == 0 { UNDEFINED } else { srtt };
        let (added, growth) = (flight.wrapping_sub(last.flight), growth(last.cwnd, cwnd));
        let changed = |field: u8, changed: bool| u8::from(changed) * field;
        let fields = (growth >> CWND_BIT) as u8
            | changed(SSTHRESH, ssthresh.to_bits() != last.ssthresh.to_bits())
            | changed(SRTT, srtt != last.srtt)
            | changed(RTO, rto != last.rto);
        *last = Last { cwnd, ssthresh, srtt, rto, flight, ..*last };
        self.counts += WINDOW_ROW;
        self.push_any(now, flow, (head | FIELDS | flight_of(added), step), added, flight);
        self.rows.add_byte(fields);
        if growth == FIELDS {
            self.rows.add(cwnd.to_bits());
        }
        if fields & SSTHRESH != 0 {
            self.rows.add(ssthresh.to_bits());
        }
        if fields & SRTT != 0 {
            self.rows.add(sender.state().srtt.to_bits());
        }
        if fields & RTO != 0 {
            self.rows.add(rto.as_picos());
        }
    }

    /// Appends a row whose ACK or flight size may take further bytes.
    #[inline(always)]
    fn push_any(&mut self, now: Time, flow: u32, (head, step): (u64, u64), added: u64, flight: u64) {
        self.rows.push(now, flow, head);
        if head & ACK == ANY_ACK {
            self.rows.add_small(step, step);
        }
        if head & FLIGHT == ANY_FLIGHT {
            self.rows.add_small(added.wrapping_add(128), flight);
        }
    }

    /// Number of rows of the table `windows`.
    pub(super) const fn windows(&self) -> usize {
        (self.counts & (ACK_ROW - 1)) as usize
    }

    /// Number of rows of the table `acks`.
    pub(super) const fn acks(&self) -> usize {
        (self.counts / ACK_ROW) as usize
    }

    /// Memory of the rows in bytes.
    pub(super) fn memory(&self) -> usize {
        self.flows.capacity() * size_of::<Last>() + self.rows.memory()
    }

    /// The tables `windows` and `acks`.
    pub(super) fn tables(self) -> [Table; 2] {
        let log = Arc::new(self);
        [Table::new("windows", WindowTable(Arc::clone(&log))), Table::new("acks", AckTable(log))]
    }
}

/// The window after one more ACK in congestion avoidance, the most frequent case.
fn next_step(cwnd: f64) -> f64 {
    cwnd + 1.0 / cwnd
}

/// How a row describes a congestion window, given the previous one.
fn growth(before: f64, cwnd: f64) -> u64 {
    let is = |other: f64| cwnd.to_bits() == other.to_bits();
    match () {
        () if is(before) => 0,
        () if is(next_step(before)) => STEP,
        () if is(before + 1.0) => GROWN,
        () => FIELDS,
    }
}

/// How a row describes a flight size that has increased by `added`, modulo 2^64.
const fn flight_of(added: u64) -> u64 {
    match added {
        0 => 0,
        1 => MORE,
        u64::MAX => LESS,
        _ => ANY_FLIGHT,
    }
}
