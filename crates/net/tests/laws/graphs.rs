//! Random plans for property tests: graphs with cycles and parallel links, with every queue, loss model, transport,
//! variant, option and source, and with varying rates and delays.

use std::sync::Arc;

use ackclock_net::BucketSpec;
use ackclock_net::call::CallSpec;
use ackclock_net::link::Offered;
use ackclock_net::link::extra_delay::{DelayTraceSpec, JitterSpec, ReorderSpec};
use ackclock_net::link::framing::{Cells, Framing};
use ackclock_net::link::loss::{LossChange, LossPlace, LossSpec, LossTraceSpec};
use ackclock_net::link::rate::{RateSpec, RateTraceSpec};
use ackclock_net::plan::{
    ConvergenceSpec, EdgeSpec, FlowChange, FramesSpec, GroupSpec, LinkSpec, MeasureSpec, PagesSpec, Paths, Plan,
    SourceSpec, Topology, TransportSpec,
};
use ackclock_net::queue::{
    AboveMax, AckFilter, CakeSpec, CobaltSpec, CodelSpec, CountBelow, DelayFrom, DropFrom, DropReason, DropTailSpec,
    DualPi2Spec, FqCodelSpec, FqSpec, Isolation, Limit, Low,
};
use ackclock_net::queue::{PieSpec, PrioritySpec, QueueSpec, RedSpec, Ties, Tins, Unit};
use ackclock_net::sizes::SizeSpec;
use ackclock_net::source::{Distribution, Level, ScheduleSpec, Stop, Unfinished, VideoRule, VideoSpec};
use ackclock_tcp::congestion::{Bbr3Spec, CopaSpec, CubicSpec, DctcpSpec, LawSpec, PragueSpec, VegasSpec};
use ackclock_tcp::{EcnMode, ReceiverConfig, SenderConfig};
use ackclock_units::{Rate, Time};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::kinds::{receivers, senders};
use crate::media::{media, share};

/// Maximum number of nodes, and of additional links. A random tree joins all nodes in both directions; the additional
/// links are directed.
const MOST_NODES: usize = 6;
const MOST_EXTRA: usize = 6;

fn limits() -> impl Strategy<Value = Limit> {
    prop_oneof![2 => (2_u64..20).prop_map(Limit::Packets), 1 => (3_000_u64..30_000).prop_map(Limit::Bytes)]
}

/// Queues of links of both kinds.
pub(crate) fn queues() -> impl Strategy<Value = QueueSpec> {
    prop_oneof![4 => queues_at_arrival(), 1 => pie_queues(), 1 => codel_queues(), 2 => several_queues()]
}

fn pie_queues() -> impl Strategy<Value = QueueSpec> {
    let times = (1_u64..20_000, 1_000_u64..20_000, 0_u64..50_000);
    let gains = (0.0_f64..20.0, 0.0_f64..200.0, 0.0..1.0_f64);
    let sources = prop::sample::select(vec![DelayFrom::Arrival, DelayFrom::Timestamps, DelayFrom::DepartureRate]);
    (limits(), any::<[bool; 4]>(), times, gains, 1_u64..2_000, sources).prop_map(
        |(limit, flags, (target, update, max_burst), (alpha, beta, mark_below), mtu, delay_from)| {
            let [count_in_service, ecn, derandomize, byte_mode] = flags;
            let [target, update, max_burst] = [target, update, max_burst].map(Time::from_micros);
            QueueSpec::Pie(PieSpec {
                limit,
                count_in_service,
                target,
                update,
                alpha,
                beta,
                max_burst,
                mtu,
                ecn,
                mark_below,
                derandomize,
                byte_mode,
                delay_from,
            })
        },
    )
}

