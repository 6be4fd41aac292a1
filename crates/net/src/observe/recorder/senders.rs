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

/// Before the first row. It differs from every state, itself included.
const NO_STATE: SenderState =
    SenderState { cwnd: f64::NAN, ssthresh: f64::NAN, flight_size: 0, srtt: f64::NAN, rto: f64::NAN };

/// What a row adds to its flow's row before, as bits beside the flight size: a new window, and new values of all that seldom
/// changes.
const CWND: u64 = 1;
const OTHERS: u64 = 2;

/// The record `windows`.
#[derive(Clone, Debug)]
pub(super) struct Windows {
    /// Each flow's last row, where the flow is watched.
    last: Vec<Option<SenderState>>,
    rows: Packed,
}

impl Windows {
    pub(super) fn of(flows: &[u32]) -> Self {
        let mut last = Vec::new();
        for flow in flows.iter().map(|flow| *flow as usize) {
            last.resize(last.len().max(flow + 1), None);
            last[flow] = Some(NO_STATE);
        }
        Self { last, rows: Packed::default() }
    }

    /// Keeps a row if anything changed.
    #[inline(never)]
    pub(super) fn turn(&mut self, now: Time, flow: u32, sender: &Sender) {
        if let Some(Some(last)) = self.last.get(flow as usize) {
            let state = sender.state();
            if state != *last {
                self.push(now, flow, state);
            }
        }
    }

    /// Keeps a row.
    #[inline(always)]
    pub(super) fn push(&mut self, now: Time, flow: u32, state: SenderState) {
        let Some(Some(last)) = self.last.get_mut(flow as usize) else { return };
        let cwnd = u64::from(state.cwnd.to_bits() != last.cwnd.to_bits()) * CWND;
        let differs = |a: f64, b: f64| a.to_bits() ^ b.to_bits();
        let others =
            differs(state.ssthresh, last.ssthresh) | differs(state.srtt, last.srtt) | differs(state.rto, last.rto);
        let others = u64::from(others != 0) * OTHERS;
        *last = state;
        self.rows.push(now, flow, state.flight_size << 2 | cwnd | others);
        if cwnd != 0 {
            self.rows.add(state.cwnd.to_bits());
        }
        if others != 0 {
            for other in [state.ssthresh, state.srtt, state.rto] {
                self.rows.add(other.to_bits());
            }
        }
    }

    pub(super) const fn rows(&self) -> usize {
        self.rows.rows()
    }
}

impl Rows for Windows {
    fn columns(&self) -> Vec<Column> {
        let mut columns = WindowColumns::with_capacity(self.rows());
        let mut last = vec![NO_STATE; self.last.len()];
        let mut rows = self.rows.read();
        while let Some((time, flow, rest)) = rows.next() {
            let last = &mut last[flow as usize];
            if rest & CWND != 0 {
                last.cwnd = f64::from_bits(rows.word());
            }
            if rest & OTHERS != 0 {
                for other in [&mut last.ssthresh, &mut last.srtt, &mut last.rto] {
                    *other = f64::from_bits(rows.word());
                }
            }
            let SenderState { cwnd, ssthresh, srtt, rto, .. } = *last;
            columns.push(time.as_secs_f64(), flow, cwnd, ssthresh, (rest >> 2) as f64, srtt, rto);
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
