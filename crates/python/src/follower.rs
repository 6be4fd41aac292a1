//! Laws that follow the trace of a captured sender.

use ackclock_net::Plan;
use ackclock_net::plan::TransportSpec;
use ackclock_tcp::{Ack, Allowed, Block, Follower, MAX_SACK_BLOCKS, Sack, SenderConfig};
use ackclock_units::Time;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::{RawColumn, bytes, refuse};

/// The bit of an event that says that it is an ACK; the others have its ECN feedback.
const ACK: u8 = 0x80;
/// The bit of an ACK that is known to answer the first transmission of a segment (RFC 3522).
const ORIGINAL: u8 = 0x08;
/// Bits of the ECN feedback.
const ECHO: u8 = 0x07;

/// Lets the law of the first group of a plan follow a trace.
///
/// An event has a time in ns, the number of a segment and a kind: 0 is a segment that is sent; 128 an ACK for all segments
/// before the number, to which its ECN feedback of three bits is added, and 8 if it answers an original. ACKs have `counts` SACK blocks each, of which `blocks` has the
/// starts and ends. All arrays are little-endian bytes. Returns columns with a row per ACK.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "one for each array")]
pub(crate) fn follow<'py>(
    py: Python<'py>,
    plan: &str,
    seed: u64,
    handshake: bool,
    times: &[u8],
    numbers: &[u8],
    kinds: &[u8],
    counts: &[u8],
    blocks: &[u8],
) -> PyResult<Vec<RawColumn<'py>>> {
    let plan: Plan = serde_json::from_str(plan).map_err(refuse)?;
    let Some(TransportSpec::Tcp { sender, .. }) = plan.groups.into_iter().next().map(|group| group.transport) else {
        return Err(refuse("groups.0.transport: must be TCP"));
    };
    let (times, numbers) = (words(times), words(numbers));
    if times.len() != kinds.len() || numbers.len() != kinds.len() || counts.len() != kinds.len() {
        return Err(refuse("times, numbers, kinds and counts must be equally long"));
    }
    let rows = py.detach(|| {
        let mut follower = Follower::new(SenderConfig { handshake, ..(*sender).clone() }, seed);
        let mut blocks = words(blocks).into_iter();
        let mut rows: Vec<Allowed> = Vec::new();
        for (((at, number), kind), count) in times.into_iter().zip(numbers).zip(kinds).zip(counts) {
            let at = Time::from_picos(at.saturating_mul(1000));
            if kind & ACK == 0 {
                follower.sent(number, at);
                continue;
            }
            let mut reported = [Block { start: 0, end: 0 }; MAX_SACK_BLOCKS];
            let count = usize::from(*count).min(MAX_SACK_BLOCKS);
            for place in &mut reported[..count] {
                let (start, end) = (blocks.next().unwrap_or(0), blocks.next().unwrap_or(0));
                *place = Block { start, end };
            }
            let sack = Sack::of(&reported[..count]);
            let original = kind & ORIGINAL != 0;
            let ack = Ack { next: number, sack: &sack, echo: kind & ECHO, original };
            rows.push(follower.acknowledged(ack, at));
        }
        rows
    });
    let floats = |name, each: fn(&Allowed) -> f64| -> PyResult<RawColumn<'py>> {
        let values: Vec<f64> = rows.iter().map(each).collect();
        Ok((name, "f64".into(), bytes(py, &values, f64::to_le_bytes)?))
    };
    let clean: Vec<u8> = rows.iter().map(|row| row.is_clean.into()).collect();
    Ok(vec![
        floats("time", |row| row.at.as_secs_f64())?,
        floats("cwnd", |row| row.cwnd)?,
        floats("paced", |row| row.paced)?,
        floats("flight", |row| row.flight as f64)?,
        ("clean", "bool".into(), PyBytes::new(py, &clean)),
    ])
}

/// The words of little-endian bytes.
fn words(bytes: &[u8]) -> Vec<u64> {
    bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect()
}
