//! ACKs that wait on their way back.

use crate::numbers::{general, percent};
use crate::scene::{Group, Scene, Transport};
use crate::{Course, GroupCourse};

/// Share of the round-trip time without queues that ACKs wait, on average, from which they are reported.
const LONG: f64 = 0.25;
/// Utilization of the measured link from which slow ACKs cost nothing.
const FULL: f64 = 0.95;
/// A group whose application has too little to send for this share of the time gains nothing from faster ACKs.
const MOST: f64 = 0.5;

/// Reports groups whose ACKs wait for long, while the measured link has capacity left.
///
/// How long they wait is the mean round-trip time less the mean one-way delay of the data and the delays of the links that
/// the ACKs cross. It contains what a receiver waits before it acknowledges.
pub(crate) fn wait(scene: &Scene, course: &Course<'_>) -> Vec<String> {
    let used = course.summary.utilization;
    let of = |(group, found): (&Group, &GroupCourse)| {
        if used >= FULL || found.limited_application.unwrap_or_default() >= MOST {
            return None;
        }
        let waited = waited(scene, group, found)?;
        (waited >= LONG * group.round_trip / 1e12).then(|| {
            format!(
                "ACKs of group {} wait {} ms on average on their way back, beside a round-trip time of {} ms without \
                 queues: the path of the ACKs is congested or slow, which lowers the group's rate. {} was used to {}.",
                group.name,
                general(1e3 * waited, 4),
                general(group.round_trip / 1e9, 4),
                scene.link,
                percent(used, 0),
            )
        })
    };
    scene.groups.iter().zip(&course.groups).filter_map(of).collect()
}

/// How long the ACKs of a group wait, on average, in seconds.
fn waited(scene: &Scene, group: &Group, found: &GroupCourse) -> Option<f64> {
    if matches!(group.transport, Transport::Udp { .. }) {
        return None;
    }
    let back: u64 = group.acks.iter().map(|line| scene.lines[*line].delay.as_picos()).sum();
    Some(found.rtt_mean? - found.delay_mean? - back as f64 / 1e12)
}
