//! What limited groups, if that is not the network that a run is about.

use crate::numbers::{percent, rate};
use crate::scene::{Crossing, Group, Line, Scene, Source, Transport};
use crate::{Course, GroupCourse};

/// A group counts as limited by something if that held for at least this share of the measured time.
const MOST: f64 = 0.5;
/// Utilization of the measured link below which it counts as idle for most of the time.
const IDLE: f64 = 0.5;

/// Reports groups that the network's capacity did not limit.
pub(crate) fn limits(scene: &Scene, course: &Course<'_>) -> Vec<String> {
    let used = course.summary.utilization;
    let mut found = Vec::new();
    for (group, shares) in scene.groups.iter().zip(&course.groups) {
        let GroupCourse { limited_application, limited_receiver_window, limited_loss, limited_timeout, .. } = shares;
        let receiver = limited_receiver_window.unwrap_or_default();
        if receiver >= MOST {
            found.extend(by_receiver(scene, group, receiver));
        }
        if limited_timeout.is_some_and(|share| share > 0.0) {
            found.extend(by_waiting_bursts(scene, group));
        }
        let Some(crossing) = group.crossing.filter(|_| used < IDLE) else { continue };
        let loss = limited_loss.unwrap_or_default() + limited_timeout.unwrap_or_default();
        if loss >= MOST {
            found.extend(by_loss(scene, group, loss, used));
        }
        let application = limited_application.unwrap_or_default();
        if application >= MOST {
            found.extend(by_application(scene, group, crossing, application, used));
        }
    }
    found
}

fn by_receiver(scene: &Scene, group: &Group, share: f64) -> Option<String> {
    let Transport::Tcp { max_window, is_tuned, read_rate, .. } = group.transport else { return None };
    let tuned = if is_tuned { "rwnd = \"auto\", " } else { "" };
    let read = read_rate.map(|each| format!("read_rate = {}, ", rate(each))).unwrap_or_default();
    let text = format!(
        "Group {} was limited by its advertised window ({tuned}{read}max_window = {max_window}) in {} of its time: \
         congestion control had little effect then.",
        group.name,
        percent(share, 0),
    );
    if read_rate.is_some() {
        return Some(text);
    }
    // the bandwidth-delay product of the group's path, in its packets
    let product = |crossing: Crossing| {
        let rate = scene.rate.min(crossing.narrowest);
        (rate * group.round_trip / 1e12 / 8.0 / f64::from(group.packet_size)).round_ties_even()
    };
    Some(match group.crossing.map(product) {
        Some(product) if f64::from(max_window) < product => format!(
            "{text} The window is below one bandwidth-delay product ({product} packets): a larger transport.max_window \
             lets one flow fill the link."
        ),
        _ => text,
    })
}

/// Reports random loss and policers that keep the rate of a group low.
fn by_loss(scene: &Scene, group: &Group, share: f64, used: f64) -> Option<String> {
    let crossed = || group.data.iter().map(|line| &scene.lines[*line]);
    let lossy = crossed().filter(|line| line.is_lossy).map(|line| line.name.clone()).collect();
    let policed = |line: &Line| Some(format!("{} ({})", line.name, rate(line.policer?)));
    let policed = crossed().filter_map(policed).collect();
    let mut causes = Vec::new();
    if let Some(names) = listed(lossy) {
        causes.push(format!("the random loss of {names} (loss)"));
    }
    if let Some(names) = listed(policed) {
        causes.push(format!("the policer of {names}"));
    }
    (!causes.is_empty()).then(|| {
        format!(
            "Group {} was limited by loss in {} of its time, while {} was used to {}: {}, not the capacity, limits its \
             rate.",
            group.name,
            percent(share, 0),
            scene.link,
            percent(used, 0),
            causes.join(" and "),
        )
    })
}

/// Reports a channel that does not change while a sender waits for its timer.
fn by_waiting_bursts(scene: &Scene, group: &Group) -> Option<String> {
    let crossed = group.data.iter().map(|line| &scene.lines[*line]).filter(|line| line.bursts_in_packets);
    let names = listed(crossed.map(|line| line.name.clone()).collect())?;
    Some(format!(
        "Senders of group {} waited for timeouts, and the losses of {names} (gilbert-elliott-packets) change only with \
         packets: a burst goes on where it was when a sender comes back. The states of gilbert-elliott-time last in time.",
        group.name,
    ))
}

/// Different names in a row, each once.
fn listed(names: Vec<String>) -> Option<String> {
    let mut once: Vec<String> = Vec::new();
    for name in names {
        if !once.contains(&name) {
            once.push(name);
        }
    }
    (!once.is_empty()).then(|| once.join(", "))
}

/// Reports sources that offer less than the link carries.
fn by_application(scene: &Scene, group: &Group, crossing: Crossing, share: f64, used: f64) -> Option<String> {
    let (offered, field) = match group.source {
        Source::Requests { load, .. } => (load, "load"),
        Source::Paced(rate) => (crossing.count * rate * 8.0 * f64::from(group.packet_size) / scene.rate, "rate"),
        Source::Greedy { .. } | Source::Transfers => return None,
    };
    Some(format!(
        "Group {} was limited by its application in {} of its time: its sources offer {} of the rate of {}, which was \
         used to {}. A higher source.{field}, or more flows, use more of it.",
        group.name,
        percent(share, 0),
        percent(offered, 0),
        scene.link,
        percent(used, 0),
    ))
}
