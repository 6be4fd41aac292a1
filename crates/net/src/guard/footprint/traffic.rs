//! The traffic of groups: how much they send over the links of their paths, and how many packets they have in flight.

use std::collections::BTreeMap;

use ackclock_tcp::congestion::{CubicRules, LawSpec};
use ackclock_tcp::{Arithmetic, EcnMode, HEADER, Pacing, Receiver, ReceiverConfig, Sender, SenderConfig};

use super::load::{Load, delay, rate};
use crate::endpoint::sack_store::SackStore;
use crate::engine::event::Event;
use crate::link::loss::LossSpec;
use crate::network::Way;
use crate::packet::LinkId;
use crate::plan::{EdgeSpec, GroupSpec, LinkSpec, Plan, SourceSpec, Topology, TransportSpec};
use crate::sizes::SizeSpec;

/// ACKs that change something of a sender that is alone at its bottleneck and computes in whole numbers, as a share: the
/// round-trip time stays for many ACKs, and the window too. Measured with CUBIC of Linux at 10 Mb/s to 1 Gb/s: 0.2 to 0.7.
const CHANGING: f64 = 0.3;
/// Events per packet in flight: the vector of all events grows by doubling, and chunks are partly filled.
const EVENTS_PER_PACKET: f64 = 2.0;

/// A link that a group crosses: one shared link, or one link per client (`copies`).
pub(super) struct Crossed<'a> {
    key: usize,
    link: &'a LinkSpec,
    copies: f64,
}

/// Links of a group's data and of its ACKs.
pub(super) struct Routed<'a> {
    data: Vec<Crossed<'a>>,
    acks: Vec<Crossed<'a>>,
}

pub(super) fn in_dumbbell(plan: &Plan, place: usize) -> Routed<'_> {
    let Topology::Dumbbell { bottleneck, reverse, access } = &plan.topology else { unreachable!("it is a dumbbell") };
    let (group, (up, down)) = (&plan.groups[place], &access[place]);
    let crossed = |key, link| Crossed { key, link, copies: if key < 2 { 1.0 } else { f64::from(group.count) } };
    let there = vec![crossed(2 + 2 * place, up), crossed(0, bottleneck)];
    let back = vec![crossed(1, reverse), crossed(3 + 2 * place, down)];
    let (data, acks) = if group.reverse { (back, there) } else { (there, back) };
    Routed { data, acks: if group.has_answers() { acks } else { Vec::new() } }
}

pub(super) fn in_graph(way: Way, links: &[EdgeSpec]) -> Routed<'_> {
    let crossed = |LinkId(link)| Crossed { key: link as usize, link: &links[link as usize].link, copies: 1.0 };
    let [data, acks] = [way.data, way.acks].map(|path| path.into_iter().map(crossed).collect());
    Routed { data, acks }
}

/// The traffic of a group.
pub(super) struct Traffic<'a> {
    routed: Routed<'a>,
    tcp: Option<(&'a SenderConfig, &'a ReceiverConfig)>,
    pub(super) flows: f64,
    /// Reports of the receiver of a flow.
    reports: f64,
    /// Packet size in bytes, and whether all packets have it.
    size: f64,
    is_alike: bool,
    /// Time that the flows have, and the round-trip time of an empty path (UDP: one way), in seconds.
    seconds: f64,
    delay: f64,
    /// Of a flow: packets per second that its source and its window allow, and packets that may be in flight.
    demand: f64,
    window: f64,
    /// Whether the sources supply packets one by one, at a rate below what the windows allow.
    is_slow: bool,
    /// Mean packets of a transfer, if the sources make transfers.
    mean_size: Option<f64>,
    /// Packets per second of all flows.
    rate: f64,
    /// The link that limits the flows, if one does, and whether it limits no other flow.
    limit: Option<usize>,
    is_alone: bool,
    /// Packets in flight when most are.
    in_flight: f64,
    /// Packets in the whole run: data delivered, ACKs, and data lost or marked.
    pub(super) packets: f64,
    pub(super) acks: f64,
    pub(super) signals: f64,
}

