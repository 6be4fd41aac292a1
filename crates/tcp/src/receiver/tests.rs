mod batch;
mod blocks;
mod compression;
mod delay;
mod dsack;
mod echo;
mod reader;
mod tuning;

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::config::EcnMode;

const AT_ONCE: ReceiverConfig = ReceiverConfig { delayed_ack: false, sack_blocks: 0, ..ReceiverConfig::DEFAULT };
const DELAYED: ReceiverConfig =
    ReceiverConfig { delayed_ack: true, delayed_ack_timeout: Time::from_millis(100), ..AT_ONCE };

fn answers(config: ReceiverConfig, segments: &[u64]) -> Vec<Option<u64>> {
    let mut pool = ReceiverPool::default();
    let mut receiver = pool.add(config);
    let mut answer =
        |number: &u64| receiver.handle_segment(*number, Mark::NONE, Time::ZERO, &mut pool).ack.map(|ack| ack.next);
    segments.iter().map(&mut answer).collect()
}

#[test]
fn every_segment_is_acknowledged_cumulatively() {
    let expected = [Some(1), Some(1), Some(1), Some(4), Some(4)];
    assert_eq!(answers(AT_ONCE, &[0, 2, 3, 1, 1]), expected);
}

#[test]
fn delayed_acks_cover_two_segments_and_never_a_gap() {
    assert_eq!(answers(DELAYED, &[0, 1, 2, 3]), [Some(1), None, Some(3), None]);
    assert_eq!(answers(DELAYED, &[0, 2, 4, 1, 3]), [Some(1), Some(1), Some(1), Some(3), Some(5)]);
}

#[test]
fn a_partly_filled_gap_may_wait_if_configured() {
    let old = ReceiverConfig { ack_gap_fill: false, ..DELAYED };
    assert_eq!(answers(old, &[0, 3, 1, 2]), [Some(1), Some(1), None, Some(4)]);
}

#[test]
fn a_duplicate_of_the_last_segment_in_order_may_wait_if_configured() {
    let config = ReceiverConfig { delay_duplicates: true, ..DELAYED };
    assert_eq!(answers(DELAYED, &[0, 1, 1, 1]), [Some(1), None, Some(2), Some(2)]);
    assert_eq!(answers(config, &[0, 1, 2, 2, 2, 2, 3]), [Some(1), None, Some(3), None, Some(3), None, Some(4)]);
    assert_eq!(answers(config, &[0, 1, 2, 1, 2, 4]), [Some(1), None, Some(3), Some(3), None, Some(3)]);
    assert_eq!(answers(config, &[0, 0]), [Some(1), Some(1)], "a SYN never waits");
    // while segments are missing, a duplicate's ACK may wait only if a gap-filling segment's ACK may
    assert_eq!(answers(config, &[0, 1, 3, 1, 1]), [Some(1), None, Some(2), Some(2), Some(2)]);
    let old = ReceiverConfig { ack_gap_fill: false, ..config };
    assert_eq!(answers(old, &[0, 1, 3, 1, 1]), [Some(1), None, Some(2), None, Some(2)]);
    assert_eq!(answers(old, &[0, 3, 1, 1, 2]), [Some(1), Some(1), None, Some(2), Some(4)]);
}

#[test]
fn the_first_segment_may_wait_where_it_is_no_syn() {
    let config = ReceiverConfig { handshake: false, ..DELAYED };
    assert_eq!(answers(config, &[0, 1, 2]), [None, Some(2), None]);
    assert_eq!(answers(ReceiverConfig { ack_first: true, ..config }, &[0, 1, 2]), [Some(1), None, Some(3)]);
}

#[test]
fn the_timer_sends_the_ack_that_waits() {
    let mut pool = ReceiverPool::default();
    let mut receiver = pool.add(DELAYED);
    receiver.handle_segment(0, Mark::NONE, Time::ZERO, &mut pool);
    assert_eq!(receiver.poll_timeout(&pool), None);
    assert_eq!(receiver.handle_segment(1, Mark::NONE, Time::from_millis(5), &mut pool).ack, None);
    assert_eq!(receiver.poll_timeout(&pool), Some(Time::from_millis(105)));
    assert_eq!(receiver.handle_timeout(&mut pool), Some(Ack::cumulative(2)));
    assert_eq!(receiver.poll_timeout(&pool), None);
}

