//! Tests of the order in which events are taken.

use proptest::prelude::*;

use super::*;
use crate::engine::event::Wakeup;
use crate::engine::hop::{Hop, Stop};
use crate::packet::{FlowId, LinkId, Names, Packet, Payload};

/// Rounds with one word for each picosecond, and rounds so long that words lack the last bits of times.
const ROUNDS: [Rounds; 2] = [Rounds { bits: 20, ahead: 16 }, Rounds { bits: 40, ahead: 4 }];

/// Each hop has a link of its own.
static HOPS: [Hop; 301] = {
    let mut hops = [Hop::new(LinkId(0)); 301];
    let mut link = 0;
    while link < 301 {
        hops[link as usize] = Hop::new(LinkId(link));
        link += 1;
    }
    hops
};
static NAMES: Names = Names { links: Vec::new(), flows: Vec::new(), nodes: Vec::new() };
const TARGETS: Targets<'static> = Targets { hops: &HOPS, names: &NAMES };

fn sorted(mut events: Vec<Event>) -> Vec<Event> {
    events.sort_by_key(|event| event.key(TARGETS));
    events
}

fn event(at: u64, id: u32) -> Event {
    Event::wakeup_of(FlowId(id), Time::from_picos(at), Wakeup::Release)
}

fn add(agenda: &mut Agenda, component: usize, event: Event) {
    if let Some(slot) = agenda.add_own(component, event.at) {
        *slot = event;
    } else {
        agenda.add_to_heap(component, event, TARGETS);
    }
}

/// Takes the next event of the running component before `end`.
fn take_before(agenda: &mut Agenda, end: u64) -> Option<Event> {
    let end = Time::from_picos(end);
    let place = if agenda.is_next_known() { agenda.take_known(end) } else { agenda.take_any(end, TARGETS) };
    place.map(|place| *agenda.event(place))
}

/// Takes all events of a component until `end` in steps of `step`. `more` returns the events to add after each event
/// taken.
fn take_all(
    agenda: &mut Agenda,
    component: usize,
    end: u64,
    step: u64,
    mut more: impl FnMut(u64) -> Vec<Event>,
) -> Vec<Event> {
    let mut taken = Vec::new();
    let (mut now, rounds) = (0, agenda.rounds);
    let mut round = agenda.begin_next(0, TARGETS);
    while now < end {
        let round_end = rounds.end(round).as_picos();
        now = (now + step).min(round_end).min(end);
        agenda.switch(component);
        while let Some(event) = take_before(agenda, now) {
            assert!(event.at.as_picos() < now);
            taken.push(event);
            for event in more(event.at.as_picos()) {
                add(agenda, component, event);
            }
        }
        agenda.switch(component);
        if now == round_end {
            round = agenda.begin_next(rounds.of(Time::from_picos(end)), TARGETS);
            now = now.max(rounds.end(round).as_picos() - (1 << rounds.bits));
        }
    }
    taken
}

proptest! {
    #[test]
    fn events_are_taken_in_order_whatever_the_order_they_were_added_in(
        times in prop::collection::vec((0_u64..1 << 26, 0_u32..5), 1..300),
        step in 1_u64 << 14..1 << 24,
        long in any::<bool>(),
        // of the events that are added in order, each one at a multiple of this number is added first
        late in prop::option::of(2_usize..40),
    ) {
        // many events have equal times, and many more differ in the last bits
        let coarse = |at: u64| if long { at << 18 & !1 } else { at >> 12 << 12 };
        let scale = if long { 18 } else { 0 };
        let mut expected: Vec<Event> = times.iter().map(|(at, id)| event(coarse(*at) + u64::from(*id), *id)).collect();
        expected.extend(times.iter().map(|(at, id)| event(coarse(*at), *id)));
        let mut agenda = Agenda::new(&[Time::ZERO; 2], ROUNDS[usize::from(long)]);
        let mut added = expected.clone();
        if let Some(late) = late {
            added = sorted(added);
            let (first, rest): (Vec<_>, Vec<_>) = added.into_iter().enumerate().partition(|(place, _)| place % late == 0);
            added = first.into_iter().chain(rest).map(|(_, event)| event).collect();
        }
        for event in &added {
            add(&mut agenda, 1, *event);
        }
        let expected = sorted(expected);
        prop_assert_eq!(take_all(&mut agenda, 1, 1 << (27 + scale), step << scale, |_| Vec::new()), expected);
    }

    #[test]
    fn packets_arrive_in_order_and_between_wakeups(
        times in prop::collection::vec((0_u64..1 << 26, any::<bool>()), 1..300),
        step in 1_u64 << 14..1 << 24,
    ) {
        let mut agenda = Agenda::new(&[Time::ZERO; 1], ROUNDS[0]);
        let mut expected = Vec::new();
        for (id, (at, is_arrival)) in (0_u32..).zip(times) {
            let at = Time::from_picos(at >> 12 << 12);
            expected.push(if is_arrival {
                let payload = Payload::Data { number: id.into(), retransmission: false, connection: 3 };
                Event::arrival(at, Stop(id + 1), &Packet::new(FlowId(id), 1500, payload, at))
            } else {
                event(at.as_picos(), id)
            });
        }
        for event in &expected {
            add(&mut agenda, 0, *event);
        }
        let expected = sorted(expected);
        let taken = take_all(&mut agenda, 0, 1 << 26, step, |_| Vec::new());
        prop_assert_eq!(taken, expected);
    }

    #[test]
    fn events_added_meanwhile_are_taken_in_order(
        // some events have equal times
        gaps in prop::collection::vec(1_u64..1 << 6, 1..400),
        step in 1_u64 << 20..1 << 24,
    ) {
        let mut agenda = Agenda::new(&[Time::ZERO; 1], ROUNDS[0]);
        add(&mut agenda, 0, event(0, 0));
        let mut to_come = (1..).zip(&gaps);
        let more = |now| to_come.by_ref().take(2).map(|(id, gap)| event(now + (gap << 16), id)).collect();
        let taken = take_all(&mut agenda, 0, 1 << 34, step, more);
        prop_assert_eq!(taken.len(), 1 + gaps.len());
        prop_assert_eq!(sorted(taken.clone()), taken);
    }
}

