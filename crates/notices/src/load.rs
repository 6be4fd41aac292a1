//! What is offered to the measured link, and what a run did not complete.

use ackclock_net::sizes::LONGEST;

use crate::numbers::{general, percent, time};
use crate::scene::{Group, Scene, Source, Transport};
use crate::{Course, GroupCourse};

/// Smallest fraction of exponential packet sizes above the maximum packet size that is reported.
const CUT_WORTH_TELLING: f64 = 0.001;
/// Fraction of incomplete transfers above which a notice reports that completion times exclude them.
const LEFT_OUT: f64 = 0.05;
/// Smallest excess of goodput over the data that the measured link carried, relative to the link's rate, that is
/// reported: more than the packets in flight at the ends of a run of some seconds.
const EXCESS_WORTH_TELLING: f64 = 0.001;

pub(crate) fn nothing_measured(scene: &Scene) -> Vec<String> {
    let is_crossed = scene.crossing_groups().next().is_some();
    let text = || format!("No flow sends its data over the measured link, {}.", scene.link);
    (!is_crossed).then(text).into_iter().collect()
}

pub(crate) fn unfinished(scene: &Scene, course: &Course<'_>) -> Vec<String> {
    let counts = course.facts.unfinished.iter().zip(&course.groups);
    let text = |(group, (left, found)): (&Group, (&u64, &GroupCourse))| {
        let all = left + found.completed;
        (*left as f64 > LEFT_OUT * all as f64).then(|| {
            format!(
                "{left} of {all} transfers of group {} were incomplete at the end of the run. Completion times exclude \
                 them, and they tend to be the longest: simulate a longer time.",
                group.name,
            )
        })
    };
    scene.groups.iter().zip(counts).filter_map(text).collect()
}

/// Reports goodput above what the measured link carried: data that crossed the link before the measured time.
pub(crate) fn crossed_before(scene: &Scene, course: &Course<'_>) -> Vec<String> {
    let carried: f64 = course.groups.iter().map(|group| group.throughput_bps).sum();
    let excess = course.summary.goodput_bps - carried;
    if excess <= EXCESS_WORTH_TELLING * scene.rate {
        return Vec::new();
    }
    let measured = (scene.duration - scene.from).as_picos() as f64;
    vec![format!(
        "Goodput exceeds the data that {} carried in the measured time by {} MB ({} of the link's rate): {} MB had \
         crossed it before measure.from ({}), and were then behind it or waited at receivers for missing data.",
        scene.link,
        general(excess * measured / 1e12 / 8.0 / 1e6, 3),
        percent(excess / scene.rate, 2),
        general(course.facts.crossed_before as f64 / 1e6, 3),
        time(scene.from),
    )]
}

pub(crate) fn waited(scene: &Scene, counts: &[u64]) -> Vec<String> {
    let text = |(group, count): (&Group, &u64)| match group.source {
        Source::Requests { most, .. } if *count > 0 => Some(format!(
            "{count} requests of group {} waited for a connection, because each client has at most {most} at a time. \
             Their completion times include that wait.",
            group.name,
        )),
        _ => None,
    };
    scene.groups.iter().zip(counts).filter_map(text).collect()
}

/// Reports requests whose load reaches the link's rate, so that there is no steady state.
pub(crate) fn overload_of_requests(scene: &Scene) -> Vec<String> {
    if scene.groups.iter().any(|group| group.stops) {
        return Vec::new();
    }
    let offered = |(group, _): (&Group, _)| match group.source {
        Source::Requests { load, .. } => load,
        _ => 0.0,
    };
    let load: f64 = scene.crossing_groups().map(offered).sum();
    if load < 1.0 {
        return Vec::new();
    }
    vec![format!(
        "Requests offer {} of the rate of {}: they accumulate, and completion times grow with the length of the run.",
        percent(load, 0),
        scene.link,
    )]
}

/// Reports UDP sources that offer more than the link carries.
///
/// The notice does not say that the queue is full: if the limit includes the packet in service, the queue may be too
/// short for any other packet.
pub(crate) fn overload(scene: &Scene) -> Vec<String> {
    if scene.groups.iter().any(|group| group.stops) {
        return Vec::new();
    }
    let offered = scene.crossing_groups().map(|(group, crossing)| match (group.transport, group.source) {
        (Transport::Udp { .. }, Source::Paced(rate)) => {
            (crossing.count * rate * 8.0 * f64::from(group.packet_size)).min(crossing.narrowest)
        }
        _ => 0.0,
    });
    let share = offered.sum::<f64>() / scene.rate;
    if share <= 1.0 {
        return Vec::new();
    }
    let share = percent(share, 0);
    vec![format!("UDP sources alone offer {share} of the measured link's rate: the excess is lost at its queue.")]
}

/// Reports exponential packet sizes whose mean is lowered by the maximum packet size: by the fraction
/// `exp(-longest / mean)`.
pub(crate) fn cut_sizes(scene: &Scene) -> Vec<String> {
    let text = |group: &Group| {
        let mean = f64::from(group.packet_size);
        let cut = libm::exp(-f64::from(LONGEST) / mean);
        let is_cut = group.transport == (Transport::Udp { has_random_sizes: true }) && cut > CUT_WORTH_TELLING;
        is_cut.then(|| {
            format!(
                "Group {} cuts {} of its packets to {LONGEST} bytes: its mean packet size is {:.0} bytes, not {mean}.",
                group.name,
                percent(cut, 1),
                mean * (1.0 - cut),
            )
        })
    };
    scene.groups.iter().filter_map(text).collect()
}
