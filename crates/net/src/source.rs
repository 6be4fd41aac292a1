//! Traffic sources. A source sees neither the network nor the sender. It is polled for its next packet only when the
//! sender can use the packet; packets that are never polled are never drawn. Some sources wait until all supplied data
//! is acknowledged.
//!
//! Each source has its own file and is registered in [`SourceSpec`].

mod connection;
mod constant;
mod distribution;
mod fractional;
mod frames;
mod greedy;
mod on_off;
mod poisson;
pub(crate) mod schedule;
mod trace;
mod transfers;
pub(crate) mod video;

use std::fmt::Debug;

use ackclock_units::{Stream, Time};

use crate::call::CallSpec;
use crate::call::sender::Call;
use crate::plan::{FramesSpec, SourceSpec};

pub(crate) use connection::Connection;
#[cfg(test)]
pub(crate) use distribution::tests::kolmogorov;
pub use distribution::{Distribution, Table};
pub use fractional::FractionalSpec;
pub use schedule::{ScheduleSpec, Stop, Unfinished};
pub use trace::TraceSpec;
use transfers::Spacing;
pub(crate) use transfers::{Transfer, Transfers};
pub use video::{Chunk, Level, Playback, VideoRule, VideoSpec};

/// Data supplied at one point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emission {
    /// Number of packets supplied now.
    pub packets: u64,
    /// Time of the next poll; `None` if there will be no more data, or none before everything is acknowledged.
    pub next: Option<Time>,
}

/// A traffic source.
pub trait Source: Debug + Send {
    /// Returns the data supplied at `now`. Called first at the flow's start, then at the time that the last emission
    /// gave.
    fn emit(&mut self, now: Time, stream: &mut Stream) -> Emission;
}

/// The state of a source. It is an enum, not a trait object, because it is polled for every packet. Large states are
/// boxed, so that all of them fit into 16 bytes.
#[derive(Clone, Debug)]
pub(crate) enum AnySource {
    /// A Poisson source before and after its first emission, which brings no packet.
    PoissonStart(poisson::Poisson),
    Poisson(poisson::Poisson),
    Constant(Box<constant::Constant>),
    Greedy(greedy::Greedy),
    OnOff(Box<on_off::OnOff>),
    Fractional(Box<fractional::Fractional>),
    Transfers(Box<transfers::Transfers>),
    Connection(Connection),
    Trace(Box<trace::Trace>),
    Frames(Box<frames::Frames>),
    Video(Box<video::Video>),
    Call(Box<Call>),
    /// One of the others, with pauses.
    Scheduled(Box<schedule::Scheduled>),
}

impl Source for AnySource {
    #[inline(always)]
    fn emit(&mut self, now: Time, stream: &mut Stream) -> Emission {
        match self {
            Self::PoissonStart(source) => {
                let emission = source.start(now, stream);
                *self = Self::Poisson(source.clone());
                emission
            }
            Self::Poisson(source) => source.emit(now, stream),
            Self::Constant(source) => source.emit(now, stream),
            Self::Greedy(source) => source.emit(now, stream),
            Self::OnOff(source) => source.emit(now, stream),
            Self::Fractional(source) => source.emit(now, stream),
            Self::Transfers(source) => source.emit(now, stream),
            Self::Connection(source) => source.emit(now, stream),
            Self::Trace(source) => source.emit(now, stream),
            Self::Frames(source) => source.emit(now, stream),
            Self::Video(source) => source.emit(now, stream),
            Self::Call(source) => source.emit(now, stream),
            Self::Scheduled(source) => source.emit(now, stream),
        }
    }
}

impl AnySource {
    /// Heap memory in bytes.
    pub(crate) fn memory(&self) -> usize {
        match self {
            Self::Fractional(source) => size_of_val(&**source) + source.memory(),
            Self::Constant(source) => size_of_val(&**source),
            Self::OnOff(source) => size_of_val(&**source),
            Self::Transfers(source) => size_of_val(&**source),
            Self::Trace(source) => size_of_val(&**source),
            Self::Frames(source) => size_of_val(&**source),
            Self::Video(source) => size_of_val(&**source),
            Self::Call(source) => size_of_val(&**source),
            Self::Scheduled(source) => source.memory(),
            Self::PoissonStart(_) | Self::Poisson(_) | Self::Greedy(_) | Self::Connection(_) => 0,
        }
    }

    /// Whether the source supplies transfers, whose start and completion are tracked.
    pub(crate) fn has_transfers(&self) -> bool {
        match self {
            Self::Transfers(_) | Self::Connection(_) | Self::Video(_) => true,
            Self::Scheduled(source) => source.source().has_transfers(),
            _ => false,
        }
    }
}

