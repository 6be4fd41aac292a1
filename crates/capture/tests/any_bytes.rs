//! For any file content, reading ends, keeps its invariants and reports where it failed.

mod laws;

use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use ackclock_capture::read::{Capture, Stop, UNTIMED};
use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;

fn below(path: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let mut files: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// The real captures, loaded once; a million test cases change bytes of them.
static CAPTURES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let files = below("../../tests/data/captures");
    let captured = |path: &&PathBuf| path.extension().is_some_and(|kind| kind == "pcap" || kind == "pcapng");
    files.iter().filter(captured).map(|path| fs::read(path).unwrap()).collect()
});

/// A pcap file of Ethernet, little-endian with microseconds, with the given records (captured, wire, bytes).
fn pcap(records: &[(u32, u32, &[u8])]) -> Vec<u8> {
    let mut file = vec![0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 1, 0, 0, 0];
    for (place, (captured, wire, bytes)) in records.iter().enumerate() {
        for number in [place as u32, 0, *captured, *wire] {
            file.extend(number.to_le_bytes());
        }
        file.extend(*bytes);
    }
    file
}

fn block(kind: u32, content: &[u8]) -> Vec<u8> {
    let length = (content.len() as u32 + 12).to_le_bytes();
    [&kind.to_le_bytes(), &length, content, &length].concat()
}

/// A section header and an interface with a link type.
fn pcapng(link: u8) -> Vec<u8> {
    let section = block(0x0a0d_0d0a, &[&0x1a2b_3c4d_u32.to_le_bytes()[..], &[1, 0, 0, 0], &[0xff; 8]].concat());
    [section, block(1, &[link, 0, 0, 0, 0, 0, 0, 0])].concat()
}

/// Reads to the end. Returns the number of packets and the error that ended reading.
fn read(bytes: &[u8]) -> (u64, Option<Stop>) {
    let mut capture = Capture::new(Cursor::new(bytes.to_vec()), 1_000).unwrap();
    while capture.read(100).is_some() {}
    (capture.packets(), capture.stopped().cloned())
}

fn stop(offset: u64, problem: &str) -> Stop {
    Stop { offset, problem: problem.to_owned() }
}

#[test]
fn what_the_fuzzer_found_worth_keeping() {
    let corpus = below("fuzz/corpus/read");
    assert!(!corpus.is_empty());
    for path in corpus {
        let _ = laws::hold(&fs::read(path).unwrap());
    }
}

#[test]
fn real_captures_cut_anywhere_lose_only_the_end() {
    for bytes in CAPTURES.iter() {
        let (whole, stopped) = read(bytes);
        assert!(whole > 300 && stopped.is_none());
        for end in (0..bytes.len()).step_by(1997) {
            let Ok(packets) = laws::hold(&bytes[..end]) else { continue };
            assert!(packets <= whole);
        }
        let (packets, stopped) = read(&bytes[..bytes.len() - 1]);
        assert!(packets >= whole - 1);
        assert!(stopped.is_some_and(|stop| stop.problem.contains("the file ends")));
    }
}

#[test]
fn gzip_is_seen_through() {
    for bytes in CAPTURES.iter() {
        let mut zipped = GzEncoder::new(Vec::new(), Compression::fast());
        zipped.write_all(bytes).unwrap();
        let zipped = zipped.finish().unwrap();
        assert_eq!(read(&zipped), read(bytes));
        let (packets, stopped) = read(&zipped[..zipped.len() / 2]);
        assert!(packets < read(bytes).0);
        assert!(stopped.unwrap().problem.starts_with("the gzip data cannot be decompressed"));
    }
}

#[test]
fn a_bomb_of_gzip_is_read_in_little_memory() {
    // 16 MB of empty records, compressed to 16 kB.
    let mut zipped = GzEncoder::new(Vec::new(), Compression::best());
    zipped.write_all(&pcap(&[])).unwrap();
    for _ in 0..16 {
        zipped.write_all(&vec![0; 1 << 20]).unwrap();
    }
    let zipped = zipped.finish().unwrap();
    assert!(zipped.len() < 1 << 15);
    assert_eq!(read(&zipped), (1 << 20, None));
}

