//! Queues that are short, long, or without effect.

use std::collections::{BTreeMap, BTreeSet};

use ackclock_net::queue::{Limit, QueueSpec, RedSpec, Unit};
use ackclock_net::sizes::LONGEST;
use ackclock_tcp::{EcnMode, HEADER};

use crate::Course;
use crate::numbers::{general, thousands};
use crate::scene::{Group, Line, Scene, Transport};

/// An exponential size exceeds this multiple of its mean, ln(10^6), once in a million packets.
const RARE_SIZE: f64 = 13.815_510_557_964_274;
/// How far the queue of Copa flows swings, in units of the packets that they aim to keep there (Arun and Balakrishnan
/// 2018, section 2.3).
const SWING: f64 = 2.5;
const MOST_NAMED_WITHOUT_MARKS: usize = 6;
const MOST_NAMED_WITH_DEFAULT: usize = 3;
const MOST_NAMED_GROUPS: usize = 3;

/// The unit of RED's average, for a queue in packets of the typical size.
fn unit(red: &RedSpec) -> String {
    format!(" packets of {} bytes", general(red.mean_packet_size, 6))
}

/// Reports that RED's average queue, in packets or bytes, never exceeded `min_th`.
pub(crate) fn red(scene: &Scene, highest: Option<f64>) -> Vec<String> {
    let (QueueSpec::Red(red), Some(highest)) = (&scene.measured().queue, highest) else { return Vec::new() };
    let in_bytes = red.unit == Unit::Bytes;
    let reached = if in_bytes { highest / red.mean_packet_size } else { highest };
    if reached > red.min_th {
        return Vec::new();
    }
    let unit = if in_bytes { unit(red) } else { String::new() };
    let (reached, threshold) = (general(reached, 3), general(red.min_th, 6));
    vec![format!("RED never dropped early: its average queue reached {reached}{unit}, below min_th ({threshold}).")]
}

/// Reports a RED queue that is full before its average can reach `max_th`.
pub(crate) fn red_out_of_reach(scene: &Scene) -> Vec<String> {
    let QueueSpec::Red(red) = &scene.measured().queue else { return Vec::new() };
    let mut sizes: Vec<u32> = scene.crossing_groups().map(|(group, _)| group.packet_size).collect();
    if sizes.is_empty() {
        sizes.push(scene.packet_size);
    }
    let extreme = |size: Option<&u32>| f64::from(*size.unwrap_or(&0));
    let (in_bytes, smallest, largest) =
        (red.unit == Unit::Bytes, extreme(sizes.iter().min()), extreme(sizes.iter().max()));
    let most = match (red.limit, in_bytes) {
        (Limit::Bytes(bytes), true) => bytes as f64 / red.mean_packet_size,
        (Limit::Packets(packets), true) => packets as f64 * largest / red.mean_packet_size,
        (Limit::Packets(packets), false) => packets as f64,
        (Limit::Bytes(bytes), false) => bytes as f64 / smallest,
    };
    if red.max_th < most {
        return Vec::new();
    }
    vec![format!(
        "RED cannot reach max_th ({}): the queue of {} is full at {}{}.",
        general(red.max_th, 6),
        scene.link,
        general(most, 4),
        if in_bytes { unit(red) } else { " packets".into() },
    )]
}

/// Reports queues whose limit in bytes is below the size of a packet that must pass them.
pub(crate) fn no_room(scene: &Scene) -> Vec<String> {
    let mut reported = BTreeSet::new();
    let mut found = Vec::new();
    for group in &scene.groups {
        for (lines, size) in [(&group.data, largest(group)), (&group.acks, ack(group))] {
            for Line { name, queue, .. } in lines.iter().map(|line| &scene.lines[*line]) {
                let Limit::Bytes(bytes) = queue.limit() else { continue };
                if bytes < u64::from(size) && reported.insert((name, size)) {
                    found.push(format!(
                        "The queue of {name} drops every packet of {size} bytes: its limit is {bytes} bytes, and even an \
                         empty queue must have space for a packet."
                    ));
                }
            }
        }
    }
    found
}