/// Size of a transfer in packets, rounded up from a drawn size.
pub(crate) fn whole_packets(drawn: f64) -> u64 {
    /// More packets than any run can send.
    const LARGEST: f64 = 1e12;
    drawn.ceil().clamp(1.0, LARGEST) as u64
}

/// Maximum packets per second: one per picosecond.
const MAX_RATE: f64 = 1e12;

impl SourceSpec {
    /// The source of a flow whose packets have `packet_size` bytes on the wire.
    pub(crate) fn build(&self, packet_size: u32) -> AnySource {
        match self.clone() {
            Self::Poisson { rate } => AnySource::PoissonStart(poisson::Poisson::new(rate)),
            Self::Constant { rate } => AnySource::Constant(Box::new(constant::Constant::new(rate))),
            Self::Greedy { packets } => AnySource::Greedy(greedy::Greedy::new(packets)),
            Self::OnOff { rate, on, off } => AnySource::OnOff(Box::new(on_off::OnOff::new(rate, on, off))),
            Self::Fractional(spec) => AnySource::Fractional(Box::new(fractional::Fractional::new(spec))),
            Self::Transfers { size, think } => {
                AnySource::Transfers(Box::new(transfers::Transfers::new(size, Spacing::Think(think))))
            }
            Self::Requests { size, every } => {
                AnySource::Transfers(Box::new(transfers::Transfers::new(size, Spacing::Every(every))))
            }
            // the client provides the transfers (`endpoint/clients.rs`)
            Self::Connections { .. } | Self::Pages(_) => AnySource::Connection(Connection::default()),
            Self::Trace(spec) => AnySource::Trace(Box::new(trace::Trace::new(spec))),
            Self::Frames(spec) => AnySource::Frames(Box::new(frames::Frames::new(spec))),
            Self::Video(spec) => AnySource::Video(Box::new(video::Video::new(spec))),
            Self::Call(spec) => AnySource::Call(Box::new(Call::new(spec, packet_size))),
        }
    }

    /// Validates the values.
    ///
    /// # Errors
    /// The invalid field and the problem.
    pub(crate) fn check(&self) -> Result<(), (&'static str, &'static str)> {
        match self {
            Self::Poisson { rate }
            | Self::Constant { rate }
            | Self::OnOff { rate, .. }
            | Self::Frames(FramesSpec { rate, .. })
            | Self::Call(CallSpec { rate, .. })
            | Self::Connections { rate, .. }
                if !(*rate > 0.0 && *rate <= MAX_RATE) =>
            {
                Err(("rate", "must be above 0 and at most 1e12 (one packet per picosecond)"))
            }
            Self::OnOff { on, off, .. } => {
                on.check().map_err(|problem| ("on", problem))?;
                off.check().map_err(|problem| ("off", problem))
            }
            Self::Transfers { size, think } => {
                size.check().map_err(|problem| ("size", problem))?;
                think.check().map_err(|problem| ("think", problem))
            }
            Self::Connections { most: 0, .. } => Err(("most", "must be above 0")),
            Self::Connections { size, .. } => size.check().map_err(|problem| ("size", problem)),
            Self::Requests { size, every } => {
                size.check().map_err(|problem| ("size", problem))?;
                every.check().map_err(|problem| ("every", problem))
            }
            Self::Fractional(spec) => spec.check(),
            Self::Pages(spec) => spec.check(),
            Self::Frames(spec) => spec.check(),
            Self::Video(spec) => spec.check(),
            Self::Call(spec) => spec.check(),
            Self::Trace(spec) => spec.check(),
            Self::Poisson { .. } | Self::Constant { .. } | Self::Greedy { .. } => Ok(()),
        }
    }

    /// Mean packets per second of a flow; `None` if its transport or the flow itself adapts to the network.
    pub fn mean_rate(&self) -> Option<f64> {
        match self {
            Self::Poisson { rate } | Self::Constant { rate } => Some(*rate),
            Self::OnOff { rate, on, off } => Some(rate * on.mean() / (on.mean() + off.mean())),
            Self::Fractional(spec) => Some(spec.mean_rate()),
            Self::Trace(spec) => Some(spec.mean_rate()),
            Self::Frames(spec) => Some(spec.mean_rate()),
            Self::Greedy { .. }
            | Self::Transfers { .. }
            | Self::Requests { .. }
            | Self::Connections { .. }
            | Self::Pages(_)
            | Self::Video(_)
            | Self::Call(_) => None,
        }
    }