#[test]
fn blocks_report_the_latest_run_first_and_repeat_the_last_ones() {
    // RFC 2018, section 4; at most three blocks
    let mut pool = ReceiverPool::default();
    let mut receiver = pool.add(ReceiverConfig { sack_blocks: 3, ..AT_ONCE });
    let mut hear = |number| {
        let ack = receiver.handle_segment(number, Mark::NONE, Time::ZERO, &mut pool).ack.unwrap();
        (ack.next, ack.sack.blocks().iter().map(|block| (block.start, block.end)).collect::<Vec<_>>())
    };
    assert_eq!(hear(0), (1, vec![]));
    assert_eq!(hear(2), (1, vec![(2, 3)]));
    assert_eq!(hear(4), (1, vec![(4, 5), (2, 3)]));
    assert_eq!(hear(5), (1, vec![(4, 6), (2, 3)]));
    assert_eq!(hear(8), (1, vec![(8, 9), (4, 6), (2, 3)]));
    assert_eq!(hear(10), (1, vec![(10, 11), (8, 9), (4, 6)]), "the oldest no longer fits");
    assert_eq!(
        hear(9),
        (1, vec![(8, 11), (4, 6)]),
        "two runs became one; a run missing from the last ACK is not repeated"
    );
    assert_eq!(hear(4), (1, vec![(4, 6), (8, 11)]), "a duplicate counts as the latest");
    assert_eq!(hear(1), (3, vec![(4, 6), (8, 11)]), "only runs beyond the gap");
    assert_eq!(hear(3), (6, vec![(8, 11)]));
    assert_eq!(hear(7), (6, vec![(7, 11)]));
    assert_eq!(hear(6), (11, vec![]));
}

/// A receiver that stores each segment, without a pool and without a short path.
#[derive(Clone, Debug)]
struct Model {
    config: ReceiverConfig,
    segments: BTreeSet<u64>,
    reported: Vec<Block>,
    deadline: Option<Time>,
    /// Whether the last ACK reported a duplicate.
    has_reported: bool,
    /// Data packets: when they arrived, of which kind they were, and whether their mark requires two quick ACKs.
    arrivals: Vec<(Time, Kind, bool)>,
    /// Number of packets whose ACK waits.
    waiting: u32,
    /// The marks of acceptable segments, with CWR, in the order of their arrival.
    marks: Vec<Mark>,
    /// How many of them preceded the last ACK.
    echoed: usize,
    /// Whether an ACK answers an original.
    original: bool,
}

/// A data packet.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    New,
    /// A duplicate of a packet beyond a gap.
    Beyond,
    /// A duplicate of a packet in order, whose ACK is, or is not, one of the quick ACKs that it brings back.
    Old {
        counts: bool,
    },
}

/// An ACK: the next segment expected, the SACK blocks, the echo, and whether it answers an original.
type Answer = (u64, Vec<Block>, u8, bool);

fn answer(ack: Ack<'_>) -> Answer {
    (ack.next, ack.sack.blocks().to_vec(), ack.echo, ack.original)
}

impl Model {
    const fn new(config: ReceiverConfig) -> Self {
        Self {
            config,
            segments: BTreeSet::new(),
            reported: Vec::new(),
            deadline: None,
            has_reported: false,
            arrivals: Vec::new(),
            waiting: 0,
            marks: Vec::new(),
            echoed: 0,
            original: false,
        }
    }

    /// Whether the last packet requires a quick ACK, from all arrivals so far.
    fn is_quick(&self) -> bool {
        let ReceiverConfig { quick_acks, quick_acks_again, quick_acks_pause, .. } = self.config;
        // the last one is new: how many new packets have arrived from a given one on, including both
        let new_since =
            |place: usize| self.arrivals[place..].iter().filter(|(_, kind, _)| *kind == Kind::New).count() as u32;
        let mut since_causes = (0..self.arrivals.len()).filter_map(|place| match self.arrivals[place] {
            (_, Kind::Old { counts }, _) => Some(new_since(place) + u32::from(counts)),
            (at, ..) if place > 0 && at - self.arrivals[place - 1].0 > quick_acks_pause => Some(new_since(place)),
            _ => None,
        });
        let mut since_marks = (0..self.arrivals.len()).filter(|place| self.arrivals[*place].2).map(new_since);
        match self.arrivals[self.arrivals.len() - 1].1 {
            Kind::New => {
                new_since(0) <= quick_acks
                    || since_causes.any(|since| since <= quick_acks_again)
                    || since_marks.any(|since| since <= 2)
            }
            Kind::Beyond => false,
            Kind::Old { .. } => quick_acks_again > 0,
        }
    }

