//! The records that a plan can request.

use ackclock_units::Time;
use serde::{Deserialize, Serialize};

/// Passes the list of all records to another macro: the name and the request of each. `links` or `flows` are the ids to
/// record. `bin` is the width of a bin, and `every` the time between samples; an optional one records every change if
/// it is absent. The record `name` is declared in `observe/records/name.rs`.
macro_rules! each_record {
    ($then:ident) => {
        $then! {
            arrivals: Arrivals { links, bin: Time };
            queue: Queue { links, every: Time };
            gauges: Gauges { links, every: Time };
            drops: Drops { links };
            marks: Marks { links };
            packets: Packets { links };
            pages: Pages { flows };
            chunks: Chunks { flows };
            control: Control { flows };
            throughput: Throughput { flows, bin: Time };
            link_throughput: LinkThroughput { links, bin: Time };
            windows: Windows { flows, every: Option<Time> };
            states: States { flows, every: Option<Time> };
            acks: Acks { flows };
            phases: Phases { flows };
            transfers: Transfers { flows };
        }
    };
}
pub(crate) use each_record;

macro_rules! of {
    (links) => {
        Of::Links
    };
    (flows) => {
        Of::Flows
    };
}

macro_rules! specs {
    ($($name:ident: $variant:ident { $ids:ident $(, $interval:ident: $type:ty)? };)+) => {
        /// A table to record during the run.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
        pub enum RecordSpec {
            $(
                #[doc = concat!("The record `", stringify!($name), "`.")]
                $variant {
                    #[doc = concat!("Indices of the recorded ", stringify!($ids), ".")]
                    $ids: Vec<u32>,
                    $(
                        /// Width of a bin, or time between samples.
                        $interval: $type,
                    )?
                },
            )+
        }

        impl RecordSpec {
            /// What the request asks for.
            pub(crate) fn asked(&self) -> Asked<'_> {
                match self {
                    $(Self::$variant { $ids $(, $interval)? } => {
                        Asked { $($interval: (*$interval).into(),)? ..Asked::of(of!($ids), $ids) }
                    })+
                }
            }

            /// The ids to record.
            pub(crate) const fn ids_mut(&mut self) -> &mut Vec<u32> {
                match self {
                    $(Self::$variant { $ids, .. } => $ids,)+
                }
            }

            /// Requests of all records, with and without an interval where both are allowed.
            #[doc(hidden)]
            pub fn of_each(links: &[u32], flows: &[u32], interval: Time) -> Vec<Self> {
                let (ids, mut requests) = (Ids { links, flows }, Vec::new());
                $(requests.extend(requests!($variant { $ids: ids.$ids.to_vec() } $($interval: $type = interval)?));)+
                requests
            }
        }
    };
}

macro_rules! requests {
    ($variant:ident { $ids:ident: $given:expr }) => {
        [RecordSpec::$variant { $ids: $given }]
    };
    ($variant:ident { $ids:ident: $given:expr } $interval:ident: $type:ty = $each:expr) => {
        <$type>::each($each).into_iter().map(|$interval| RecordSpec::$variant { $ids: $given, $interval })
    };
}

/// All ids of a network.
struct Ids<'a> {
    links: &'a [u32],
    flows: &'a [u32],
}

/// An interval of a request.
pub(crate) trait Interval: Sized {
    /// Whether each request has one.
    const REQUIRED: bool;

    /// The interval, and its absence if that is allowed.
    fn each(interval: Time) -> Vec<Self>;
}

impl Interval for Time {
    const REQUIRED: bool = true;

    fn each(interval: Time) -> Vec<Self> {
        vec![interval]
    }
}

impl Interval for Option<Time> {
    const REQUIRED: bool = false;

    fn each(interval: Time) -> Vec<Self> {
        vec![None, Some(interval)]
    }
}

each_record!(specs);

/// What the ids of a request refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    Links,
    Flows,
}

/// What a request asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a> {
    pub(crate) of: Of,
    /// Links or flows.
    pub(crate) ids: &'a [u32],
    /// Width of a bin, if the record counts in bins.
    pub(crate) bin: Option<Time>,
    /// Time between samples, if the record is sampled.
    pub(crate) every: Option<Time>,
}

impl<'a> Asked<'a> {
    const fn of(of: Of, ids: &'a [u32]) -> Self {
        Self { of, ids, bin: None, every: None }
    }

    /// The interval, if there is one.
    pub(crate) fn interval(&self) -> Option<Time> {
        self.bin.or(self.every)
    }

    /// Number of bins or samples of each link or flow; 0 if every change is recorded.
    pub(crate) fn times(&self, duration: Time) -> f64 {
        self.interval().map_or(0.0, |interval| duration.as_secs_f64() / interval.as_secs_f64())
    }
}

impl RecordSpec {
    /// The links that the record refers to.
    pub(crate) fn links(&self) -> &[u32] {
        let Asked { of, ids, .. } = self.asked();
        if of == Of::Links { ids } else { &[] }
    }
}
