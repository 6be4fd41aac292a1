//! For any file content, reading ends, keeps its invariants and reports where it failed.

mod laws;

use std::fs;
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use ackclock_capture::read::{Capture, Filter, Opener, Stop, UNTIMED};
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

/// Captures of all formats, of at most some kilobytes: real ones, hand-made ones, and the first of them compressed.
static SEEDS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let start = |bytes: &Vec<u8>| bytes[..bytes.len().min(4000)].to_vec();
    let lan = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/lan.pcapng");
    let mut seeds: Vec<Vec<u8>> = CAPTURES.iter().chain([&fs::read(lan).unwrap()]).map(start).collect();
    let packed: Vec<Vec<u8>> = seeds.iter().flat_map(|bytes| PACKERS.map(|(_, pack)| pack(bytes))).collect();
    let faults = below("../../tests/data/captures/faults");
    seeds.extend(faults.iter().map(|path| start(&fs::read(path).unwrap())));
    let frame = [[2; 12].to_vec(), vec![8, 0, 0x45, 0, 0, 28, 0, 0, 0, 0, 64, 17], vec![10; 20]].concat();
    seeds.push(snoop(4, &[(5, 0, &frame), (6, 3, &frame)]));
    seeds.extend(packed);
    seeds
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
    (capture.packets(), capture.stops().first().cloned())
}

