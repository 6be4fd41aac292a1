//! Records: optional tables in addition to the summary. Each is declared in the file of its name, and listed in
//! `plan/records.rs`.

mod acks;
mod arrivals;
mod bins;
mod chunks;
mod control;
mod drops;
mod gauges;
mod link_throughput;
mod marks;
mod packed;
mod packets;
mod pages;
mod phases;
mod queue;
mod record;
mod senders;
mod signals;
mod states;
#[cfg(test)]
mod tests;
mod throughput;
mod transfers;
mod usual;
mod windows;

use ackclock_tcp::{Ack, Counters, Sender};
use ackclock_units::Time;

use super::{Measure, Table};
use crate::call::Control;
use crate::engine::simulator::Simulator;
use crate::link::Offered;
use crate::packet::Packet;
use crate::plan::records::{Interval, each_record};
use crate::plan::{Plan, PlanError, RecordSpec};
use crate::source::Playback;
pub use record::{Declared, Described};
use record::{Record, Turns};
pub(crate) use usual::{OfGroup, OfLink, Rows, Usual};

/// A record for the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct RecordEntry {
    name: &'static str,
    variant: &'static str,
    /// What the ids of a request are: `links` or `flows`.
    pub of: &'static str,
    /// Name of the interval of a request, and whether each request has one.
    pub interval: Option<(&'static str, bool)>,
    /// Everything else.
    pub declared: Declared,
}

impl RecordEntry {
    /// Name of the table.
    pub fn table(&self) -> &'static str {
        self.declared.table.unwrap_or(self.name)
    }

    /// The `kind` of a request in the JSON form of a plan.
    pub fn kind(&self) -> String {
        self.variant.to_lowercase()
    }
}