/// Disciplines with several queues.
fn several_queues() -> impl Strategy<Value = QueueSpec> {
    let times = (0_u64..10_000, 1_000_u64..100_000, prop::option::weighted(0.3, 0_u64..10_000));
    // two packets of 1500 bytes at least: of a queue with one packet, a sender whose window is 2 after a timeout would
    // lose the first again and again, since the head is dropped
    let numbers = (1_u32..10, 256_u32..3_000, 3_000_u64..30_000, 0_u64..3_000);
    let fair = (limits(), any::<[bool; 3]>(), times, numbers).prop_map(
        |(limit, [count_in_service, ecn, codel], (target, interval, ce_threshold), (queues, quantum, memory, mtu))| {
            if !codel {
                return QueueSpec::Fq(FqSpec { limit, count_in_service, queues, quantum });
            }
            QueueSpec::FqCodel(FqCodelSpec {
                limit,
                count_in_service,
                target: Time::from_micros(target),
                interval: Time::from_micros(interval),
                mtu,
                ecn,
                ce_threshold: ce_threshold.map(Time::from_micros),
                queues,
                quantum,
                memory,
            })
        },
    );
    let times = (1_u64..20_000, 1_000_u64..20_000, 0_u64..3_000, 0_u64..3_000);
    let gains = (0.0_f64..20.0, 0.0_f64..200.0, 0.0_f64..5.0, 0.0..=1.0_f64);
    let dual = (limits(), any::<[bool; 2]>(), times, gains, 0_u64..2_000).prop_map(
        |(
            limit,
            [count_in_service, ect],
            (target, update, from, more),
            (alpha, beta, coupling, classic_share),
            mtu,
        )| {
            let [target, update, from, more] = [target, update, from, more].map(Time::from_micros);
            QueueSpec::DualPi2(DualPi2Spec {
                limit,
                count_in_service,
                target,
                update,
                alpha,
                beta,
                coupling,
                ramp_from: from,
                ramp_to: from + more,
                low: if ect { Low::Ect } else { Low::Ect1 },
                classic_share,
                mtu,
                min_qlen_step: mtu % 4,
            })
        },
    );
    let priority = (limits(), any::<bool>())
        .prop_map(|(limit, count_in_service)| QueueSpec::Priority(PrioritySpec { limit, count_in_service }));
    prop_oneof![2 => fair, 1 => dual, 1 => priority, 1 => cake_queues()]
}

fn cake_queues() -> impl Strategy<Value = QueueSpec> {
    let times = (0_u64..10_000, 1_000_u64..100_000);
    let isolation = prop::sample::select(vec![
        Isolation::Flows,
        Isolation::DualSrchost,
        Isolation::DualDsthost,
        Isolation::TripleIsolate,
    ]);
    let tins = prop::sample::select(vec![
        Tins::Besteffort,
        Tins::Diffserv3,
        Tins::Diffserv4,
        Tins::Diffserv8,
        Tins::Precedence,
    ]);
    let filter = prop::sample::select(vec![AckFilter::Off, AckFilter::Conservative, AckFilter::Aggressive]);
    let numbers = (prop::sample::select(vec![8_u32, 16, 1024]), 256_u32..3_000, 0_u32..2_000);
    (limits(), any::<[bool; 2]>(), times, numbers, (isolation, tins, filter)).prop_map(
        |(
            limit,
            [count_in_service, ecn],
            (target, interval),
            (queues, quantum, mtu),
            (isolation, tins, ack_filter),
        )| {
            QueueSpec::Cake(CakeSpec {
                limit,
                count_in_service,
                target: Time::from_micros(target),
                interval: Time::from_micros(interval),
                mtu,
                ecn,
                queues,
                quantum,
                isolation,
                tins,
                ack_filter,
            })
        },
    )
}

fn codel_queues() -> impl Strategy<Value = QueueSpec> {
    let times = (0_u64..10_000, 1_000_u64..100_000, prop::option::weighted(0.3, 0_u64..10_000));
    (limits(), any::<[bool; 3]>(), times, 0_u64..3_000).prop_map(
        |(limit, [count_in_service, ecn, cobalt], (target, interval, ce_threshold), mtu)| {
            if cobalt {
                let [target, interval] = [target, interval].map(Time::from_micros);
                return QueueSpec::Cobalt(CobaltSpec { limit, count_in_service, target, interval, ecn });
            }
            QueueSpec::Codel(CodelSpec {
                limit,
                count_in_service,
                target: Time::from_micros(target),
                interval: Time::from_micros(interval),
                mtu,
                ecn,
                ce_threshold: ce_threshold.map(Time::from_micros),
            })
        },
    )
}