proptest! {
    /// Components with skewed rounds, each of which adds events to any other one after a time that leads to a later round, in
    /// runs that stop at multiples of `step`.
    #[test]
    fn skewed_components_take_their_events_in_order_whenever_a_run_stops(
        skews in prop::collection::vec(0_u64..3 << 20, 3),
        gaps in prop::collection::vec((0_u64..1 << 24, 0_usize..3), 1..300),
        step in 1_u64 << 16..1 << 23,
    ) {
        let end = 1_u64 << 27;
        let times: Vec<Time> = skews.iter().map(|skew| Time::from_picos(*skew)).collect();
        let (mut agenda, rounds) = (Agenda::new(&times, ROUNDS[0]), ROUNDS[0]);
        let mut expected = vec![Vec::new(); 3];
        let mut taken = vec![Vec::new(); 3];
        let mut to_come = (0..).zip(gaps);
        let mut send = |agenda: &mut Agenda, from: Option<usize>, now: u64| {
            for (id, (gap, to)) in to_come.by_ref().take(2) {
                let least = from.filter(|from| *from != to).map_or(0, |from| (1 << 20) + skews[from].saturating_sub(skews[to]));
                let event = event(now + least + gap, id);
                add(agenda, to, event);
                expected[to].push(event);
            }
        };
        for component in 0..3 {
            send(&mut agenda, None, component);
        }
        let most = Time::from_picos(*skews.iter().max().unwrap());
        agenda.begin(0, TARGETS);
        let mut round = 0;
        for stop in (1..).map(|count| Time::from_picos((count * step).min(end))) {
            loop {
                for component in 0..3 {
                    let until = stop.min(rounds.end(round).saturating_sub(times[component]));
                    agenda.switch(component);
                    while let Some(event) = take_before(&mut agenda, until.as_picos()) {
                        taken[component].push(event);
                        send(&mut agenda, Some(component), event.at.as_picos());
                    }
                    agenda.switch(component);
                }
                if rounds.end(round) >= stop + most {
                    break;
                }
                round = agenda.begin_next(rounds.of(stop + most), TARGETS);
            }
            if stop.as_picos() == end {
                break;
            }
            round = rounds.of(stop);
            agenda.rewind(round, TARGETS);
        }
        for (taken, expected) in taken.into_iter().zip(expected) {
            let expected: Vec<Event> = sorted(expected).into_iter().filter(|event| event.at.as_picos() < end).collect();
            prop_assert_eq!(taken, expected);
        }
    }
}

/// An event at the end of time, such as that of a source which is never due, does not hold up a component with a skew.
#[test]
fn the_end_of_time_has_no_round() {
    let mut agenda = Agenda::new(&[Time::ZERO, Time::from_picos(3 << 20)], ROUNDS[0]);
    add(&mut agenda, 1, event(u64::MAX - 1, 0));
    add(&mut agenda, 1, event(5 << 20, 1));
    assert_eq!(agenda.begin_next(1 << 20, TARGETS), 8);
    agenda.switch(1);
    assert_eq!(take_before(&mut agenda, 1 << 40), Some(event(5 << 20, 1)));
    assert_eq!(take_before(&mut agenda, 1 << 40), None);
    agenda.switch(1);
}

#[test]
fn components_have_their_own_events() {
    let mut agenda = Agenda::new(&[Time::ZERO; 3], ROUNDS[0]);
    // in a bucket, in another round, and in a round without a bucket
    for at in [5, 1 << 21, 1 << 30] {
        for id in 0..3 {
            add(&mut agenda, id as usize, event(at, id));
        }
    }
    for (round, at) in [(0, 5), (2, 1 << 21), (1 << 10, 1 << 30)] {
        assert_eq!(agenda.begin_next(1 << 20, TARGETS), round);
        for id in 0..3 {
            agenda.switch(id as usize);
            assert_eq!(take_before(&mut agenda, u64::MAX), Some(event(at, id)));
            assert_eq!(take_before(&mut agenda, u64::MAX), None);
            agenda.switch(id as usize);
        }
    }
    assert_eq!(agenda.begin_next(1 << 20, TARGETS), 1 << 20);
}

#[test]
fn a_hundred_thousand_events_of_one_instant_are_taken_in_order() {
    let expected: Vec<Event> = (0..100_000).map(|id| event(77_777, id)).collect();
    let mut agenda = Agenda::new(&[Time::ZERO; 1], ROUNDS[0]);
    for event in &expected {
        add(&mut agenda, 0, *event);
    }
    let expected = sorted(expected);
    assert_eq!(take_all(&mut agenda, 0, 1 << 20, 1 << 20, |_| Vec::new()), expected);
}

#[test]
fn memory_is_reused() {
    let mut agenda = Agenda::new(&[Time::ZERO; 1], ROUNDS[0]);
    let mut used = 0;
    for round in 0..100 {
        for id in 0..100 {
            add(&mut agenda, 0, event((round << 20) + u64::from(id), id));
        }
        assert_eq!(agenda.begin_next(round, TARGETS), round);
        agenda.switch(0);
        while take_before(&mut agenda, u64::MAX).is_some() {}
        agenda.switch(0);
        if round == 1 {
            used = agenda.memory();
        }
    }
    assert!(agenda.memory() <= used, "two rounds need as much memory as a hundred");
}
