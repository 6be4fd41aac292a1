//! What the file of a record declares.

use std::fmt::Debug;

use ackclock_tcp::{Ack, Counters, Sender};
use ackclock_units::Time;

use super::usual::{Rows, Usual};
use crate::call::Control;
use crate::engine::simulator::Simulator;
use crate::link::Offered;
use crate::observe::{Column, Measure, Table, Values};
use crate::packet::Packet;
use crate::plan::Plan;
use crate::plan::records::Asked;
use crate::source::Playback;

/// The declaration of a record, from which documentation, validation and the size of its rows follow.
#[derive(Clone, Copy, Debug)]
pub struct Declared {
    /// Contents of the table.
    pub doc: &'static str,
    /// Columns of the table.
    pub columns: &'static [Described],
    /// Maximum number of rows of a link or flow at one time, of a record with an interval.
    pub most_rows: u32,
    /// Why a run has no rows, as the end of a sentence; empty if the package finds the reason.
    pub empty: &'static str,
    /// Name of the table, if it is the table of another record.
    pub table: Option<&'static str>,
}

impl Declared {
    /// A record with a row of a link or flow at one time.
    pub(super) const fn new(doc: &'static str, columns: &'static [Described]) -> Self {
        Self { doc, columns, most_rows: 1, empty: "", table: None }
    }
}

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub struct Described {
    /// Name of the column.
    pub name: &'static str,
    /// Unit of the values; empty for numbers without a unit, names and words.
    pub unit: &'static str,
    /// Bytes of a value.
    pub(super) bytes: usize,
}

impl Described {
    /// A column of values of type `T`.
    pub(in crate::observe) const fn of<T>(name: &'static str, unit: &'static str) -> Self {
        Self { name, unit, bytes: size_of::<T>() }
    }

    pub(super) const fn real(name: &'static str, unit: &'static str) -> Self {
        Self::of::<f64>(name, unit)
    }

    pub(super) const fn count(name: &'static str, unit: &'static str) -> Self {
        Self::of::<u64>(name, unit)
    }

    /// A number of at most 32 bits.
    pub(super) const fn small(name: &'static str, unit: &'static str) -> Self {
        Self::of::<u32>(name, unit)
    }

    /// The number of a link, flow or group.
    pub(super) const fn id(name: &'static str) -> Self {
        Self::of::<u32>(name, "")
    }

    /// A word of a list, or whether something holds.
    pub(super) const fn word(name: &'static str) -> Self {
        Self::of::<u8>(name, "")
    }
}

/// Names the values of columns.
pub(super) fn named<const N: usize>(columns: &[Described], values: [Values; N]) -> Vec<Column> {
    debug_assert_eq!(columns.len(), N, "each column is declared");
    columns.iter().zip(values).map(|(column, values)| Column { name: column.name, values }).collect()
}

/// Which turns of senders a record needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turns {
    /// Each turn alone.
    Single,
    /// Two turns at once, if possible.
    Pairs,
}

/// A record: its declaration, the events that it needs, and its rows. [`Observation`](crate::Observation) explains the
/// events. Those of different links or flows are not in order of time.
pub(super) trait Record: Clone + Debug + Sized {
    /// The declaration.
    const DECLARED: Declared;
    /// Memory of a row in the engine's form in bytes, if the plan alone determines the number of rows.
    const CERTAIN: Option<usize> = None;
    /// Whether [`offered`](Self::offered) needs the packets that links accept without marking them.
    const ACCEPTED: bool = false;
    /// Whether the record needs [deliveries](Self::delivered).
    const DELIVERIES: bool = false;
    /// Whether the record needs [ACKs](Self::acked).
    const ACKS: bool = false;
    /// The [turns](Self::turn) that the record needs.
    const TURNS: Option<Turns> = None;

    /// A log of the requested links or flows.
    fn new(asked: &Asked<'_>, plan: &Plan) -> Self;

    /// Estimates the number of rows with usual traffic, if it is not certain.
    fn usual(_asked: &Asked<'_>, _usual: &Usual<'_>) -> Rows {
        Rows::default()
    }

    /// Number of rows so far.
    fn rows(&self) -> usize;

    /// Memory of the rows in bytes.
    fn memory(&self) -> usize;

    /// The table; `name` is the name of the record.
    fn table(self, name: &'static str, measure: &Measure) -> Table;

    /// Handles a packet offered to a link.
    #[inline(always)]
    fn offered(&mut self, _now: Time, _link: u32, _packet: &Packet, _offered: Offered) {}

    /// Handles a packet that leaves the queue of a link that stored it.
    #[inline(always)]
    fn left(&mut self, _now: Time, _link: u32, _packet: &Packet, _fate: Offered) {}

    /// Handles data that reached its receiver, with the number of segments newly in order.
    #[inline(always)]
    fn delivered(&mut self, _now: Time, _packet: &Packet, _in_order: u64) {}

    /// Handles an ACK that has reached its sender, before it is processed.
    #[inline(always)]
    fn acked(&mut self, _now: Time, _flow: u32, _ack: Ack<'_>, _sender: &Sender) {}

    /// Handles the end of a sender's turn.
    #[inline(always)]
    fn turn(&mut self, _now: Time, _flow: u32, _sender: &Sender) {}

    /// Handles a transfer of some packets that a source supplies.
    #[inline(always)]
    fn transfer(&mut self, _now: Time, _flow: u32, _packets: u64, _before: &Counters) {}

    /// Handles a web page that a client has loaded; it began at `since`.
    #[inline(always)]
    fn page(&mut self, _client: u32, _since: Time) {}

    /// Handles a report of the client of a video.
    #[inline(always)]
    fn playback(&mut self, _flow: u32, _playback: &Playback) {}

    /// Handles a new bitrate of a call.
    #[inline(always)]
    fn adapted(&mut self, _now: Time, _flow: u32, _control: &Control) {}

    /// Takes a sample, if the request has an interval between samples.
    fn sample(&mut self, _now: Time, _simulator: &mut Simulator) {}

    /// Called before the run.
    fn begin(&mut self, _plan: &Plan, _simulator: &Simulator) {}

    /// Called at the end of the run.
    fn finish(&mut self, _simulator: &Simulator) {}
}