/// Disciplines that decide when a packet arrives.
fn queues_at_arrival() -> impl Strategy<Value = QueueSpec> {
    let numbers = (0.5_f64..5.0, 0.5_f64..10.0, 0.01_f64..1.0, 0.002_f64..1.0);
    let rules = prop::array::uniform8(any::<bool>());
    let adapts = (any::<bool>(), prop::option::of((1_u64..20_000).prop_map(Time::from_micros)));
    (limits(), numbers, rules, any::<bool>(), adapts).prop_map(|(limit, numbers, rules, red, adapts)| {
        let ((min_th, more, max_p, w_q), (adaptive, target_delay)) = (numbers, adapts);
        let [count_in_service, wait, gentle, bytes, early, spare_last, run, ecn] = rules;
        if !red {
            let ties = if wait { Ties::Arrival } else { Ties::Departure };
            let mark_above = if ecn { min_th as u64 } else { 0 };
            let drop = if early { DropFrom::Head } else { DropFrom::Tail };
            return QueueSpec::DropTail(DropTailSpec { limit, count_in_service, ties, mark_above, drop });
        }
        QueueSpec::Red(RedSpec {
            limit,
            count_in_service,
            min_th,
            max_th: min_th + more,
            max_p,
            w_q,
            wait,
            gentle,
            unit: if bytes { Unit::Bytes } else { Unit::Packets },
            mean_packet_size: 1000.0,
            above_max: match (early, run) {
                (true, _) => AboveMax::Early,
                (false, true) => AboveMax::Mark,
                (false, false) => AboveMax::Drop,
            },
            spare_last,
            count_below: if run { CountBelow::Run } else { CountBelow::Reset },
            ecn,
            mark_below: if run { max_p } else { 1.0 },
            adaptive,
            target_delay,
        })
    })
}

/// A constant rate, or a trace of up to five rates, each for less than 20 ms; some of them are outages.
fn rates() -> impl Strategy<Value = RateSpec> {
    let bps = || prop_oneof![3 => 300_000_u64..5_000_000, 1 => Just(1_000_000)];
    let step = (1_u64..20_000, prop_oneof![4 => bps(), 1 => Just(0)]);
    let outages = prop::option::weighted(0.3, prop::collection::vec((1_u64..300_000, 1_u64..50_000), 1..4));
    let trace = (prop::collection::vec(step, 0..5), 1_u64..20_000, bps(), any::<bool>(), outages);
    let trace = trace.prop_map(|(steps, last, end, repeats, outages)| {
        let mut times = vec![Time::ZERO];
        for (micros, _) in &steps {
            times.push(times[times.len() - 1] + Time::from_micros(*micros));
        }
        let period = repeats.then(|| times[times.len() - 1] + Time::from_micros(last));
        let rates = steps.iter().map(|(_, bps)| *bps).chain([end]).collect();
        let mut at = Time::ZERO;
        let outages = outages.unwrap_or_default().into_iter().map(|(up, down)| {
            let begin = at + Time::from_micros(up);
            at = begin + Time::from_micros(down);
            [begin, at]
        });
        RateSpec::Trace(Arc::new(RateTraceSpec {
            outages: outages.collect(),
            ..RateTraceSpec::new(times, rates, period)
        }))
    });
    prop_oneof![3 => bps().prop_map(|bps| Rate::from_bps(bps).expect("above zero").into()), 1 => trace]
}

/// The last outage of a link that begins at `at` or before, with its end.
pub(crate) fn outage(rate: &RateSpec, at: Time) -> Option<[Time; 2]> {
    let RateSpec::Trace(trace) = rate else { return None };
    trace.outages.iter().rfind(|[begin, _]| *begin <= at).copied()
}

/// Whether a link is in an outage.
pub(crate) fn is_down(rate: &RateSpec, at: Time) -> bool {
    outage(rate, at).is_some_and(|[_, end]| at < end)
}

/// Checks the times of a transmission: it ends when the integral of the rate has reached its bits, or is lost at the
/// beginning of an outage, one picosecond after another.
pub(crate) fn check_transmission(
    rate: &RateSpec,
    size: u32,
    (start, end, lost): (Time, Time, bool),
) -> Result<(), TestCaseError> {
    match outage(rate, end) {
        Some([begin, until]) if end < until => {
            prop_assert!(lost, "sent in an outage");
            prop_assert!(end <= begin.max(start) + Time::from_picos(1));
        }
        // it may have begun at the end of an outage
        earlier => {
            prop_assert!(
                earlier.is_none_or(|[_, until]| start >= until),
                "sent from {start:?} to {end:?} across {earlier:?}"
            );
            prop_assert_eq!(end, end_of(rate, size, start));
        }
    }
    Ok(())
}

