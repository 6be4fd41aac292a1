//! Web pages: a client opens a page, reads it, and opens the next one: a closed loop.
//!
//! The first object of a page, the document, comes alone on a connection. When it is complete, the client requests all
//! others, over at most `most` connections. A connection carries one object at a time and stays open for the page (HTTP/1.1
//! without pipelining, RFC 9112, section 9.3): a response is followed by the next request, one round trip later. A page is
//! complete with its last object; then the client closes its connections and thinks.
//!
//! Clients and servers need no time of their own, all objects come from one server, and an object does not refer to others.

use std::collections::VecDeque;

use ackclock_units::{Stream, Time};

use super::clients::Request;
use crate::packet::FlowId;
use crate::plan::PagesSpec;
use crate::source::whole_packets;

/// Most objects of a page.
const MOST_OBJECTS: u64 = 100_000;

impl PagesSpec {
    /// Validates the values.
    ///
    /// # Errors
    /// The invalid field and the problem.
    pub(crate) fn check(&self) -> Result<(), (&'static str, &'static str)> {
        let Self { document, objects, size, think, most } = self;
        for (field, distribution) in [("document", document), ("objects", objects), ("size", size), ("think", think)] {
            distribution.check().map_err(|problem| (field, problem))?;
        }
        if *most == 0 { Err(("most", "must be above 0")) } else { Ok(()) }
    }

    /// Mean packets of a page.
    pub(crate) fn mean_packets(&self) -> f64 {
        self.document.mean() + 0.5 + (self.objects.mean() + 0.5) * (self.size.mean() + 0.5)
    }
}

/// The pages of a client.
#[derive(Debug)]
pub(crate) struct Pages {
    spec: PagesSpec,
    /// Start of the current page.
    since: Time,
    /// Whether the document of the page is not complete.
    has_document: bool,
    /// Number of objects that are being sent.
    busy: u32,
    /// The connections that the page has opened.
    connections: Vec<FlowId>,
    /// Objects that are requested now, each on its connection.
    requests: Vec<(FlowId, Request)>,
}

impl Pages {
    pub(super) const fn new(spec: PagesSpec) -> Self {
        Self { spec, since: Time::ZERO, has_document: false, busy: 0, connections: Vec::new(), requests: Vec::new() }
    }

    /// Begins a page, and returns the packets of its document.
    pub(super) fn begin(&mut self, now: Time, stream: &mut Stream) -> u64 {
        (self.since, self.has_document) = (now, true);
        whole_packets(self.spec.document.draw(stream))
    }

    /// An object will be requested on a connection at once.
    pub(super) fn assign(&mut self, connection: FlowId, object: Request) {
        self.requests.push((connection, object));
        self.use_connection(connection);
    }

    /// The object that is requested on a connection, if there is one.
    pub(super) fn take_request(&mut self, connection: FlowId) -> Option<Request> {
        let place = self.requests.iter().position(|(other, _)| *other == connection)?;
        Some(self.requests.swap_remove(place).1)
    }

    /// An object occupies a connection.
    pub(super) fn use_connection(&mut self, connection: FlowId) {
        self.busy += 1;
        if !self.connections.contains(&connection) {
            self.connections.push(connection);
        }
    }

    /// An object is complete. After the document, adds the requests for all other objects.
    pub(super) fn completed(&mut self, now: Time, waiting: &mut VecDeque<Request>, stream: &mut Stream) {
        self.busy -= 1;
        if std::mem::take(&mut self.has_document) {
            let objects = whole_packets(self.spec.objects.draw(stream)).min(MOST_OBJECTS);
            let mut object = || Request { at: now, packets: whole_packets(self.spec.size.draw(stream)) };
            waiting.extend((0..objects).map(|_| object()));
        }
    }

    /// Whether no object is being sent.
    pub(super) const fn is_complete(&self) -> bool {
        self.busy == 0
    }

    /// Ends the page at `now`. Returns when it began, its connections, and when the next one begins.
    pub(super) fn end(&mut self, now: Time, stream: &mut Stream) -> (Time, Vec<FlowId>, Time) {
        let next = now.saturating_add(Time::from_secs_f64(self.spec.think.draw(stream)));
        (self.since, std::mem::take(&mut self.connections), next)
    }
}

/// What follows the completion of an object.
#[derive(Debug)]
pub(crate) enum AfterObject {
    /// The next objects are requested on these connections.
    Requests(Vec<FlowId>),
    /// The page is complete.
    Ends {
        /// The first flow of the client.
        client: FlowId,
        /// When the page began.
        since: Time,
        /// The connections to close.
        connections: Vec<FlowId>,
        /// When the next page begins.
        next: Time,
    },
}

#[cfg(test)]
mod tests {
    use ackclock_units::Role;

    use super::*;
    use crate::source::Distribution;

    /// Validates: after the document, all other objects are requested at once; the page is complete when none is being sent,
    ///     and the next one follows after the think time.
    /// Source: the definition, by hand: a document of 3 packets, 4 objects of 5 packets, two connections, 2 s.
    /// Tolerance: exact.
    #[test]
    fn objects_follow_the_document() {
        let fixed = |mean| Distribution::Fixed { mean };
        let spec =
            PagesSpec { document: fixed(3.0), objects: fixed(4.0), size: fixed(5.0), think: fixed(2.0), most: 2 };
        assert_eq!(spec.mean_packets(), 3.5 + 4.5 * 5.5);
        let (mut pages, mut stream, mut waiting) = (Pages::new(spec), Stream::new(1, Role::Source, 0), VecDeque::new());
        let at = Time::from_millis;
        assert_eq!(pages.begin(at(100), &mut stream), 3);
        pages.use_connection(FlowId(7));
        pages.completed(at(200), &mut waiting, &mut stream);
        assert_eq!(waiting, vec![Request { at: at(200), packets: 5 }; 4]);
        for connection in [7, 8, 7, 8] {
            pages.use_connection(FlowId(connection));
        }
        for left in [3, 2, 1, 0] {
            pages.completed(at(300), &mut waiting, &mut stream);
            assert_eq!(pages.is_complete(), left == 0);
        }
        assert_eq!(waiting.len(), 4, "only the document leads to requests");
        assert_eq!(pages.end(at(400), &mut stream), (at(100), vec![FlowId(7), FlowId(8)], at(2_400)));
    }
}
