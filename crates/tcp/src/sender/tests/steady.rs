//! The short path of a steady sender equals the general path.

use std::collections::VecDeque;

use ackclock_units::Role;
use proptest::prelude::*;

use super::kinds::{cases, receivers, senders};
use super::*;
use crate::config::Pacing;
use crate::congestion::{BbrSpec, LawSpec, RenoSpec};
use crate::receiver::ReceiverPool;
use crate::segment::Sack;

/// Two equal senders. The second one never takes the short path.
struct Pair {
    short: Sender,
    general: Sender,
    /// Number of segments that the application has offered so far. The general sender is supplied with as many as it
    /// could use before each ACK and each turn; the other one only if they could make a difference.
    offered: u64,
    now: Time,
    /// Number of calls that took the short path.
    steady: u32,
}

impl Pair {
    fn new(config: &SenderConfig) -> Self {
        let sender = || Sender::new(config.clone(), Stream::new(1, Role::Sender, 0));
        Self { short: sender(), general: sender(), offered: 0, now: Time::ZERO, steady: 0 }
    }

    /// Supplies the senders before an ACK or before a turn.
    fn refill(&mut self, ack: Option<Ack<'_>>) {
        let refill = |sender: &mut Sender, offered: u64| {
            sender.supply(sender.send_quota().min(offered - sender.supplied()));
        };
        refill(&mut self.general, self.offered);
        let short = &mut self.short;
        let could_differ = match ack {
            Some(ack) => !short.is_steady_ack(ack) || short.may_run_short(ack.next),
            None => !short.is_steady() || short.runs_short(),
        };
        if could_differ {
            refill(short, self.offered);
        }
    }

    /// Applies a call to both senders and compares everything that shows.
    fn call(&mut self, call: impl Fn(&mut Sender)) {
        self.steady += u32::from(self.short.is_steady() || self.short.is_paced(1));
        call(&mut self.short);
        call(&mut self.general);
        self.general.connection.path = Path::General;
        let shown = |sender: &Sender| {
            // the time at which a processing time has ended makes no difference
            let release = sender.poll_release().map(|at| at.max(self.now));
            let (deadlines, state) = ((sender.poll_timeout(), release), sender.state());
            let waits = (sender.is_data_limited(), sender.is_paused(), sender.is_idle());
            let limits = (sender.limits.state(), sender.limits(self.now));
            format!("{deadlines:?} {state:?} {waits:?} {:?} {:?} {limits:?}", sender.counters(), sender.timing())
        };
        assert_eq!(shown(&self.short), shown(&self.general));
        // the timer is a lower bound of the time at which it fires
        let timer = self.short.poll_timeout();
        assert!(self.short.connection.timer.get() <= timer, "{:?} above {timer:?}", self.short.connection.timer);
        let just_before = timer.unwrap_or(Time::MAX).saturating_sub(Time::from_picos(1));
        assert_eq!([just_before, timer.unwrap_or(Time::MAX)].map(|at| self.short.times_out_after(at)), [true, false]);
    }

    /// The segments of a turn, in which the general sender is polled and the other one takes the short path if it can.
    /// A turn may be interrupted after `most` segments.
    fn turn(&mut self, now: Time, most: usize) -> Vec<Segment> {
        self.now = now;
        let expected: Vec<_> = std::iter::from_fn(|| self.general.poll_transmit(now)).take(most).collect();
        let (mut sent, short) = (Vec::new(), &mut self.short);
        let (size, ecn) = (short.packet_size(), short.codepoint());
        let segment = |number| Segment { ecn, ..Segment::new(number, size) };
        let is_paced = short.is_paced(most as u64);
        if is_paced {
            sent.extend(short.send_paced(now, most as u64).map(segment));
        }
        let is_timed = short.is_timed();
        let is_short = short.is_steady()
            && match if is_timed { short.start_turn::<true>(now) } else { short.start_turn::<false>(now) } {
                Turn::Over => true,
                Turn::Processing(end) => {
                    short.hold_until(now, end);
                    true
                }
                Turn::Sending => {
                    let most = most as u64;
                    let burst = if is_timed {
                        short.send_burst::<true>(now, most)
                    } else {
                        short.send_burst::<false>(now, most)
                    };
                    sent.extend(burst.clone().into_iter().flatten().map(segment));
                    burst.is_some()
                }
            };
        if !is_short && !is_paced {
            sent.extend(std::iter::from_fn(|| short.poll_transmit(now)).take(most));
        }
        assert_eq!(sent, expected);
        // an interrupted turn continues before any time passes; here it may not
        self.call(|sender| sender.limits.pass(now));
        sent
    }
}