impl<'a> Traffic<'a> {
    pub(super) fn of(plan: &Plan, group: &'a GroupSpec, routed: Routed<'a>) -> Self {
        let (flows, size) = (f64::from(group.flows()), f64::from(group.packet_size));
        let late = group.start.as_secs_f64() + group.spread.as_secs_f64() / 2.0;
        let seconds = (plan.duration.as_secs_f64() - late).max(1e-12);
        let (offered, supply) = offered(&group.source, size, seconds);
        let all = || routed.data.iter().chain(&routed.acks).map(|crossed| crossed.link);
        let delay = all().map(|link| link.delay.as_secs_f64()).sum::<f64>()
            + routed.data.iter().map(|crossed| 8.0 * size / rate(crossed.link).max(1.0)).sum::<f64>();
        let (tcp, is_alike) = match &group.transport {
            TransportSpec::Tcp { sender, receiver } => (Some((&**sender, receiver)), true),
            TransportSpec::Udp { sizes } => (None, *sizes == SizeSpec::Fixed),
        };
        let window = tcp.map_or(supply, |(sender, _)| supply.min(f64::from(sender.max_window)));
        let mut demand = offered.min(supply / seconds);
        if let Some((sender, _)) = tcp {
            demand = demand.min(window / delay);
            let lost: f64 = routed.data.iter().map(|crossed| lost(crossed.link)).sum();
            if lost > 0.0 && !sender.congestion.limits_queue() {
                // the square-root law: Mathis, Semke, Mahdavi and Ott, "The Macroscopic Behavior of the TCP Congestion
                // Avoidance Algorithm", CCR 1997; twice as much for laws that grow faster
                demand = demand.min(2.0 * (1.5 / lost).sqrt() / delay);
            }
        }
        Self {
            routed,
            tcp,
            flows,
            reports: group.feedback().map_or(0.0, |every| seconds / every.as_secs_f64()),
            size,
            is_alike,
            seconds,
            delay,
            demand,
            window,
            is_slow: demand >= offered,
            mean_size: match &group.source {
                SourceSpec::Transfers { size, .. }
                | SourceSpec::Requests { size, .. }
                | SourceSpec::Connections { size, .. } => Some(size.mean()),
                SourceSpec::Pages(pages) => Some(pages.mean_packets() / (pages.objects.mean() + 1.5)),
                SourceSpec::Video(video) => Some(video.mean_size()),
                _ => None,
            },
            rate: 0.0,
            limit: None,
            is_alone: false,
            in_flight: 0.0,
            packets: 0.0,
            acks: 0.0,
            signals: 0.0,
        }
    }

    /// Number of hops of the data and of the ACKs.
    pub(super) fn hops(&self) -> f64 {
        (self.routed.data.len() + self.routed.acks.len()) as f64
    }

    /// Asks each link of the path for the rate that the flows want and that no other link rules out.
    pub(super) fn ask(&self, loads: &mut BTreeMap<usize, Load<'a>>) {
        let wanted = self.routed.data.iter().map(|crossed| self.most_at(crossed));
        let wanted = wanted.fold(8.0 * self.size * self.demand, f64::min);
        for Crossed { key, link, copies } in &self.routed.data {
            let load = loads.entry(*key).or_insert_with(|| Load::of(link, *copies));
            load.carry(self.size, self.is_alike);
            // datagrams come whether or not the links behind can carry them
            load.want(self.flows, if self.tcp.is_some() { wanted } else { 8.0 * self.size * self.demand });
        }
        for Crossed { key, link, copies } in &self.routed.acks {
            loads.entry(*key).or_insert_with(|| Load::of(link, *copies)).carry(f64::from(HEADER), true);
        }
    }

    /// Bit/s of each flow if the group has a link to itself.
    fn most_at(&self, crossed: &Crossed<'_>) -> f64 {
        crossed.copies * rate(crossed.link) / self.flows
    }

