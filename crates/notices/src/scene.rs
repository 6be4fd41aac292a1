//! A plan as notices see it: links with names, the links that each group crosses, and what crosses the measured link.

use std::sync::Arc;

use ackclock_net::link::loss::LossSpec;
use ackclock_net::link::rate::{RateSpec, RateTraceSpec};
use ackclock_net::plan::{
    Crossed, EQUAL_WEIGHT, GroupSpec, LinkSpec, Paths, Plan, PlanError, SourceSpec, Topology, TransportSpec,
};
use ackclock_net::queue::{Limit, QueueSpec};
use ackclock_net::sizes::SizeSpec;
use ackclock_tcp::congestion::LawSpec;
use ackclock_tcp::recovery::RecoverySpec;
use ackclock_tcp::{EcnMode, RackRule, ReceiverConfig, SenderConfig};
use ackclock_units::{Rate, Time};

use crate::Labels;

/// A plan with its names.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub(crate) duration: Time,
    pub(crate) from: Time,
    pub(crate) bin: Time,
    pub(crate) packet_size: u32,
    pub(crate) room: u64,
    /// Name of the measured link, its index in `lines`, and its mean rate in bit/s.
    pub(crate) link: String,
    pub(crate) measured: usize,
    pub(crate) rate: f64,
    /// The links of a graph; of a dumbbell the bottleneck, its reverse, and a pair of access links per group.
    pub(crate) lines: Vec<Line>,
    pub(crate) groups: Vec<Group>,
    /// How paths are chosen among the shortest ones.
    pub(crate) paths: Paths,
}

/// A link.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) name: String,
    /// Number of such links: one for each client of a group, or 1.
    pub(crate) count: f64,
    /// Mean over the run, in bit/s.
    pub(crate) rate: f64,
    pub(crate) delay: Time,
    pub(crate) queue: QueueSpec,
    /// Whether it loses packets at random.
    pub(crate) is_lossy: bool,
    /// Whether it is another one at a time of the run.
    pub(crate) changes: bool,
    /// Whether its losses come in bursts that last in packets.
    pub(crate) bursts_in_packets: bool,
    pub(crate) policer: Option<Rate>,
    /// Whether it shares a medium, and so has an unknown part of its rate.
    pub(crate) shares_medium: bool,
}