/// The end of a transmission, computed step by step. (The engine uses cumulative sums and a search.)
fn end_of(rate: &RateSpec, size: u32, start: Time) -> Time {
    let trace = match rate {
        RateSpec::Constant(rate) => return start + rate.transmission_time(size),
        RateSpec::Trace(trace) => trace,
    };
    let (mut at, mut left) = (start.as_picos(), u128::from(size) * 8_000_000_000_000);
    loop {
        let begun = trace.period.map_or(0, |period| at - at % period.as_picos());
        let later = |time: &&Time| begun + time.as_picos() > at;
        let next = trace.times.iter().chain(&trace.period).find(later).map(|time| begun + time.as_picos());
        let step = trace.times.iter().rposition(|time| begun + time.as_picos() <= at).expect("it begins at 0");
        let bps = u128::from(trace.rates[step]);
        match next {
            Some(next) if bps * u128::from(next - at) < left => {
                left -= bps * u128::from(next - at);
                at = next;
            }
            _ => return Time::from_picos(at + left.div_ceil(bps) as u64),
        }
    }
}

fn links() -> impl Strategy<Value = LinkSpec> {
    let listed = (prop::collection::vec(1_u64..60, 0..5), 0_u64..3);
    let loss = prop::option::of(prop_oneof![
        4 => listed.prop_map(|(packets, syns)| LossSpec::List { packets, syns }),
        1 => (0.0..0.3).prop_map(|probability| LossSpec::Random { probability, idle: None }),
        1 => (0.0..0.1, 0.05..1.0, 0.0..0.1, 0.0..1.0)
            .prop_map(|(to_bad, to_good, good, bad)| LossSpec::GilbertElliottPackets { to_bad, to_good, good, bad }),
        // at most 3 of 5 times are bad: of two transfers that lose 92 % of their ACKs, one did not end in 1,000,000 s
        1 => (1_u64..100_000, 0.0..1.5, 0.0..0.1, 0.0..1.0).prop_map(|(micros, ratio, good, bad)| {
            let [good_time, bad_time] = [micros, (micros as f64 * ratio) as u64 + 1].map(Time::from_micros);
            LossSpec::GilbertElliottTime { good_time, bad_time, good, bad }
        }),
        1 => (1_u64..50_000, 0.0..0.5).prop_map(|(micros, probability)| LossSpec::Trace(Arc::new(LossTraceSpec {
            times: vec![Time::ZERO, Time::from_micros(micros)],
            probabilities: vec![0.0, probability],
            period: Some(Time::from_micros(2 * micros)),
        }))),
    ]);
    let change = (0_u64..500, prop::option::of(0.0..0.3)).prop_map(|(millis, probability)| LossChange {
        at: Time::from_millis(millis),
        loss: probability.map(|probability| LossSpec::Random { probability, idle: Some(0.0) }),
    });
    let change = prop::option::weighted(0.1, change);
    let delays = (prop::collection::vec((1_u64..100_000, 0_u64..30_000), 1..4), any::<bool>(), any::<bool>());
    let delays = delays.prop_map(|(steps, repeats, reorders)| {
        let mut times = vec![Time::ZERO];
        for (micros, _) in &steps {
            times.push(times[times.len() - 1] + Time::from_micros(*micros));
        }
        let extra = steps.iter().map(|(_, micros)| Time::from_micros(*micros)).chain([Time::ZERO]).collect();
        let period = repeats.then(|| times[times.len() - 1] + Time::from_millis(10));
        Arc::new(DelayTraceSpec { times, extra, period, reorders })
    });
    let delays = prop::option::weighted(0.15, delays);
    // some delays are so short that components are merged; some are equal, so that packets arrive at equal times
    let micros = prop_oneof![3 => 0_u64..40_000, 1 => 0_u64..7, 1 => Just(5_000)];
    let jitter = (0_u64..20_000, any::<bool>());
    let jitter = jitter.prop_map(|(micros, reorders)| JitterSpec { max: Time::from_micros(micros), reorders });
    // in half of the cases a held packet may arrive exactly with a later one
    let held = prop_oneof![0_u64..50_000, Just(5_000)];
    let reorder = (0.0..0.3, held);
    let reorder =
        reorder.prop_map(|(probability, micros)| ReorderSpec { probability, delay: Time::from_micros(micros) });
    let extra = (prop::option::weighted(0.2, jitter), prop::option::weighted(0.1, reorder));
    let place = prop::sample::select(vec![LossPlace::Before, LossPlace::After]);
    let buckets = (prop::option::weighted(0.2, buckets()), prop::option::weighted(0.2, buckets()));
    (rates(), (micros, delays), queues(), (loss, place, change), buckets, (extra, framings())).prop_map(
        |(
            rate,
            (micros, delays),
            queue,
            (loss, loss_place, change),
            (policer, shaper),
            ((jitter, reorder), framing),
        )| {
            // a link has one order
            let reorders = jitter.map(|jitter| jitter.reorders);
            let in_order =
                |trace: DelayTraceSpec| DelayTraceSpec { reorders: reorders.unwrap_or(trace.reorders), ..trace };
            let delay_trace = delays.map(|trace| Arc::new(in_order((*trace).clone())));
            LinkSpec {
                shaper: shaper
                    .filter(|_| !matches!(&rate, RateSpec::Trace(trace) if !trace.outages.is_empty()))
                    .map(|bucket| BucketSpec { burst: bucket.burst.max(framing.bytes(1_500).into()), ..bucket }),
                rate,
                delay: Time::from_micros(micros),
                framing,
                delay_trace,
                queue,
                queue_changes: Vec::new(),
                loss,
                loss_changes: change.into_iter().collect(),
                loss_place,
                policer,
                medium: None,
                jitter,
                reorder,
                weight: 1 + (micros % 3) as u16,
            }
        },
    )
}

