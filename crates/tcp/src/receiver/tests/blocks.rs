//! The choice of SACK blocks.

use super::*;

/// The run that contains segment `number`, of the segments received beyond `next`.
fn run_of(received: &BTreeSet<u64>, next: u64, number: u64) -> Option<Block> {
    let is_there = |number: &u64| *number > next && received.contains(number);
    is_there(&number).then(|| Block {
        start: (0..=number).rev().take_while(is_there).last().unwrap_or(number),
        end: (number..=number + 200).find(|number| !is_there(number)).unwrap_or(number),
    })
}

/// The blocks of the ACK for segment `latest`, which may have arrived `again`, after an ACK with the blocks `before`.
fn chosen(received: &BTreeSet<u64>, next: u64, latest: u64, again: bool, before: &[Block], most: usize) -> Vec<Block> {
    let mut runs = Vec::new();
    for number in [latest].into_iter().chain(before.iter().map(|block| block.start)) {
        if let Some(run) = run_of(received, next, number).filter(|run| !runs.contains(run)) {
            runs.push(run);
        }
    }
    let duplicate = again.then_some(Block { start: latest, end: latest + 1 });
    duplicate.into_iter().chain(runs).take(most).collect()
}

proptest! {
    /// Validates: the blocks of each ACK while segments arrive late, are missing or arrive again: the duplicate, the run of the
    ///     latest segment, and the runs of the last ACK that had blocks.
    /// Source: RFC 2018, section 4, and RFC 2883, section 4, by a search in a set.
    /// Tolerance: exact.
    #[test]
    fn blocks_follow_their_runs(
        segments in prop::collection::vec(0_u64..30, 1..120),
        sack_blocks in 1_u32..5,
        dsack in any::<bool>(),
    ) {
        let mut pool = ReceiverPool::default();
        let mut receiver = pool.add(ReceiverConfig { dsack, sack_blocks, handshake: false, ..AT_ONCE });
        let (mut received, mut before) = (BTreeSet::new(), Vec::new());
        for (step, number) in segments.into_iter().enumerate() {
            let number = number + step as u64 / 4; // the segments move on
            let again = !received.insert(number) && dsack;
            let ack = receiver.handle_segment(number, Mark::NONE, Time::ZERO, &mut pool).ack.expect("it is sent at once");
            let beyond = again || received.iter().any(|number| *number > ack.next);
            let expected = if beyond {
                chosen(&received, ack.next, number, again, &before, sack_blocks as usize)
            } else {
                Vec::new()
            };
            prop_assert_eq!(ack.sack.blocks(), &expected[..]);
            if beyond {
                before = expected;
            }
        }
    }
}