    /// The echo of an ACK sent now, from all marks so far.
    fn echo(&self) -> u8 {
        let marked = self.marks.iter().filter(|mark| mark.ce).count();
        match self.config.ecn {
            EcnMode::Off => 0,
            EcnMode::Classic => self.marks.iter().rfind(|mark| mark.ce || mark.cwr).is_some_and(|mark| mark.ce).into(),
            EcnMode::Dctcp => self.marks.last().is_some_and(|mark| mark.ce).into(),
            EcnMode::Accurate => (marked % 8) as u8,
        }
    }

    /// Whether the last segment is marked for the first time since CWR, or a retransmission.
    fn begins(&self) -> bool {
        let [before @ .., last] = &self.marks[..] else { return false };
        let echoes = before.iter().rfind(|mark| mark.ce || mark.cwr).is_some_and(|mark| mark.ce);
        last.again || last.ce && (last.cwr || !echoes)
    }

    /// Whether the mark of the last segment must be reported at once.
    fn is_urgent(&self) -> bool {
        let ce: Vec<bool> = [false].into_iter().chain(self.marks.iter().map(|mark| mark.ce)).collect();
        let [.., before, last] = ce[..] else { return false };
        let unreported = self.marks[self.echoed..].iter().filter(|mark| mark.ce).count();
        match self.config.ecn {
            EcnMode::Off => false,
            EcnMode::Classic => {
                self.config.quick_acks_again > 0 && (self.marks[self.marks.len() - 1].cwr || self.begins())
            }
            EcnMode::Dctcp => before != last,
            EcnMode::Accurate => last && (!before || unreported >= 2),
        }
    }

    fn next(&self) -> u64 {
        (0..1_000).find(|number| !self.segments.contains(number)).unwrap()
    }

    fn run_of(&self, number: u64) -> Option<Block> {
        let has = |number: &u64| self.segments.contains(number);
        let start = (0..=number).rev().take_while(has).last()?;
        Some(Block { start, end: (number..1_000).find(|number| !has(number)).unwrap() })
    }

    /// The two ACKs that may answer a segment.
    fn handle_segment(&mut self, number: u64, mark: Mark, now: Time) -> [Option<Answer>; 2] {
        let before = self.next();
        let is_syn = self.config.handshake && number == 0;
        let reports = self.config.dsack && self.config.sack_blocks > 0;
        let had_it = self.segments.contains(&number);
        let again = reports && !is_syn && had_it;
        let early = (before, Vec::new(), self.echo(), false);
        let is_urgent = number >= before && {
            self.marks.push(mark);
            self.is_urgent()
        };
        let has_gap = self.segments.range(before..).next().is_some();
        self.segments.insert(number);
        let is_next = number == before;
        if self.config.reports_originals && is_next && self.deadline.is_none() {
            self.original = !mark.again;
        }
        let fills_gap = is_next && self.next() > before + 1;
        let is_last_again = self.config.delay_duplicates && number + 1 == before;
        let may_wait = (is_next && !fills_gap || is_last_again) && !(has_gap && self.config.ack_gap_fill);
        let is_quick = !is_syn && {
            let kind = match had_it {
                false => Kind::New,
                true if number > before => Kind::Beyond,
                true => Kind::Old { counts: self.waiting > 0 || number + 1 == before },
            };
            let classic = self.config.ecn == EcnMode::Classic && self.config.quick_acks_again > 0;
            self.arrivals.push((now, kind, classic && number >= before && self.begins()));
            self.is_quick()
        };
        let is_first = is_syn || number == 0 && self.config.ack_first;
        let is_last = self.waiting + 1 >= self.config.ack_every;
        if self.config.delayed_ack && may_wait && !(is_first || is_urgent || again || is_quick || is_last) {
            self.deadline = self.deadline.or(Some(now + self.config.delayed_ack_timeout));
            self.waiting += 1;
            return [None, None];
        }
        let splits = self.config.ecn == EcnMode::Dctcp && is_urgent && self.deadline.is_some();
        [splits.then_some(early), Some(self.acknowledge(Some(number), again))]
    }