/// One step of a conversation. Numbers select a packet among those in the network.
#[derive(Clone, Copy, Debug)]
enum Step {
    Supply(u64),
    /// A segment arrives, on which a queue has set a mark if it may.
    Segment(usize, bool),
    Ack(usize),
    /// Segments or ACKs are lost.
    Loss(usize),
    AckLoss(usize),
    /// An ACK that the receiver did not send, for a segment near the last.
    Forged(u64),
    /// The next deadline passes: the end of processing, or the retransmission timer.
    Deadline,
    /// The connection closes and opens again.
    Renew,
}

fn steps() -> impl Strategy<Value = Vec<(u64, Step)>> {
    let place = || prop_oneof![4 => Just(0_usize), 1 => 0_usize..5];
    let step = prop_oneof![
        20 => (1_u64..40).prop_map(Step::Supply),
        200 => (place(), prop::bool::weighted(0.05)).prop_map(|(place, ce)| Step::Segment(place, ce)),
        200 => place().prop_map(Step::Ack),
        8 => place().prop_map(Step::Loss),
        4 => place().prop_map(Step::AckLoss),
        4 => (0_u64..8).prop_map(Step::Forged),
        60 => Just(Step::Deadline),
        1 => Just(Step::Renew),
    ];
    let wait = prop_oneof![8 => 0_u64..3_000, 1 => 0_u64..3_000_000];
    prop::collection::vec((wait, step), 1..400)
}

proptest! {
    #![proptest_config(cases(400))]

    /// Validates: a sender that takes the short path whenever it may sends the same segments, and shows the same state,
    ///   deadlines, counters and limits, as a sender that never takes it: for any configuration, under losses, reordering,
    ///   marks, spurious ACKs, timeouts, limited data and interrupted turns. It may be supplied with data only when more
    ///   data could make a difference.
    /// Source: the general path.
    /// Tolerance: exact.
    #[test]
    fn the_short_path_equals_the_general_path(
        config in senders(),
        receiver in receivers(),
        most in prop_oneof![Just(1_000), 1_usize..4],
        is_lazy in any::<bool>(),
        steps in steps(),
    ) {
        let mut pair = Pair::new(&config);
        let mut pool = ReceiverPool::default();
        let mut receiver = pool.add(ReceiverConfig { handshake: config.handshake, ecn: config.ecn, ..receiver });
        let (mut segments, mut acks) = (VecDeque::<(Segment, Time)>::new(), VecDeque::<(u64, Sack, u8, bool)>::new());
        let mut now = Time::ZERO;
        for (micros, step) in steps {
            now += Time::from_micros(micros);
            match step {
                Step::Supply(count) => {
                    pair.offered += count;
                    if !is_lazy || pair.general.is_data_limited() || pair.general.is_paused() {
                        let offered = pair.offered;
                        pair.call(|sender| {
                            sender.supply(offered - sender.supplied());
                            sender.handle_supply();
                        });
                    }
                }
                Step::Segment(place, ce) => {
                    let Some((segment, sent)) = segments.remove(place) else { continue };
                    let Segment { number, retransmission: again, ecn, cwr, pushed, .. } = segment;
                    let mark = Mark { ce: ce && ecn.is_capable(), cwr, again, sent, pushed, probe: false };
                    let arrival = receiver.handle_segment(number, mark, now, &mut pool);
                    for ack in arrival.early().into_iter().chain(arrival.ack) {
                        acks.push_back((ack.next, *ack.sack, ack.echo, ack.original));
                    }
                }
                Step::Ack(place) => {
                    let Some((next, sack, echo, original)) = acks.remove(place) else { continue };
                    let ack = Ack { next, sack: &sack, echo, original };
                    pair.refill(Some(ack));
                    pair.call(|sender| sender.handle_ack(ack, now));
                }
                Step::Loss(place) => {
                    segments.remove(place);
                }
                Step::AckLoss(place) => {
                    acks.remove(place);
                }
                Step::Forged(back) => {
                    let next = (pair.short.connection.snd_max + 2).saturating_sub(back);
                    pair.refill(Some(Ack::cumulative(next)));
                    pair.call(|sender| sender.handle_ack(Ack::cumulative(next), now));
                }
                Step::Deadline => match (pair.short.poll_release(), pair.short.poll_timeout()) {
                    (Some(release), _) => {
                        now = now.max(release);
                        pair.refill(None);
                    }
                    (None, Some(timeout)) => {
                        now = now.max(timeout);
                        pair.refill(Some(Ack::cumulative(0)));
                        pair.call(|sender| sender.handle_timeout(now));
                    }
                    (None, None) => {}
                },
                Step::Renew => {
                    pair.now = now;
                    pair.call(|sender| sender.renew(now));
                    pair.offered = 0;
                    receiver.renew(&mut pool);
                    segments.clear();
                    acks.clear();
                }
            }
            segments.extend(pair.turn(now, most).into_iter().map(|segment| (segment, now)));
        }
    }
}

