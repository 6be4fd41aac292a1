//! Link losses not caused by a queue: from a list, at random, in bursts, or by a trace; before the queue or after the
//! transmission.

use std::sync::Arc;

use ackclock_units::{Stream, Time};
use serde::{Deserialize, Serialize};

use super::steps;
use crate::packet::{Packet, Payload};
use crate::plan::LinkSpec;

/// Loss model of a link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum LossSpec {
    /// Specific packets of each flow: the n-th data packet to arrive at this link, counted from 1 and including
    /// retransmissions, but not SYNs. (ns-2's error model with a list counts from 0, includes the SYN, and sees a
    /// single flow.)
    List {
        /// Packet numbers, in any order.
        packets: Vec<u64>,
        /// Number of initial SYNs of each flow that are lost.
        #[serde(default)]
        syns: u64,
    },
    /// Independent losses of all packets, including SYNs and ACKs.
    Random {
        /// Loss probability.
        probability: f64,
        /// Loss probability of a packet that finds the link idle; `None` for the same.
        #[serde(default)]
        idle: Option<f64>,
    },
    /// A two-state channel (Gilbert, "Capacity of a burst-noise channel", 1960; Elliott 1963). The state may change
    /// after each packet; the initial state is drawn from the stationary distribution.
    GilbertElliottPackets {
        /// Probability of changing to the bad state after a packet.
        to_bad: f64,
        /// Probability of changing to the good state after a packet: bad periods last `1 / to_good` packets on average.
        to_good: f64,
        /// Loss probability in the good state.
        good: f64,
        /// Loss probability in the bad state.
        bad: f64,
    },
    /// A two-state channel whose states last in time, whether or not packets are sent: a Markov process in continuous
    /// time. The initial state is drawn from the stationary distribution.
    GilbertElliottTime {
        /// Mean duration of the good state.
        good_time: Time,
        /// Mean duration of the bad state.
        bad_time: Time,
        /// Loss probability in the good state.
        good: f64,
        /// Loss probability in the bad state.
        bad: f64,
    },
    /// Independent losses with a probability that changes in time.
    Trace(Arc<LossTraceSpec>),
}

/// A loss probability that changes in steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LossTraceSpec {
    /// Times of changes: the first is 0, each later than the one before.
    pub times: Vec<Time>,
    /// The probabilities from these times on.
    pub probabilities: Vec<f64>,
    /// Period after which the trace repeats; `None` keeps the last probability.
    pub period: Option<Time>,
}

/// A loss model from a time on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LossChange {
    /// When it begins.
    pub at: Time,
    /// The model; `None` for no losses.
    pub loss: Option<LossSpec>,
}

impl LossSpec {
    /// Validates the values.
    ///
    /// # Errors
    /// The invalid field and the problem.
    pub(crate) fn check(&self) -> Result<(), (&'static str, &'static str)> {
        let fields = match self {
            Self::List { .. } => return Ok(()),
            Self::Random { probability, idle } => {
                vec![("probability", *probability), ("idle", idle.unwrap_or_default())]
            }
            Self::GilbertElliottPackets { to_good: 0.0, .. } => return Err(("to_good", "must be above 0")),
            Self::GilbertElliottPackets { to_bad, to_good, good, bad } => {
                vec![("to_bad", *to_bad), ("to_good", *to_good), ("good", *good), ("bad", *bad)]
            }
            Self::GilbertElliottTime { good_time: Time::ZERO, .. } => return Err(("good_time", "must be above 0 s")),
            Self::GilbertElliottTime { bad_time: Time::ZERO, .. } => return Err(("bad_time", "must be above 0 s")),
            Self::GilbertElliottTime { good, bad, .. } => vec![("good", *good), ("bad", *bad)],
            Self::Trace(trace) => {
                let LossTraceSpec { times, probabilities, period } = &**trace;
                steps::check(times, ("probabilities", probabilities.len()), *period)?;
                probabilities.iter().map(|each| ("probabilities", *each)).collect()
            }
        };
        match fields.into_iter().find(|(_, value)| !(0.0..=1.0).contains(value)) {
            Some((field, _)) => Err((field, "must be from 0 to 1")),
            None => Ok(()),
        }
    }

