//! The records of senders: their windows, at each change or sampled, and the ACKs that reach them.

use ackclock_tcp::{Ack, Sender, SenderState};
use ackclock_units::Time;

use super::packed::Packed;
use crate::observe::Column;
use crate::observe::table::{Rows, columns};

columns! { WindowColumns {
    time: F64(f64), flow: U32(u32), cwnd: F64(f64), ssthresh: F64(f64), flight_size: F64(f64), srtt: F64(f64), rto: F64(f64),
} }
columns! { AckColumns { time: F64(f64), flow: U32(u32), ack: U64(u64), duplicate: Bool(bool) } }

/// What a row adds to its flow's row before, as bits beside the flight size: a window one step of congestion avoidance further,
/// any other window, and new values of all that seldom changes.
const STEP: u64 = 1;
const CWND: u64 = 2;
const OTHERS: u64 = 4;
const FLAGS: u32 = 3;

/// The record `windows`.
#[derive(Clone, Debug)]
pub(super) struct Windows {
    /// Each flow's last row, where the flow is watched.
    last: Vec<Option<Last>>,
    rows: Packed,
}

/// The row before, as far as a change shows in it.
#[derive(Clone, Copy, Debug)]
struct Last {
    cwnd: f64,
    ssthresh: f64,
    flight_size: u64,
    timing: (u64, Time),
}

/// Before the first row: of no sender.
const NO_ROW: Last = Last { cwnd: 0.0, ssthresh: f64::NAN, flight_size: 0, timing: (0, Time::MAX) };

impl Windows {
    pub(super) fn of(flows: &[u32]) -> Self {
        let mut last = Vec::new();
        for flow in flows.iter().map(|flow| *flow as usize) {
            last.resize(last.len().max(flow + 1), None);
            last[flow] = Some(NO_ROW);
        }
        Self { last, rows: Packed::default() }
    }

    /// Keeps a row if anything changed; an undefined `srtt` always differs.
    #[inline(never)]
    pub(super) fn turn(&mut self, now: Time, flow: u32, sender: &Sender) {
        self.keep(now, flow, sender, false);
    }

    /// Keeps a row.
    pub(super) fn sample(&mut self, now: Time, flow: u32, sender: &Sender) {
        self.keep(now, flow, sender, true);
    }

    #[inline(always)]
    fn keep(&mut self, now: Time, flow: u32, sender: &Sender, always: bool) {
        let Some(Some(last)) = self.last.get_mut(flow as usize) else { return };
        let (cwnd, ssthresh, flight_size) = sender.windows();
        let timing = sender.timing();
        let grown = cwnd.to_bits() != last.cwnd.to_bits();
        let others = ssthresh.to_bits() != last.ssthresh.to_bits() || timing != last.timing;
        if !(always || grown || others || flight_size != last.flight_size || timing.0 == 0) {
            return;
        }
        let is_step = grown && cwnd.to_bits() == next_step(last.cwnd).to_bits();
        let window = if is_step { STEP } else { u64::from(grown) * CWND };
        *last = Last { cwnd, ssthresh, flight_size, timing };
        self.rows.push(now, flow, (flight_size << FLAGS) | (u64::from(others) * OTHERS) | window);
        if window == CWND {
            self.rows.add(cwnd.to_bits());
        }
        if others {
            self.add_others(sender.state());
        }
    }

    #[inline(never)]
    fn add_others(&mut self, state: SenderState) {
        for other in [state.ssthresh, state.srtt, state.rto] {
            self.rows.add(other.to_bits());
        }
    }

    pub(super) const fn rows(&self) -> usize {
        self.rows.rows()
    }
}

/// A window after one more ACK in congestion avoidance, as most rows have it.
fn next_step(cwnd: f64) -> f64 {
    cwnd + 1.0 / cwnd
}

impl Rows for Windows {
    fn columns(&self) -> Vec<Column> {
        let mut columns = WindowColumns::with_capacity(self.rows());
        let mut last = vec![[NO_ROW.cwnd, f64::NAN, f64::NAN, f64::NAN]; self.last.len()];
        let mut rows = self.rows.read();
        while let Some((time, flow, rest)) = rows.next() {
            let [cwnd, others @ ..] = &mut last[flow as usize];
            match rest & (STEP | CWND) {
                STEP => *cwnd = next_step(*cwnd),
                CWND => *cwnd = f64::from_bits(rows.word()),
                _ => {}
            }
            if rest & OTHERS != 0 {
                others.fill_with(|| f64::from_bits(rows.word()));
            }
            let [ssthresh, srtt, rto] = *others;
            columns.push(time.as_secs_f64(), flow, *cwnd, ssthresh, (rest >> FLAGS) as f64, srtt, rto);
        }
        columns.into_columns()
    }
}

/// The record `acks`.
#[derive(Clone, Debug)]
pub(super) struct Acks {
    /// Each flow's last ACK, where the flow is watched.
    last: Vec<Option<u64>>,
    rows: Packed,
}

impl Acks {
    pub(super) fn of(flows: &[u32]) -> Self {
        let mut last = Vec::new();
        for flow in flows.iter().map(|flow| *flow as usize) {
            last.resize(last.len().max(flow + 1), None);
            last[flow] = Some(0);
        }
        Self { last, rows: Packed::default() }
    }

    /// Keeps an ACK that its sender has not looked at yet.
    #[inline(never)]
    pub(super) fn acked(&mut self, now: Time, flow: u32, ack: Ack<'_>, sender: &Sender) {
        if let Some(Some(last)) = self.last.get_mut(flow as usize) {
            // as a step, which may lead back: modulo 2^63, which no number of segments reaches
            let step = ack.next.wrapping_sub(*last);
            *last = ack.next;
            self.rows.push(now, flow, step << 1 | u64::from(sender.is_duplicate(ack)));
        }
    }

    pub(super) const fn rows(&self) -> usize {
        self.rows.rows()
    }
}

impl Rows for Acks {
    fn columns(&self) -> Vec<Column> {
        let mut columns = AckColumns::with_capacity(self.rows());
        let mut last = vec![0_u64; self.last.len()];
        for (time, flow, rest) in self.rows.read() {
            let last = &mut last[flow as usize];
            *last = last.wrapping_add(rest >> 1) & (u64::MAX >> 1);
            columns.push(time.as_secs_f64(), flow, *last, rest & 1 == 1);
        }
        columns.into_columns()
    }
}