fn stop(offset: u64, problem: &str) -> Stop {
    Stop { file: 0, offset, problem: problem.to_owned() }
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

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

fn lz4(bytes: &[u8]) -> Vec<u8> {
    let mut packer = lz4_flex::frame::FrameEncoder::new(Vec::new());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

type Packer = fn(&[u8]) -> Vec<u8>;

const PACKERS: [(&str, Packer); 3] = [("gzip", gzip), ("zstd", zstd), ("lz4", lz4)];

#[test]
fn compression_is_seen_through() {
    for bytes in CAPTURES.iter() {
        let (start, end) = bytes.split_at(bytes.len() / 3);
        // A part that decompressors skip (RFC 8878, section 3.1.2), which gzip does not have.
        let skipped = [&[0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
        for (name, pack) in PACKERS {
            let packed = pack(bytes);
            assert_eq!(read(&packed), read(bytes), "{name}");
            let between = if name == "gzip" { &[][..] } else { &skipped };
            assert_eq!(read(&[pack(start), between.to_vec(), pack(end)].concat()), read(bytes), "{name} in parts");
            let cut = packed[..packed.len() / 2].to_vec();
            // A format may have only one block here, which is refused before the first packet.
            let problem = match Capture::new(Cursor::new(cut.clone()), 1) {
                Ok(_) => read(&cut).1.unwrap().problem,
                Err(stop) => stop.problem,
            };
            assert!(problem.starts_with(&format!("the {name} data cannot be decompressed")), "{problem}");
        }
        assert_eq!(read(&[skipped, zstd(bytes)].concat()), read(bytes));
    }
}

#[test]
fn bombs_are_read_in_little_memory() {
    // 64 MB of empty records.
    let zeros = [pcap(&[]), vec![0; 64 << 20]].concat();
    for (name, pack) in PACKERS {
        let packed = pack(&zeros);
        assert!(packed.len() < zeros.len() / 100, "{name}");
        assert_eq!(read(&packed), (4 << 20, None), "{name}");
    }
    // A Zstandard frame with a window of 2 TB, which this reader refuses before it reserves memory.
    let huge = [0x28, 0xb5, 0x2f, 0xfd, 0, 0xf8, 0, 0, 0];
    let refused = Capture::new(Cursor::new(huge), 1).unwrap_err().problem;
    assert!(refused.starts_with("the zstd data cannot be decompressed"), "{refused}");
}

/// A snoop file of a datalink type, with the given records (time in s, drops so far, captured bytes).
fn snoop(datalink: u8, records: &[(u32, u32, &[u8])]) -> Vec<u8> {
    let mut file = [&b"snoop\0\0\0\0\0\0\x02\0\0\0"[..], &[datalink]].concat();
    for &(time, dropped, bytes) in records {
        let length = bytes.len() as u32;
        let padded = length.next_multiple_of(4);
        for number in [length + 4, length, 24 + padded, dropped, time, 7] {
            file.extend(number.to_be_bytes());
        }
        file.extend(bytes);
        file.resize(file.len() + (padded - length) as usize, 0);
    }
    file
}

#[test]
fn snoop_is_read() {
    let frame = [[2; 12].to_vec(), vec![8, 0, 0x45]].concat();
    let file = snoop(4, &[(5, 0, &frame), (6, 3, &frame)]);
    let mut capture = Capture::new(Cursor::new(file.clone()), 1_000_000_000).unwrap();
    while capture.read(100).is_some() {}
    assert_eq!((capture.packets(), capture.bytes(), capture.captured()), (2, 38, 30));
    assert_eq!(capture.span(), Some((5_000_007_000, 6_000_007_000)));
    assert_eq!(capture.formats()[0].0, "snoop");
    assert_eq!(capture.oddities().dropped, 3);
    assert_eq!(read(&file[..file.len() - 1]).1.unwrap().problem, "the file ends within a packet: 39 of 40 bytes");
    let refused = |bytes: &[u8]| Capture::new(Cursor::new(bytes.to_vec()), 1).unwrap_err().problem;
    assert_eq!(refused(&snoop(2, &[])), "snoop's datalink type 2 is not read: only 0, 4 and 8 are");
    assert_eq!(refused(b"snoop\0\0\0\0\0\0\x03\0\0\0\x04"), "a snoop file of version 3: only version 2 is read");
    let mut short = file.clone();
    short[27] = 20;
    assert_eq!(read(&short), (0, Some(stop(16, "invalid record length 20 of 15 captured bytes"))));
}

#[test]
fn other_formats_are_named() {
    let refused = |bytes: &[u8]| Capture::new(Cursor::new(bytes.to_vec()), 1).unwrap_err().problem;
    assert_eq!(refused(b"\xfd7zXZ\0 and so on"), "it is compressed with xz, which is not read; `unxz` decompresses it");
    assert!(refused(b"GMBU").contains("Network Monitor 2, which is not read; `editcap"));
}

#[test]
fn heads_that_are_none() {
    let refused = |bytes: &[u8]| Capture::new(Cursor::new(bytes.to_vec()), 1).unwrap_err().to_string();
    assert_eq!(refused(b""), "at byte 0: the file is empty");
    assert_eq!(refused(b"ab"), "at byte 0: the file ends after 2 bytes");
    assert_eq!(
        refused(b"%PDF-1.7"),
        "at byte 0: not a capture (pcap, pcapng or snoop): its first bytes are 25 50 44 46"
    );
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
    assert_eq!(capture.stops(), []);
    assert_eq!(capture.interfaces().iter().map(|each| each.2).collect::<Vec<_>>(), [1, 101]);
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
    fn captures_with_bytes_changed(
        place in any::<prop::sample::Index>(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        end in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        let mut bytes = place.get(&SEEDS).clone();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if is_cut {
            bytes.truncate(end.index(bytes.len()));
        }
        let _ = laws::hold(&bytes);
        // The same file twice, and only some of its packets.
        let opener = || -> Opener {
            let bytes = bytes.clone();
            Box::new(move || Ok(Box::new(Cursor::new(bytes.clone())) as Box<dyn Read + Send>))
        };
        if let Ok(capture) = Capture::of_files(vec![opener(), opener()], 1_000_000_000_000_000) {
            let mut capture = capture.selecting(Filter::new("tcp port 5001 or not net 10.0.0.0/8").unwrap());
            while capture.read(97).is_some() {}
        }
    }
}
