//! Conversations with a sender: what arrives, and what it answers. Each case names the rule that it holds the sender to.

use ackclock_tcp::congestion::{BaseRtt, LawSpec, VegasSpec};
use ackclock_tcp::recovery::RecoverySpec;
use ackclock_tcp::{Ack, IdleRestart, Sender, SenderConfig};
use ackclock_units::{Role, Stream, Time};

/// A sender without handshake, its window open, with plenty to send.
struct Talk {
    sender: Sender,
    now: Time,
}

impl Talk {
    fn new(config: &SenderConfig) -> Self {
        let mut sender = Sender::new(config.clone(), Stream::new(1, Role::Sender, 0));
        sender.supply(1_000_000);
        Self { sender, now: Time::ZERO }
    }

    /// All that leaves now.
    fn sends(&mut self) -> Vec<u64> {
        let now = self.now;
        std::iter::from_fn(|| self.sender.poll_transmit(now)).map(|segment| segment.number).collect()
    }

    /// After `millis`, an ACK for all before `next`; then all that leaves.
    fn ack(&mut self, millis: u64, next: u64) -> Vec<u64> {
        self.now += Time::from_millis(millis);
        self.sender.handle_ack(Ack::cumulative(next), self.now);
        self.sends()
    }

    /// The retransmission timer fires; then all that leaves.
    fn time_out(&mut self) -> Vec<u64> {
        self.now = self.sender.poll_timeout().expect("the timer runs");
        self.sender.handle_timeout(self.now);
        self.sends()
    }

    fn cwnd(&self) -> f64 {
        self.sender.state().cwnd
    }
}

fn open(initial_window: u32) -> SenderConfig {
    SenderConfig { handshake: false, initial_window, max_window: 100, ..SenderConfig::default() }
}

/// A sender with eight segments in flight, 0 to 7.
fn eight_in_flight() -> Talk {
    let mut talk = Talk::new(&open(8));
    assert_eq!(talk.sends(), [0, 1, 2, 3, 4, 5, 6, 7]);
    talk
}

#[test]
fn slow_start_sends_two_segments_for_each_ack() {
    // RFC 5681, section 3.1: cwnd grows by one segment for each ACK of new data
    let mut talk = Talk::new(&open(2));
    assert_eq!(talk.sends(), [0, 1]);
    assert_eq!(talk.ack(100, 1), [2, 3]);
    assert_eq!(talk.ack(1, 2), [4, 5]);
    assert_eq!(talk.cwnd(), 4.0);
}

#[test]
fn the_handshake_opens_the_initial_window_and_a_lost_syn_closes_it() {
    // RFC 5681, section 3.1: IW is one segment if the SYN was lost
    let config = SenderConfig { handshake: true, ..open(10) };
    let mut talk = Talk::new(&config);
    assert_eq!(talk.sends(), [0]);
    assert_eq!(talk.ack(100, 1), (1..=10).collect::<Vec<_>>());
    let mut talk = Talk::new(&config);
    talk.sends();
    assert_eq!(talk.time_out(), [0]);
    assert_eq!(talk.ack(100, 1), [1]);
}

#[test]
fn two_duplicate_acks_let_out_new_data_and_the_third_retransmits() {
    // RFC 3042; RFC 5681, section 3.2, steps 2 to 5
    let mut talk = eight_in_flight();
    assert_eq!(talk.ack(100, 1), [8, 9]);
    assert_eq!(talk.ack(1, 1), [10]);
    assert_eq!(talk.ack(1, 1), [11]);
    assert_eq!(talk.ack(1, 1), [1]);
    assert_eq!(talk.sender.state().ssthresh, 4.0, "half of the nine in flight, without those of limited transmit");
    assert_eq!(talk.cwnd(), 4.5);
    let more: Vec<u64> = (0..5).flat_map(|_| talk.ack(1, 1)).collect();
    assert_eq!(more, [12], "4 + 3 + 5 allow 12 from segment 1 on");
    assert_eq!(talk.ack(100, 12), [13, 14, 15], "the inflation is over: four from segment 12 on");
    assert_eq!(talk.sender.counters().fast_retransmits, 1);
}

#[test]
fn losses_of_one_window_are_retransmitted_fast_only_once() {
    // RFC 6582, section 3.2: the ACK must cover more than recover
    let mut talk = eight_in_flight();
    for _ in 0..4 {
        talk.ack(1, 1);
    }
    let sent: Vec<u64> = (0..8).flat_map(|_| talk.ack(1, 3)).collect();
    assert!(!sent.contains(&3), "{sent:?}");
    assert_eq!(talk.sender.counters().fast_retransmits, 1);
}

#[test]
fn a_timeout_starts_again_from_the_first_unacknowledged_segment() {
    // RFC 5681, section 3.1: the loss window is one segment; RFC 6298, 5.4 to 5.6: the timer doubles
    let mut talk = eight_in_flight();
    assert_eq!(talk.time_out(), [0]);
    assert_eq!(talk.now, Time::SECOND);
    assert_eq!((talk.cwnd(), talk.sender.state().ssthresh), (1.0, 4.0));
    assert_eq!(talk.time_out(), [0]);
    assert_eq!(talk.now, Time::SECOND.saturating_mul(3), "two seconds later");
    assert_eq!(talk.ack(100, 1), [1, 2]);
    assert_eq!(talk.ack(100, 8), [8, 9, 10], "what had arrived is not sent again");
    assert_eq!(talk.sender.counters().timeouts, 2);
}