    fn acknowledge(&mut self, latest: Option<u64>, again: bool) -> Answer {
        (self.deadline, self.waiting) = (None, 0);
        self.has_reported = again;
        let next = self.next();
        let mut blocks: Vec<Block> = Vec::new();
        for number in latest.into_iter().chain(self.reported.iter().map(|block| block.start)).filter(|at| *at > next) {
            if let Some(run) = self.run_of(number).filter(|run| !blocks.contains(run)) {
                blocks.push(run);
            }
        }
        if again {
            blocks.splice(0..0, latest.map(|start| Block { start, end: start + 1 }));
        }
        blocks.truncate(self.config.sack_blocks as usize);
        if !blocks.is_empty() {
            self.reported.clone_from(&blocks);
        }
        self.echoed = self.marks.len();
        (next, blocks, self.echo(), self.original)
    }
}

/// What happens to a receiver.
#[derive(Clone, Debug)]
enum Step {
    Segment(u64, Mark),
    Timeout,
    Renewal,
}

fn steps() -> impl Strategy<Value = Vec<(usize, u64, Step)>> {
    let mark =
        || [0.4, 0.2, 0.2].map(prop::bool::weighted).prop_map(|[ce, cwr, again]| Mark { ce, cwr, again, ..Mark::NONE });
    let step = prop_oneof![
        20 => (0_u64..4, mark()).prop_map(|(ahead, mark)| Step::Segment(ahead, mark)),
        20 => (0_u64..24, mark()).prop_map(|(number, mark)| Step::Segment(number, mark)),
        2 => Just(Step::Timeout),
        1 => Just(Step::Renewal),
    ];
    prop::collection::vec((0_usize..3, 0_u64..150, step), 0..200)
}

prop_compose! {
    fn configs()(
        [delayed_ack, ack_gap_fill, delay_duplicates, ack_first, handshake, dsack, reports_originals] in any::<[bool; 7]>(),
        sack_blocks in 0_u32..5,
        ack_every in prop_oneof![2 => Just(2_u32), 1 => 1_u32..6],
        (quick_acks, quick_acks_again, pause) in (0_u32..20, 0_u32..5, 50_u64..200),
        ecn in prop::sample::select(vec![EcnMode::Off, EcnMode::Classic, EcnMode::Dctcp, EcnMode::Accurate]),
    ) -> ReceiverConfig {
        let rules = ReceiverConfig { handshake, delayed_ack, ack_gap_fill, delay_duplicates, ack_first, ..DELAYED };
        let quick_acks_pause = Time::from_millis(pause);
        let quick = ReceiverConfig { ack_every, quick_acks, quick_acks_again, quick_acks_pause, ..rules };
        ReceiverConfig { ecn, reports_originals, sack_blocks, dsack, ..quick }
    }
}