/// A group of flows.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) name: String,
    pub(crate) packet_size: u32,
    pub(crate) start: Time,
    pub(crate) spread: Time,
    /// Whether its sources stop at some time.
    pub(crate) stops: bool,
    pub(crate) transport: Transport,
    pub(crate) source: Source,
    /// The fields for queues that it states.
    pub(crate) for_queues: Vec<&'static str>,
    /// The links that its data and its ACKs cross, in order.
    pub(crate) data: Vec<usize>,
    pub(crate) acks: Vec<usize>,
    /// Round-trip propagation delay, in picoseconds.
    pub(crate) round_trip: f64,
    /// How its data crosses the measured link.
    pub(crate) crossing: Option<Crossing>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Transport {
    Udp {
        has_random_sizes: bool,
    },
    Tcp {
        ecn: EcnMode,
        max_window: u32,
        is_tuned: bool,
        read_rate: Option<Rate>,
        copa_delta: Option<f64>,
        /// Whether RACK by RFC 8985 has no SACK blocks to read.
        lacks_sack: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Source {
    /// All data at the start: without an end, or a finite transfer.
    Greedy {
        is_finite: bool,
    },
    /// Packets at given times: mean packets per second of each flow.
    Paced(f64),
    /// Requests: the offered load, and the maximum number of connections of a client.
    Requests {
        load: f64,
        most: u32,
    },
    Transfers,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Crossing {
    /// Clients of the group whose data crosses the link; the expected number, if hashes choose their paths.
    pub(crate) count: f64,
    /// Highest rate in bit/s at which the data reaches the link through the links before it.
    pub(crate) narrowest: f64,
}

/// The TCP flows whose data crosses the measured link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TcpLoad {
    /// Mean size of data packets, in bytes.
    pub(crate) packet: f64,
    /// Bandwidth-delay product: the link's rate times the mean round-trip propagation delay, in packets of mean size.
    pub(crate) product: f64,
}

impl Scene {
    pub(crate) fn new(plan: &Plan, labels: &Labels) -> Result<Self, PlanError> {
        let Plan { duration, measure, groups, .. } = plan;
        if labels.groups.len() != groups.len() {
            return Err(PlanError::new("labels.groups", "must have one label per group"));
        }
        let lines = lines(plan, labels)?;
        let measured = measured_line(plan);
        let mut scene = Self {
            duration: *duration,
            from: measure.from,
            bin: measure.bin,
            packet_size: labels.packet_size,
            room: labels.room,
            link: labels.link.clone(),
            measured,
            rate: lines.get(measured).ok_or_else(|| PlanError::new("measure.link", "must exist"))?.rate,
            lines,
            groups: Vec::with_capacity(groups.len()),
            paths: plan.paths,
        };
        let mut crossed = plan.crossed()?.into_iter();
        for (place, (group, label)) in groups.iter().zip(&labels.groups).enumerate() {
            let Crossed { data, acks, share } = crossed.next().unwrap_or_else(|| {
                let (there, back) = (vec![2 + 2 * place, 0], vec![1, 3 + 2 * place]);
                let (data, acks) = if group.reverse { (back, there) } else { (there, back) };
                Crossed { data, acks, share: 1.0 }
            });
            let crossing = scene.crossing(plan, place, &data, share);
            scene.groups.push(Group {
                name: label.name.clone(),
                packet_size: group.packet_size,
                start: group.start,
                spread: group.spread,
                stops: group.schedule.is_some(),
                transport: Transport::of(&group.transport),
                source: Source::of(group, label.load),
                for_queues: for_queues(group),
                round_trip: scene.round_trip(group, place, &data, &acks),
                data,
                acks,
                crossing,
            });
        }
        Ok(scene)
    }

    /// How the data of a group crosses the measured link. An access link of a dumbbell is that of a single client.
    fn crossing(&self, plan: &Plan, place: usize, data: &[usize], share: f64) -> Option<Crossing> {
        let before = &data[..data.iter().position(|line| *line == self.measured)?];
        let rates = before.iter().map(|line| self.lines[*line].rate);
        let narrowest = rates.fold(f64::INFINITY, f64::min);
        let count = f64::from(plan.groups[place].count);
        Some(match plan.topology {
            Topology::Graph { .. } => Crossing { count: share * count, narrowest },
            Topology::Dumbbell { .. } if self.measured < 2 => Crossing { count, narrowest: count * narrowest },
            Topology::Dumbbell { .. } => Crossing { count: 1.0, narrowest },
        })
    }

    fn round_trip(&self, group: &GroupSpec, place: usize, data: &[usize], acks: &[usize]) -> f64 {
        // a group of a dumbbell has the delay of its access link twice
        let dumbbell = [0, 1, 2 + 2 * place, 2 + 2 * place];
        let crossed: Vec<usize> = if group.path.is_some() { [data, acks].concat() } else { dumbbell.into() };
        crossed.iter().map(|line| self.lines[*line].delay.as_picos()).sum::<u64>() as f64
    }

    pub(crate) fn measured(&self) -> &Line {
        &self.lines[self.measured]
    }

    /// The groups whose data crosses the measured link.
    pub(crate) fn crossing_groups(&self) -> impl Iterator<Item = (&Group, Crossing)> {
        self.groups.iter().filter_map(|group| Some((group, group.crossing?)))
    }

    /// The TCP flows whose data crosses the measured link, if there are any.
    pub(crate) fn tcp_load(&self) -> Option<TcpLoad> {
        let is_tcp = |group: &Group| matches!(group.transport, Transport::Tcp { .. });
        let tcp: Vec<_> = self.crossing_groups().filter(|(group, _)| is_tcp(group)).collect();
        let sum = |of: fn(&Group) -> f64| tcp.iter().map(|(group, crossing)| crossing.count * of(group)).sum::<f64>();
        let flows = sum(|_| 1.0);
        let packet = sum(|group| f64::from(group.packet_size)) / flows;
        let delay = sum(|group| group.round_trip) / flows / 1e12;
        (flows > 0.0).then(|| TcpLoad { packet, product: self.rate * delay / 8.0 / packet })
    }
}

/// The links with their names.
fn lines(plan: &Plan, labels: &Labels) -> Result<Vec<Line>, PlanError> {
    let named: Vec<(String, u32, &LinkSpec)> = match &plan.topology {
        Topology::Graph { links, .. } => {
            if labels.links.len() != links.len() {
                return Err(PlanError::new("labels.links", "must have one name per link"));
            }
            labels.links.iter().cloned().zip(links).map(|(name, edge)| (name, 1, &edge.link)).collect()
        }
        Topology::Dumbbell { bottleneck, reverse, access } => {
            let shared = [("bottleneck".to_owned(), 1, bottleneck), ("bottleneck.reverse".to_owned(), 1, reverse)];
            let groups = plan.groups.iter().zip(&labels.groups);
            let own = access.iter().zip(groups).flat_map(|((up, down), (group, label))| {
                [up, down].map(|link| (format!("the access links of {}", label.name), group.count, link))
            });
            shared.into_iter().chain(own).collect()
        }
    };
    let line = |(name, count, link): (String, u32, &LinkSpec)| Line {
        name,
        count: f64::from(count),
        rate: mean_rate(&link.rate, plan.duration),
        delay: link.delay,
        queue: link.queue.clone(),
        is_lossy: link.loss.as_ref().is_some_and(|loss| !matches!(loss, LossSpec::List { .. })),
        changes: changes(link),
        bursts_in_packets: matches!(link.loss, Some(LossSpec::GilbertElliottPackets { .. })),
        policer: link.policer.map(|bucket| bucket.rate),
        shares_medium: link.medium.is_some(),
    };
    Ok(named.into_iter().map(line).collect())
}

/// The fields of a group that only some queues use, and that are not the usual ones.
fn for_queues(group: &GroupSpec) -> Vec<&'static str> {
    let stated = [
        ("priority", group.priority > 0),
        ("weight", group.weight != EQUAL_WEIGHT),
        ("ceiling", group.ceiling.is_some()),
        ("dscp", group.dscp > 0),
    ];
    stated.into_iter().filter(|(_, is_stated)| *is_stated).map(|(field, _)| field).collect()
}

/// Whether a link is another one at a time of the run, which does not come again.
fn changes(link: &LinkSpec) -> bool {
    let has_steps = |period: Option<Time>, times: &[Time]| period.is_none() && times.len() > 1;
    !link.loss_changes.is_empty()
        || !link.queue_changes.is_empty()
        || matches!(&link.rate, RateSpec::Trace(trace) if has_steps(trace.period, &trace.times) || !trace.outages.is_empty())
        || link.delay_trace.as_ref().is_some_and(|trace| has_steps(trace.period, &trace.times))
        || matches!(&link.loss, Some(LossSpec::Trace(trace)) if has_steps(trace.period, &trace.times))
}

/// The index of the measured link among the lines of a scene.
fn measured_line(plan: &Plan) -> usize {
    let link = plan.measure.link as usize;
    if matches!(plan.topology, Topology::Graph { .. }) || link < 2 {
        return link;
    }
    let mut client = link / 2 - 1;
    let owner = plan.groups.iter().position(|group| match client.checked_sub(group.count as usize) {
        Some(rest) => {
            client = rest;
            false
        }
        None => true,
    });
    2 + 2 * owner.unwrap_or(plan.groups.len()) + link % 2
}

/// The mean rate over a run, rounded to bit/s and at least 1.
fn mean_rate(rate: &RateSpec, duration: Time) -> f64 {
    match rate {
        RateSpec::Constant(rate) => rate.as_bps() as f64,
        RateSpec::Trace(trace) => {
            let RateTraceSpec { times, rates, period, .. } = &**trace;
            let sent = |until: Time| -> f64 {
                let ends = times.iter().skip(1).copied().chain([Time::MAX]);
                let span = |(from, end): (&Time, Time)| end.min(until).saturating_sub(*from).as_picos() as f64;
                times.iter().zip(ends).zip(rates).map(|(ends, rate)| span(ends) * *rate as f64).sum()
            };
            let period = period.unwrap_or(Time::MAX).as_picos();
            let (rounds, rest) = (duration.as_picos() / period, duration.as_picos() % period);
            let whole = if rounds > 0 { rounds as f64 * sent(Time::from_picos(period)) } else { 0.0 };
            let mean = (whole + sent(Time::from_picos(rest))) / duration.as_picos() as f64;
            mean.round_ties_even().max(1.0)
        }
    }
}

impl Transport {
    fn of(spec: &TransportSpec) -> Self {
        match spec {
            TransportSpec::Udp { sizes } => Self::Udp { has_random_sizes: *sizes != SizeSpec::Fixed },
            TransportSpec::Tcp { sender, receiver } => Self::tcp(sender, receiver),
        }
    }

    fn tcp(sender: &Arc<SenderConfig>, receiver: &ReceiverConfig) -> Self {
        let copa_delta = match &sender.congestion {
            LawSpec::Copa(copa) => Some(copa.delta),
            _ => None,
        };
        let (ecn, max_window) = (sender.ecn, receiver.max_window);
        let follows_rfc = sender.recovery == RecoverySpec::Rack && sender.rack == RackRule::Rfc8985;
        let lacks_sack = follows_rfc && !sender.has_sack;
        Self::Tcp { ecn, max_window, is_tuned: receiver.tunes(), read_rate: receiver.read_rate, copa_delta, lacks_sack }
    }
}

impl Source {
    fn of(group: &GroupSpec, load: Option<f64>) -> Self {
        match &group.source {
            SourceSpec::Greedy { packets } => Self::Greedy { is_finite: packets.is_some() },
            SourceSpec::Connections { most, .. } => Self::Requests { load: load.unwrap_or_default(), most: *most },
            source => source.mean_rate().map_or(Self::Transfers, Self::Paced),
        }
    }
}

impl Line {
    /// Capacity of the queue in packets of a size.
    pub(crate) fn packets(&self, size: f64) -> f64 {
        match self.queue.limit() {
            Limit::Packets(packets) => packets as f64,
            Limit::Bytes(bytes) => bytes as f64 / size,
        }
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use ackclock_net::plan::testing::dumbbell_of_reno;

    use super::*;
    use crate::GroupLabel;

    pub(crate) fn scene() -> Scene {
        scene_of(&dumbbell_of_reno(3))
    }

    pub(crate) fn scene_of(plan: &Plan) -> Scene {
        Scene::new(plan, &labels(plan)).expect("a sound plan")
    }

    fn labels(plan: &Plan) -> Labels {
        let label = |_: &GroupSpec| GroupLabel { name: "it".into(), load: None };
        Labels {
            groups: plan.groups.iter().map(label).collect(),
            link: "bottleneck".into(),
            links: Vec::new(),
            packet_size: 1500,
            room: 100_000,
            changed: Vec::new(),
            unused: Vec::new(),
        }
    }

    #[test]
    fn labels_of_another_plan_are_refused() {
        let plan = dumbbell_of_reno(3);
        let labels = Labels { groups: Vec::new(), ..labels(&plan) };
        assert_eq!(Scene::new(&plan, &labels).unwrap_err().field, "labels.groups");
    }

    #[test]
    fn the_mean_of_a_rate_that_changes() {
        let trace = |times: &[u64], rates: &[u64], period: Option<u64>| {
            let times = times.iter().map(|time| Time::from_millis(*time)).collect();
            let (rates, period) = (rates.to_vec(), period.map(Time::from_millis));
            RateSpec::Trace(Arc::new(RateTraceSpec::new(times, rates, period)))
        };
        let seconds = |count| Time::SECOND.saturating_mul(count);
        assert_eq!(mean_rate(&trace(&[0, 5000], &[1_000_000, 2_000_000], None), seconds(20)), 1_750_000.0);
        let repeated = trace(&[0, 2000, 2500], &[10_000_000, 0, 1_000_000], Some(5000));
        assert_eq!(mean_rate(&repeated, seconds(10)), 4_500_000.0);
        assert_eq!(mean_rate(&repeated, seconds(7)), 6_071_429.0, "two seconds of the second period");
        assert_eq!(mean_rate(&trace(&[0, 5000], &[0, 1], None), seconds(1)), 1.0);
    }
}
