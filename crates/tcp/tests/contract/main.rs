//! Checks the contract (`src/contract.rs`) that every variant keeps with every option, for arbitrary segments and ACKs. The contract
//! requires at most one reduction per congestion event; a window of at least one segment that grows no faster than slow
//! start; never more in flight than allowed; a running timer while data is outstanding; and transfers that end.

mod foreign;
mod kinds;
mod scripts;

use ackclock_tcp::congestion::{BaseRtt, LawSpec, STATES, VegasSpec};
use ackclock_tcp::contract::{Channel, Script, window_is_sane};
use ackclock_tcp::recovery::RecoverySpec;
use ackclock_tcp::{Ack, Block, IdleRestart, Sack, Sender, SenderConfig};
use ackclock_units::{Role, Stream, Time};
use proptest::prelude::*;

use kinds::{RECOVERIES, cases, laws, senders};
use scripts::scripts;

#[derive(Clone, Copy, Debug)]
enum Step {
    /// After `millis` milliseconds an ACK arrives for `advance` more segments, but at most for all segments sent. It
    /// advertises any window.
    Ack { millis: u16, advance: u64, echo: u8, window: u32 },
    /// After `millis` milliseconds the last ACK arrives again, with one SACK block. `block` is the distance of that
    /// block beyond the ACK, and its length.
    Duplicate { millis: u16, block: (u64, u64) },
    /// Nothing arrives until the timer fires.
    Timeout,
    /// The application supplies more data.
    Supply(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let windows = prop_oneof![4 => 0_u32..20, 1 => any::<u32>()];
    let step = prop_oneof![
        4 => (0_u16..500, 1_u64..6, 0_u8..8, windows).prop_map(|(millis, advance, echo, window)| {
            Step::Ack { millis, advance, echo, window }
        }),
        4 => (0_u16..50, (1_u64..30, 1_u64..10)).prop_map(|(millis, block)| Step::Duplicate { millis, block }),
        1 => Just(Step::Timeout),
        2 => (1_u64..30).prop_map(Step::Supply),
    ];
    prop::collection::vec(step, 1..200)
}

/// A stale record of Vegas, reproduced from ns-2, must not make the sender transmit a segment that the application
/// never supplied. (Minimized from a failure of `every_transfer_keeps_the_contract_and_ends`.)
///
/// Validates: a sender sends no segment that the application has not supplied, even with stale records.
/// Source: RFC 9293, section 3.3.1 (SND.NXT does not pass the end of the data).
/// Tolerance: exact.
#[test]
fn a_stale_record_sends_nothing_beyond_the_data() {
    let config = SenderConfig {
        handshake: false,
        initial_window: 4,
        max_window: 4,
        recovery: RecoverySpec::Vegas,
        congestion: LawSpec::Vegas(VegasSpec { alpha: 1.0, beta: 3.0, gamma: 1.0, base_rtt: BaseRtt::Ns2 }),
        stale_records: true,
        ..SenderConfig::default()
    };
    let mut sender = Sender::new(config, Stream::new(1, Role::Sender, 0));
    sender.supply(6);
    let mut sent = Vec::new();
    // the ACK for segments 2 to 4 passes the end of ns-2's array of four, so the record of 2 stays in the slot of 6
    for (millis, next) in [(0, 0), (100, 2), (200, 5), (1000, 5), (1010, 5), (1020, 5), (1100, 6)] {
        let now = Time::from_millis(millis);
        sender.handle_ack(Ack::cumulative(next), now);
        sent.extend(std::iter::from_fn(|| sender.poll_transmit(now)).map(|segment| segment.number));
    }
    assert_eq!(sent, [0, 1, 2, 3, 4, 5, 5]);
}

/// A cumulative ACK inside a block that the receiver reported before is a contradiction, but must not cause
/// acknowledged data to be sent. (Minimized from a failure of `any_conversation_keeps_the_window_sane`.)
///
/// Validates: a rescue retransmission never sends acknowledged data, for any reported blocks.
/// Source: RFC 6675, section 4, NextSeg, rule 4.
/// Tolerance: exact.
#[test]
fn a_rescue_sends_nothing_below_the_cumulative_ack() {
    let config = SenderConfig { handshake: false, recovery: RecoverySpec::Sack, ..SenderConfig::default() };
    let mut sender = Sender::new(config, Stream::new(1, Role::Sender, 0));
    sender.supply(10);
    let mut sent = Vec::new();
    for (next, block) in [(0, None), (0, Some((4, 10))), (5, None)] {
        let sack = Sack::of(&block.map(|(start, end)| Block { start, end }).into_iter().collect::<Vec<_>>());
        sender.handle_ack(Ack { next, sack: &sack, echo: 0, original: false }, Time::ZERO);
        while let Some(segment) = sender.poll_transmit(Time::ZERO) {
            assert!(segment.number >= next, "{segment:?} after an ACK for all before {next}");
            sent.push(segment.number);
        }
    }
    assert_eq!(sent[..10], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
}

/// After a timeout, new data may leave before `snd_nxt` has reached `snd_max`, because the segments between were reported.
/// Limited transmit must count it. (Minimized from a failure of `every_law_keeps_the_contract_with_every_recovery`.)
///
/// Validates: limited transmit keeps no more than the window in the network, also after a timeout.
/// Source: RFC 6675, section 5, (3.C): new data is sent only while `cwnd - pipe` is at least one segment.
/// Tolerance: exact.
#[test]
fn limited_transmit_after_a_timeout_counts_new_data() {
    let config = SenderConfig {
        handshake: false,
        initial_window: 10,
        byte_counting: 8,
        limited_transmit: true,
        recovery: RecoverySpec::Sack,
        ..SenderConfig::default()
    };
    let mut sender = Sender::new(config, Stream::new(1, Role::Sender, 0));
    sender.supply(40);
    while sender.poll_transmit(Time::ZERO).is_some() {}
    let now = sender.poll_timeout().expect("the timer runs");
    sender.handle_timeout(now);
    while sender.poll_transmit(now).is_some() {}
    let mut hear = |next, start, sends: bool| {
        let sack = Sack::of(&[Block { start, end: start + 1 }]);
        sender.handle_ack(Ack { sack: &sack, ..Ack::cumulative(next) }, now);
        while sends && sender.poll_transmit(now).is_some() {}
        sender.state()
    };
    hear(5, 9, true);
    hear(6, 9, false);
    let state = hear(6, 7, true);
    let in_network = state.flight_size - 2;
    assert!(in_network as f64 <= state.cwnd, "{in_network} segments in the network: {state:?}");
}

proptest! {
    #![proptest_config(cases(1_000))]

    /// Passes arbitrary ACKs and blocks to random senders, including ones that no receiver would send.
    ///
    /// Validates: for any ACKs, the window is finite and at least one segment, the flight is within rwnd, and an ACK
    ///   signals at most one loss.
    /// Source: RFC 5681, section 3.1.
    /// Tolerance: exact.
    #[test]
    fn any_conversation_keeps_the_window_sane(
        config in senders(),
        initial_rwnd in prop::option::weighted(0.3, 0_u32..40),
        steps in steps(),
    ) {
        let config = SenderConfig { initial_rwnd, ..config };
        let mut sender = Sender::new(config.clone(), Stream::new(1, Role::Sender, 0));
        let (mut now, mut acked, mut highest, mut supplied) = (Time::ZERO, 0, 0, 1);
        sender.supply(1);
        for step in steps {
            let before = sender.state();
            let cuts = sender.counters();
            match step {
                Step::Ack { millis, advance, echo, window } => {
                    now += Time::from_millis(u64::from(millis));
                    acked = (acked + advance).min(highest);
                    let sack = &Sack::NONE.with_window(window);
                    sender.handle_ack(Ack { echo, sack, ..Ack::cumulative(acked) }, now);
                }
                Step::Duplicate { millis, block: (start, length) } => {
                    now += Time::from_millis(u64::from(millis));
                    let start = acked + start;
                    let sack = &Sack::of(&[Block { start, end: start + length }]);
                    sender.handle_ack(Ack { next: acked, sack, echo: 0, original: false }, now);
                }
                Step::Timeout => if let Some(at) = sender.poll_timeout() {
                    now = now.max(at);
                    sender.handle_timeout(now);
                    // the first retransmission of a recovery leaves in any case (RFC 9937, section 6)
                    let most = before.cwnd.max(before.flight_size as f64).max(2.0);
                    prop_assert!(sender.state().cwnd <= most, "{before:?} {:?}", sender.state());
                },
                Step::Supply(segments) => {
                    supplied += segments;
                    sender.supply(segments);
                }
            }
            let mut burst = 0;
            loop {
                while let Some(segment) = sender.poll_transmit(now) {
                    highest = highest.max(segment.number + 1);
                    burst += 1;
                    prop_assert!(burst <= u64::from(config.max_window) + 1);
                    prop_assert!(segment.number < supplied + u64::from(config.handshake));
                }
                let Some(release) = sender.poll_release() else { break };
                now = now.max(release);
            }
            let state = sender.state();
            prop_assert_eq!(window_is_sane(&config, &state), Ok(()));
            prop_assert!(state.flight_size <= u64::from(config.max_window), "{state:?}");
            prop_assert!(sender.counters().fast_retransmits - cuts.fast_retransmits <= 1);
        }
    }

    /// Runs every variant, law and option on a channel that loses, delays and duplicates segments and ACKs. A witness
    /// independently counts the outstanding segments and checks each step.
    ///
    /// Validates: at most one reduction per signalled loss event, and at most one signal for the losses of one window;
    ///   a window of at least one segment that grows by at most one per ACK; nothing sent beyond rwnd, cwnd or the
    ///   data; a flight size equal to the number of outstanding segments; a running timer while there are any; every
    ///   transfer ends.
    /// Source: RFC 5681, sections 3.1 and 3.2; RFC 6298, section 5.1; RFC 6582, section 3.2; RFC 6675, section 5.
    /// Tolerance: exact.
    #[test]
    fn every_transfer_keeps_the_contract_and_ends(script in scripts()) {
        let mut channel = Channel::new(&script);
        prop_assert_eq!(channel.play(), Ok(()));
        let (sent, retransmissions) = channel.counts();
        prop_assert_eq!(channel.receiver.rcv_nxt(), channel.target());
        prop_assert_eq!(sent - retransmissions, channel.target(), "each segment has one first transmission");
        let state = channel.sender.state();
        prop_assert_eq!(state.flight_size, 0);
        prop_assert!(channel.sender.is_data_limited() || state.cwnd < 1.0, "waits for data, or has a window of zero");
    }

    /// Plays a script twice, and once on a perfect path, where nothing is lost, late or duplicated, and no timeout is
    /// shorter than a round trip.
    ///
    /// Validates: a conversation is determined by its script and its endpoints' configuration; on a perfect path
    ///   every segment is sent once.
    /// Source: RFC 5681, section 3.2 (a loss has to be inferred from duplicate ACKs); RFC 6298, section 2.4.
    /// Tolerance: exact.
    #[test]
    fn conversations_repeat_and_a_perfect_path_needs_no_retransmission(script in scripts()) {
        let play = |script: &Script| {
            let mut channel = Channel::new(script);
            channel.play().map(|()| channel)
        };
        let first = play(&script);
        prop_assert!(first.is_ok(), "{:?}", first.err());
        prop_assert_eq!(first.map(|one| one.trace), play(&script).map(|one| one.trace));
        let mut perfect = Script { segments: Vec::new(), acks: Vec::new(), ..script };
        perfect.sender.rtt.min_rto = Time::SECOND;
        // a delayed ACK may be later than a probe
        perfect.sender.tail_loss_probe = false;
        if perfect.sender.recovery == RecoverySpec::Vegas {
            // ns-2's Vegas does not restart a timer that kept running through an idle period
            perfect.sender.idle_restart = IdleRestart::Rfc5681;
        }
        let played = play(&perfect);
        prop_assert!(played.is_ok(), "{:?}", played.err());
        let counters = played.map(|one| one.sender.counters()).unwrap_or_default();
        prop_assert_eq!((counters.retransmissions, counters.timeouts), (0, 0));
        // the answer to a probe of the window may arrive after the window update and the data that it released
        prop_assert!(counters.dup_acks == 0 || perfect.receiver.read_rate.is_some());
    }
}

proptest! {
    #![proptest_config(cases(50))]

    /// Every law with every recovery that it works with, such as Vegas with RACK: all pairs that a scenario can name.
    ///
    /// Validates: as `every_transfer_keeps_the_contract_and_ends`.
    /// Source: as there.
    /// Tolerance: exact.
    #[test]
    fn every_law_keeps_the_contract_with_every_recovery(script in scripts(), laws in laws()) {
        for (law, recovery) in laws.iter().flat_map(|law| RECOVERIES.map(|recovery| (law, recovery))) {
            if law.check_recovery(recovery).is_err() {
                continue;
            }
            let (congestion, mut script) = (law.clone(), script.clone());
            script.sender = SenderConfig { recovery, congestion, ..script.sender };
            let mut channel = Channel::new(&script);
            prop_assert_eq!(channel.play(), Ok(()), "{:?} with {:?}", recovery, law);
            prop_assert_eq!(channel.receiver.rcv_nxt(), channel.target(), "{:?} with {:?}", recovery, law);
        }
    }

    /// Every law, in any conversation.
    ///
    /// Validates: a sender shows exactly the state variables that its law declares, in that order, none of them infinite, and
    ///     one of the law's phases.
    /// Source: `congestion/state.rs`.
    /// Tolerance: exact.
    #[test]
    fn every_law_shows_the_state_that_it_declares(laws in laws(), steps in steps()) {
        for (law, declared) in laws.into_iter().zip(STATES) {
            let recovery = RecoverySpec::Rack;
            let config = SenderConfig { congestion: law, recovery, handshake: false, ..SenderConfig::default() };
            let mut sender = Sender::new(config, Stream::new(1, Role::Sender, 0));
            let (mut now, mut acked) = (Time::ZERO, 0);
            sender.supply(20);
            for step in &steps {
                while sender.poll_transmit(now).is_some() {}
                let (mut names, mut is_set) = (Vec::new(), true);
                sender.visit_state(now, &mut |name, value| {
                    names.push(name);
                    is_set &= !value.is_infinite();
                });
                prop_assert!(is_set, "{:?} {now}", declared.law);
                prop_assert_eq!(names, declared.variables.iter().map(|variable| variable.name).collect::<Vec<_>>());
                prop_assert!(declared.phases.contains(&sender.phase(now)));
                match step {
                    Step::Ack { millis, advance, echo, .. } => {
                        now += Time::from_millis((*millis).into());
                        acked = (acked + advance).min(sender.counters().sent - sender.counters().retransmissions);
                        sender.handle_ack(Ack { echo: *echo, ..Ack::cumulative(acked) }, now);
                    }
                    Step::Duplicate { millis, block: (distance, length) } => {
                        now += Time::from_millis((*millis).into());
                        let block = Block { start: acked + distance, end: acked + distance + length };
                        sender.handle_ack(Ack { sack: &Sack::of(&[block]), ..Ack::cumulative(acked) }, now);
                    }
                    Step::Timeout => {
                        now = sender.poll_timeout().unwrap_or(now).max(now);
                        if sender.poll_timeout().is_some() {
                            sender.handle_timeout(now);
                        }
                    }
                    Step::Supply(segments) => sender.supply(*segments),
                }
            }
        }
    }
}
