//! The records of senders: their windows, at each change or sampled, and the ACKs they receive.

use std::mem::replace;
use std::sync::Arc;

use ackclock_tcp::{Ack, Sender, SenderState};
use ackclock_units::Time;

use super::packed::{Packed, Reader};
use crate::observe::table::{Rows, columns};
use crate::observe::{Column, Table};

columns! { WindowColumns {
    time: F64(f64), flow: U32(u32), cwnd: F64(f64), ssthresh: F64(f64), flight_size: F64(f64), srtt: F64(f64), rto: F64(f64),
} }
columns! { AckColumns { time: F64(f64), flow: U32(u32), ack: U64(u64), duplicate: Bool(bool) } }

/// Fields of a row's word, from the lowest bits. The first three bits are 0 if the row has no ACK; otherwise they hold
/// one plus twice the increase of the ACK number, plus one for a duplicate.
const ACK: u64 = 7;
/// Set if the ACK is stored in a separate word instead.
const FAR: u64 = 8;
/// Set if the row has a window. Without further bits, the window equals the flow's previous window.
const WINDOW: u64 = 16;
/// Set if the window grew by one step of congestion avoidance.
const STEP: u64 = 32;
/// `CWND` is set if the window has any other new value, which is stored in a separate word. `OTHERS` is set if the
/// fields that rarely change (`ssthresh`, `srtt` and `rto`) follow in separate words.
const CWND: u64 = 64;
const OTHERS: u64 = 128;
/// Bit position of the flight size.
const FLIGHT: u32 = 8;

/// Marks the absence of an ACK.
const NONE: u64 = u64::MAX;

/// The records `windows` and `acks` combined, since most ACKs change a window.
#[derive(Clone, Debug)]
pub(super) struct SenderLog {
    flows: Vec<Last>,
    rows: Packed,
    /// The ACK being processed: twice its number, plus one if it is a duplicate.
    ack: u64,
    windows: usize,
    acks: usize,
}

/// The fields of a flow's previous row needed to detect changes, and the flow's requested records.
#[derive(Clone, Copy, Debug)]
struct Last {
    cwnd: f64,
    ssthresh: f64,
    flight_size: u64,
    timing: (u64, Time),
    ack: u64,
    windows: bool,
    acks: bool,
}

/// The state before a flow's first row; it matches no sender.
const NO_ROW: Last =
    Last { cwnd: 0.0, ssthresh: f64::NAN, flight_size: 0, timing: (0, Time::MAX), ack: 0, windows: false, acks: false };

impl SenderLog {
    /// A log of the windows and the ACKs of the given flows.
    pub(super) fn of(windows: &[u32], acks: &[u32]) -> Self {
        let mut log = Self { flows: Vec::new(), rows: Packed::default(), ack: NONE, windows: 0, acks: 0 };
        for flow in windows {
            log.flow(*flow).windows = true;
        }
        for flow in acks {
            log.flow(*flow).acks = true;
        }
        log
    }

    fn flow(&mut self, flow: u32) -> &mut Last {
        let flow = flow as usize;
        self.flows.resize(self.flows.len().max(flow + 1), NO_ROW);
        &mut self.flows[flow]
    }

    /// Handles an ACK that has reached a sender but is not yet processed: it is stored with the turn that follows.
    #[inline(always)]
    pub(super) fn acked(&mut self, ack: Ack<'_>, sender: &Sender) {
        self.ack = ack.next << 1 | u64::from(sender.is_duplicate(ack));
    }

    /// Stores a row if there was an ACK or anything changed; an undefined `srtt` always counts as changed.
    #[inline(never)]
    pub(super) fn turn(&mut self, now: Time, flow: u32, sender: &Sender) {
        self.keep(now, flow, sender, false);
    }

    /// Stores a row.
    pub(super) fn sample(&mut self, now: Time, flow: u32, sender: &Sender) {
        self.keep(now, flow, sender, true);
    }