    /// Takes the smallest share that a link of the path gives.
    pub(super) fn settle(&mut self, loads: &mut BTreeMap<usize, Load<'a>>) {
        let share = |crossed: &Crossed<'_>| {
            let share = loads.get(&crossed.key).map_or(f64::INFINITY, |load| load.share);
            (share.min(self.most_at(crossed)), crossed.key)
        };
        let smallest = self.routed.data.iter().map(share).min_by(|a, b| a.0.total_cmp(&b.0));
        let Some((share, key)) = smallest.filter(|(share, _)| *share <= 8.0 * self.size * self.demand) else {
            self.rate = self.flows * self.demand;
            return;
        };
        (self.rate, self.limit) = (self.flows * share / 8.0 / self.size, Some(key));
        let Some(load) = loads.get_mut(&key) else { return };
        if let Some((sender, _)) = self.tcp {
            load.pipe += self.rate * self.delay;
            load.most += self.most(sender);
            load.fills |= !sender.congestion.limits_queue();
        } else {
            load.excess += (self.flows * self.demand - self.rate) * self.seconds;
        }
    }

    /// The most packets in flight: each delivered segment opens a window by at most one segment.
    fn most(&self, sender: &SenderConfig) -> f64 {
        let grown = self.flows * f64::from(sender.initial_window.max(1)) + self.rate * self.seconds;
        grown.min(self.flows * self.window)
    }

    /// Sends the traffic over the links.
    pub(super) fn send(&mut self, loads: &mut BTreeMap<usize, Load<'a>>) {
        let pipe = self.rate * self.delay;
        let (waits, share) = self.limit.and_then(|key| loads.get(&key)).map_or((0.0, 0.0), |load| {
            let part = if load.pipe > 0.0 { pipe / load.pipe } else { 1.0 };
            (load.waits, part)
        });
        self.packets = self.rate * self.seconds;
        self.is_alone = self.flows <= 1.0 && share >= 1.0;
        let mut marks = false;
        if let Some((sender, receiver)) = self.tcp {
            self.in_flight = (pipe + waits * share).min(self.most(sender)).max(self.flows.min(self.packets));
            self.acks = if receiver.delayed_ack { 0.6 } else { 1.0 } * self.packets;
            let window = (self.in_flight / self.flows).max(1.0);
            // two marks in each round trip with DCTCP's feedback; otherwise the square-root law
            (marks, self.signals) = match sender.ecn {
                _ if self.limit.is_none() => (false, 0.0),
                EcnMode::Dctcp | EcnMode::Accurate => (true, self.packets * (2.0 / window).min(1.0)),
                ecn => (ecn != EcnMode::Off, self.packets * (1.5 / window / window).min(0.05)),
            };
            self.signals += self.packets * self.routed.data.iter().map(|crossed| lost(crossed.link)).sum::<f64>();
        } else {
            let held = self.routed.data.iter().filter(|crossed| !crossed.link.keeps_order());
            let held = self.rate * held.map(|crossed| delay(crossed.link)).sum::<f64>();
            let before = self.routed.data.iter().rev().skip(1).map(|crossed| delay(crossed.link));
            let waits = if self.limit == self.routed.data.last().map(|crossed| crossed.key) { 0.0 } else { waits };
            self.in_flight = held + self.rate * before.sum::<f64>() + waits;
            self.acks = (self.flows * self.reports).min(self.packets);
            self.signals = (self.flows * self.demand - self.rate).max(0.0) * self.seconds - waits;
        }
        let mut is_before = self.tcp.is_none() && self.limit.is_some();
        for crossed in &self.routed.data {
            let Some(load) = loads.get_mut(&crossed.key) else { continue };
            load.offered += if is_before { self.flows * self.demand * self.seconds } else { self.packets };
            load.crossing += self.rate * delay(crossed.link);
            if self.limit == Some(crossed.key) {
                is_before = false;
                *(if marks { &mut load.marked } else { &mut load.dropped }) += self.signals.max(0.0);
            }
        }
        for crossed in &self.routed.acks {
            if let Some(load) = loads.get_mut(&crossed.key) {
                load.offered += self.acks;
            }
        }
    }

    /// Memory of the packets in flight, in bytes.
    pub(super) fn packets_held(&self) -> f64 {
        let selective = self.tcp.is_some_and(|(_, receiver)| receiver.sack_blocks > 0 || receiver.advertises());
        let of_ack = if selective { SackStore::BYTES_OF_ACK as f64 / 2.0 } else { 0.0 };
        self.in_flight * (EVENTS_PER_PACKET * size_of::<Event>() as f64 + of_ack)
    }

    /// State of senders and receivers for the segments in flight, in bytes.
    pub(super) fn windows(&self) -> f64 {
        let Some((sender, receiver)) = self.tcp else { return 0.0 };
        let kept = if Sender::times_segments(sender) { 2 * Sender::BYTES_OF_SEGMENT } else { 0 };
        // a burst of losses: every fourth received segment is a run of its own
        let gaps = Receiver::BYTES_OF_GAP as f64 / 4.0;
        let window = if receiver.advertises() { Receiver::BYTES_OF_WINDOW } else { 0 };
        let host = if receiver.has_host() { Receiver::BYTES_OF_HOST } else { 0 };
        let batch = if receiver.gathers() { Receiver::BYTES_OF_BATCH } else { 0 };
        self.in_flight * (kept as f64 + gaps) + self.flows * (window + host + batch) as f64
    }

    /// Times at which the window, a timer or the flight of a sender changes.
    pub(super) fn changes(&self) -> f64 {
        let Some((sender, _)) = self.tcp else { return 0.0 };
        // most segments leave with an ACK, and change nothing else; those of a pacer or of a slow source leave on their own
        let leaves_alone = sender.pacing != Pacing::Off || self.is_slow && self.limit.is_none();
        let turns = self.acks + if leaves_alone { self.packets } else { 0.0 };
        let is_whole = sender.rtt.arithmetic == Arithmetic::Linux
            && matches!(&sender.congestion, LawSpec::Cubic(cubic) if cubic.rules == CubicRules::Linux);
        if is_whole && self.is_alone { CHANGING * turns } else { turns }
    }

    /// Memory of ns-2's arrays of records, which are as long as the windows.
    pub(super) fn stale(&self) -> f64 {
        match self.tcp {
            Some((sender, _)) if sender.stale_records && Sender::times_segments(sender) => {
                self.flows * f64::from(sender.max_window) * Sender::BYTES_OF_STALE_RECORD as f64
            }
            _ => 0.0,
        }
    }

    /// The law of the senders.
    pub(super) fn law(&self) -> Option<&LawSpec> {
        self.tcp.map(|(sender, _)| &sender.congestion)
    }

    /// Whether the senders are TCP.
    pub(super) const fn is_tcp(&self) -> bool {
        self.tcp.is_some()
    }

    /// Whether the law of the senders sees the queue grow.
    pub(super) fn is_gentle(&self) -> bool {
        self.tcp.is_some_and(|(sender, _)| sender.congestion.limits_queue())
    }

    /// Number of transfers.
    pub(super) fn transfers(&self) -> f64 {
        self.mean_size.map_or(0.0, |size| self.packets / size.max(1.0))
    }
}

