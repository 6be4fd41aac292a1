//! The course of a run: its start-up phase, flows that start late, and shares that still change.

use ackclock_net::observe::Facts;

use crate::numbers::{general, percent, time};
use crate::scene::{Group, Scene, Source};

/// Relative change of the cov or of the mean arrivals, caused by the start-up phase, above which the phase is reported.
const WORTH_LEAVING_OUT: f64 = 0.05;
/// Share of the measured time after which the start of a group is an event of the scenario, not of its start-up phase.
const STAGED: f64 = 0.05;
/// Share of the measured time without a group's flows from which their late start is reported.
const LATE: f64 = 0.25;
/// Change of a group's share of all arrivals between the last two thirds of the measured time that is reported.
const SHARE_CHANGE: f64 = 0.05;

/// Reports too few bins, or a start-up phase that changes the results.
///
/// The criterion is the size of the change. A significance test for the start-up phase would need a model of the
/// dependence between bins. A test of the mean over the first tenth would miss a short phase that changes cov by half.
/// Flows that start or end within the measured time, and links that change, are events: a scenario with events has no
/// steady state to reach, and a later `measure.from` would leave out what it is about.
pub(crate) fn steady_state(scene: &Scene, bins: &[u32]) -> Vec<String> {
    let mut found = Vec::new();
    if bins.len() < 2 {
        let width = time(scene.bin);
        found.push(format!("cov is undefined: the measured time contains fewer than two whole bins of {width}."));
    }
    if has_steady_state(scene, bins) {
        match warm_up(bins) {
            Some(WarmUp::Drifts) => found.push(
                "The run does not reach steady state: arrivals still drift half-way through the measured time. Simulate a \
                 longer time."
                    .into(),
            ),
            Some(WarmUp::Ends(length @ 1..)) => found.extend(start(scene, bins, length)),
            Some(WarmUp::Ends(0)) | None => {}
        }
    }
    found
}

/// Whether all flows send from the start of the measured time to its end, over links that stay as they are.
fn has_steady_state(scene: &Scene, bins: &[u32]) -> bool {
    let is_event = |group: &Group| {
        group.stops || group.source == Source::Greedy { is_finite: true } || absent(scene, group, 1.0) > STAGED
    };
    let has_changes = scene.groups.iter().any(is_event) || scene.lines.iter().any(|line| line.changes);
    let last = (STAGED * bins.len() as f64).ceil() as usize;
    let any = |bins: &[u32]| bins.iter().any(|packets| *packets > 0);
    !has_changes && (any(&bins[bins.len() - last..]) || !any(bins))
}

/// The share of the measured time before the flows of a group start, after this share of their spread.
fn absent(scene: &Scene, group: &Group, spread: f64) -> f64 {
    let start = group.start.as_picos() as f64 + spread * group.spread.as_picos() as f64;
    let (from, end) = (scene.from.as_picos() as f64, scene.duration.as_picos() as f64);
    ((start - from).max(0.0) / (end - from)).min(1.0)
}

/// Result of MSER-5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WarmUp {
    /// Number of values to omit.
    Ends(usize),
    /// The series still drifts at its middle.
    Drifts,
}

const BATCH: usize = 5;
const LEAST_BATCHES: usize = 10;

/// MSER-5, as `ackclock.analysis.mser5` describes it; `None` for too few values.
fn warm_up(values: &[u32]) -> Option<WarmUp> {
    let sums: Vec<f64> =
        values.chunks_exact(BATCH).map(|batch| batch.iter().map(|value| f64::from(*value)).sum()).collect();
    let origin = *sums.last().filter(|_| sums.len() >= LEAST_BATCHES)?;
    let furthest = sums.len() / 2;
    let (mut total, mut squares, mut best, mut at) = (0.0, 0.0, f64::INFINITY, 0);
    for (cut, sum) in sums.iter().enumerate().rev() {
        let deviation = sum - origin;
        total += deviation;
        squares += deviation * deviation;
        if cut <= furthest {
            let left = (sums.len() - cut) as f64;
            let error = (squares - total * total / left) / (left * left);
            if error <= best {
                (best, at) = (error, cut);
            }
        }
    }
    Some(if at == furthest { WarmUp::Drifts } else { WarmUp::Ends(at * BATCH) })
}

fn start(scene: &Scene, bins: &[u32], length: usize) -> Option<String> {
    let ((mean, cov), (later_mean, later_cov)) = (mean_and_cov(bins), mean_and_cov(&bins[length..]));
    // Changes below these thresholds may occur by chance. For independent bins, they are four standard errors of the cov
    // and three of the mean. They are this wide because dependent bins vary more, and because MSER-5 chooses the
    // truncation point to exclude a bursty period.
    let by_chance = 3.0 / (bins.len() as f64).sqrt();
    let changes: Vec<String> =
        [("cov", cov, later_cov, by_chance), ("arrivals per bin", mean, later_mean, by_chance * later_cov)]
            .into_iter()
            .filter(|(_, now, later, share)| (later - now).abs() > share.max(WORTH_LEAVING_OUT) * now)
            .map(|(name, now, later, _)| format!("{name} would be {}, not {}", general(later, 4), general(now, 4)))
            .collect();
    let end = (scene.from.as_picos() + length as u64 * scene.bin.as_picos()) as f64 / 1e12;
    (!changes.is_empty()).then(|| {
        format!(
            "The run does not reach steady state before {} s: measured from there, {}. A later measure.from (now {}) \
             excludes the start.",
            general(end, 4),
            changes.join(" and "),
            time(scene.from),
        )
    })
}