    #[inline(always)]
    fn keep(&mut self, now: Time, flow: u32, sender: &Sender, always: bool) {
        let ack = replace(&mut self.ack, NONE);
        let Some(last) = self.flows.get_mut(flow as usize) else { return };
        let (mut row, mut step) = (0, 0);
        if ack != NONE && last.acks {
            // the step may be negative: it is computed modulo 2^63, which segment numbers never reach
            step = ack.wrapping_sub(last.ack);
            row = if step < ACK { step + 1 } else { FAR };
            last.ack = ack & !1;
            self.acks += 1;
        }
        if last.windows {
            let (cwnd, ssthresh, flight_size) = sender.windows();
            let timing = sender.timing();
            if ssthresh.to_bits() != last.ssthresh.to_bits() || timing != last.timing || timing.0 == 0 {
                return self.keep_all(now, flow, sender, row, step);
            }
            let grown = cwnd.to_bits() != last.cwnd.to_bits();
            if always || grown || flight_size != last.flight_size {
                let is_step = grown && cwnd.to_bits() == next_step(last.cwnd).to_bits();
                let window = if is_step { STEP } else { u64::from(grown) * CWND };
                row |= (flight_size << FLIGHT) | window | WINDOW;
                (last.cwnd, last.flight_size) = (cwnd, flight_size);
                self.windows += 1;
            }
        }
        if row & (FAR | CWND) != 0 {
            self.push_long(now, flow, sender, row, step);
        } else if row != 0 {
            self.rows.push(now, flow, row);
        }
    }

    /// Stores a row with all fields.
    #[inline(never)]
    fn keep_all(&mut self, now: Time, flow: u32, sender: &Sender, row: u64, step: u64) {
        let last = &mut self.flows[flow as usize];
        (last.cwnd, last.ssthresh, last.flight_size) = sender.windows();
        last.timing = sender.timing();
        self.windows += 1;
        let row = row | (last.flight_size << FLIGHT) | OTHERS | CWND | WINDOW;
        self.push_long(now, flow, sender, row, step);
    }

    /// Stores a row with separate words.
    #[inline(never)]
    fn push_long(&mut self, now: Time, flow: u32, sender: &Sender, row: u64, step: u64) {
        self.rows.push(now, flow, row);
        if row & FAR != 0 {
            self.rows.add(step);
        }
        let SenderState { cwnd, ssthresh, srtt, rto, .. } = sender.state();
        if row & CWND != 0 {
            self.rows.add(cwnd.to_bits());
        }
        if row & OTHERS != 0 {
            for other in [ssthresh, srtt, rto] {
                self.rows.add(other.to_bits());
            }
        }
    }

    /// Number of rows of both tables.
    pub(super) const fn rows(&self) -> usize {
        self.windows + self.acks
    }

    /// Memory of the rows in bytes.
    pub(super) const fn held(&self) -> usize {
        self.flows.capacity() * size_of::<Last>() + self.rows.held()
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

/// Decodes the ACK of a row: twice the increase of its number, plus one for a duplicate.
fn read_ack(rows: &mut Reader<'_>, row: u64) -> Option<u64> {
    if row & FAR != 0 { Some(rows.word()) } else { (row & ACK).checked_sub(1) }
}

/// View of a log as the table `windows`.
#[derive(Debug)]
struct WindowTable(Arc<SenderLog>);

impl Rows for WindowTable {
    fn columns(&self) -> Vec<Column> {
        let mut columns = WindowColumns::with_capacity(self.0.windows);
        let mut last = vec![[NO_ROW.cwnd, f64::NAN, f64::NAN, f64::NAN]; self.0.flows.len()];
        let mut rows = self.0.rows.read();
        while let Some((time, flow, row)) = rows.next() {
            read_ack(&mut rows, row);
            let [cwnd, others @ ..] = &mut last[flow as usize];
            match row & (STEP | CWND) {
                STEP => *cwnd = next_step(*cwnd),
                CWND => *cwnd = f64::from_bits(rows.word()),
                _ => {}
            }
            if row & OTHERS != 0 {
                others.fill_with(|| f64::from_bits(rows.word()));
            }
            if row & WINDOW != 0 {
                let [ssthresh, srtt, rto] = *others;
                columns.push(time.as_secs_f64(), flow, *cwnd, ssthresh, (row >> FLIGHT) as f64, srtt, rto);
            }
        }
        columns.into_columns()
    }
}

/// View of a log as the table `acks`.
#[derive(Debug)]
struct AckTable(Arc<SenderLog>);

impl Rows for AckTable {
    fn columns(&self) -> Vec<Column> {
        let mut columns = AckColumns::with_capacity(self.0.acks);
        let mut last = vec![0_u64; self.0.flows.len()];
        let mut rows = self.0.rows.read();
        while let Some((time, flow, row)) = rows.next() {
            if let Some(step) = read_ack(&mut rows, row) {
                let last = &mut last[flow as usize];
                *last = last.wrapping_add(step >> 1) & (u64::MAX >> 1);
                columns.push(time.as_secs_f64(), flow, *last, step & 1 == 1);
            }
            rows.skip_words(usize::from(row & CWND != 0) + 3 * usize::from(row & OTHERS != 0));
        }
        columns.into_columns()
    }
}
