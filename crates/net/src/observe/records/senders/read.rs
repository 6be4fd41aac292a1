//! Reads the log of the senders.

use std::sync::Arc;

use ackclock_units::Time;

use super::{
    ACK, ANY_CWND, CWND, CWND_BIT, DUPLICATE, FIELDS, FLIGHT, GROWN, LESS, MORE, NEXT, NO_ROW, RTO, SRTT, SSTHRESH,
    STEP, SenderLog, next_step,
};
use crate::observe::records::packed::Reader;
use crate::observe::table::{Rows, columns};
use crate::observe::{Column, Described};

columns! { WindowColumns {
    time: F64(f64) "s", flow: U32(u32) "", cwnd: F64(f64) "packets", ssthresh: F64(f64) "packets",
    flight_size: F64(f64) "packets", srtt: F64(f64) "s", rto: F64(f64) "s",
} }
columns! { AckColumns { time: F64(f64) "s", flow: U32(u32) "", ack: U64(u64) "", duplicate: Bool(bool) "" } }

/// The columns of the tables `windows` and `acks`.
pub(in crate::observe::records) const WINDOW_COLUMNS: &[Described] = WindowColumns::DESCRIBED;
pub(in crate::observe::records) const ACK_COLUMNS: &[Described] = AckColumns::DESCRIBED;

/// Reads the rows of a log.
struct Read<'a> {
    rows: Reader<'a>,
    flows: Vec<State>,
}

/// The state of a flow in its previous row. The last three fields are those of
/// [`SenderState`](ackclock_tcp::SenderState).
#[derive(Clone, Copy)]
struct State {
    ack: u64,
    flight: u64,
    cwnd: f64,
    ssthresh: f64,
    srtt: f64,
    rto: f64,
}

/// The state before a flow's first row.
const UNKNOWN: State =
    State { ack: 0, flight: NO_ROW.flight, cwnd: NO_ROW.cwnd, ssthresh: f64::NAN, srtt: f64::NAN, rto: f64::NAN };

/// A row: its time, its flow, whether it has a window, its ACK and whether that is a duplicate, and the flow's state.
struct Row {
    time: f64,
    flow: u32,
    has_window: bool,
    ack: Option<(u64, bool)>,
    state: State,
}

impl<'a> Read<'a> {
    fn new(log: &'a SenderLog) -> Self {
        Self { rows: log.rows.read(), flows: vec![UNKNOWN; log.flows.len()] }
    }
}

impl Iterator for Read<'_> {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        let (time, flow, head) = self.rows.next()?;
        let state = &mut self.flows[flow as usize];
        let step = match head & ACK {
            0 => None,
            NEXT => Some(2),
            DUPLICATE => Some(1),
            _ => Some(self.rows.small().unwrap_or_else(|| self.rows.number())),
        };
        let ack = step.map(|step| {
            state.ack = state.ack.wrapping_add(step >> 1) & (u64::MAX >> 1);
            (state.ack, step & 1 == 1)
        });
        match head & FLIGHT {
            0 => {}
            LESS => state.flight -= 1,
            MORE => state.flight += 1,
            _ => {
                let added = self.rows.small().map(|added| state.flight.wrapping_add(added).wrapping_sub(128));
                state.flight = added.unwrap_or_else(|| self.rows.number());
            }
        }
        let mut cwnd = head & CWND;
        let mut fields = 0;
        if cwnd == FIELDS {
            fields = self.rows.byte();
            cwnd = u64::from(fields & ANY_CWND) << CWND_BIT;
        }
        match cwnd {
            0 => {}
            STEP => state.cwnd = next_step(state.cwnd),
            GROWN => state.cwnd += 1.0,
            _ => state.cwnd = f64::from_bits(self.rows.number()),
        }
        if fields & SSTHRESH != 0 {
            state.ssthresh = f64::from_bits(self.rows.number());
        }
        if fields & SRTT != 0 {
            state.srtt = f64::from_bits(self.rows.number());
        }
        if fields & RTO != 0 {
            state.rto = Time::from_picos(self.rows.number()).as_secs_f64();
        }
        Some(Row { time: time.as_secs_f64(), flow, has_window: head & (FLIGHT | CWND) != 0, ack, state: *state })
    }
}

/// View of a log as the table `windows`.
#[derive(Debug)]
pub(super) struct WindowTable(pub(super) Arc<SenderLog>);

impl Rows for WindowTable {
    fn is_empty(&self) -> bool {
        self.0.windows() == 0
    }

    fn columns(&self) -> Vec<Column> {
        let mut columns = WindowColumns::with_capacity(self.0.windows());
        for Row { time, flow, state, .. } in Read::new(&self.0).filter(|row| row.has_window) {
            let State { flight, cwnd, ssthresh, srtt, rto, .. } = state;
            columns.push(time, flow, cwnd, ssthresh, flight as f64, srtt, rto);
        }
        columns.into_columns()
    }
}

/// View of a log as the table `acks`.
#[derive(Debug)]
pub(super) struct AckTable(pub(super) Arc<SenderLog>);

impl Rows for AckTable {
    fn is_empty(&self) -> bool {
        self.0.acks() == 0
    }

    fn columns(&self) -> Vec<Column> {
        let mut columns = AckColumns::with_capacity(self.0.acks());
        for Row { time, flow, ack, .. } in Read::new(&self.0) {
            if let Some((ack, duplicate)) = ack {
                columns.push(time, flow, ack, duplicate);
            }
        }
        columns.into_columns()
    }
}
