//! Link losses not caused by a queue: from a list, at random, or in bursts; before the queue or after the transmission.

use ackclock_units::Stream;
use serde::{Deserialize, Serialize};

use crate::packet::{Packet, Payload};

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
    },
    /// A two-state channel (Gilbert, "Capacity of a burst-noise channel", 1960; Elliott 1963). The state may change
    /// after each packet; the initial state is drawn from the stationary distribution.
    GilbertElliott {
        /// Probability of changing to the bad state after a packet.
        to_bad: f64,
        /// Probability of changing to the good state after a packet: bad periods last `1 / to_good` packets on average.
        to_good: f64,
        /// Loss probability in the good state.
        good: f64,
        /// Loss probability in the bad state.
        bad: f64,
    },
}

impl LossSpec {
    /// Validates the values.
    ///
    /// # Errors
    /// The invalid field and the problem.
    pub(crate) fn check(&self) -> Result<(), (&'static str, &'static str)> {
        let fields = match *self {
            Self::List { .. } => return Ok(()),
            Self::Random { probability } => vec![("probability", probability)],
            Self::GilbertElliott { to_good: 0.0, .. } => return Err(("to_good", "must be above 0")),
            Self::GilbertElliott { to_bad, to_good, good, bad } => {
                vec![("to_bad", to_bad), ("to_good", to_good), ("good", good), ("bad", bad)]
            }
        };
        match fields.into_iter().find(|(_, value)| !(0.0..=1.0).contains(value)) {
            Some((field, _)) => Err((field, "must be from 0 to 1")),
            None => Ok(()),
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

/// The loss state of a link.
#[derive(Clone, Debug)]
pub(crate) enum Loss {
    List {
        packets: Vec<u64>,
        syns: u64,
        /// Number of SYNs and of data packets seen, per flow.
        seen: Vec<(u64, u64)>,
    },
    Random {
        probability: f64,
        stream: Stream,
    },
    GilbertElliott {
        /// Probabilities of changing state and of losing a packet, for the good and the bad state.
        change: [f64; 2],
        lose: [f64; 2],
        is_bad: bool,
        stream: Stream,
    },
}

impl Loss {
    pub(crate) fn new(spec: &LossSpec, mut stream: Stream) -> Self {
        match *spec {
            LossSpec::List { ref packets, syns } => {
                let mut packets = packets.clone();
                packets.sort_unstable();
                Self::List { packets, syns, seen: Vec::new() }
            }
            LossSpec::Random { probability } => Self::Random { probability, stream },
            LossSpec::GilbertElliott { to_bad, to_good, good, bad } => {
                let is_bad = stream.uniform() * (to_bad + to_good) < to_bad;
                Self::GilbertElliott { change: [to_bad, to_good], lose: [good, bad], is_bad, stream }
            }
        }
    }

    /// Memory in bytes.
    pub(crate) fn memory(&self) -> usize {
        let lists = match self {
            Self::List { packets, seen, .. } => size_of_val(&packets[..]) + seen.capacity() * size_of::<(u64, u64)>(),
            Self::Random { .. } | Self::GilbertElliott { .. } => 0,
        };
        size_of::<Self>() + lists
    }

    /// Whether the link loses this packet.
    pub(crate) fn loses(&mut self, packet: &Packet) -> bool {
        match self {
            Self::List { packets, syns, seen } => {
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
            Self::Random { probability, stream } => stream.uniform() < *probability,
            Self::GilbertElliott { change, lose, is_bad, stream } => {
                let state = usize::from(*is_bad);
                let lost = stream.uniform() < lose[state];
                *is_bad ^= stream.uniform() < change[state];
                lost
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
        let mut loss = Loss::new(spec, Stream::new(3, Role::Loss, 0));
        (0..count).map(|_| loss.loses(&Packet::NONE)).collect()
    }

    fn share(lost: &[bool]) -> f64 {
        lost.iter().filter(|lost| **lost).count() as f64 / lost.len() as f64
    }

    /// Validates: random losses are independent and have the given probability.
    /// Source: the binomial distribution.
    /// Tolerance: four standard errors of 100,000 packets at a fixed seed.
    #[test]
    fn random_losses_are_independent() {
        let lost = lost(&LossSpec::Random { probability: 0.2 }, 100_000);
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
        let spec = LossSpec::GilbertElliott { to_bad: 0.01, to_good: 0.05, good: 0.0, bad: 1.0 };
        let lost = lost(&spec, 1_000_000);
        assert!((share(&lost) / (0.01 / 0.06) - 1.0).abs() < 0.03, "{}", share(&lost));
        let begins = lost.windows(2).filter(|pair| !pair[0] && pair[1]).count() as f64;
        let mean = lost.iter().filter(|lost| **lost).count() as f64 / begins;
        println!("measured: {:.4} lost, {mean:.2} in a row", share(&lost));
        assert!((mean / 20.0 - 1.0).abs() < 0.03, "{mean}");
        let both = LossSpec::GilbertElliott { to_bad: 0.3, to_good: 0.3, good: 0.1, bad: 0.5 };
        assert!((share(&self::lost(&both, 1_000_000)) - 0.3).abs() < 0.003);
    }

    #[test]
    fn what_is_no_probability_is_refused() {
        let channel = |to_good, bad| LossSpec::GilbertElliott { to_bad: 0.1, to_good, good: 0.0, bad };
        assert_eq!(channel(0.0, 1.0).check(), Err(("to_good", "must be above 0")));
        assert_eq!(channel(0.1, 1.5).check(), Err(("bad", "must be from 0 to 1")));
        assert_eq!(LossSpec::Random { probability: f64::NAN }.check(), Err(("probability", "must be from 0 to 1")));
    }
}