    /// The share of the packets that are lost in the long run.
    pub fn mean(&self) -> f64 {
        match self {
            Self::List { .. } => 0.0,
            Self::Random { probability, .. } => *probability,
            Self::GilbertElliottPackets { to_bad, to_good, good, bad } => {
                (good * to_good + bad * to_bad) / (to_good + to_bad)
            }
            Self::GilbertElliottTime { good_time, bad_time, good, bad } => {
                let [good_time, bad_time] = [good_time, bad_time].map(|time| time.as_secs_f64());
                (good * good_time + bad * bad_time) / (good_time + bad_time)
            }
            Self::Trace(trace) => trace.probabilities.iter().sum::<f64>() / trace.probabilities.len().max(1) as f64,
        }
    }
}

/// Where on a link packets are lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LossPlace {
    /// Before the queue: lost packets take no transmission time.
    #[default]
    Before,
    /// After the transmission: lost packets take their time on the link, but do not arrive.
    After,
}

/// The losses of a link.
#[derive(Clone, Debug)]
pub(crate) struct Loss {
    model: Model,
    stream: Stream,
    /// Models that begin later, the next one last.
    later: Vec<LossChange>,
}

#[derive(Clone, Debug)]
enum Model {
    None,
    List {
        packets: Vec<u64>,
        syns: u64,
        /// Number of SYNs and of data packets seen, per flow.
        seen: Vec<(u64, u64)>,
    },
    Random {
        probability: f64,
        idle: f64,
    },
    GilbertElliottPackets {
        /// Probabilities of changing state and of losing a packet, for the good and the bad state.
        change: [f64; 2],
        lose: [f64; 2],
        is_bad: bool,
    },
    GilbertElliottTime {
        /// Share of the time in which the channel is bad, and the rate per second at which it forgets its state.
        share: f64,
        forgets: f64,
        /// Loss probabilities of the good and the bad state.
        lose: [f64; 2],
        is_bad: bool,
        /// Time of the last packet, or of the first state.
        at: Time,
    },
    Trace(Arc<LossTraceSpec>),
}

impl Model {
    fn new(spec: &LossSpec, stream: &mut Stream) -> Self {
        match spec {
            LossSpec::List { packets, syns } => {
                let mut packets = packets.clone();
                packets.sort_unstable();
                Self::List { packets, syns: *syns, seen: Vec::new() }
            }
            LossSpec::Random { probability, idle } => {
                Self::Random { probability: *probability, idle: idle.unwrap_or(*probability) }
            }
            LossSpec::GilbertElliottPackets { to_bad, to_good, good, bad } => {
                let is_bad = stream.uniform() * (to_bad + to_good) < *to_bad;
                Self::GilbertElliottPackets { change: [*to_bad, *to_good], lose: [*good, *bad], is_bad }
            }
            LossSpec::GilbertElliottTime { good_time, bad_time, good, bad } => {
                let [good_time, bad_time] = [good_time, bad_time].map(|time| time.as_secs_f64());
                let share = bad_time / (good_time + bad_time);
                let (forgets, is_bad) = (1.0 / good_time + 1.0 / bad_time, stream.uniform() < share);
                Self::GilbertElliottTime { share, forgets, lose: [*good, *bad], is_bad, at: Time::ZERO }
            }
            LossSpec::Trace(trace) => Self::Trace(Arc::clone(trace)),
        }
    }
}

impl Loss {
    /// The losses of a link at this place, if it has any at some time.
    pub(crate) fn of(spec: &LinkSpec, place: LossPlace, stream: Stream) -> Option<Self> {
        let has_any = spec.loss_place == place && (spec.loss.is_some() || !spec.loss_changes.is_empty());
        has_any.then(|| Self::new(spec.loss.as_ref(), &spec.loss_changes, stream))
    }

    fn new(spec: Option<&LossSpec>, changes: &[LossChange], mut stream: Stream) -> Self {
        let model = spec.map_or(Model::None, |spec| Model::new(spec, &mut stream));
        Self { model, stream, later: changes.iter().rev().cloned().collect() }
    }

    /// Memory in bytes.
    pub(crate) fn memory(&self) -> usize {
        let lists = match &self.model {
            Model::List { packets, seen, .. } => size_of_val(&packets[..]) + seen.capacity() * size_of::<(u64, u64)>(),
            _ => 0,
        };
        size_of::<Self>() + size_of_val(&self.later[..]) + lists
    }