/// Fraction of the packets that the loss model of a link loses.
fn lost(link: &LinkSpec) -> f64 {
    link.loss.as_ref().map_or(0.0, LossSpec::mean)
}

/// Of a source of packets of `size` bytes: packets per second, and packets in total.
fn offered(source: &SourceSpec, size: f64, seconds: f64) -> (f64, f64) {
    let at = |rate: f64| (rate, rate * seconds + 1.0);
    match source {
        SourceSpec::Poisson { rate } | SourceSpec::Constant { rate } => at(*rate),
        SourceSpec::OnOff { rate, on, off } => at(rate * on.mean() / (on.mean() + off.mean()).max(1e-12)),
        SourceSpec::Fractional(spec) => at(spec.rate),
        SourceSpec::Greedy { packets } => (f64::INFINITY, packets.map_or(f64::INFINITY, |packets| packets as f64)),
        SourceSpec::Transfers { size, think } => ((size.mean() + 0.5) / think.mean().max(1e-12), f64::INFINITY),
        SourceSpec::Requests { size, every } => at((size.mean() + 0.5) / every.mean().max(1e-12)),
        SourceSpec::Frames(spec) => at(spec.mean_rate()),
        SourceSpec::Video(spec) => (spec.most_packets(), f64::INFINITY),
        SourceSpec::Call(spec) => at(spec.most as f64 / (8.0 * size)),
        SourceSpec::Pages(pages) => {
            (pages.mean_packets() / pages.think.mean().max(1e-12) / f64::from(pages.most), f64::INFINITY)
        }
        SourceSpec::Connections { rate, size, most } => at(rate * (size.mean() + 0.5) / f64::from(*most)),
        SourceSpec::Trace(spec) => {
            let once = match &spec.packets {
                Some(packets) => packets.iter().map(|packets| f64::from(*packets)).sum(),
                None => spec.times.len() as f64,
            };
            let rounds = spec.period.map_or(1.0, |period| (seconds / period.as_secs_f64()).ceil());
            (f64::INFINITY, once * rounds)
        }
    }
}
