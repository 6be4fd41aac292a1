//! The traffic of groups, and the links that it crosses.

use std::collections::BTreeMap;

use ackclock_tcp::{Receiver, Sender, SenderConfig};

use super::load::Load;
use crate::network::{Graph, no_route};
use crate::packet::LinkId;
use crate::plan::{EdgeSpec, GroupSpec, LinkSpec, Plan, PlanError, SourceSpec, Topology, TransportSpec};
use crate::rate::RateSpec;
use crate::sizes::SizeSpec;

/// A link that a group crosses: one shared link, or one link per client (`copies`).
pub(super) struct Crossed<'a> {
    key: usize,
    link: &'a LinkSpec,
    copies: f64,
}

/// Links of a group's data and of its ACKs.
pub(super) struct Routed<'a> {
    pub(super) data: Vec<Crossed<'a>>,
    pub(super) acks: Vec<Crossed<'a>>,
}

pub(super) fn in_dumbbell(plan: &Plan, place: usize) -> Routed<'_> {
    let Topology::Dumbbell { bottleneck, reverse, access } = &plan.topology else { unreachable!("it is a dumbbell") };
    let (group, (up, down)) = (&plan.groups[place], &access[place]);
    let crossed = |key, link| Crossed { key, link, copies: if key < 2 { 1.0 } else { f64::from(group.count) } };
    let there = vec![crossed(2 + 2 * place, up), crossed(0, bottleneck)];
    let back = vec![crossed(1, reverse), crossed(3 + 2 * place, down)];
    let (data, acks) = if group.reverse { (back, there) } else { (there, back) };
    Routed { data, acks: if matches!(group.transport, TransportSpec::Udp { .. }) { Vec::new() } else { acks } }
}

pub(super) fn in_graph<'a>(
    group: &GroupSpec,
    links: &'a [EdgeSpec],
    graph: &mut Graph<'_>,
) -> Result<Routed<'a>, PlanError> {
    let (from, to) = group.path.unwrap_or_default();
    let mut path = |from, to| -> Result<Vec<Crossed<'a>>, PlanError> {
        let path = graph.path(from, to).ok_or_else(|| no_route(from, to))?;
        let crossed = |LinkId(link)| Crossed { key: link as usize, link: &links[link as usize].link, copies: 1.0 };
        Ok(path.into_iter().map(crossed).collect())
    };
    let is_udp = matches!(group.transport, TransportSpec::Udp { .. });
    Ok(Routed { data: path(from, to)?, acks: if is_udp { Vec::new() } else { path(to, from)? } })
}

/// Maximum rate of a link in bits per second.
pub(super) fn rate(link: &LinkSpec) -> f64 {
    match &link.rate {
        RateSpec::Constant(rate) => rate.as_bps() as f64,
        RateSpec::Trace(trace) => trace.rates.iter().copied().max().unwrap_or_default() as f64,
    }
}

/// The traffic of a group.
pub(super) struct Traffic {
    pub(super) flows: f64,
    /// Packet size in bytes.
    size: f64,
    /// Whether all packets have this size.
    is_alike: bool,
    /// Upper limits in packets per second: offered by the sources (`offered`), and reaching the receivers (`arriving`).
    offered: f64,
    arriving: f64,
    seconds: f64,
    /// Upper limit of packets in flight, regardless of the links' capacity.
    pub(super) in_flight: f64,
    /// Whether the transport is UDP: a queue then fills up only if the offered load exceeds the link's rate.
    is_udp: bool,
    /// Whether ACKs carry SACK blocks or the window.
    pub(super) selective: bool,
}