/// One link in three frames packets.
fn framings() -> impl Strategy<Value = Framing> {
    let kind = prop::sample::select(vec![Cells::Plain, Cells::Atm, Cells::Ptm]);
    let framing = (kind, 0_i32..100, 0_u32..120).prop_map(|(kind, overhead, mpu)| Framing { kind, overhead, mpu });
    prop_oneof![2 => Just(Framing::default()), 1 => framing]
}

/// Token buckets that admit the packets of TCP, but not all datagrams.
fn buckets() -> impl Strategy<Value = BucketSpec> {
    (300_000_u64..5_000_000, 1_500_u64..10_000)
        .prop_map(|(bps, burst)| BucketSpec { rate: Rate::from_bps(bps).expect("above zero"), burst })
}

/// The first time from `now` on at which a packet of `size` bytes conforms, after the conforming packets `sent`: in no
/// interval since one of them may there be more than `burst + rate t` bytes. (The engine counts tokens.)
pub(crate) fn conforming(bucket: BucketSpec, sent: &[(Time, u32)], size: u32, now: Time) -> Time {
    let mut bytes = u64::from(size);
    let after = |(since, size): &(Time, u32)| {
        bytes += u64::from(*size);
        let excess = u128::from(bytes.saturating_sub(bucket.burst)) * 8_000_000_000_000;
        *since + Time::from_picos(excess.div_ceil(u128::from(bucket.rate.as_bps())) as u64)
    };
    sent.iter().rev().map(after).max().map_or(now, |time| time.max(now))
}

/// Checks the decision about a packet before the queue of a link. `policed` has the packets that the policer passed.
/// Returns whether the packet reaches the queue.
pub(crate) fn reaches_queue(
    link: &LinkSpec,
    policed: &mut Vec<(Time, u32)>,
    (size, now, offered): (u32, Time, Offered),
) -> Result<bool, TestCaseError> {
    if offered == Offered::Dropped(DropReason::Lost) {
        let has_losses = link.loss.is_some() || !link.loss_changes.is_empty();
        prop_assert!(has_losses && link.loss_place == LossPlace::Before || is_down(&link.rate, now));
        return Ok(false);
    }
    prop_assert!(!is_down(&link.rate, now), "reached the queue in an outage");
    let fits = link.policer.is_none_or(|bucket| u64::from(size) <= bucket.burst)
        && link.shaper.is_none_or(|bucket| u64::from(link.framing.bytes(size)) <= bucket.burst);
    let conforms = fits && link.policer.is_none_or(|bucket| conforming(bucket, policed, size, now) == now);
    prop_assert_eq!(offered == Offered::Dropped(DropReason::Policed), !conforms);
    if conforms {
        policed.push((now, size));
    }
    Ok(conforms)
}