#[test]
fn heads_that_are_none() {
    let refused = |bytes: &[u8]| Capture::new(Cursor::new(bytes.to_vec()), 1).unwrap_err().to_string();
    assert_eq!(refused(b""), "at byte 0: the file is empty");
    assert_eq!(refused(b"ab"), "at byte 0: the file ends after 2 bytes");
    assert_eq!(refused(b"%PDF-1.7"), "at byte 0: not a capture (pcap or pcapng): its first bytes are 25 50 44 46");
    assert_eq!(refused(&pcap(&[])[..23]), "at byte 0: the file ends within the file header: 23 of 24 bytes");
}

#[test]
fn absurd_lengths_end_the_reading_where_they_stand() {
    let good: (u32, u32, &[u8]) = (3, 60, &[1, 2, 3]);
    assert_eq!(read(&pcap(&[good, good])), (2, None));
    let long = "invalid number of captured bytes 4294967295: the maximum is 262144";
    assert_eq!(read(&pcap(&[good, (u32::MAX, 60, &[])])), (1, Some(stop(43, long))));
    assert_eq!(
        read(&pcap(&[good, (9, 60, &[1])])),
        (1, Some(stop(43, "the file ends within a packet: 17 of 25 bytes")))
    );
    let mut cut = pcap(&[good]);
    cut.push(0);
    assert_eq!(read(&cut), (1, Some(stop(43, "the file ends within a record header: 1 of 16 bytes"))));
}

#[test]
fn blocks_that_lie() {
    let with = |rest: &[u8]| read(&[pcapng(1), rest.to_vec()].concat());
    let at = pcapng(1).len() as u64;
    assert_eq!(with(&[]), (0, None));
    let packet = |interface: u32, captured: u32| {
        let numbers = [interface, 0, 7, captured, 60];
        block(6, &[numbers.map(u32::to_le_bytes).concat(), vec![0; 4]].concat())
    };
    assert_eq!(with(&packet(0, 4)), (1, None));
    assert_eq!(with(&packet(0, 5)), (0, Some(stop(at, "invalid number of captured bytes 5 in a block of 36 bytes"))));
    assert_eq!(with(&packet(1, 4)), (0, Some(stop(at, "a packet refers to interface 1, which is not described"))));
    let mut uneven = packet(0, 4);
    uneven[33] = 1;
    let problem = "the block lengths differ: 36 at the start, another at the end";
    assert_eq!(with(&uneven), (0, Some(stop(at, problem))));
    // A length of a billion bytes is invalid for a packet; other blocks of that size are skipped, not buffered.
    let billion = 1_000_000_000_u32.to_le_bytes();
    let problem = "invalid block length 1000000000: the maximum is 16777216";
    assert_eq!(with(&[6_u32.to_le_bytes(), billion, [0; 4]].concat()), (0, Some(stop(at, problem))));
    let problem = "the file ends within a block of 1000000000 bytes";
    assert_eq!(with(&[77_u32.to_le_bytes(), billion, [0; 4]].concat()), (0, Some(stop(at, problem))));
    assert_eq!(
        with(&[77_u32.to_le_bytes(), [3, 0, 0, 0], [0; 4]].concat()).1,
        Some(stop(at, "invalid block length 3"))
    );
    let mut unknown = block(77, &[1, 2, 3, 4]);
    unknown[12] += 1;
    let problem = "the block lengths differ: 16 at the start, another at the end";
    assert_eq!(with(&unknown), (0, Some(stop(at, problem))));
    // An unknown block is skipped; a simple packet has no time.
    let simple = block(3, &[60_u32.to_le_bytes().to_vec(), vec![0; 8]].concat());
    assert_eq!(with(&[block(77, &[1, 2, 3, 4]), simple].concat()), (1, None));
}