    /// Whether the link loses this packet at `now`, which never decreases. `is_idle` tells whether it found the link idle.
    pub(crate) fn loses(&mut self, packet: &Packet, is_idle: bool, now: Time) -> bool {
        let Self { model, stream, later } = self;
        while let Some(LossChange { loss, .. }) = later.pop_if(|next| next.at <= now) {
            *model = loss.map_or(Model::None, |spec| Model::new(&spec, stream));
        }
        match model {
            Model::None => false,
            Model::List { packets, syns, seen } => {
                let flow = packet.flow().0 as usize;
                if flow >= seen.len() {
                    seen.resize(flow + 1, (0, 0));
                }
                let (syn, data) = &mut seen[flow];
                match packet.payload() {
                    Payload::Syn { .. } => {
                        *syn += 1;
                        *syn <= *syns
                    }
                    Payload::Data { .. } => {
                        *data += 1;
                        packets.binary_search(data).is_ok()
                    }
                    Payload::Ack { .. } => false,
                }
            }
            Model::Random { probability, idle } => stream.uniform() < if is_idle { *idle } else { *probability },
            Model::GilbertElliottPackets { change, lose, is_bad } => {
                let state = usize::from(*is_bad);
                let lost = stream.uniform() < lose[state];
                *is_bad ^= stream.uniform() < change[state];
                lost
            }
            Model::GilbertElliottTime { share, forgets, lose, is_bad, at } => {
                // the transition probability of the process over the time since the last packet
                let memory = libm::exp(-*forgets * now.saturating_sub(*at).as_secs_f64());
                *is_bad = stream.uniform() < *share + (f64::from(u8::from(*is_bad)) - *share) * memory;
                *at = now;
                stream.uniform() < lose[usize::from(*is_bad)]
            }
            Model::Trace(trace) => {
                let LossTraceSpec { times, probabilities, period } = &**trace;
                let (_, _, step) = steps::at(times, *period, now);
                stream.uniform() < probabilities[step]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use ackclock_units::Role;

    use super::*;

    /// For each of `count` packets, whether it is lost.
    fn lost(spec: &LossSpec, count: usize) -> Vec<bool> {
        assert_eq!(spec.check(), Ok(()));
        let mut loss = Loss::new(Some(spec), &[], Stream::new(3, Role::Loss, 0));
        (0..count).map(|_| loss.loses(&Packet::NONE, false, Time::ZERO)).collect()
    }

    fn share(lost: &[bool]) -> f64 {
        lost.iter().filter(|lost| **lost).count() as f64 / lost.len() as f64
    }

    /// Validates: random losses are independent and have the given probability.
    /// Source: the binomial distribution.
    /// Tolerance: four standard errors of 100,000 packets at a fixed seed.
    #[test]
    fn random_losses_are_independent() {
        let lost = lost(&LossSpec::Random { probability: 0.2, idle: None }, 100_000);
        assert!((share(&lost) - 0.2).abs() < 4.0 * (0.16 / 1e5_f64).sqrt());
        let after: Vec<bool> = lost.windows(2).filter(|pair| pair[0]).map(|pair| pair[1]).collect();
        assert!((share(&after) - 0.2).abs() < 4.0 * (0.16 / 2e4_f64).sqrt());
    }

    /// Validates: a Gilbert-Elliott channel loses `(good to_good + bad to_bad) / (to_good + to_bad)` of its packets,
    ///     and bad periods last `1 / to_good` packets on average.
    /// Source: the two-state Markov chain; Gilbert 1960.
    /// Tolerance: 3 % at a fixed seed: a million packets see 8,000 bad periods, whose lengths have a standard error of
    ///   1.1 %.
    #[test]
    fn losses_of_a_channel_come_in_bursts() {
        let spec = LossSpec::GilbertElliottPackets { to_bad: 0.01, to_good: 0.05, good: 0.0, bad: 1.0 };
        let lost = lost(&spec, 1_000_000);
        assert!((share(&lost) / (0.01 / 0.06) - 1.0).abs() < 0.03, "{}", share(&lost));
        let begins = lost.windows(2).filter(|pair| !pair[0] && pair[1]).count() as f64;
        let mean = lost.iter().filter(|lost| **lost).count() as f64 / begins;
        println!("measured: {:.4} lost, {mean:.2} in a row", share(&lost));
        assert!((mean / 20.0 - 1.0).abs() < 0.03, "{mean}");
        let both = LossSpec::GilbertElliottPackets { to_bad: 0.3, to_good: 0.3, good: 0.1, bad: 0.5 };
        assert!((share(&self::lost(&both, 1_000_000)) - 0.3).abs() < 0.003);
    }

    /// A channel with a good state of 2 s and a bad state of 0.5 s on average, looked at every 10 ms and every 5 s.
    ///
    /// Validates: a bad state lasts 0.5 s on average whether or not packets are sent, the channel is bad for a fifth of the
    ///   time, and after a silence of 5 s its state is a new one: the correlation of two looks a time `t` apart is
    ///   `exp(-t (1/2 s + 1/0.5 s))`.
    /// Source: the two-state Markov process in continuous time.
    /// Tolerance: 3 % at a fixed seed for 40,000 bad states; four standard errors for the correlation.
    #[test]
    fn states_of_a_channel_last_in_time() {
        let [good_time, bad_time] = [2_000, 500].map(Time::from_millis);
        let spec = LossSpec::GilbertElliottTime { good_time, bad_time, good: 0.0, bad: 1.0 };
        assert_eq!(spec.check(), Ok(()));
        assert!((spec.mean() - 0.2).abs() < 1e-12);
        let looks = |every: Time, count: u64| -> Vec<f64> {
            let mut loss = Loss::new(Some(&spec), &[], Stream::new(3, Role::Loss, 0));
            let looks = (1..=count).map(|look| loss.loses(&Packet::NONE, false, every.saturating_mul(look)));
            looks.map(|lost| f64::from(u8::from(lost))).collect()
        };
        let often = looks(Time::from_millis(10), 10_000_000);
        let share = often.iter().sum::<f64>() / often.len() as f64;
        let begins = often.windows(2).filter(|pair| pair[0] < pair[1]).count() as f64;
        // a state shorter than 10 ms may be missed, and an observed one is 10 ms longer than its looks
        let mean = 0.01 * often.iter().sum::<f64>() / begins;
        println!("measured: bad for {share:.4} of the time, {mean:.4} s each");
        assert!((share / 0.2 - 1.0).abs() < 0.03, "{share}");
        assert!((mean / 0.505 - 1.0).abs() < 0.03, "{mean}");
        for (millis, count) in [(200, 100_000), (5_000, 100_000)] {
            let looks = looks(Time::from_millis(millis), count);
            let both = looks.windows(2).map(|pair| (pair[0] - 0.2) * (pair[1] - 0.2)).sum::<f64>() / count as f64;
            let expected = (-2.5e-3 * millis as f64).exp();
            println!("measured: correlation {:.4} after {millis} ms for {expected:.4}", both / 0.16);
            assert!((both / 0.16 - expected).abs() < 4.0 * 3.0 / (count as f64).sqrt(), "{}", both / 0.16);
        }
    }

    /// Validates: a model that begins later replaces the one before, and a probability follows its trace.
    /// Source: by hand.
    /// Tolerance: exact.
    #[test]
    fn models_change_in_time() {
        let millis = Time::from_millis;
        let all = LossSpec::Random { probability: 1.0, idle: Some(0.0) };
        let changes = [(10, Some(all)), (20, None)].map(|(at, loss)| LossChange { at: millis(at), loss });
        let mut loss = Loss::new(None, &changes, Stream::new(3, Role::Loss, 0));
        let mut seen = |at, is_idle| loss.loses(&Packet::NONE, is_idle, millis(at));
        assert_eq!(
            [seen(9, false), seen(10, false), seen(11, true), seen(19, false), seen(20, false)],
            [false, true, false, true, false]
        );
        let trace =
            LossTraceSpec { times: vec![millis(0), millis(5)], probabilities: vec![1.0, 0.0], period: Some(millis(8)) };
        let trace = LossSpec::Trace(trace.into());
        assert_eq!(trace.check(), Ok(()));
        let mut loss = Loss::new(Some(&trace), &[], Stream::new(3, Role::Loss, 0));
        let times: Vec<u64> = (0..16).filter(|at| loss.loses(&Packet::NONE, false, millis(*at))).collect();
        assert_eq!(times, [0, 1, 2, 3, 4, 8, 9, 10, 11, 12]);
    }

    #[test]
    fn what_is_no_probability_is_refused() {
        let channel = |to_good, bad| LossSpec::GilbertElliottPackets { to_bad: 0.1, to_good, good: 0.0, bad };
        assert_eq!(channel(0.0, 1.0).check(), Err(("to_good", "must be above 0")));
        assert_eq!(channel(0.1, 1.5).check(), Err(("bad", "must be from 0 to 1")));
        assert_eq!(
            LossSpec::Random { probability: f64::NAN, idle: None }.check(),
            Err(("probability", "must be from 0 to 1"))
        );
    }
}