/// Random properties of a group, except its path, which depends on the number of nodes.
#[derive(Clone, Debug)]
struct Member {
    ends: (Index, Index),
    count: u32,
    start: Time,
    sender: SenderConfig,
    receiver: ReceiverConfig,
    /// `packets` is the size of a transfer. `rate` is the rate of sources that are not transfers, and of requests.
    packets: u64,
    rate: f64,
    others: [bool; 4],
    /// Bands, weights, ceilings and codepoints are random together.
    priority: u8,
    /// Maximum number of concurrent connections, if each transfer has its own connection.
    connections: Option<u32>,
    /// Length of the first period, of a pause and of the second period, in ms, and whether the rest is dropped.
    schedule: Option<([u64; 3], bool)>,
    /// Nodes to visit at the start, and from two times on, in ms, where this is possible; the law changes at the first one.
    moves: Option<([Index; 3], [u64; 2])>,
}

fn members() -> impl Strategy<Value = Vec<Member>> {
    let others = any::<[bool; 4]>();
    let connections = prop::option::weighted(0.3, 1_u32..4);
    let schedule = prop::option::weighted(0.3, ([1_u64..200, 0_u64..100, 1_u64..200], any::<bool>()));
    let moves = prop::option::weighted(0.3, (any::<[Index; 3]>(), [0_u64..500, 0_u64..500]));
    let numbers = (1_u32..3, 0_u64..100, 1_u64..60, 1.0..200.0_f64, (connections, schedule, moves), 0_u8..4);
    let member = (any::<(Index, Index)>(), numbers, senders(), receivers(), others).prop_map(
        |(ends, (count, millis, packets, rate, (connections, schedule, moves), priority), sender, receiver, others)| {
            Member {
                ends,
                count,
                start: Time::from_millis(millis),
                receiver: ReceiverConfig { handshake: sender.handshake, max_window: sender.max_window, ..receiver },
                sender: SenderConfig {
                    initial_rwnd: receiver.tunes().then_some(receiver.initial_rwnd),
                    read_rate: receiver.read_rate,
                    ecn: if sender.congestion.check_feedback(sender.ecn).is_ok() {
                        sender.ecn
                    } else {
                        EcnMode::Accurate
                    },
                    timer_tick: if sender.congestion.check_tick(sender.timer_tick).is_ok() {
                        sender.timer_tick
                    } else {
                        Time::from_millis(4)
                    },
                    ..sender
                },
                packets,
                rate,
                others,
                priority,
                connections,
                schedule,
                moves,
            }
        },
    );
    prop::collection::vec(member, 1..5)
}

const fn heavy(mean: f64) -> Distribution {
    Distribution::Pareto { mean, shape: 1.2 }
}

/// A video of two levels, which stalls now and then.
fn video(packets: u64) -> VideoSpec {
    let level = |factor| Level { bitrate: 1_000_000 * factor, packets: packets * factor };
    let time = Time::from_millis;
    let rule = if packets.is_multiple_of(4) {
        VideoRule::Rate { safety: 0.9 }
    } else {
        VideoRule::Buffer { reservoir: time(60), cushion: time(80) }
    };
    VideoSpec { levels: vec![level(1), level(3)], chunk: time(50), buffer: time(200), startup: time(70), rule }
}

impl Member {
    fn group(&self, nodes: u32, transfers: bool) -> GroupSpec {
        let from = self.ends.0.index(nodes as usize) as u32;
        let to = (from + 1 + self.ends.1.index(nodes as usize - 1) as u32) % nodes;
        let [udp, _, poisson, _] = self.others;
        let tcp = TransportSpec::Tcp { sender: Arc::new(self.sender.clone()), receiver: self.receiver };
        let source = self.source(transfers);
        let sizes = if poisson { SizeSpec::Exponential } else { SizeSpec::Fixed };
        GroupSpec {
            count: self.count,
            path: Some((from, to)),
            via: Vec::new(),
            changes: Vec::new(),
            reverse: false,
            packet_size: self.sender.packet_size,
            start: self.start,
            spread: Time::from_millis(if self.schedule.is_some() && !transfers { 20 } else { 0 }),
            schedule: self.schedule.filter(|_| !transfers).map(|periods| self.schedule(periods, &source).into()),
            priority: self.priority,
            weight: 1 + u16::from(self.priority),
            ceiling: Rate::from_bps(200_000 * u64::from(self.priority / 2)),
            dscp: 8 * self.priority,
            transport: if udp && !transfers && self.connections.is_none() { TransportSpec::Udp { sizes } } else { tcp },
            source,
        }
    }

