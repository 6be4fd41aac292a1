//! Clients that open a connection for each request: an open loop, since requests arrive whether or not earlier ones
//! have been served.
//!
//! The requests of a client form a Poisson process, and their sizes are independent of this process. Both are drawn
//! from the client's own stream in the order of requests, so that neither depends on the network. A connection uses one
//! of the client's flows, the most recently freed one, and resets all state of the flow: handshake, window, timers,
//! receiver. Packets of an earlier connection of the flow may still be in the network. They are recognised by their
//! connection number (`Payload`), as real hosts recognise them by ports and sequence numbers. If a client has no free
//! flow, its requests wait in the order of arrival; their completion time is measured from their arrival.

use std::collections::VecDeque;

use ackclock_tcp::{Counters, RoundTrips};
use ackclock_units::{Role, Stream, Time};

use super::pages::{AfterObject, Pages};
use crate::packet::{FlowId, Name, Names};
use crate::plan::{GroupSpec, PagesSpec, Plan, SourceSpec};
use crate::source::schedule::Schedule;
use crate::source::{Distribution, whole_packets};

/// A requested transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) at: Time,
    pub(crate) packets: u64,
}

/// All clients of a plan, in the order of their flows.
#[derive(Debug, Default)]
pub(crate) struct Clients {
    clients: Vec<Client>,
    /// Counters of the closed connections of each flow; empty without clients.
    past: Vec<Counters>,
}

/// What a client requests.
#[derive(Debug)]
enum Demand {
    /// Transfers, each on its own connection: a Poisson process of a rate per second, with these sizes in packets.
    Transfers {
        rate: f64,
        size: Distribution,
    },
    Pages(Box<Pages>),
}

#[derive(Debug)]
pub(crate) struct Client {
    group: u32,
    /// Flows of the client: the first (`first`), their number (`most`), the number used so far (`used`), and the flows
    /// that are currently free (`free`).
    first: u32,
    most: u32,
    used: u32,
    free: Vec<FlowId>,
    demand: Demand,
    stream: Stream,
    /// Time of the client's next request or page; [`Time::MAX`] if there is none.
    next: Time,
    schedule: Option<Schedule>,
    waiting: VecDeque<Request>,
    /// Number of requests that had to wait.
    waited: u64,
}

impl Clients {
    pub(crate) fn of(plan: &Plan, names: &Names, seed: u64) -> Self {
        let (mut clients, mut flow) = (Vec::new(), 0);
        for (index, group) in (0..).zip(&plan.groups) {
            let demand = || match &group.source {
                SourceSpec::Connections { rate, size, .. } => {
                    Some(Demand::Transfers { rate: *rate, size: size.clone() })
                }
                SourceSpec::Pages(spec) => Some(Demand::Pages(Box::new(Pages::new(PagesSpec::clone(spec))))),
                _ => None,
            };
            let client =
                |place| Some(Client::new(group, index, flow + place * group.flows_of_client(), demand()?, names, seed));
            clients.extend((0..group.count).map_while(client));
            flow += group.flows();
        }
        let past = if clients.is_empty() { 0 } else { flow as usize };
        Self { clients, past: vec![Counters::default(); past] }
    }

    /// The first request of each client: its time, and the flow that identifies the client.
    pub(crate) fn first_requests(&self) -> impl Iterator<Item = (Time, FlowId)> {
        self.clients.iter().map(|client| (client.next, FlowId(client.first)))
    }

    /// The client that owns a flow.
    fn of_flow(&mut self, FlowId(flow): FlowId) -> &mut Client {
        let behind = self.clients.partition_point(|client| client.first <= flow);
        &mut self.clients[behind - 1]
    }