proptest! {
    /// Receivers that share a pool, and take the short path where it applies, answer like receivers that share nothing.
    /// The pool has no more records than receivers need at a time.
    #[test]
    fn receivers_that_share_a_pool_do_not_affect_each_other(
        configs in prop::collection::vec(configs(), 3),
        steps in steps(),
    ) {
        let mut pool = ReceiverPool::default();
        let mut receivers: Vec<Receiver> = configs.iter().map(|config| pool.add(*config)).collect();
        let mut models: Vec<Model> = configs.iter().copied().map(Model::new).collect();
        let (mut now, mut most) = (Time::ZERO, pool.records.len());
        for (place, millis, step) in steps {
            now += Time::from_millis(millis);
            let (receiver, model) = (&mut receivers[place], &mut models[place]);
            let mut had_record = true;
            match step {
                Step::Segment(ahead, mark) => {
                    // half of the segments are near the next one in order
                    let number = if ahead < 4 { (receiver.rcv_nxt() + ahead).saturating_sub(1) } else { ahead };
                    let (before, had_it) = (model.next(), model.segments.contains(&number));
                    let expected = model.handle_segment(number, mark, now);
                    let is_short = receiver.is_steady() && !mark.again;
                    let short = if is_short { receiver.take_in_order(number) } else { None };
                    let found = if let Some(next) = short {
                        prop_assert!(!had_it && next == before + 1);
                        [None, Some((next, Vec::new(), 0, model.config.reports_originals))]
                    } else if let Some(answer) = receiver.take_calmly(number, mark, now, &mut pool) {
                        prop_assert!(!had_it && receiver.rcv_nxt() == before + 1);
                        let plain = match answer {
                            calm::Answer::Plain { next, echo, original } => Some((next, Vec::new(), echo, original)),
                            calm::Answer::Waits { until } => {
                                prop_assert_eq!(receiver.poll_timeout(&pool), Some(until));
                                None
                            }
                        };
                        [None, plain]
                    } else {
                        had_record = !receiver.is_steady();
                        let arrival = receiver.handle_segment(number, mark, now, &mut pool);
                        prop_assert_eq!((arrival.in_order, arrival.duplicate), (model.next() - before, had_it));
                        [arrival.early().map(answer), arrival.ack.map(answer)]
                    };
                    prop_assert_eq!(found, expected);
                }
                Step::Timeout => {
                    if receiver.poll_timeout(&pool).is_some() {
                        let ack = receiver.handle_timeout(&mut pool).map(answer);
                        prop_assert_eq!(ack, Some(model.acknowledge(None, false)));
                    }
                }
                Step::Renewal => {
                    receiver.renew(&mut pool);
                    *model = Model::new(model.config);
                }
            }
            prop_assert_eq!(receiver.rcv_nxt(), model.next());
            prop_assert_eq!(receiver.received(&pool), model.next().saturating_sub(u64::from(model.config.handshake)));
            for (receiver, model) in receivers.iter().zip(&models) {
                prop_assert_eq!(receiver.poll_timeout(&pool), model.deadline);
                let has_gap = model.segments.range(model.next()..).next().is_some();
                let answers_original = model.original == model.config.reports_originals || model.segments.is_empty();
                let is_steady = !has_gap && !model.has_reported && !model.config.keeps_record() && answers_original;
                prop_assert_eq!(receiver.is_steady(), is_steady);
            }
            let in_use = receivers.iter().filter(|receiver| !receiver.is_steady()).count();
            // a duplicate takes a record even if nothing is missing
            most = most.max(in_use + usize::from(!had_record && receivers[place].is_steady()));
            prop_assert_eq!(pool.counts(), (most, most - in_use));
        }
    }

    #[test]
    fn any_order_with_duplicates_ends_at_the_first_segment_missing(mut segments in prop::collection::vec(0_u64..40, 0..120)) {
        let mut pool = ReceiverPool::default();
        let mut receiver = pool.add(AT_ONCE);
        for number in &segments {
            receiver.handle_segment(*number, Mark::NONE, Time::ZERO, &mut pool);
            let runs: Vec<Block> = receiver.record(&pool).map_or(Vec::new(), |record| record.beyond.iter().copied().collect());
            prop_assert!(runs.iter().all(|run| run.start < run.end && run.start > receiver.rcv_nxt));
            prop_assert!(runs.windows(2).all(|pair| pair[0].end < pair[1].start));
        }
        segments.sort_unstable();
        segments.dedup();
        let first_missing = (0..=40).find(|number| segments.binary_search(number).is_err()).unwrap();
        prop_assert_eq!(receiver.rcv_nxt(), first_missing);
    }
}

#[test]
fn a_gap_takes_the_memory_of_an_earlier_one() {
    let mut pool = ReceiverPool::default();
    let config = ReceiverConfig { sack_blocks: 3, ..AT_ONCE };
    let mut receivers = [pool.add(config), pool.add(config)];
    let mut held = None;
    for round in 0..10 {
        for receiver in &mut receivers {
            for number in [1, 0] {
                receiver.handle_segment(2 * round + number, Mark::NONE, Time::ZERO, &mut pool);
            }
            assert_eq!((pool.counts(), *held.get_or_insert(pool.memory())), ((1, 1), pool.memory()));
        }
    }
    assert_eq!(pool.configs.len(), 1);
}
