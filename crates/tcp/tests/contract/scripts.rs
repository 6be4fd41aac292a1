//! Random conversations.

use ackclock_tcp::contract::{Fate, Script, paired};
use ackclock_units::Time;
use proptest::prelude::*;

use crate::kinds::{receivers, senders};

/// Half of all packets arrive as sent, a quarter are lost, some are late, and a few are duplicated. One number
/// determines a packet's fate, so that proptest generates thousands of conversations quickly and shrinks a failure to a
/// few packets.
fn fates() -> impl Strategy<Value = Vec<Fate>> {
    let fate = (0_u64..12 * 200 * 200).prop_map(|drawn| match drawn % 12 {
        0..6 => vec![0],
        6..9 => vec![],
        9..11 => vec![drawn / 12 % 200],
        _ => vec![drawn / 12 % 200, drawn / 12 / 200],
    });
    prop::collection::vec(fate, 0..100)
}

/// Random supplies of data, including gaps longer than a timeout.
fn supplies() -> impl Strategy<Value = Vec<(Time, u64)>> {
    let gap = prop_oneof![2 => Just(0_u64), 2 => 1_u64..300, 1 => 1_000_u64..5_000];
    prop::collection::vec((gap, 1_u64..60), 1..4).prop_map(|supplies| {
        let mut at = 0;
        supplies
            .into_iter()
            .map(|(gap, segments)| {
                at += gap;
                (Time::from_millis(at), segments)
            })
            .collect()
    })
}

/// Scripts with random endpoints, supplies and fates.
pub(crate) fn scripts() -> impl Strategy<Value = Script> {
    let marks = prop::collection::vec(prop::bool::weighted(0.3), 0..100);
    (senders(), receivers(), 1_u64..150, supplies(), fates(), fates(), marks).prop_map(
        |(sender, receiver, delay, supplies, segments, acks, marks)| {
            let (sender, receiver) = paired(sender, receiver);
            Script { sender, receiver, delay: Time::from_millis(delay), supplies, segments, acks, marks }
        },
    )
}