    /// Handles the time of a client's request, of a page, or of an object of a page. Returns the flow to use, unless the
    /// request must wait, and the time of the next request; a page sets it when it ends.
    pub(crate) fn request(&mut self, flow: FlowId) -> (Option<(FlowId, Request)>, Option<Time>) {
        let client = self.of_flow(flow);
        let at = client.next;
        let (packets, next) = match &mut client.demand {
            Demand::Transfers { size, .. } => {
                let packets = whole_packets(size.draw(&mut client.stream));
                client.next = client.after(at);
                (packets, Some(client.next))
            }
            Demand::Pages(pages) => match pages.take_request(flow) {
                Some(object) => return (Some((flow, object)), None),
                None => (pages.begin(at, &mut client.stream), None),
            },
        };
        let request = Request { at, packets };
        let place = client.take_flow();
        match (place, &mut client.demand) {
            (Some(connection), Demand::Pages(pages)) => pages.use_connection(connection),
            (None, _) => {
                client.waiting.push_back(request);
                client.waited += 1;
            }
            _ => {}
        }
        (place.map(|flow| (flow, request)), next)
    }

    /// Handles the completion of an object at `now`, if the flow's client loads pages.
    pub(crate) fn complete_object(&mut self, flow: FlowId, now: Time) -> Option<AfterObject> {
        let client = self.of_flow(flow);
        let Demand::Pages(pages) = &mut client.demand else { return None };
        pages.completed(now, &mut client.waiting, &mut client.stream);
        client.free.push(flow);
        let mut connections = Vec::new();
        while !client.waiting.is_empty()
            && let Some(connection) = client.take_flow()
            && let (Some(object), Demand::Pages(pages)) = (client.waiting.pop_front(), &mut client.demand)
        {
            pages.assign(connection, object);
            connections.push(connection);
        }
        let Demand::Pages(pages) = &mut client.demand else { return None };
        if !pages.is_complete() {
            return Some(AfterObject::Requests(connections));
        }
        let (since, connections, next) = pages.end(now, &mut client.stream);
        let next = client.admit(next);
        client.next = next;
        Some(AfterObject::Ends { client: FlowId(client.first), since, connections, next })
    }

    /// Adds the counters of a sender of a flow whose connection is closed.
    pub(crate) fn add_past(&mut self, FlowId(flow): FlowId, done: Counters) {
        let past = &mut self.past[flow as usize];
        *past = past.plus(done);
    }

    /// Closes the connection of a flow and adds its sender's counters. Returns the waiting request that the flow serves
    /// next, if any.
    pub(crate) fn close(&mut self, flow: FlowId, done: Counters) -> Option<Request> {
        self.add_past(flow, done);
        let client = self.of_flow(flow);
        let request = client.waiting.pop_front();
        if request.is_none() {
            client.free.push(flow);
        }
        request
    }

    /// Forgets the round-trip samples of earlier connections.
    pub(crate) fn restart_round_trips(&mut self) {
        self.past.iter_mut().for_each(|past| past.round_trips = RoundTrips::default());
    }

    /// Counters of earlier connections of a flow.
    pub(crate) fn past(&self, FlowId(flow): FlowId) -> Counters {
        self.past.get(flow as usize).copied().unwrap_or_default()
    }

    /// Memory in bytes.
    pub(crate) fn memory(&self) -> usize {
        let of_client = |client: &Client| {
            client.waiting.capacity() * size_of::<Request>() + client.free.capacity() * size_of::<FlowId>()
        };
        size_of_val(&self.clients[..]) + size_of_val(&self.past[..]) + self.clients.iter().map(of_client).sum::<usize>()
    }

    /// For each client: its group and the number of its requests that had to wait so far.
    pub(crate) fn waited(&self) -> impl Iterator<Item = (u32, u64)> {
        self.clients.iter().map(|client| (client.group, client.waited))
    }

    /// Requests still waiting, each with its client's group and first flow.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = (u32, FlowId, Request)> {
        let of_client = |client: &Client| (client.group, FlowId(client.first));
        self.clients.iter().flat_map(move |client| {
            let (group, first) = of_client(client);
            client.waiting.iter().map(move |request| (group, first, *request))
        })
    }
}

impl Client {
    fn new(spec: &GroupSpec, group: u32, first: u32, demand: Demand, names: &Names, seed: u64) -> Self {
        let Name(name) = names.flow(FlowId(first));
        let mut client = Self {
            group,
            first,
            most: spec.flows_of_client(),
            used: 0,
            free: Vec::new(),
            demand,
            stream: Stream::new(seed, Role::Source, name),
            next: Time::ZERO,
            schedule: spec.schedule_of(name, seed),
            waiting: VecDeque::new(),
            waited: 0,
        };
        client.next = client.after(spec.start_of(name, seed));
        client
    }