    /// Whether the source supplies much data at once and needs a transport that paces it.
    pub(crate) const fn needs_pacing(&self) -> bool {
        matches!(
            self,
            Self::Greedy { .. }
                | Self::Transfers { .. }
                | Self::Requests { .. }
                | Self::Connections { .. }
                | Self::Pages(_)
                | Self::Video(_)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::PagesSpec;

    const MEAN: Distribution = Distribution::Fixed { mean: 1.0 };
    const FRAMES: FramesSpec = FramesSpec { rate: 50.0, packets: 1, key_every: 0, key_packets: 1 };
    const NOISE: FractionalSpec = FractionalSpec { rate: 10.0, hurst: 0.8, cov: 0.3, bin: Time::SECOND, bins: 10 };

    fn pages() -> PagesSpec {
        PagesSpec { document: MEAN, objects: MEAN, size: MEAN, think: MEAN, most: 6 }
    }

    /// The name of the field that is rejected.
    fn refused(spec: &SourceSpec) -> Option<&'static str> {
        spec.check().err().map(|(field, _)| field)
    }

    #[test]
    fn rates_are_checked_to_the_ends_of_their_range() {
        let of_rate = |rate| {
            let on_off = SourceSpec::OnOff { rate, on: MEAN, off: MEAN };
            let noise = SourceSpec::Fractional(FractionalSpec { rate, ..NOISE });
            let frames = SourceSpec::Frames(FramesSpec { rate, ..FRAMES });
            [SourceSpec::Poisson { rate }, SourceSpec::Constant { rate }, on_off, noise, frames]
                .map(|spec| refused(&spec))
        };
        for rate in [f64::MIN_POSITIVE, MAX_RATE] {
            assert_eq!(of_rate(rate), [None; 5], "{rate}");
        }
        for rate in [0.0, MAX_RATE.next_up(), f64::NAN] {
            assert_eq!(of_rate(rate), [Some("rate"); 5], "{rate}");
        }
    }

    #[test]
    fn noise_is_checked_to_the_ends_of_its_ranges() {
        let allowed = [
            FractionalSpec { hurst: f64::MIN_POSITIVE, cov: 0.0, bins: 1, bin: Time::from_picos(1), ..NOISE },
            FractionalSpec { hurst: 1.0_f64.next_down(), cov: 1.0, bins: 1 << 22, ..NOISE },
        ];
        let not = [
            (FractionalSpec { hurst: 0.0, ..NOISE }, "hurst"),
            (FractionalSpec { hurst: 1.0, ..NOISE }, "hurst"),
            (FractionalSpec { cov: 0.0_f64.next_down(), ..NOISE }, "cov"),
            (FractionalSpec { cov: 1.0_f64.next_up(), ..NOISE }, "cov"),
            (FractionalSpec { bin: Time::ZERO, ..NOISE }, "bin"),
            (FractionalSpec { bins: 0, ..NOISE }, "bins"),
            (FractionalSpec { bins: (1 << 22) + 1, ..NOISE }, "bins"),
        ];
        let cases = allowed.map(|spec| (spec, None)).into_iter().chain(not.map(|(spec, field)| (spec, Some(field))));
        for (spec, field) in cases {
            assert_eq!(refused(&SourceSpec::Fractional(spec)), field, "{spec:?}");
        }
    }

    #[test]
    fn both_distributions_of_a_source_are_checked() {
        let none = Distribution::Exponential { mean: 0.0 };
        let rate = 10.0;
        for (spec, field) in [
            (SourceSpec::OnOff { rate, on: none.clone(), off: MEAN }, "on"),
            (SourceSpec::OnOff { rate, on: MEAN, off: none.clone() }, "off"),
            (SourceSpec::Transfers { size: none.clone(), think: MEAN }, "size"),
            (SourceSpec::Transfers { size: MEAN, think: none.clone() }, "think"),
            (SourceSpec::Pages(Box::new(PagesSpec { document: none.clone(), ..pages() })), "document"),
            (SourceSpec::Pages(Box::new(PagesSpec { objects: none.clone(), ..pages() })), "objects"),
            (SourceSpec::Pages(Box::new(PagesSpec { size: none.clone(), ..pages() })), "size"),
            (SourceSpec::Pages(Box::new(PagesSpec { think: none.clone(), ..pages() })), "think"),
            (SourceSpec::Pages(Box::new(PagesSpec { most: 0, ..pages() })), "most"),
            (SourceSpec::Requests { size: none.clone(), every: MEAN }, "size"),
            (SourceSpec::Requests { size: MEAN, every: none.clone() }, "every"),
            (SourceSpec::Frames(FramesSpec { packets: 0, ..FRAMES }), "packets"),
            (SourceSpec::Frames(FramesSpec { key_packets: 0, ..FRAMES }), "key_packets"),
            (SourceSpec::Connections { rate, size: none, most: 1 }, "size"),
            (SourceSpec::Connections { rate, size: MEAN, most: 0 }, "most"),
        ] {
            assert_eq!(refused(&spec), Some(field), "{spec:?}");
        }
    }
}