impl Traffic {
    pub(super) fn of(plan: &Plan, group: &GroupSpec, routed: &Routed<'_>) -> Self {
        let (flows, size) = (f64::from(group.flows()), f64::from(group.packet_size));
        let seconds = plan.duration.saturating_sub(group.start).as_secs_f64().max(1e-12);
        let (per_flow, supply) = offered(&group.source, seconds);
        let narrowest = routed.data.iter().map(|crossed| crossed.copies * rate(crossed.link) / 8.0 / size);
        let narrowest = narrowest.fold(f64::INFINITY, f64::min);
        let offered = flows * per_flow;
        let arriving = narrowest.min(offered);
        let base = Self {
            flows,
            size,
            is_alike: true,
            offered,
            arriving,
            seconds,
            in_flight: flows * supply,
            is_udp: true,
            selective: false,
        };
        match &group.transport {
            TransportSpec::Udp { sizes } => Self { is_alike: *sizes == SizeSpec::Fixed, ..base },
            TransportSpec::Tcp { sender, receiver } => {
                let window = f64::from(sender.max_window).min(supply);
                let grown = flows * f64::from(sender.initial_window.max(1)) + narrowest * seconds;
                let selective = receiver.sack_blocks > 0 || receiver.tunes();
                let way = routed.data.iter().chain(&routed.acks).map(|crossed| crossed.link.delay.as_secs_f64());
                let offered = base.offered.min(flows * window / way.sum::<f64>().max(1e-12));
                let arriving = base.arriving.min(offered);
                Self { offered, arriving, in_flight: grown.min(flows * window), is_udp: false, selective, ..base }
            }
        }
    }

    /// State of senders and receivers for this traffic, in bytes.
    pub(super) fn windows(&self, group: &GroupSpec) -> f64 {
        let TransportSpec::Tcp { sender, receiver } = &group.transport else { return 0.0 };
        let kept = if Sender::times_segments(sender) { Sender::BYTES_OF_SEGMENT } else { 0 };
        // worst case: every second segment is lost, so that each received segment is a run of its own
        let gaps = Receiver::BYTES_OF_GAP as f64 / 2.0;
        let tuning = if receiver.tunes() { Receiver::BYTES_OF_TUNING as f64 } else { 0.0 };
        self.in_flight * (kept as f64 + gaps) + self.flows * (stale(sender) + tuning)
    }

    /// Adds this traffic to the links that it crosses.
    pub(super) fn load<'a>(&self, routed: &Routed<'a>, loads: &mut BTreeMap<usize, Load<'a>>) {
        let last = routed.data.last().filter(|crossed| self.is_udp && crossed.link.keeps_order());
        let last = last.map(|crossed| crossed.key);
        for (crossed, size, rate) in routed
            .data
            .iter()
            .map(|crossed| (crossed, self.size, self.offered))
            .chain(routed.acks.iter().map(|crossed| (crossed, f64::from(ackclock_tcp::HEADER), self.arriving)))
        {
            let load = loads.entry(crossed.key).or_insert_with(|| Load {
                link: crossed.link,
                copies: crossed.copies,
                size,
                is_alike: true,
                in_flight: 0.0,
                held: 0.0,
                offered: 0.0,
                packets: 0.0,
                bursts: false,
            });
            load.is_alike &= self.is_alike && load.size == size;
            load.size = load.size.min(size);
            load.in_flight += self.in_flight;
            load.held += if last == Some(crossed.key) { 0.0 } else { self.in_flight };
            load.offered += rate;
            load.packets += rate * self.seconds;
            load.bursts |= !self.is_udp && size > f64::from(ackclock_tcp::HEADER);
        }
    }
}

/// Memory of ns-2's array of records, which is as long as the window.
fn stale(sender: &SenderConfig) -> f64 {
    if sender.stale_records && Sender::times_segments(sender) {
        f64::from(sender.max_window) * Sender::BYTES_OF_STALE_RECORD as f64
    } else {
        0.0
    }
}

/// Upper limits of a source: packets per second, and packets in total.
fn offered(source: &SourceSpec, seconds: f64) -> (f64, f64) {
    let at = |rate: f64| (rate, rate * seconds + 1.0);
    match source {
        SourceSpec::Poisson { rate } | SourceSpec::Constant { rate } | SourceSpec::OnOff { rate, .. } => at(*rate),
        SourceSpec::Fractional(spec) => at(spec.rate * (1.0 + 4.0 * spec.cov)),
        SourceSpec::Greedy { packets } => (f64::INFINITY, packets.map_or(f64::INFINITY, |packets| packets as f64)),
        SourceSpec::Transfers { .. } => (f64::INFINITY, f64::INFINITY),
        SourceSpec::Connections { rate, size, most } => at(rate * (size.mean() + 1.0) / f64::from(*most)),
        SourceSpec::Trace(spec) => {
            let once = match &spec.packets {
                Some(packets) => packets.iter().map(|packets| f64::from(*packets)).sum(),
                None => spec.times.len() as f64,
            };
            let rounds = spec.period.map_or(1.0, |period| (seconds / period.as_secs_f64()).ceil() + 1.0);
            (f64::INFINITY, once * rounds)
        }
    }
}