/// Size of a group's data packets; if it is random, the size that one packet in a million exceeds.
fn largest(group: &Group) -> u32 {
    match group.transport {
        Transport::Udp { has_random_sizes: true } => {
            LONGEST.min((f64::from(group.packet_size) * RARE_SIZE).round_ties_even() as u32)
        }
        _ => group.packet_size,
    }
}

/// Size of a group's ACKs; 0 if it has none.
const fn ack(group: &Group) -> u32 {
    if matches!(group.transport, Transport::Tcp { .. }) { HEADER } else { 0 }
}

/// Compares the buffer with the bandwidth-delay product of the TCP flows that cross it.
pub(crate) fn small_buffer(scene: &Scene) -> Vec<String> {
    let Some(load) = scene.tcp_load() else { return Vec::new() };
    let [buffer, product] = [scene.measured().packets(load.packet), load.product].map(f64::round_ties_even);
    if buffer >= product {
        return Vec::new();
    }
    vec![format!(
        "The buffer of {} ({buffer} packets) is below one bandwidth-delay product ({product} packets of {:.0} bytes).",
        scene.link, load.packet,
    )]
}

/// Reports Copa flows that together aim at a queue which never empties, so that none of them measures its delay.
pub(crate) fn no_room_for_copa(scene: &Scene) -> Vec<String> {
    let line = scene.measured();
    let (Some(load), QueueSpec::DropTail(_)) = (scene.tcp_load(), &line.queue) else { return Vec::new() };
    let (mut flows, mut target) = (0.0, 0.0);
    for (group, crossing) in scene.crossing_groups() {
        if let Transport::Tcp { copa_delta: Some(delta), .. } = group.transport {
            flows += crossing.count;
            target += crossing.count / delta;
        }
    }
    let buffer = line.packets(load.packet);
    if flows == 0.0 || target <= load.product && SWING * target < buffer {
        return Vec::new();
    }
    vec![format!(
        "The {flows} Copa flows aim to keep {target:.0} packets (1 / delta each) in the queue of {}, which then swings up \
         to {:.0}; one bandwidth-delay product is {:.0} packets and the buffer {buffer:.0}. Such a queue does not empty: \
         Copa cannot measure its delay, and may lose many packets.",
        scene.link,
        SWING * target,
        load.product,
    )]
}

/// Reports groups with ECN whose data crosses no queue that marks packets.
pub(crate) fn unused_ecn(scene: &Scene) -> Vec<String> {
    // by the kind of feedback
    let mut unused: BTreeMap<&str, Vec<&Group>> = BTreeMap::new();
    for group in &scene.groups {
        let mut crossed = group.data.iter().map(|line| &scene.lines[*line]);
        match group.transport {
            Transport::Tcp { ecn, .. } if ecn != EcnMode::Off && !crossed.any(|line| line.queue.marks()) => {
                unused.entry(ecn.word()).or_default().push(group);
            }
            _ => {}
        }
    }
    let notice = |(ecn, groups): (&str, Vec<&Group>)| {
        let mut queues: Vec<String> = Vec::new();
        for line in groups.iter().flat_map(|group| &group.data).map(|line| &scene.lines[*line]) {
            let queue = format!("{} at {}", line.queue.name(), line.name);
            if queues.len() < MOST_NAMED_WITHOUT_MARKS && !queues.contains(&queue) {
                queues.push(queue);
            }
        }
        let (of, their) = if let [group] = &groups[..] {
            (format!("group {}", group.name), "its")
        } else {
            let names: Vec<&str> = groups.iter().map(|group| &group.name[..]).take(MOST_NAMED_GROUPS).collect();
            let more = if groups.len() > MOST_NAMED_GROUPS { ", …" } else { "" };
            (format!("{} groups ({}{more})", groups.len(), names.join(", ")), "their")
        };
        format!(
            "ECN ({ecn}) of {of} has no effect: no queue that {their} data crosses marks packets ({}). Queues with ecn = \
             true or mark_above do.",
            queues.join(", "),
        )
    };
    unused.into_iter().map(notice).collect()
}

