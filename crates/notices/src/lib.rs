//! Notices: facts that users of a result must know, such as a window limit or an overload.
//!
//! They are written here once, for Python and for web pages. Most depend only on the plan, and on the names and values
//! of the scenario that a plan does not have ([`Labels`]); the others also on the outcome of a run ([`Course`]).

mod acks;
mod course;
mod limits;
mod load;
mod numbers;
mod paths;
mod queues;
mod recovery;
mod scene;

use std::borrow::Cow;

use ackclock_net::observe::{Facts, GroupSummary};
use ackclock_net::{Outcome, Plan, PlanError};
use serde::Deserialize;

use queues::DefaultLimits;
use scene::Scene;

/// Names and values of a scenario that its plan does not have.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Labels {
    /// The groups, in the order of the plan.
    pub groups: Vec<GroupLabel>,
    /// Name of the measured link.
    pub link: String,
    /// Names of the directed links of a graph, in the order of the plan. Those of a dumbbell have fixed names.
    #[serde(default)]
    pub links: Vec<String>,
    /// Size of packets of groups without a size of their own.
    pub packet_size: u32,
    /// Limit in packets of a queue for which the scenario gives none.
    pub room: u64,
    /// Notices of the caller about defaults that have changed, and about settings that nothing uses.
    #[serde(default)]
    pub changed: Vec<String>,
    #[serde(default)]
    #[expect(missing_docs, reason = "see the field before")]
    pub unused: Vec<String>,
}

/// A group of the scenario.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupLabel {
    /// Its name.
    pub name: String,
    /// Offered load of a source of requests on the measured link, as a share of its rate.
    #[serde(default)]
    pub load: Option<f64>,
}

/// The course of a run: the part of its [`Outcome`] that notices depend on, in the same form.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Course<'a> {
    summary: Used,
    groups: Vec<GroupCourse>,
    facts: Cow<'a, Facts>,
}

/// What crossed the measured link.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
struct Used {
    utilization: f64,
    goodput_bps: f64,
}

/// The results of a group.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
struct GroupCourse {
    completed: u64,
    departures: u64,
    throughput_bps: f64,
    queue_mean: f64,
    delay_mean: Option<f64>,
    rtt_mean: Option<f64>,
    limited_application: Option<f64>,
    limited_receiver_window: Option<f64>,
    limited_loss: Option<f64>,
    limited_timeout: Option<f64>,
}

impl From<&GroupSummary> for GroupCourse {
    fn from(group: &GroupSummary) -> Self {
        use ackclock_tcp::Limit;
        let GroupSummary { completed, departures, throughput_bps, queue_mean, delay_mean, rtt_mean, limited, .. } =
            group;
        Self {
            completed: *completed,
            departures: *departures,
            throughput_bps: *throughput_bps,
            queue_mean: *queue_mean,
            delay_mean: *delay_mean,
            rtt_mean: *rtt_mean,
            limited_application: limited.share(Limit::Application),
            limited_receiver_window: limited.share(Limit::ReceiverWindow),
            limited_loss: limited.share(Limit::Loss),
            limited_timeout: limited.share(Limit::Timeout),
        }
    }
}

impl<'a> From<&'a Outcome> for Course<'a> {
    fn from(outcome: &'a Outcome) -> Self {
        let Outcome { summary, groups, facts, .. } = outcome;
        Self {
            summary: Used { utilization: summary.utilization, goodput_bps: summary.goodput_bps },
            groups: groups.iter().map(GroupCourse::from).collect(),
            facts: Cow::Borrowed(facts),
        }
    }
}

/// The notices of the runs of a plan. Those that depend only on the plan are computed once.
#[derive(Clone, Debug)]
pub struct Notices {
    scene: Scene,
    before: Vec<String>,
    after: Vec<String>,
    default_limits: Vec<DefaultLimits>,
}

impl Notices {
    /// The notices of a plan.
    ///
    /// # Errors
    /// The plan has no network that a run accepts, or other groups or links than the labels.
    pub fn new(plan: &Plan, labels: Labels) -> Result<Self, PlanError> {
        let scene = Scene::new(plan, &labels)?;
        let after = [
            labels.changed,
            queues::red_out_of_reach(&scene),
            load::cut_sizes(&scene),
            queues::no_room(&scene),
            queues::small_buffer(&scene),
            queues::no_room_for_copa(&scene),
            load::overload(&scene),
            load::overload_of_requests(&scene),
            labels.unused,
            queues::unused_ecn(&scene),
            queues::unused_fields(&scene),
            recovery::without_sack(&scene),
            course::late_starts(&scene),
        ];
        let (before, default_limits) = (load::nothing_measured(&scene), queues::default_limits(&scene));
        Ok(Self { before, after: after.concat(), default_limits, scene })
    }

    /// The notices of a run.
    pub fn of(&self, course: &Course<'_>) -> Vec<String> {
        let Self { scene, before, after, default_limits } = self;
        [
            before.clone(),
            course::steady_state(scene, &course.facts.bins),
            course::changing_shares(scene, &course.facts),
            limits::limits(scene, course),
            acks::wait(scene, course),
            queues::red(scene, course.facts.red_avg_max),
            load::waited(scene, &course.facts.waited),
            load::unfinished(scene, course),
            queues::long_waits(scene, default_limits, course),
            load::crossed_before(scene, course),
            paths::unused(scene, &course.facts.unused).into_iter().collect(),
            after.clone(),
        ]
        .concat()
    }
}