    /// Time of the next request after the start or a request at `now`. The first page begins at the start.
    fn after(&mut self, now: Time) -> Time {
        match self.demand {
            Demand::Transfers { rate, .. } => {
                let next = now.saturating_add(Time::from_secs_f64(self.stream.exponential() / rate));
                self.schedule.as_mut().map_or(Some(next), |schedule| schedule.shift(next)).unwrap_or(Time::MAX)
            }
            Demand::Pages(_) => self.admit(now),
        }
    }

    /// The time at which the client acts that would act at `due` without pauses; [`Time::MAX`] if no period is left.
    fn admit(&mut self, due: Time) -> Time {
        self.schedule.as_mut().map_or(Some(due), |schedule| schedule.admit(due)).unwrap_or(Time::MAX)
    }

    /// Takes a free flow, if there is one.
    fn take_flow(&mut self) -> Option<FlowId> {
        if let Some(flow) = self.free.pop() {
            return Some(flow);
        }
        let fresh = (self.used < self.most).then_some(FlowId(self.first + self.used))?;
        self.used += 1;
        Some(fresh)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::testing::dumbbell_of_reno;
    use crate::source::kolmogorov;

    fn clients(count: u32, most: u32) -> Clients {
        let mut plan = dumbbell_of_reno(count);
        plan.groups[0].source =
            SourceSpec::Connections { rate: 5.0, size: Distribution::Exponential { mean: 1e6 }, most };
        Clients::of(&plan, &Names::default(), 1)
    }

    /// Validates: requests are a Poisson process and their sizes have the given distribution, whatever happened to
    /// earlier requests.
    /// Source: gaps of a Poisson process are exponential.
    /// Tolerance: the 99.9 % level of the Kolmogorov-Smirnov test, 50,000 requests at a fixed seed; sizes have a mean
    /// of a million packets, so that rounding is negligible.
    #[test]
    fn requests_are_a_poisson_process_and_sizes_have_their_distribution() {
        let (mut idle, mut busy) = (clients(1, 2), clients(1, 2));
        let (mut gaps, mut sizes, mut before) = (Vec::new(), Vec::new(), Time::ZERO);
        let mut last = None;
        for _ in 0..50_000 {
            let (opens, _) = idle.request(FlowId(0));
            let (flow, request) = opens.expect("the other one was closed");
            busy.request(FlowId(0));
            idle.close(flow, Counters::default());
            gaps.push((request.at - before).as_secs_f64());
            sizes.push(request.packets as f64);
            (before, last) = (request.at, Some(request));
        }
        assert_eq!(busy.waiting().last().map(|(_, _, request)| request), last, "requests do not depend on the network");
        assert_eq!((busy.waiting().count(), busy.waited().next()), (49_998, Some((0, 49_998))));
        let (times, sizes) =
            (kolmogorov(gaps, |x| 1.0 - (-5.0 * x).exp()), kolmogorov(sizes, |x| 1.0 - (-x / 1e6).exp()));
        println!("measured: {times:.2} (gaps), {sizes:.2} (sizes)");
        assert!(times < 1.95 && sizes < 1.95);
    }

    #[test]
    fn a_request_takes_the_flow_that_was_left_last_or_waits_for_one() {
        let mut clients = clients(2, 2);
        let opened = |clients: &mut Clients| clients.request(FlowId(2)).0.map(|(flow, _)| flow.0);
        assert_eq!([opened(&mut clients), opened(&mut clients), opened(&mut clients)], [Some(2), Some(3), None]);
        let (_, first, waiting) = clients.waiting().next().expect("one waits");
        assert_eq!(first, FlowId(2));
        let done = Counters { sent: 3, ..Counters::default() };
        assert_eq!(clients.close(FlowId(2), done), Some(waiting));
        assert_eq!(clients.close(FlowId(3), done), None);
        assert_eq!(clients.close(FlowId(2), done), None);
        assert_eq!([opened(&mut clients), opened(&mut clients)], [Some(2), Some(3)]);
        assert_eq!((clients.past(FlowId(2)).sent, clients.past(FlowId(3)).sent), (6, 3));
        assert_eq!(clients.past(FlowId(0)).sent, 0);
    }
}