/// Reports groups with a field for queues that no queue on their way uses.
pub(crate) fn unused_fields(scene: &Scene) -> Vec<String> {
    let unused = |group: &Group| -> Vec<String> {
        let crossed = || group.data.iter().chain(&group.acks).map(|line| &scene.lines[*line]);
        let is_unused = |field: &&&str| !crossed().any(|line| line.queue.reads().contains(*field));
        let notice = |field: &&str| {
            let mut queues: Vec<String> = Vec::new();
            for queue in crossed().map(|line| format!("{} at {}", line.queue.name(), line.name)) {
                if !queues.contains(&queue) && queues.len() < MOST_NAMED_WITHOUT_MARKS {
                    queues.push(queue);
                }
            }
            let user = match *field {
                "priority" => "The queue priority does",
                "dscp" => "The queue cake with several tins does",
                _ => "The queue fq does",
            };
            format!(
                "The {field} of group {} has no effect: no queue that its packets cross uses it ({}). {user}.",
                group.name,
                queues.join(", "),
            )
        };
        group.for_queues.iter().filter(is_unused).map(notice).collect()
    };
    scene.groups.iter().flat_map(unused).collect()
}

/// A group whose data crosses queues with the default limit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DefaultLimits {
    group: usize,
    /// Names of the links with such queues.
    queues: Vec<String>,
    /// Delay of a packet in s, if `queues` and the queue of the measured link are empty and all other queues are full.
    least: f64,
    /// Whether the measured link is one of these links.
    is_measured: bool,
}

impl Scene {
    /// Whether packets can wait at a link for long: whether the data that crosses it can come faster than it leaves. The
    /// data of TCP, which waits for ACKs, comes no faster than the slowest of all other links on its way lets it pass;
    /// other data no faster than the slowest one before.
    fn fills(&self, link: usize) -> bool {
        if self.lines[link].changes {
            return true;
        }
        let rate = |line: usize| self.lines[line].rate * self.lines[line].count;
        let is_known = |line: &usize| !self.lines[*line].changes && !self.lines[*line].shares_medium;
        let mut slowest = BTreeSet::new();
        for group in &self.groups {
            let Some(place) = group.data.iter().position(|line| *line == link) else { continue };
            let after = match group.transport {
                Transport::Tcp { .. } => &group.data[place + 1..],
                Transport::Udp { .. } => &[],
            };
            let others = group.data[..place].iter().chain(after).copied().filter(is_known);
            let Some(narrowest) = others.min_by(|a, b| rate(*a).total_cmp(&rate(*b))) else { return true };
            slowest.insert(narrowest);
        }
        slowest.into_iter().map(rate).sum::<f64>() > self.lines[link].rate
    }
}

/// Finds the groups whose data crosses queues with the default limit.
pub(crate) fn default_limits(scene: &Scene) -> Vec<DefaultLimits> {
    let of_group = |(place, group): (usize, &Group)| {
        let (mut queues, mut least) = (Vec::new(), 0.0);
        let size = f64::from(group.packet_size);
        for place in &group.data {
            let line = &scene.lines[*place];
            let each = 8.0 * size / line.rate;
            least += line.delay.as_secs_f64() + each;
            if !scene.fills(*place) {
                continue;
            }
            if matches!(line.queue, QueueSpec::DropTail(_)) && line.queue.limit() == Limit::Packets(scene.room) {
                queues.push(line.name.clone());
            } else if line.name != scene.link {
                // a full queue takes any time where others use the medium
                least += if line.shares_medium { f64::INFINITY } else { each * line.packets(size) };
            }
        }
        let is_measured = queues.contains(&scene.link);
        (!queues.is_empty()).then_some(DefaultLimits { group: place, queues, least, is_measured })
    };
    scene.groups.iter().enumerate().filter_map(of_group).collect()
}