#[test]
fn a_retransmitted_segment_is_not_timed() {
    // Karn's algorithm, RFC 6298, section 3
    let mut talk = eight_in_flight();
    talk.time_out();
    talk.ack(100, 1);
    assert!(talk.sender.state().srtt.is_nan());
    assert_eq!(talk.sender.state().rto, 2.0, "the back-off stays");
    talk.ack(100, 8);
    talk.ack(100, 9);
    assert_eq!(talk.sender.state().srtt, 0.1);
    assert_eq!(talk.sender.state().rto, 1.0);
}

#[test]
fn the_timer_stops_when_all_is_acknowledged() {
    // RFC 6298, 5.2
    let mut sender = Sender::new(open(4), Stream::new(1, Role::Sender, 0));
    sender.supply(1);
    assert!(sender.poll_transmit(Time::ZERO).is_some());
    assert!(sender.poll_timeout().is_some());
    sender.handle_ack(Ack::cumulative(1), Time::from_millis(50));
    assert_eq!(sender.poll_timeout(), None);
}

#[test]
fn an_idle_period_restarts_from_the_initial_window() {
    // RFC 5681, section 4.1; ns-2 instead lets the timer run and falls back to one segment
    for (idle_restart, cwnd) in [(IdleRestart::Rfc5681, 4.0), (IdleRestart::Timeout, 1.0)] {
        let config = SenderConfig { idle_restart, ..open(4) };
        let mut sender = Sender::new(config, Stream::new(1, Role::Sender, 0));
        let mut now = Time::ZERO;
        for next in 0..8 {
            sender.supply(1);
            assert_eq!(sender.poll_transmit(now).map(|segment| segment.number), Some(next));
            now += Time::from_millis(10);
            sender.handle_ack(Ack::cumulative(next + 1), now);
        }
        now += Time::SECOND.saturating_mul(2);
        if let Some(timeout) = sender.poll_timeout() {
            sender.handle_timeout(timeout);
        }
        sender.supply(1);
        assert!(sender.poll_transmit(now).is_some());
        assert_eq!(sender.state().cwnd, cwnd);
        assert_eq!(sender.counters().timeouts, 0);
    }
}

#[test]
fn a_window_that_is_not_used_does_not_grow() {
    // RFC 7661, section 1; ns-2 lets it grow
    for (grow_when_limited, cwnd) in [(false, 4.0), (true, 7.0)] {
        let mut sender = Sender::new(SenderConfig { grow_when_limited, ..open(4) }, Stream::new(1, Role::Sender, 0));
        for next in 0..3 {
            sender.supply(1);
            sender.poll_transmit(Time::ZERO);
            sender.handle_ack(Ack::cumulative(next + 1), Time::from_millis(10));
        }
        assert_eq!(sender.state().cwnd, cwnd);
    }
}

#[test]
fn processing_delays_what_the_window_allows_but_no_retransmission() {
    let overhead = Time::from_micros(12);
    let mut talk = Talk::new(&SenderConfig { overhead, ..open(8) });
    assert_eq!(talk.sends(), []);
    let release = talk.sender.poll_release().expect("processing has begun");
    assert!(release < overhead);
    talk.now = release;
    assert_eq!(talk.sends(), [0, 1, 2, 3, 4, 5, 6, 7]);
    let answers: Vec<Vec<u64>> = (0..3).map(|_| talk.ack(10, 0)).collect();
    assert_eq!(answers, [vec![8], vec![9], vec![0]]);
}

#[test]
fn acks_that_make_no_sense_change_nothing() {
    // RFC 9293, section 3.10.7.4
    let mut talk = eight_in_flight();
    talk.ack(100, 4);
    let before = talk.sender.state();
    assert_eq!(talk.ack(0, 1_000_000), []);
    assert_eq!(talk.ack(0, 2), []);
    assert_eq!(talk.sender.state(), before);
    assert_eq!(talk.sender.counters().dup_acks, 0);
}

#[test]
fn vegas_retransmits_on_the_first_duplicate_ack_once_the_fine_timeout_has_passed() {
    // Brakmo and Peterson (1995), section 3.1
    let vegas = LawSpec::Vegas(VegasSpec { alpha: 1.0, beta: 3.0, gamma: 1.0, base_rtt: BaseRtt::Minimum });
    let config = SenderConfig { recovery: RecoverySpec::Vegas, congestion: vegas, ..open(4) };
    let mut talk = Talk::new(&config);
    assert_eq!(talk.sends(), [0, 1, 2, 3]);
    assert_eq!(talk.ack(100, 1), [4]); // fine timeout: 146 ms
    let early = talk.ack(10, 1);
    assert_eq!(early, [], "segment 1 was sent 110 ms ago");
    let late = talk.ack(50, 1);
    assert_eq!(late[0], 1, "160 ms ago");
    assert_eq!(talk.sender.counters().fast_retransmits, 1);
}

#[test]
fn vegas_checks_the_first_new_acks_after_a_retransmission() {
    let vegas = LawSpec::Vegas(VegasSpec { alpha: 1.0, beta: 3.0, gamma: 1.0, base_rtt: BaseRtt::Minimum });
    let config = SenderConfig { recovery: RecoverySpec::Vegas, congestion: vegas, ..open(8) };
    let mut talk = Talk::new(&config);
    talk.sends();
    talk.ack(100, 1);
    assert_eq!(talk.ack(60, 1)[0], 1, "sent 160 ms ago");
    let next = talk.ack(100, 2);
    assert_eq!(next[0], 2, "lost too: sent 260 ms ago, and no duplicate ACK is waited for");
}
