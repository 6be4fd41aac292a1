//! Congestion-control laws from Python: interpreted objects, and functions compiled by numba.
//!
//! Both forms get the same records. An interpreted law gets them as Python objects, which are filled again for each call;
//! a compiled law gets pointers to them. `python/ackclock/laws` decides which calls a law has.

mod compiled;
pub(crate) mod interpreted;

use std::mem::offset_of;
use std::sync::Arc;

use ackclock_net::Plan;
use ackclock_tcp::congestion::foreign::{Cause, Controls, ForeignSpec, LawMaker, Needs};
use ackclock_tcp::congestion::{AckSample, CongestionEvent, Signal, Window as TcpWindow};
use ackclock_tcp::contract::{Breach, Counting, check, counts_acks};
use ackclock_tcp::{LostSegment, Phase, RateSample};
use ackclock_units::failure::{Failure, Owner};
use ackclock_units::{Role, Stream, Time};
use pyo3::create_exception;
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyType;

pub(crate) use compiled::CompiledLaw;
pub(crate) use interpreted::InterpretedLaw;

use crate::discipline::DisciplineFailedError;

create_exception!(
    _core,
    LawFailedError,
    PyRuntimeError,
    "A law failed; the arguments are its name, flow, connection, simulated time in seconds, call and reason."
);