/// Reports queues with the default limit in which packets waited for longer than a round-trip time.
pub(crate) fn long_waits(scene: &Scene, found: &[DefaultLimits], course: &Course<'_>) -> Vec<String> {
    let measured = scene.duration.as_secs_f64() - scene.from.as_secs_f64();
    let text = |limits: &DefaultLimits| {
        let (group, results) = (&scene.groups[limits.group], course.groups.get(limits.group)?);
        // mean wait at the measured link, by Little's law
        let wait = results.queue_mean * measured / results.departures.max(1) as f64;
        let elsewhere = if limits.is_measured { 0.0 } else { wait };
        let waited = results.delay_mean.unwrap_or_default() - elsewhere - limits.least;
        let round_trip = group.round_trip / 1e12;
        let named = limits.queues[..limits.queues.len().min(MOST_NAMED_WITH_DEFAULT)].join(", ");
        let more = if limits.queues.len() > MOST_NAMED_WITH_DEFAULT { ", …" } else { "" };
        (waited > round_trip).then(|| {
            format!(
                "Packets of group {} waited {} s on average in queues with the default limit of {} packets: \
                 {named}{more}. That is longer than the round trip without queues ({} s): these queues held more than \
                 one bandwidth-delay product.",
                group.name,
                general(waited, 3),
                thousands(scene.room),
                general(round_trip, 3),
            )
        })
    };
    found.iter().filter_map(text).collect()
}

#[cfg(test)]
mod tests {
    use ackclock_net::plan::testing::dumbbell_of_reno;
    use ackclock_net::plan::{LinkSpec, Topology};
    use ackclock_net::queue::DropTailSpec;
    use ackclock_units::{Rate, Time};

    use super::*;
    use crate::scene::testing::scene_of;

    /// A packet of 1500 bytes takes 1.2 ms at 10 Mb/s and 12 us at 1 Gb/s; the propagation delays are 19 and 1 ms. The
    /// access links cannot be full for long: the link at 10 Mb/s is slower.
    #[test]
    fn the_delay_of_a_packet_without_the_queues_with_the_default_limit() {
        let found = |direction: bool, limit: Limit| {
            let mut plan = dumbbell_of_reno(1);
            let Topology::Dumbbell { bottleneck, reverse, access } = &mut plan.topology else { unreachable!() };
            let QueueSpec::DropTail(usual) = bottleneck.queue.clone() else { unreachable!() };
            let link = |rate: Rate, delay, limit| {
                LinkSpec::plain(
                    rate.into(),
                    Time::from_millis(delay),
                    QueueSpec::DropTail(DropTailSpec { limit, ..usual }),
                )
            };
            let ten = Rate::from_mbps(10);
            *bottleneck = link(ten, 19, Limit::Packets(33));
            *reverse = link(ten, 19, limit);
            let own = link(Rate::from_mbps(1000), 1, Limit::Packets(100_000));
            *access = vec![(own.clone(), own)];
            plan.groups[0].reverse = direction;
            let scene = scene_of(&plan);
            let limits = default_limits(&scene).pop();
            assert_eq!(scene.groups[0].round_trip, 0.040 * 1e12);
            limits.map(|limits| (limits.queues, limits.least))
        };
        let usual = Limit::Packets(100_000);
        assert_eq!(found(false, usual), None);
        let (queues, least) = found(true, usual).expect("the way back has the default limit");
        assert_eq!(queues, ["bottleneck.reverse"]);
        assert!((least - (0.020 + 0.0012 + 0.000_012)).abs() < 1e-12, "{least}");
        assert_eq!(found(true, Limit::Packets(7)), None);
    }

    /// A flow crosses three links; the second one is slower than the others, or not.
    #[test]
    fn a_link_fills_if_data_can_come_faster_than_it_leaves() {
        let fills = |before: u64, at: u64, after: u64, transport: Transport| {
            let mut scene = scene_of(&dumbbell_of_reno(1));
            scene.lines.truncate(3);
            for (line, mbps) in scene.lines.iter_mut().zip([before, at, after]) {
                (line.rate, line.count, line.changes) = (1e6 * mbps as f64, 1.0, false);
            }
            scene.groups[0].data = vec![0, 1, 2];
            scene.groups[0].transport = transport;
            scene.fills(1)
        };
        let scene = scene_of(&dumbbell_of_reno(1));
        let tcp = scene.groups[0].transport;
        let udp = Transport::Udp { has_random_sizes: false };
        for (rates, of_tcp, of_udp) in
            [([10, 5, 9], true, true), ([10, 5, 4], false, true), ([5, 5, 9], false, false), ([4, 5, 9], false, false)]
        {
            let [before, at, after] = rates;
            assert_eq!((fills(before, at, after, tcp), fills(before, at, after, udp)), (of_tcp, of_udp), "{rates:?}");
        }
    }
}