    fn source(&self, transfers: bool) -> SourceSpec {
        let ([udp, paced, poisson, silent], rate) = (self.others, self.rate);
        if let Some(most) = self.connections.filter(|_| !transfers) {
            let size = heavy(self.packets as f64 / 4.0);
            if poisson {
                let (objects, think) = (heavy(2.0), heavy(0.05));
                return SourceSpec::Pages(Box::new(PagesSpec { document: size.clone(), objects, size, think, most }));
            }
            return SourceSpec::Connections { rate, size, most };
        }
        match (transfers || !udp && !paced, poisson, silent && !transfers) {
            (true, endless, false) => {
                SourceSpec::Greedy { packets: Some(self.packets).filter(|_| transfers || !endless) }
            }
            (true, true, true) if self.packets.is_multiple_of(2) => SourceSpec::Video(video(self.packets).into()),
            (true, true, true) => SourceSpec::Requests { size: heavy(self.packets as f64), every: heavy(0.05) },
            (true, false, true) => SourceSpec::Transfers { size: heavy(self.packets as f64), think: heavy(0.05) },
            (false, _, true) => SourceSpec::OnOff { rate, on: heavy(0.1), off: heavy(0.05) },
            (false, true, false) => SourceSpec::Poisson { rate },
            (false, false, false) if udp && self.packets.is_multiple_of(3) => SourceSpec::Call(CallSpec {
                rate,
                least: 10_000,
                start: 100_000,
                most: 10_000_000,
                feedback: Time::from_millis(10),
            }),
            (false, false, false) if self.packets.is_multiple_of(2) => {
                SourceSpec::Frames(FramesSpec { rate, packets: 1, key_every: 4, key_packets: 3 })
            }
            (false, false, false) => SourceSpec::Constant { rate },
        }
    }

    fn schedule(&self, ([first, pause, second], drops): ([u64; 3], bool), source: &SourceSpec) -> ScheduleSpec {
        let end = self.start + Time::from_millis(first);
        let begin = end + Time::from_millis(pause);
        let drops = match source {
            SourceSpec::Greedy { packets: None } => true,
            SourceSpec::Transfers { .. }
            | SourceSpec::Requests { .. }
            | SourceSpec::Connections { .. }
            | SourceSpec::Pages(_)
            | SourceSpec::Video(_) => false,
            _ => drops,
        };
        ScheduleSpec {
            stop: Stop::At(end),
            again: vec![[begin, begin + Time::from_millis(second)]],
            unfinished: if drops { Unfinished::Dropped } else { Unfinished::Drained },
        }
    }
}

/// The law with other parameters, if some can change.
fn retuned(law: &LawSpec) -> Option<LawSpec> {
    Some(match law.clone() {
        LawSpec::Vegas(spec) => LawSpec::Vegas(VegasSpec { beta: spec.beta + 1.0, ..spec }),
        LawSpec::Copa(spec) => LawSpec::Copa(CopaSpec { delta: spec.delta / 2.0, ..spec }),
        LawSpec::Dctcp(spec) => LawSpec::Dctcp(DctcpSpec { g: spec.g / 2.0, ..spec }),
        LawSpec::Prague(spec) => LawSpec::Prague(PragueSpec { transition: spec.transition / 2, ..spec }),
        LawSpec::Bbr3(spec) => LawSpec::Bbr3(Bbr3Spec { beta: spec.beta / 2.0, ..spec }),
        LawSpec::Cubic(spec) => LawSpec::Cubic(CubicSpec { fast_convergence: !spec.fast_convergence, ..spec }),
        _ => return None,
    })
}

impl Member {
    /// Lets the flows of group `place` take other ways and other parameters.
    fn travel(&self, plan: &mut Plan, place: usize) {
        let Some((nodes, mut times)) = self.moves else { return };
        let Topology::Graph { nodes: count, .. } = plan.topology else { return };
        times.sort_unstable();
        let [first, second, third] = nodes.map(|node| vec![node.index(count as usize) as u32]);
        let is_possible = |plan: &Plan, via: &[u32]| {
            let mut probe = plan.clone();
            probe.groups[place].via = via.to_vec();
            probe.crossed().is_ok_and(|found| !found[place].data.is_empty() && !found[place].acks.is_empty())
        };
        let law = match &plan.groups[place].transport {
            TransportSpec::Tcp { sender, .. } => retuned(&sender.congestion),
            TransportSpec::Udp { .. } => None,
        };
        let changes = [(times[0], second, law), (times[1], third, None)].map(|(at, via, congestion)| FlowChange {
            at: Time::from_millis(at),
            congestion,
            via: Some(via).filter(|via| is_possible(plan, via)),
        });
        if is_possible(plan, &first) {
            plan.groups[place].via = first;
        }
        plan.groups[place].changes = changes.into();
    }
}