/// Declares records that Python objects show and compiled functions read by offset.
macro_rules! records {
    ($($(#[$meta:meta])* $name:ident { $($(#[$of_field:meta])* $field:ident: $type:ident,)+ })+) => {
        $($(#[$meta])*
        #[derive(Clone, Copy, Debug, Default)]
        #[repr(C)]
        #[allow(clippy::struct_field_names, reason = "the names are those of the interface")]
        pub(crate) struct $name { $($(#[$of_field])* pub(crate) $field: $type,)+ })+

        /// The layout of each record: size, and name, type and offset of each field.
        const LAYOUTS: &[Layout] = &[
            $((stringify!($name), size_of::<$name>(), &[
                $((stringify!($field), stringify!($type), offset_of!($name, $field)),)+
            ]),)+
        ];
    };
}

type Layout = (&'static str, usize, &'static [(&'static str, &'static str, usize)]);

records! {
    /// What a law may change.
    #[pyclass(module = "ackclock._core")]
    Window {
        /// Congestion window in packets.
        #[pyo3(get, set)]
        cwnd: f64,
        /// Slow-start threshold in packets.
        #[pyo3(get)]
        ssthresh: f64,
        /// Pacing rate in packets per second, which the option `pacing = "law"` uses; 0 if the law has none.
        #[pyo3(get, set)]
        pacing_rate: f64,
        /// Whether the law has set `ssthresh`, perhaps to its old value; laws do not see this.
        sets_ssthresh: bool,
    }

    /// A new ACK, after the sender has updated its own state.
    #[pyclass(module = "ackclock._core", get_all)]
    Ack {
        /// Arrival time in seconds.
        now: f64,
        /// Smoothed round-trip time in seconds; NaN before the first sample.
        srtt: f64,
        /// Round-trip time of the last acknowledged packet in seconds; NaN if the packet was sent more than once.
        rtt: f64,
        /// Time since the last transmission of that packet in seconds, also if it was sent more than once.
        elapsed: f64,
        /// Number of packets that the ACK counts for in congestion avoidance: 1, or with the option `byte_counting` the
        /// number of packets acknowledged, at most one window.
        counted: f64,
        /// Arrival time in whole picoseconds.
        now_ps: i64,
        /// First unacknowledged packet.
        snd_una: i64,
        /// Number of packets newly acknowledged, cumulatively or, with RACK, selectively.
        newly_acked: i64,
        /// Next packet to send.
        snd_nxt: i64,
        /// Number of packets by which this ACK advances `snd_una`.
        advance: i64,
        /// The option `byte_counting`.
        byte_counting: i64,
        /// Number of marked packets that the ACKs since the last new one report.
        marked: i64,
        /// Whether the sender had less in flight than the window allowed.
        app_limited: bool,
    }

    /// A loss or a mark that requires a window reduction: at most one per congestion event.
    #[pyclass(module = "ackclock._core", get_all)]
    Congestion {
        /// Time in seconds.
        now: f64,
        /// Window that the reduction is computed from, in packets: the flight size, or as the option `decrease_from` says.
        window: f64,
        /// Lower limit of the halved window: two packets, or one as in ns-2.
        least: f64,
        /// Time in whole picoseconds.
        now_ps: i64,
        /// Whether duplicate or selective ACKs, or a fine-grained timer, show a loss.
        is_loss: bool,
        /// Whether a mark arrived.
        is_mark: bool,
        /// Whether the retransmission timer fired. The engine sets the window to one packet afterwards.
        is_timeout: bool,
        /// Whether the lost packet had already been retransmitted.
        lost_again: bool,
        /// Whether a mark reduces the window less than a loss (RFC 8511).
        abe: bool,
    }

    /// A delivery-rate sample: an ACK that delivers data, also in a recovery.
    #[pyclass(module = "ackclock._core", get_all)]
    Rate {
        /// Arrival time in seconds.
        now: f64,
        /// Rate at which data is delivered, in packets per second; NaN if the interval is too short.
        rate: f64,
        /// Round-trip time of the delivered packet that was sent last, in seconds; NaN if it was sent more than once.
        rtt: f64,
        /// Minimum round-trip time so far, in seconds.
        min_rtt: f64,
        /// Arrival time in whole picoseconds.
        now_ps: i64,
        /// Number of packets delivered so far.
        delivered: i64,
        /// The same number when that packet was sent.
        prior_delivered: i64,
        /// Number of packets found lost since that packet was sent.
        lost: i64,
        /// Number of packets in the network when that packet was sent, including it.
        tx_in_flight: i64,
        /// Number of packets that this ACK delivers.
        newly_delivered: i64,
        /// Number of packets that this ACK shows to be lost.
        newly_lost: i64,
        /// Number of packets in the network before this ACK.
        prior_in_flight: i64,
        /// Number of packets in the network now.
        in_flight: i64,
        /// Number of packets that a paced sender sends at once.
        burst: i64,
        /// Whether the application limits the rate.
        app_limited: bool,
        /// Whether losses are being repaired.
        in_recovery: bool,
        /// Whether data is sent again after a timeout.
        after_timeout: bool,
    }

    /// A packet found lost, with the state of the sender when it was sent.
    #[pyclass(module = "ackclock._core", get_all)]
    Lost {
        /// Number of the packet.
        number: i64,
        /// Number of packets in the network when it was sent, including it.
        tx_in_flight: i64,
        /// Number of packets found lost since, including it.
        lost: i64,
        /// Whether the application limited the sender then.
        app_limited: bool,
    }

    /// The end of a time without anything in flight.
    #[pyclass(module = "ackclock._core", get_all)]
    Idle {
        /// Time in seconds.
        now: f64,
        /// Time since the last transmission, in seconds.
        idle: f64,
        /// Time in whole picoseconds.
        now_ps: i64,
        /// Time since the last transmission, in whole picoseconds.
        idle_ps: i64,
    }
}

pub(crate) const fn picos(time: Time) -> i64 {
    time.as_picos().cast_signed()
}

fn seconds(time: Option<Time>) -> f64 {
    time.map_or(f64::NAN, Time::as_secs_f64)
}

#[pymethods]
impl Window {
    #[setter]
    const fn set_ssthresh(&mut self, ssthresh: f64) {
        (self.ssthresh, self.sets_ssthresh) = (ssthresh, true);
    }
}

impl Window {
    pub(crate) const fn of(controls: &Controls) -> Self {
        let Controls { cwnd, ssthresh, pacing_rate, sets_ssthresh } = *controls;
        Self { cwnd, ssthresh, pacing_rate, sets_ssthresh }
    }

    pub(crate) const fn controls(&self) -> Controls {
        let Self { cwnd, ssthresh, pacing_rate, sets_ssthresh } = *self;
        Controls { cwnd, ssthresh, pacing_rate, sets_ssthresh }
    }
}

impl Ack {
    #[inline(always)]
    pub(crate) fn of(sample: &AckSample, cwnd: f64) -> Self {
        let (rtt, elapsed) = if sample.elapsed.is_some() { times(sample) } else { (f64::NAN, f64::NAN) };
        Self {
            now: picos(sample.now) as f64 / 1e12, // as `Time::as_secs_f64`, which converts larger numbers too
            srtt: sample.srtt,
            rtt,
            elapsed,
            counted: sample.counted(&TcpWindow { cwnd, ssthresh: 0.0 }),
            now_ps: picos(sample.now),
            snd_una: sample.snd_una as i64,
            snd_nxt: sample.snd_nxt as i64,
            newly_acked: sample.newly_acked as i64,
            advance: sample.advance as i64,
            byte_counting: sample.byte_counting.into(),
            marked: sample.marked as i64,
            app_limited: sample.app_limited,
        }
    }
}

/// The times of the last acknowledged packet. It is a function of its own, so that laws that do not read them do not pay
/// for divisions.
#[inline(never)]
fn times(sample: &AckSample) -> (f64, f64) {
    (seconds(sample.rtt), seconds(sample.elapsed))
}

impl Congestion {
    pub(crate) fn of(event: &CongestionEvent, now: Time) -> Self {
        let CongestionEvent { signal, window, least, lost_again, abe } = *event;
        Self {
            now: now.as_secs_f64(),
            window,
            least,
            now_ps: picos(now),
            is_loss: signal == Signal::Loss,
            is_mark: signal == Signal::Mark,
            is_timeout: signal == Signal::Timeout,
            lost_again,
            abe,
        }
    }
}

impl Rate {
    pub(crate) fn of(sample: &RateSample) -> Self {
        Self {
            now: sample.now.as_secs_f64(),
            rate: sample.rate.unwrap_or(f64::NAN),
            rtt: seconds(sample.rtt),
            min_rtt: sample.min_rtt.as_secs_f64(),
            now_ps: picos(sample.now),
            delivered: sample.delivered as i64,
            prior_delivered: sample.prior_delivered as i64,
            lost: sample.lost as i64,
            tx_in_flight: sample.tx_in_flight as i64,
            newly_delivered: sample.newly_delivered as i64,
            newly_lost: sample.newly_lost as i64,
            prior_in_flight: sample.prior_in_flight as i64,
            in_flight: sample.in_flight as i64,
            burst: sample.burst.into(),
            app_limited: sample.app_limited,
            in_recovery: sample.phase == Phase::Recovery,
            after_timeout: sample.phase == Phase::Loss,
        }
    }
}

impl Lost {
    pub(crate) const fn of(segment: &LostSegment) -> Self {
        let LostSegment { number, tx_in_flight, lost, app_limited } = *segment;
        Self { number: number as i64, tx_in_flight: tx_in_flight as i64, lost: lost as i64, app_limited }
    }
}

impl Idle {
    pub(crate) fn of(now: Time, idle: Time) -> Self {
        Self { now: now.as_secs_f64(), idle: idle.as_secs_f64(), now_ps: picos(now), idle_ps: picos(idle) }
    }
}

/// The random numbers of a law: SplitMix64, seeded by the seed of the run and the flow.
#[pyclass(module = "ackclock._core")]
#[derive(Debug)]
pub(crate) struct LawRandom(Stream);

#[pymethods]
impl LawRandom {
    #[new]
    fn new(seed: u64) -> Self {
        Self(Stream::new(seed, Role::Law, 0))
    }

    /// Uniform in [0, 1).
    fn random(&mut self) -> f64 {
        self.0.uniform()
    }

    /// Uniform in [low, high).
    fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.0.uniform()
    }

    /// Exponential with the given mean.
    fn exponential(&mut self, mean: f64) -> f64 {
        mean * self.0.exponential()
    }

    /// Normal with the given mean and standard deviation.
    fn normal(&mut self, mean: f64, sd: f64) -> f64 {
        mean + sd * self.0.normal()
    }
}

/// Cube root, correctly rounded: the same bits as in the engine's CUBIC on every machine, unlike ``math.cbrt``.
#[pyfunction]
fn cbrt(x: f64) -> f64 {
    libm::cbrt(x)
}

/// The same, for compiled laws.
extern "C" fn compiled_cbrt(x: f64) -> f64 {
    libm::cbrt(x)
}

/// A law of a plan, by its number.
#[derive(FromPyObject)]
pub(crate) enum Law<'py> {
    Interpreted(Bound<'py, InterpretedLaw>),
    Compiled(Bound<'py, CompiledLaw>),
}

impl Law<'_> {
    fn maker(&self) -> Arc<dyn LawMaker> {
        match self {
            Self::Interpreted(law) => law.get().maker(law.py()),
            Self::Compiled(law) => law.get().maker(),
        }
    }

    /// The law by itself, without a plan. `needs` is JSON.
    fn spec(&self, name: &str, needs: &str) -> PyResult<ForeignSpec> {
        let needs: Needs = serde_json::from_str(needs).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(ForeignSpec { name: name.into(), number: 0, needs, maker: Some(self.maker()) })
    }
}

/// Sets the makers of the laws in a plan. Returns whether a law needs the interpreter.
pub(crate) fn set_makers(plan: &mut Plan, laws: &[Law<'_>]) -> bool {
    let makers: Vec<Arc<dyn LawMaker>> = laws.iter().map(Law::maker).collect();
    plan.set_law_makers(|law| makers.get(law.number as usize).map(Arc::clone));
    laws.iter().any(|law| matches!(law, Law::Interpreted(_)))
}

/// Checks a law in one conversation of those with a seed: None, or the broken rule, the simulated time in seconds and the
/// conversation in words.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 hands over owned arguments")]
fn check_contract(
    py: Python<'_>,
    law: Law<'_>,
    name: &str,
    needs: &str,
    seed: u64,
    number: u32,
) -> PyResult<Option<(String, f64, String)>> {
    let law = law.spec(name, needs)?;
    let Err(Breach { broken, at, conversation, cause }) = check(&law, seed, number) else { return Ok(None) };
    raise_interrupt(py, cause.as_ref())?;
    Ok(Some((broken.to_string(), at.as_secs_f64(), conversation)))
}

/// Whether a law counts ACKs instead of packets: None, or a number of packets and how far the law moves its window with
/// them, acknowledged one by one and in pairs. A law that fails counts nothing.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 hands over owned arguments")]
fn law_counts_acks(py: Python<'_>, law: Law<'_>, name: &str, needs: &str) -> PyResult<Option<(u64, f64, f64)>> {
    let found = match counts_acks(&law.spec(name, needs)?) {
        Ok(found) => found,
        Err(cause) => raise_interrupt(py, Some(&cause)).map(|()| None)?,
    };
    Ok(found.map(|Counting { packets, alone, pairs }| (packets, alone, pairs)))
}

/// Raises an interrupt, which says nothing about the law that it interrupted.
fn raise_interrupt(py: Python<'_>, cause: Option<&Cause>) -> PyResult<()> {
    let raised = cause.and_then(|cause| cause.downcast_ref::<PyErr>());
    match raised.filter(|raised| raised.is_instance_of::<PyKeyboardInterrupt>(py)) {
        Some(interrupt) => Err(interrupt.clone_ref(py)),
        None => Ok(()),
    }
}

/// The exception for a failure. Its cause is the law's own exception, if there is one.
pub(crate) fn failed(failure: &Failure) -> PyErr {
    let Failure { name, owner, at, call, cause } = failure;
    Python::attach(|py| {
        let raised = cause.downcast_ref::<PyErr>();
        let reason = if raised.is_some() { String::new() } else { cause.to_string() };
        let (name, time) = (name.to_string(), at.as_secs_f64());
        let error = match *owner {
            Owner::Law { flow, connection } => LawFailedError::new_err((name, flow, connection, time, *call, reason)),
            Owner::Discipline { link } => DisciplineFailedError::new_err((name, link, time, *call, reason)),
        };
        error.set_cause(py, raised.map(|raised| raised.clone_ref(py)));
        error
    })
}

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add_class::<Window>()?;
    module.add_class::<Ack>()?;
    module.add_class::<Congestion>()?;
    module.add_class::<Rate>()?;
    module.add_class::<Lost>()?;
    module.add_class::<Idle>()?;
    module.add_class::<LawRandom>()?;
    module.add_class::<InterpretedLaw>()?;
    module.add_class::<CompiledLaw>()?;
    module.add_function(wrap_pyfunction!(check_contract, module)?)?;
    module.add_function(wrap_pyfunction!(law_counts_acks, module)?)?;
    module.add_function(wrap_pyfunction!(cbrt, module)?)?;
    module.add("CBRT_ADDRESS", compiled_cbrt as extern "C" fn(f64) -> f64 as usize)?;
    let named = |fields: &[(&'static str, &'static str, usize)]| {
        fields.iter().copied().filter(|(name, ..)| *name != "sets_ssthresh").collect::<Vec<_>>()
    };
    module.add(
        "LAW_RECORDS",
        LAYOUTS.iter().map(|(name, size, fields)| (*name, *size, named(fields))).collect::<Vec<_>>(),
    )?;
    let failed: Bound<'_, PyType> = py.get_type::<LawFailedError>();
    module.add("LawFailedError", failed)
}
