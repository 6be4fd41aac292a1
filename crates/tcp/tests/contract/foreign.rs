//! Laws from outside the engine that break the contract.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ackclock_tcp::congestion::foreign::{Cause, Controls, ForeignLaw, LawMaker};
use ackclock_tcp::congestion::{AckSample, CongestionEvent, Window};
use ackclock_tcp::contract::{Breach, check, counts_acks};
use ackclock_units::{Role, Stream, Time};

use crate::kinds::{ForeignReno, foreign};

/// Reno with random growth, or one of its faulty variants.
#[derive(Clone, Debug)]
enum Law {
    /// Doubles the window with each ACK.
    Doubles,
    /// Adds a random number of at most one segment per window.
    Random(Stream),
    /// Keeps the window after a loss.
    Ignores,
    /// Counts the ACKs of all flows.
    Shares(Arc<AtomicU64>),
    /// Sends a segment in a thousand years.
    Waits,
    /// Grows by the same amount for each ACK, whatever the ACK acknowledges.
    PerAck,
    /// Sets the window to NaN after a loss.
    Undefined,
    /// Reduces the window, and leaves the threshold to the engine.
    Halves,
    /// Reduces the window below a threshold that slow start reaches at once.
    StartsAgain,
}

impl ForeignLaw for Law {
    fn on_ack(&mut self, window: &mut Controls, ack: &AckSample) -> Result<(), Cause> {
        let Controls { cwnd, ssthresh, .. } = *window;
        let more = ack.counted(&Window { cwnd, ssthresh }) / cwnd;
        window.cwnd += match self {
            Self::Doubles => cwnd,
            Self::Random(stream) => stream.uniform() * more,
            Self::PerAck => 1.0 / cwnd,
            Self::Shares(count) => more / (1 + count.fetch_add(1, Relaxed) % 3) as f64,
            _ => more,
        };
        if matches!(self, Self::Waits) {
            window.pacing_rate = 1e-11;
        }
        Ok(())
    }

    fn on_congestion(&mut self, window: &mut Controls, event: &CongestionEvent, _: Time) -> Result<(), Cause> {
        match self {
            Self::Ignores => {}
            Self::Undefined => window.cwnd = f64::NAN,
            Self::Halves => window.cwnd = 0.5 * event.window,
            Self::StartsAgain => (window.cwnd, window.ssthresh) = (0.5 * event.window, 1e6),
            _ => window.respond_as_reno(event),
        }
        Ok(())
    }
}

#[derive(Debug)]
struct Maker(Law);

impl LawMaker for Maker {
    fn make(&self, _: u32, _: u64, seed: u64) -> Result<Box<dyn ForeignLaw>, Cause> {
        Ok(Box::new(match &self.0 {
            Law::Random(_) => Law::Random(Stream::new(seed, Role::Law, 0)),
            law => law.clone(),
        }))
    }
}

const CONVERSATIONS: u32 = 300;

/// The breaches of a law in all conversations.
fn breaches(maker: impl LawMaker + 'static) -> Vec<Breach> {
    let law = foreign(Arc::new(maker));
    (0..CONVERSATIONS).filter_map(|number| check(&law, 1, number).err()).collect()
}

/// Validates: Reno keeps the contract as a law from outside, and so do a law with random numbers of its own and one that
///     leaves the threshold to the engine.
/// Source: `src/contract.rs`.
/// Tolerance: exact.
#[test]
fn reno_from_outside_keeps_the_contract() {
    let random = Maker(Law::Random(Stream::new(1, Role::Law, 0)));
    for found in [breaches(ForeignReno), breaches(random), breaches(Maker(Law::Halves))] {
        assert!(found.is_empty(), "{:?}", found.first());
    }
}

/// Validates: each faulty law breaks the contract, and the words say how.
/// Source: `src/contract.rs`.
/// Tolerance: exact.
#[test]
fn faults_are_told_in_words() {
    for (law, words) in [
        (Law::Doubles, "slow start adds at most as many as are acknowledged"),
        (Law::Ignores, "it must be reduced: set window.cwnd to a part of event.window"),
        (Law::StartsAgain, "the law sets window.ssthresh to 1000000 packets after a loss, and the window was "),
        (Law::Shares(Arc::default()), "flows share state"),
        (Law::Waits, "the transfer does not end"),
        (Law::Undefined, "on_congestion fails: window.cwnd is NaN; must be a number from 0 to"),
    ] {
        let found = breaches(Maker(law.clone()));
        assert!(!found.is_empty(), "{law:?} keeps the contract");
        assert!(found.iter().any(|breach| breach.broken.to_string().contains(words)), "{law:?}: {:?}", found.first());
        assert!(found[0].conversation.contains(" packets over a path of "), "{}", found[0].conversation);
    }
}

/// Validates: a law that grows by ACKs is found, and moves half as far with ACKs of two packets; laws that count packets,
///     also with random numbers, are not.
/// Source: RFC 3465, section 2; `src/contract/counting.rs`.
/// Tolerance: 0.2 packets: the formula is for infinitesimal growth.
#[test]
fn a_law_that_counts_acks_is_found() {
    let counts = |law| counts_acks(&foreign(Arc::new(Maker(law)))).expect("it does not fail");
    let found = counts(Law::PerAck).expect("it counts ACKs");
    // dw = 1 / w per ACK: the window after n of them is the square root of 64 * 64 + 2 n
    let after = |acks: f64| (64.0 * 64.0 + 2.0 * acks).sqrt() - 64.0;
    assert_eq!(found.packets, 1_280);
    assert!((found.alone - after(1_280.0)).abs() < 0.2 && (found.pairs - after(640.0)).abs() < 0.2, "{found:?}");
    for law in [Law::Halves, Law::Random(Stream::new(1, Role::Law, 0)), Law::Ignores, Law::Doubles] {
        assert_eq!(counts(law), None);
    }
}