/// The ends of each leg of the ways of a group: its shortest paths lead from the one to the other.
pub(crate) fn legs(group: &GroupSpec) -> Vec<(u32, u32)> {
    let (from, to) = group.path.expect("a graph's groups have paths");
    let later = group.changes.iter().filter_map(|change| change.via.clone());
    let ways = [group.via.clone()].into_iter().chain(later);
    let nodes = ways.map(|via| [vec![from], via, vec![to]].concat());
    nodes.flat_map(|nodes| nodes.windows(2).map(|pair| (pair[0], pair[1])).collect::<Vec<_>>()).collect()
}

/// Random plans: networks simulated for up to a second, or with `transfers` until all transfers should have ended.
pub(crate) fn plans(transfers: bool) -> impl Strategy<Value = Plan> {
    let parents = prop::collection::vec(any::<Index>(), 1..MOST_NODES);
    let extra = prop::collection::vec(any::<(Index, Index)>(), 0..=MOST_EXTRA);
    let links = prop::collection::vec(links(), 2 * MOST_NODES + MOST_EXTRA);
    let media = prop::option::weighted(0.4, media());
    let paths = prop::sample::select(vec![Paths::First, Paths::Ecmp, Paths::EcmpPolarised]);
    (parents, extra, links, members(), any::<Index>(), (100_u64..1_000, media, paths)).prop_map(
        move |(parents, extra, links, members, measured, (millis, media, paths))| {
            let nodes = parents.len() as u32 + 1;
            let tree = (1..nodes).zip(&parents).flat_map(|(node, parent)| {
                let parent = parent.index(node as usize) as u32;
                [(node, parent), (parent, node)]
            });
            let more = extra.iter().map(|(from, step)| {
                let from = from.index(nodes as usize) as u32;
                (from, (from + 1 + step.index(nodes as usize - 1) as u32) % nodes)
            });
            let links: Vec<_> =
                tree.chain(more).zip(links).map(|((from, to), link)| EdgeSpec { from, to, link }).collect();
            // far longer than transfers take: 62 packets needed up to 18,000 s over links in series that lose 60 %
            let duration = if transfers { Time::SECOND.saturating_mul(1_000_000) } else { Time::from_millis(millis) };
            let mut plan = Plan {
                duration,
                measure: MeasureSpec {
                    from: Time::ZERO,
                    bin: if transfers { Time::SECOND } else { Time::from_millis(10) },
                    link: measured.index(links.len()) as u32,
                    others: Vec::new(),
                    convergence: (!transfers).then_some(ConvergenceSpec { window: Time::from_millis(5), delta: 0.3 }),
                },
                topology: Topology::Graph { nodes, links },
                paths,
                media: Vec::new(),
                groups: members.iter().map(|member| member.group(nodes, transfers)).collect(),
                records: Vec::new(),
                captures: Vec::new(),
            };
            for (place, member) in members.iter().enumerate() {
                member.travel(&mut plan, place);
            }
            match media {
                Some(media) => share(plan, media),
                None => plan,
            }
        },
    )
}

/// The links of a random plan.
pub(crate) fn edges(plan: &Plan) -> &[EdgeSpec] {
    let Topology::Graph { links, .. } = &plan.topology else { unreachable!("plans here are graphs") };
    links
}

/// The group of each flow.
pub(crate) fn flows(plan: &Plan) -> Vec<&GroupSpec> {
    plan.groups.iter().flat_map(|group| std::iter::repeat_n(group, group.flows() as usize)).collect()
}

/// Hops between all pairs of nodes, by Floyd and Warshall's algorithm. (The engine uses breadth-first search.)
pub(crate) fn distances(plan: &Plan) -> Vec<Vec<u32>> {
    const FAR: u32 = 1_000;
    let Topology::Graph { nodes, links } = &plan.topology else { unreachable!("plans here are graphs") };
    let nodes = *nodes as usize;
    let mut hops = vec![vec![FAR; nodes]; nodes];
    for edge in links {
        hops[edge.from as usize][edge.to as usize] = 1;
    }
    for via in 0..nodes {
        hops[via][via] = 0;
        for from in 0..nodes {
            for to in 0..nodes {
                hops[from][to] = hops[from][to].min(hops[from][via] + hops[via][to]);
            }
        }
    }
    hops
}
