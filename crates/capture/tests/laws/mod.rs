//! Invariants of reading any bytes as a capture, used by the tests and by the fuzzer.

use std::io::Cursor;

use ackclock_capture::anonymise::Anonymiser;
use ackclock_capture::read::{Capture, Counts, Layer, NONE, Rows, Stop};

/// What lies between link and network, and counts besides the link types.
const TAGS: [&str; 6] = ["vlan", "llc", "mpls", "pppoes", "vntag", "ieee8021br"];

/// Reads bytes to the end and checks the results for consistency; returns the number of packets.
pub(crate) fn hold(bytes: &[u8]) -> Result<u64, Stop> {
    let other = Anonymiser::new(&[3; 32]);
    // Short bins are slow, because there can be many of them, so only some inputs are read with short bins.
    let bin = if bytes.len().is_multiple_of(64) { 1_000 } else { 1_000_000_000_000_000 };
    let mut capture = Capture::new(Cursor::new(bytes.to_vec()), bin)?.keeping_rows();
    let (mut rows, mut flows, mut in_flows, mut of_ip) = (0, 0, 0, 0);
    while let Some(batch) = capture.read(997) {
        check(&batch, &other);
        rows += batch.len() as u64;
        of_ip += batch.transport.iter().filter(|&&place| place != NONE).count() as u64;
        for flow in capture.flows() {
            flows += 1;
            assert!(flow.first <= flow.last);
            let mut other = flow.ways[1].packets;
            for way in &flow.ways {
                in_flows += way.packets;
                let Counts { retransmissions, overtaken, uncertain, unread, copies, .. } = *way.counts();
                assert!(retransmissions + overtaken + unread + copies <= way.packets);
                assert!(uncertain <= retransmissions + overtaken);
                assert!(way.counts().round_trips <= way.packets + other);
                assert!(way.counts().round_trip_least <= way.counts().round_trip_sum);
                other = way.packets;
            }
        }
    }
    assert!(capture.read(1).is_none(), "nothing follows the end");
    let packets = capture.packets();
    assert_eq!(rows, packets);
    assert_eq!(in_flows, of_ip);
    assert!(flows <= of_ip);
    let (counts, volumes) = capture.arrivals();
    let odd = capture.oddities();
    assert_eq!(
        counts.iter().map(|&count| u64::from(count)).sum::<u64>() + odd.before + odd.apart + odd.timeless,
        packets
    );
    assert!(volumes.iter().sum::<u64>() <= capture.bytes());
    assert!(counts.len() <= 1 << 22);
    // Each packet has one link type, and IP carries one protocol.
    let protocols = capture.protocols();
    let of = |wanted: Layer| {
        let named = protocols.iter().filter(|(layer, _, _)| *layer == wanted);
        named.filter(|(_, name, _)| !TAGS.contains(&name.as_str())).map(|(_, _, count)| count.packets).sum::<u64>()
    };
    assert_eq!(of(Layer::Link), packets);
    assert!(of(Layer::Network) <= packets);
    assert_eq!(of(Layer::Transport), of_ip);
    assert!(capture.taken() <= bytes.len() as u64);
    match capture.stops().first() {
        Some(stop) if packets == 0 => Err(stop.clone()),
        _ => Ok(packets),
    }
}

/// Checks that all columns have equal length and that their indices are valid.
fn check(rows: &Rows, other: &Anonymiser) {
    let lengths = [
        rows.interface.len(),
        rows.bytes.len(),
        rows.captured.len(),
        rows.network.len(),
        rows.transport.len(),
        rows.source.len(),
        rows.destination.len(),
        rows.source_port.len(),
        rows.destination_port.len(),
        rows.dscp.len(),
        rows.ecn.len(),
        rows.fragment.len(),
        rows.retransmission.len(),
        rows.overtaken.len(),
        rows.copy.len(),
    ];
    assert_eq!(lengths, [rows.len(); 15]);
    let (addresses, protocols) = (rows.addresses(None).len() as i32, rows.protocols().len() as i32);
    assert!(rows.source.iter().chain(&rows.destination).all(|&place| (NONE..addresses).contains(&place)));
    assert!(rows.transport.iter().all(|&place| (NONE..protocols).contains(&place)));
    assert!(rows.network.iter().all(|&place| (place as i32) < protocols));
    assert!(rows.captured.iter().all(|&captured| captured <= 262_144));
    if addresses <= 8 {
        assert_eq!(rows.addresses(Some(other)).len() as i32, addresses);
    }
}