/// Mean and coefficient of variation from exact sums; zeros if nothing arrives.
fn mean_and_cov(bins: &[u32]) -> (f64, f64) {
    let count = bins.len() as u128;
    let total: u128 = bins.iter().map(|packets| u128::from(*packets)).sum();
    let squares: u128 = bins.iter().map(|packets| u128::from(*packets).pow(2)).sum();
    let deviation = ((count * squares - total * total) as f64).sqrt();
    (total as f64 / count as f64, if total == 0 { 0.0 } else { deviation / total as f64 })
}

/// Reports groups whose flows start when a quarter of the measured time, or more, is over.
pub(crate) fn late_starts(scene: &Scene) -> Vec<String> {
    let late = |group: &Group| {
        let absent = absent(scene, group, 0.5);
        (absent >= LATE).then(|| {
            format!(
                "The flows of group {} start at {} s: rates and shares average over the whole measured time, in {} of \
                 which they have not started. A later measure.from (now {}) excludes that time.",
                group.name,
                general(group.start.as_secs_f64(), 4),
                percent(absent, 0),
                time(scene.from),
            )
        })
    };
    scene.groups.iter().filter_map(late).collect()
}

/// Reports that the shares of groups still change, although all arrivals together may be steady.
pub(crate) fn changing_shares(scene: &Scene, Facts { bins, thirds, .. }: &Facts) -> Vec<String> {
    let [middle, last] = [1, 2].map(|third| thirds.iter().map(|counts| counts[third]).sum::<u64>() as f64);
    if !has_steady_state(scene, bins) || middle == 0.0 || last == 0.0 {
        return Vec::new();
    }
    let mut largest = (0.0, None);
    for (group, counts) in scene.groups.iter().zip(thirds) {
        let (before, after) = (counts[1] as f64 / middle, counts[2] as f64 / last);
        // three standard errors of the difference, if arrivals were independent
        let by_chance = 3.0 * (before * (1.0 - before) / middle + after * (1.0 - after) / last).sqrt();
        let change: f64 = (after - before).abs();
        if change > by_chance.max(SHARE_CHANGE).max(largest.0) {
            let text = format!(
                "The share of group {} still changes: {} of all arrivals in the second third of the measured time, {} in \
                 the last. Simulate a longer time.",
                group.name,
                percent(before, 0),
                percent(after, 0),
            );
            largest = (change, Some(text));
        }
    }
    largest.1.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use ackclock_units::Time;

    use super::*;
    use crate::scene::testing::scene;

    #[test]
    fn mean_and_cov_by_hand() {
        let (mean, cov) = mean_and_cov(&[1, 2, 3]);
        assert!(mean == 2.0 && (cov - (2.0_f64 / 3.0).sqrt() / 2.0).abs() < 1e-15, "the variance is 2/3");
        assert_eq!(mean_and_cov(&[0, 0]), (0.0, 0.0));
    }

    /// The examples of `ackclock.analysis.mser5`.
    #[test]
    fn the_warm_up_ends_at_the_most_precise_mean() {
        let calm = [10, 11, 9, 10, 10].repeat(20);
        assert_eq!(warm_up(&[vec![0, 3, 6, 8, 9], calm.clone()].concat()), Some(WarmUp::Ends(5)));
        assert_eq!(warm_up(&calm), Some(WarmUp::Ends(0)), "of equally good cuts, the first");
        assert_eq!(warm_up(&(0..100).collect::<Vec<_>>()), Some(WarmUp::Drifts));
        assert_eq!(warm_up(&calm[..49]), None);
    }

    /// Of 3600 bins, a change above the 5 % limit and three standard errors of the mean counts: 3 / 60 = 5 %.
    #[test]
    fn a_start_that_changes_results() {
        let mut scene = scene();
        (scene.from, scene.bin) = (Time::SECOND, Time::from_micros(2500));
        let start = |before: &[u32], rest: &[u32]| super::start(&scene, &[before, rest].concat(), before.len());
        let calm = [90, 110].repeat(1500);
        assert_eq!(
            start(&[0].repeat(600), &calm).unwrap(),
            "The run does not reach steady state before 2.5 s: measured from there, cov would be 0.1, not 0.4604 and \
             arrivals per bin would be 100, not 83.33. A later measure.from (now 1 s) excludes the start.",
        );
        assert_eq!(start(&[90, 110].repeat(300), &calm), None);
        assert_eq!(start(&[100].repeat(200), &[90, 110].repeat(1700)), None, "the cov changes by 3 %");
        assert!(start(&[100].repeat(600), &calm).unwrap().contains("cov would be 0.1, not 0.09129."));
        // 100 bins: three standard errors of the cov are 30 %
        assert_eq!(start(&[100].repeat(30), &[90, 110].repeat(35)), None);
        assert!(start(&[100].repeat(50), &[90, 110].repeat(25)).unwrap().contains("cov would be 0.1, not"));
    }

    /// The last five of 100 bins are empty.
    #[test]
    fn traffic_that_stops_is_an_event() {
        let series = |busy: usize| [[5].repeat(busy), [0].repeat(100 - busy)].concat();
        for (busy, expected) in [(95, false), (96, true), (0, true)] {
            assert_eq!(has_steady_state(&scene(), &series(busy)), expected, "{busy} bins");
        }
    }
}
