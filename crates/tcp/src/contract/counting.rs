//! Whether a law counts ACKs where it should count packets.
//!
//! A receiver that delays ACKs acknowledges two packets with each. A law that changes the window by a fixed amount per ACK
//! then changes it half as fast as its author may have meant. To see it, two objects of the law get the same packets, one
//! in ACKs of one packet and one in ACKs of two.

use ackclock_units::Time;

use crate::congestion::AckSample;
use crate::congestion::foreign::{Cause, Controls, ForeignSpec};

/// Packets of a comparison: twenty round trips of 64.
const PACKETS: u64 = 1_280;
const PER_ROUND: u64 = 64;
/// The window before the first ACK, in segments.
const CWND: f64 = 64.0;
/// Round-trip times: laws may act by budgets of delay.
const ROUNDS: [Time; 3] = [Time::from_millis(10), Time::from_millis(40), Time::from_millis(200)];
/// A law that counts ACKs moves half as far with ACKs of two packets; one that counts packets, or time, as far.
const HALF: f64 = 0.75;

/// How far a law moves its window, in segments, with the same packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counting {
    /// The packets.
    pub packets: u64,
    /// The sum of all changes, with an ACK for each packet.
    pub alone: f64,
    /// The same with an ACK for each two packets.
    pub pairs: f64,
}

/// How a law that counts ACKs moves its window; `None` for a law that counts packets, owns the window, or sets a window
/// that is not allowed.
///
/// # Errors
/// If the law fails.
pub fn counts_acks(law: &ForeignSpec) -> Result<Option<Counting>, Cause> {
    if law.needs.samples_rate {
        return Ok(None);
    }
    for rtt in ROUNDS {
        let (alone, pairs) = (moved(law, rtt, 1)?, moved(law, rtt, 2)?);
        if alone.is_finite() && pairs < HALF * alone {
            return Ok(Some(Counting { packets: PACKETS, alone, pairs }));
        }
    }
    Ok(None)
}

/// The sum of all changes of the window by ACKs of `n` packets each; infinite if the law sets a window that is not allowed.
fn moved(law: &ForeignSpec, rtt: Time, n: u64) -> Result<f64, Cause> {
    let Some(maker) = &law.maker else { return Ok(0.0) };
    let mut made = maker.make(0, 0, 1)?;
    let mut window = Controls { cwnd: CWND, ssthresh: 2.0, ..Controls::default() };
    let mut total = 0.0;
    for acked in (n..=PACKETS).step_by(n as usize) {
        let ack = AckSample {
            now: Time::SECOND + Time::from_picos(rtt.as_picos() / PER_ROUND * acked),
            snd_una: acked,
            snd_nxt: acked + PER_ROUND,
            newly_acked: n,
            advance: n,
            byte_counting: 2,
            srtt: rtt.as_secs_f64(),
            elapsed: Some(rtt),
            rtt: Some(rtt),
            app_limited: false,
            marked: 0,
        };
        let before = window.cwnd;
        if law.needs.observes {
            made.observe(&ack)?;
        }
        made.on_ack(&mut window, &ack)?;
        if !window.is_fit() {
            return Ok(f64::INFINITY);
        }
        window.cwnd = window.cwnd.max(1.0);
        total += (window.cwnd - before).abs();
    }
    Ok(total)
}