macro_rules! logs {
    ($($name:ident: $variant:ident { $ids:ident $(, $interval:ident: $type:ty)? };)+) => {
        /// The requested records, except samples, each with its index in the plan.
        #[derive(Clone, Debug, Default)]
        pub(super) struct Logs {
            $(pub(super) $name: Option<(usize, $name::Log)>,)+
        }

        /// A sampled record.
        #[derive(Clone, Debug)]
        pub(super) enum Samples {
            $($variant($name::Log),)+
        }

        impl Logs {
            /// Adds a record.
            ///
            /// # Errors
            /// If it is there already.
            pub(super) fn add(&mut self, place: usize, spec: &RecordSpec, plan: &Plan) -> Result<(), PlanError> {
                match spec {
                    $(RecordSpec::$variant { .. } => keep_once(&mut self.$name, place, $name::Log::new(&spec.asked(), plan)),)+
                }
            }

            /// Whether a record needs the packets that links accept, and not only their number.
            pub(super) const fn hear_accepted(&self) -> bool {
                false $(|| $name::Log::ACCEPTED && self.$name.is_some())+
            }

            /// Whether a record needs the packets delivered to receivers.
            pub(super) const fn hear_deliveries(&self) -> bool {
                false $(|| $name::Log::DELIVERIES && self.$name.is_some())+
            }

            /// Whether a record needs ACKs.
            pub(super) const fn hear_acks(&self) -> bool {
                false $(|| $name::Log::ACKS && self.$name.is_some())+
            }

            /// Whether a record needs turns, and whether one needs each turn alone.
            pub(super) fn hear_turns(&self) -> (bool, bool) {
                let needed = [$($name::Log::TURNS.filter(|_| self.$name.is_some())),+];
                (needed.iter().any(Option::is_some), needed.contains(&Some(Turns::Single)))
            }

            /// Whether there is a record of flows.
            pub(super) fn are_of_flows(&self) -> bool {
                false $(|| stringify!($ids) == "flows" && self.$name.is_some())+
            }

            // records that do not need an event cost nothing: their methods are empty

            #[inline(always)]
            pub(super) fn offered(&mut self, now: Time, link: u32, packet: &Packet, offered: Offered) {
                $(if let Some((_, log)) = &mut self.$name {
                    log.offered(now, link, packet, offered);
                })+
            }

            #[inline(always)]
            pub(super) fn left(&mut self, now: Time, link: u32, packet: &Packet, fate: Offered) {
                $(if let Some((_, log)) = &mut self.$name {
                    log.left(now, link, packet, fate);
                })+
            }

            #[inline(always)]
            pub(super) fn delivered(&mut self, now: Time, packet: &Packet, in_order: u64) {
                $(if let Some((_, log)) = &mut self.$name {
                    log.delivered(now, packet, in_order);
                })+
            }

            #[inline(always)]
            pub(super) fn acked(&mut self, now: Time, flow: u32, ack: Ack<'_>, sender: &Sender) {
                $(if let Some((_, log)) = &mut self.$name {
                    log.acked(now, flow, ack, sender);
                })+
            }

            #[inline(always)]
            pub(super) fn turn(&mut self, now: Time, flow: u32, sender: &Sender) {
                $(if let Some((_, log)) = &mut self.$name {
                    log.turn(now, flow, sender);
                })+
            }

            #[inline(always)]
            pub(super) fn transfer(&mut self, now: Time, flow: u32, packets: u64, before: &Counters) {
                $(if let Some((_, log)) = &mut self.$name {
                    log.transfer(now, flow, packets, before);
                })+
            }

            pub(super) fn page(&mut self, client: u32, since: Time) {
                $(if let Some((_, log)) = &mut self.$name {
                    log.page(client, since);
                })+
            }

            #[inline(never)]
            pub(super) fn playback(&mut self, flow: u32, playback: &Playback) {
                $(if let Some((_, log)) = &mut self.$name {
                    log.playback(flow, playback);
                })+
            }

            #[inline(never)]
            pub(super) fn adapted(&mut self, now: Time, flow: u32, control: &Control) {
                $(if let Some((_, log)) = &mut self.$name {
                    log.adapted(now, flow, control);
                })+
            }

            pub(super) fn begin(&mut self, plan: &Plan, simulator: &Simulator) {
                $(if let Some((_, log)) = &mut self.$name {
                    log.begin(plan, simulator);
                })+
            }

            pub(super) fn finish(&mut self, simulator: &Simulator) {
                $(if let Some((_, log)) = &mut self.$name {
                    log.finish(simulator);
                })+
            }

            /// The index of each record, its number of rows so far, and whether the plan alone determines this number.
            pub(super) fn rows(&self) -> impl Iterator<Item = (usize, usize, bool)> {
                let rows = [$(self.$name.as_ref().map(|(place, log)| (*place, log.rows(), $name::Log::CERTAIN.is_some()))),+];
                rows.into_iter().flatten()
            }

            /// Memory of the rows in bytes.
            pub(super) fn memory(&self) -> usize {
                0 $(+ self.$name.as_ref().map_or(0, |(_, log)| log.memory()))+
            }

            /// The table of each record, with its index.
            pub(super) fn into_tables(self, measure: &Measure) -> Vec<(usize, Table)> {
                let mut tables = Vec::new();
                $(tables.extend(self.$name.map(|(place, log)| (place, log.table(stringify!($name), measure))));)+
                tables
            }
        }

        impl Samples {
            pub(super) fn of(spec: &RecordSpec, plan: &Plan) -> Self {
                match spec {
                    $(RecordSpec::$variant { .. } => Self::$variant($name::Log::new(&spec.asked(), plan)),)+
                }
            }

            /// Takes a sample.
            pub(super) fn take(&mut self, now: Time, simulator: &mut Simulator) {
                match self {
                    $(Self::$variant(log) => log.sample(now, simulator),)+
                }
            }

            pub(super) fn rows(&self) -> usize {
                match self {
                    $(Self::$variant(log) => log.rows(),)+
                }
            }

            pub(super) fn memory(&self) -> usize {
                match self {
                    $(Self::$variant(log) => log.memory(),)+
                }
            }

            pub(super) fn into_table(self, measure: &Measure) -> Table {
                match self {
                    $(Self::$variant(log) => log.table(stringify!($name), measure),)+
                }
            }
        }

        impl RecordSpec {
            /// Memory for reading a row of the record, in bytes.
            pub(crate) fn bytes_to_read(&self) -> usize {
                let declared = match self {
                    $(Self::$variant { .. } => $name::Log::DECLARED,)+
                };
                declared.columns.iter().map(|column| column.bytes).sum::<usize>() + TO_READ
            }

            /// The rows that every run of the plan has, if their number is certain.
            pub(crate) fn certain_rows(&self, duration: Time) -> Option<Rows> {
                let bytes = match self {
                    $(Self::$variant { .. } => $name::Log::CERTAIN,)+
                };
                bytes.map(|bytes| {
                    let asked = self.asked();
                    Rows::of(asked.times(duration) * asked.ids.len() as f64, bytes as f64)
                })
            }

            /// The rows with usual traffic.
            pub(crate) fn usual_rows(&self, usual: &Usual<'_>) -> Rows {
                let estimate = match self {
                    $(Self::$variant { .. } => $name::Log::usual,)+
                };
                self.certain_rows(usual.duration).unwrap_or_else(|| estimate(&self.asked(), usual))
            }
        }

        /// All records.
        pub const RECORDS: &[RecordEntry] = &[
            $(RecordEntry {
                name: stringify!($name),
                variant: stringify!($variant),
                of: stringify!($ids),
                interval: first!($(Some((stringify!($interval), <$type as Interval>::REQUIRED)),)? None),
                declared: $name::Log::DECLARED,
            },)+
        ];
    };
}

macro_rules! first {
    ($first:expr $(, $others:expr)?) => {
        $first
    };
}

each_record!(logs);

impl Logs {
    /// Logs ACKs with the windows, if both are requested, and returns the index of the record of ACKs.
    pub(super) fn join_acks(&mut self) -> Option<usize> {
        let (_, windows) = self.windows.as_mut()?;
        let (place, acks) = self.acks.take()?;
        windows.add_acks(&acks.flows);
        Some(place)
    }
}

/// Memory for reading a row of a table beyond its columns, in bytes, as measured: the order of the rows, and the caller's
/// copy of a column.
const TO_READ: usize = 14;

/// Stores a record that a plan may request only once.
fn keep_once<T>(slot: &mut Option<(usize, T)>, place: usize, record: T) -> Result<(), PlanError> {
    if slot.replace((place, record)).is_some() {
        let problem = "must not be requested twice; list all links or flows in one record";
        return Err(PlanError::new(format!("records.{place}"), problem));
    }
    Ok(())
}

/// A lookup table for a set of numbers.
pub(super) fn membership(numbers: &[u32]) -> Vec<bool> {
    let mut members = Vec::new();
    for number in numbers.iter().map(|number| *number as usize) {
        members.resize(members.len().max(number + 1), false);
        members[number] = true;
    }
    members
}
