//! Disciplines from outside the engine, packet by packet.

use ackclock_tcp::Segment;

use super::*;
use crate::packet::Packet;
use crate::plan::PlanError;

/// Decides by the size of the packet and the place of the call.
#[derive(Debug)]
struct BySize;

impl ForeignDiscipline for BySize {
    fn on_arrival(&mut self, queue: &Waiting, packet: &Candidate) -> Result<Decision, Cause> {
        assert_eq!((packet.waited, queue.rate), (Time::ZERO, Rate::from_mbps(10)));
        Ok(if packet.size == 100 { Decision::Drop } else { Decision::Keep })
    }

    fn on_departure(&mut self, queue: &Waiting, packet: &Candidate) -> Result<Decision, Cause> {
        assert_eq!(packet.waited, queue.now - Time::SECOND);
        match packet.size {
            200 => Ok(Decision::Drop),
            300 => Ok(Decision::Mark),
            400 => Err(Arc::new(PlanError::new("size", "too large"))),
            _ => Ok(Decision::Keep),
        }
    }
}

#[derive(Debug)]
struct Maker;

impl DisciplineMaker for Maker {
    fn make(&self, link: u32, _: u64) -> Result<Box<dyn ForeignDiscipline>, Cause> {
        assert_eq!(link, 7);
        Ok(Box::new(BySize))
    }
}

fn queue(maker: Option<Arc<dyn DisciplineMaker>>) -> (Foreign, Arc<Failures>) {
    let spec =
        ForeignQueueSpec { limit: Limit::Packets(4), count_in_service: false, name: "BySize".into(), number: 0, maker };
    let context = Context::testing(Rate::from_mbps(10));
    let (mut queue, failures) = (build(&spec, &context), Arc::default());
    queue.place(7, &failures);
    (queue, failures)
}

fn packet(size: u32, ecn: Ecn) -> Queued {
    let segment = Segment { ecn, ..Segment::new(1, size) };
    let (packet, since) = (Packet::data(FlowId(0), 0, segment, Time::ZERO), Time::SECOND);
    Queued { packet, since, hop: 0, marked: false }
}

/// Validates: packets are dropped on arrival, by the limit, and at departure; a mark drops packets that cannot be marked.
/// Source: the contract above; RFC 3168, section 5.
/// Tolerance: exact.
#[test]
fn decisions_are_obeyed() {
    let (mut queue, failures) = queue(Some(Arc::new(Maker)));
    let mut dropped = Vec::new();
    assert_eq!(queue.enqueue(packet(100, Ecn::Ect0), 0, &mut dropped), Err(DropReason::Early));
    for (size, ecn) in [(200, Ecn::Ect0), (300, Ecn::NotEct), (300, Ecn::Ect0), (500, Ecn::NotEct)] {
        assert_eq!(queue.enqueue(packet(size, ecn), 0, &mut dropped), Ok(()));
    }
    assert_eq!(queue.enqueue(packet(500, Ecn::Ect0), 0, &mut dropped), Err(DropReason::Full));
    let now = Time::SECOND.saturating_mul(2);
    let first = queue.dequeue(now, &mut dropped).expect("the third packet");
    assert!(first.marked);
    let sizes: Vec<_> = dropped.iter().map(|(queued, reason)| (queued.packet.size(), *reason)).collect();
    assert_eq!(sizes, [(200, DropReason::Early), (300, DropReason::Early)]);
    let second = queue.dequeue(now, &mut dropped).expect("the last packet");
    assert_eq!((second.packet.size(), second.marked, queue.waiting()), (500, false, (0, 0)));
    assert_eq!(queue.dequeue(now, &mut dropped), None);
    assert!(failures.first().is_none());
}

/// Validates: a failure is recorded with the link and the time, also if the plan has no maker, and packets go on.
/// Source: the contract above.
/// Tolerance: exact.
#[test]
fn the_first_failure_is_kept() {
    let (mut failing, failures) = queue(Some(Arc::new(Maker)));
    failing.enqueue(packet(400, Ecn::NotEct), 0, &mut Vec::new()).expect("there is space");
    assert!(failing.dequeue(Time::SECOND.saturating_mul(3), &mut Vec::new()).is_some());
    let reported = failures.first().expect("it has failed").to_string();
    assert_eq!(reported, "discipline BySize: on_departure failed for link 7 at 3 s: size: too large");
    failing.enqueue(packet(100, Ecn::NotEct), 0, &mut Vec::new()).expect("it is not asked any more");

    let (mut missing, failures) = queue(None);
    missing.enqueue(packet(100, Ecn::NotEct), 0, &mut Vec::new()).expect("there is space");
    let reported = failures.first().expect("it has failed").to_string();
    assert!(reported.ends_with("the plan does not have the algorithm itself"), "{reported}");
}