/// The comparison is worth something only if the short path is taken.
#[test]
fn a_transfer_without_losses_is_steady_from_its_first_data_on() {
    for recovery in [RecoverySpec::NewReno, RecoverySpec::Sack, RecoverySpec::Rack] {
        let config = SenderConfig { recovery, ..SenderConfig::default() };
        let mut pair = Pair::new(&config);
        pair.call(|sender| sender.supply(100));
        let mut next = 0;
        while !pair.short.is_idle() {
            let now = Time::from_millis(next);
            next += pair.turn(now, 1_000).len() as u64;
            pair.call(|sender| sender.handle_ack(Ack::cumulative(next), now));
            assert!(pair.short.is_steady());
        }
        assert!(pair.steady > 5);
    }
}

/// The same for paced senders, with and without samples of the delivery rate.
#[test]
fn a_paced_transfer_without_losses_takes_the_short_path() {
    let laws = [(LawSpec::Reno(RenoSpec {}), Pacing::Window), (LawSpec::Bbr(BbrSpec {}), Pacing::Law)];
    for ((congestion, pacing), overhead) in laws.into_iter().flat_map(|law| [0, 10].map(|micros| (law.clone(), micros)))
    {
        let overhead = Time::from_micros(overhead);
        let config =
            SenderConfig { recovery: RecoverySpec::Rack, congestion, pacing, overhead, ..SenderConfig::default() };
        let mut pair = Pair::new(&config);
        pair.call(|sender| sender.supply(200));
        let (mut next, mut held) = (0, 0);
        for step in 0.. {
            let now = Time::from_micros(300 * step);
            next += pair.turn(now, 1_000).len() as u64;
            held += u32::from(pair.short.poll_release().is_some());
            if pair.short.is_idle() {
                break;
            }
            if step % 4 == 0 {
                pair.call(|sender| sender.handle_ack(Ack::cumulative(next), now));
                assert!(next == 0 || pair.short.is_paced(1));
            }
        }
        assert!(pair.steady > 50 && held > 10, "{pacing:?}: {} calls, {held} turns held", pair.steady);
    }
}

#[test]
fn what_ends_and_restores_a_steady_state() {
    let sender = |recovery| {
        let config = SenderConfig { recovery, handshake: false, ..SenderConfig::default() };
        let mut sender = Sender::new(config, Stream::new(1, Role::Sender, 0));
        sender.supply(100);
        while sender.poll_transmit(Time::ZERO).is_some() {}
        sender
    };
    let ack = |sender: &mut Sender, next| {
        sender.handle_ack(Ack::cumulative(next), Time::from_millis(10));
        while sender.poll_transmit(Time::from_millis(10)).is_some() {}
        sender.is_steady()
    };
    for recovery in [RecoverySpec::Tahoe, RecoverySpec::Reno, RecoverySpec::NewReno] {
        let mut sender = sender(recovery);
        assert!(!sender.is_steady(), "before the first ACK");
        assert!(ack(&mut sender, 1));
        assert!(!ack(&mut sender, 1), "a duplicate");
        assert!(ack(&mut sender, 2));
        assert_eq!([2, 2, 2].map(|next| ack(&mut sender, next)), [false; 3]);
        assert_eq!(ack(&mut sender, 3), recovery != RecoverySpec::NewReno, "a partial ACK");
        sender.handle_timeout(Time::SECOND);
        assert!(sender.is_steady(), "go-back-N needs nothing else");
        ack(&mut sender, 3);
        sender.handle_timeout(Time::from_millis(3_000));
        assert_eq!(sender.is_steady(), recovery != RecoverySpec::Tahoe, "Tahoe keeps the count of duplicate ACKs");
    }
    let block = Sack::of(&[crate::segment::Block { start: 2, end: 3 }]);
    let partial = Ack { sack: &block, ..Ack::cumulative(1) };
    for recovery in [RecoverySpec::Sack, RecoverySpec::Rack] {
        let mut sender = sender(recovery);
        assert!(ack(&mut sender, 1));
        let next = Ack { next: 2, ..partial };
        assert!(!sender.is_steady_ack(next) && !sender.is_selective_ack(next), "it reads the blocks");
        sender.handle_ack(partial, Time::from_millis(20));
        assert!(!sender.is_steady(), "something is missing");
        assert!(ack(&mut sender, 3), "it was only out of order");
    }
    assert!(!ack(&mut sender(RecoverySpec::Vegas), 1), "it has its own records");
}