#[test]
fn a_second_section_in_the_other_order_of_bytes() {
    let turned = |kind: u32, content: &[u8]| {
        let length = (content.len() as u32 + 12).to_be_bytes();
        [&kind.to_be_bytes(), &length, content, &length].concat()
    };
    let section = turned(0x0a0d_0d0a, &[&0x1a2b_3c4d_u32.to_be_bytes()[..], &[0, 1, 0, 0], &[0xff; 8]].concat());
    // Raw IP, in units of 2^-10 s, with an offset of half an hour.
    let options = [&[0, 9, 0, 1, 0x8a, 0, 0, 0, 0, 14, 0, 8][..], &1800_i64.to_be_bytes()].concat();
    let interface = turned(1, &[&[0, 101, 0, 0, 0, 0, 0, 0][..], &options].concat());
    let packet = turned(6, &[0_u32, 0, 512, 0, 40].map(u32::to_be_bytes).concat());
    let mut file = pcapng(1);
    file.extend([section, interface, packet].concat());
    let mut capture = Capture::new(Cursor::new(file), 1_000).unwrap();
    while capture.read(10).is_some() {}
    assert_eq!(capture.stopped(), None);
    assert_eq!(capture.interfaces().iter().map(|each| each.1).collect::<Vec<_>>(), [1, 101]);
    assert_eq!(capture.span(), Some((1_800_500_000_000, 1_800_500_000_000)));
}

#[test]
fn records_of_old_versions_have_their_lengths_in_the_other_order() {
    let swapped = |minor: u8, captured: u32, wire: u32| {
        let mut file = pcap(&[(wire, captured, &[1, 2, 3]), (wire, captured, &[1, 2, 3])]);
        file[6] = minor;
        file
    };
    assert_eq!(read(&swapped(2, 3, 60)), (2, None));
    assert_eq!(read(&swapped(3, 3, 60)), (2, None));
    assert_eq!(read(&swapped(3, 60, 3)), (2, None), "programs that wrote version 2.3 disagreed");
    assert!(read(&swapped(4, 3, 60)).1.is_some());
}

#[test]
fn a_packet_without_a_time_has_none() {
    let simple = block(3, &[60_u32.to_le_bytes().to_vec(), vec![0; 60]].concat());
    let timed = |micros: u32| block(6, &[[0, 0, micros, 60, 60].map(u32::to_le_bytes).concat(), vec![0; 60]].concat());
    let file = [pcapng(1), simple, timed(5_000), timed(6_000)].concat();
    let mut capture = Capture::new(Cursor::new(file), 1_000).unwrap().keeping_rows();
    let rows = capture.read(10).unwrap();
    assert_eq!(rows.time, [UNTIMED, 5_000_000, 6_000_000]);
    assert_eq!(capture.span(), Some((5_000_000, 6_000_000)));
    assert_eq!((capture.oddities().timeless, capture.oddities().backwards), (1, 0));
}

#[test]
fn time_that_runs_backwards_is_told() {
    let mut file = pcap(&[(0, 60, &[]), (0, 60, &[]), (0, 60, &[])]);
    file[24..28].copy_from_slice(&9_u32.to_le_bytes());
    let mut capture = Capture::new(Cursor::new(file), 1_000_000_000).unwrap();
    while capture.read(10).is_some() {}
    let odd = capture.oddities();
    assert_eq!((odd.backwards, odd.jumps, odd.apart, odd.before), (1, 1, 1, 0));
    assert_eq!(capture.span(), Some((1_000_000_000, 2_000_000_000)));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = laws::hold(&bytes);
    }

    #[test]
    fn random_bytes_behind_a_head(bytes in proptest::collection::vec(any::<u8>(), 0..400), link in 0_u8..3) {
        let _ = laws::hold(&[pcap(&[]), bytes.clone()].concat());
        let _ = laws::hold(&[pcapng(link), bytes].concat());
    }

    #[test]
    fn random_packets(frames in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..90), 0..20), link in any::<u8>()) {
        let records: Vec<(u32, u32, &[u8])> =
            frames.iter().map(|frame| (frame.len() as u32, frame.len() as u32, frame.as_slice())).collect();
        let mut file = pcap(&records);
        file[20] = link;
        prop_assert_eq!(laws::hold(&file), Ok(frames.len() as u64));
    }

    #[test]
    fn real_captures_with_bytes_changed(place in any::<usize>(), changes in proptest::collection::vec((0_usize..4000, any::<u8>()), 1..8)) {
        let mut bytes = CAPTURES[place % CAPTURES.len()][..4000].to_vec();
        for (at, byte) in changes {
            bytes[at] = byte;
        }
        let _ = laws::hold(&bytes);
    }
}
