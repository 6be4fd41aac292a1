//! Several files merged in order of time, an input that pauses, and filters.

use std::io::{Cursor, Read, Write, pipe};
use std::thread;
use std::time::Duration;

use ackclock_capture::read::{Capture, Filter, Opener, Rows};
use proptest::prelude::*;

/// A pcap file of raw IP with packets at given times in seconds, each with its number as identification.
fn pcap(times: &[(u32, u16)]) -> Vec<u8> {
    let mut file = vec![0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 101, 0, 0, 0];
    for &(time, number) in times {
        let packet = udp([10, 0, 0, 1], [10, 0, 0, 2], number, 53);
        for word in [time, 0, packet.len() as u32, packet.len() as u32] {
            file.extend(word.to_le_bytes());
        }
        file.extend(packet);
    }
    file
}

fn udp(source: [u8; 4], destination: [u8; 4], from: u16, to: u16) -> Vec<u8> {
    let mut packet = vec![0x45, 0, 0, 28, 0, 0, 0, 0, 64, 17, 0, 0];
    packet.extend([source, destination].concat());
    packet.extend([from.to_be_bytes(), to.to_be_bytes()].concat());
    packet.extend([0, 8, 0, 0]);
    packet
}

fn opener(bytes: Vec<u8>) -> Opener {
    Box::new(move || Ok(Box::new(Cursor::new(bytes.clone())) as Box<dyn Read + Send>))
}

/// Times and source ports in the order of reading.
fn order(mut capture: Capture) -> (Vec<(i64, i32, u32)>, Capture) {
    let mut found = Vec::new();
    while let Some(Rows { time, source_port, interface, .. }) = capture.read(3) {
        found.extend((0..time.len()).map(|row| (time[row] / 1_000_000_000, source_port[row], interface[row])));
    }
    (found, capture)
}

fn merged(files: &[Vec<u8>]) -> (Vec<(i64, i32, u32)>, Capture) {
    let openers = files.iter().cloned().map(opener).collect();
    order(Capture::of_files(openers, 1_000_000_000).unwrap().keeping_rows())
}

#[test]
fn a_rotated_set_is_concatenated_and_what_overlaps_is_merged() {
    let (found, capture) = merged(&[pcap(&[(30, 5), (40, 6)]), pcap(&[]), pcap(&[(10, 1), (20, 2)])]);
    assert_eq!(found, [(10, 1, 1), (20, 2, 1), (30, 5, 2), (40, 6, 2)]);
    let files: Vec<usize> = capture.interfaces().iter().map(|each| each.0).collect();
    assert_eq!(files, [1, 2, 0], "one without packets comes first");
    assert_eq!(capture.formats().len(), 3);

    let (found, _) = merged(&[pcap(&[(10, 1), (20, 2), (30, 3)]), pcap(&[(5, 7), (20, 8), (25, 9), (50, 10)])]);
    let ports: Vec<i32> = found.iter().map(|each| each.1).collect();
    assert_eq!(ports, [7, 1, 2, 8, 9, 3, 10]);
}

#[test]
fn damage_to_one_file_leaves_the_others() {
    let mut cut = pcap(&[(10, 1), (20, 2)]);
    cut.pop();
    let (found, capture) = merged(&[pcap(&[(15, 3), (30, 4)]), cut]);
    assert_eq!(found.iter().map(|each| each.1).collect::<Vec<_>>(), [1, 3, 4]);
    let stops: Vec<(usize, u64)> = capture.stops().iter().map(|stop| (stop.file, stop.offset)).collect();
    assert_eq!(stops, [(1, 68)]);
    let refused = Capture::of_files(vec![opener(pcap(&[])), opener(b"text".to_vec())], 1).unwrap_err();
    assert_eq!(refused.file, 1);
}

proptest! {
    /// Merging is a stable sort by time if each file is in order.
    #[test]
    fn merging_sorts(files in prop::collection::vec(prop::collection::vec(0_u32..50, 0..20), 1..6)) {
        let mut all = Vec::new();
        let mut contents = Vec::new();
        for (file, mut times) in files.into_iter().enumerate() {
            times.sort_unstable();
            let numbered: Vec<(u32, u16)> =
                times.iter().enumerate().map(|(place, &time)| (time, (100 * file + place) as u16)).collect();
            all.extend(numbered.iter().map(|&(time, number)| (i64::from(time), i32::from(number))));
            contents.push(pcap(&numbered));
        }
        all.sort_by_key(|&(time, _)| time);
        let found: Vec<(i64, i32)> = merged(&contents).0.into_iter().map(|(time, port, _)| (time, port)).collect();
        prop_assert_eq!(found, all);
    }
}

#[test]
fn a_pipe_is_read_while_it_comes() {
    let (reader, mut writer) = pipe().unwrap();
    let mut capture = Capture::live(reader, 1_000_000_000).keeping_rows();
    assert!(capture.read(100).is_some_and(|rows| rows.is_empty()), "nothing has come, not even the header");
    let file = pcap(&[(1, 1), (2, 2), (3, 3)]);
    let (before, after) = file.split_at(24 + 44 + 50);
    writer.write_all(before).unwrap();
    let wait = |capture: &mut Capture, packets: u64| {
        for _ in 0..100 {
            assert!(capture.read(100).is_some_and(|rows| rows.is_empty()), "batches wait until they are full");
            if capture.packets() == packets {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
        panic!("{} packets", capture.packets());
    };
    wait(&mut capture, 2);
    writer.write_all(&after[..1]).unwrap();
    // Ending now is not damage, although a packet has only begun.
    capture.finish();
    drop(writer);
    assert_eq!(capture.read(100).unwrap().len(), 2);
    assert!(capture.read(100).is_none());
    assert_eq!(capture.stops(), []);
    assert_eq!(capture.flows().len(), 2);
}

/// A capture without end or pause.
struct Endless {
    first: Cursor<Vec<u8>>,
    packet: Vec<u8>,
}

impl Read for Endless {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        match self.first.read(bytes)? {
            0 => self.packet.as_slice().read(bytes),
            read => Ok(read),
        }
    }
}

#[test]
fn a_pipe_without_pauses_can_be_interrupted() {
    let file = pcap(&[(1, 1)]);
    let endless = Endless { packet: file[24..].to_vec(), first: Cursor::new(file) };
    let mut capture = Capture::live(endless, 1_000_000_000);
    assert!(capture.read(usize::MAX).is_some_and(|rows| rows.is_empty()));
    capture.finish();
    assert!(capture.read(usize::MAX).is_some());
    assert!(capture.read(usize::MAX).is_none());
    assert_eq!(capture.stops(), []);
}

#[test]
fn a_pipe_that_ends_within_a_packet_is_damaged() {
    let (reader, mut writer) = pipe().unwrap();
    let mut capture = Capture::live(reader, 1_000_000_000);
    writer.write_all(&pcap(&[(1, 1)])[..50]).unwrap();
    drop(writer);
    while capture.read(100).is_some() {}
    assert_eq!(capture.stops()[0].to_string(), "at byte 24: the file ends within a packet: 26 of 44 bytes");
}

fn selected(expression: &str) -> Vec<i32> {
    let packets = [
        ([10, 0, 0, 1], [10, 0, 0, 2], 1, 53),
        ([10, 0, 1, 1], [192, 168, 0, 1], 2, 443),
        ([10, 0, 0, 2], [10, 0, 0, 1], 3, 80),
    ];
    let mut file = pcap(&[]);
    for (source, destination, from, to) in packets {
        let packet = udp(source, destination, from, to);
        file.extend([1_u32, 0, 28, 28].map(u32::to_le_bytes).concat());
        file.extend(packet);
    }
    let capture = Capture::new(Cursor::new(file), 1_000_000_000).unwrap().keeping_rows();
    let (found, capture) = order(capture.selecting(Filter::new(expression).unwrap()));
    assert_eq!(capture.packets() + capture.oddities().filtered, 3);
    found.iter().map(|each| each.1).collect()
}

#[test]
fn filters_select() {
    for (expression, ports) in [
        ("udp", &[1, 2, 3][..]),
        ("tcp", &[]),
        ("not tcp", &[1, 2, 3]),
        ("ip6 or arp", &[]),
        ("host 10.0.0.1", &[1, 3]),
        ("src host 10.0.0.1", &[1]),
        ("src or dst host 10.0.0.2", &[1, 3]),
        ("src and dst net 10.0.0.0/16", &[1, 3]),
        ("src 10.0.0.0/24", &[1, 3]),
        ("net 10.0.1.0/24 or port 80", &[2, 3]),
        ("port 53 or 443", &[1, 2]),
        ("udp dst port 53 or 80 and src host 10.0.0.2", &[3]),
        ("udp dst port 53 or (port 80 and src host 10.0.0.2)", &[1, 3]),
        ("! ( portrange 80-443 )", &[1]),
        ("not not src port 2 && dst port 443 || ip6", &[2]),
        ("net 0.0.0.0/0", &[1, 2, 3]),
        ("net ::/0", &[]),
        ("icmp or icmp6 or sctp", &[]),
    ] {
        assert_eq!(selected(expression), ports, "{expression}");
    }
}

#[test]
fn filters_name_the_word_that_is_wrong() {
    for (expression, word, allowed) in [
        ("", "", "must be host, net"),
        ("tcp port", "", "must be a port number"),
        ("tcp port http", "http", "must be a port number from 0 to 65535"),
        ("port +80", "+80", "must be a port number"),
        ("host example.org", "example.org", "names are not resolved"),
        ("net 10.0.0.1/8", "10.0.0.1/8", "without bits behind its prefix"),
        ("net 10.0.0.0/33", "10.0.0.0/33", "must be a network"),
        ("portrange 5", "5", "must be two port numbers"),
        ("vlan 5", "vlan", "must be host, net"),
        ("port 80 or vlan", "vlan", "must be host, net"),
        ("(tcp or udp", "", "must be and, or, or )"),
        ("tcp)", ")", "must be and, or, or the end"),
        ("tcp udp", "udp", "must be and, or, or the end"),
        ("tcp host 10.0.0.1", "tcp", "must not come before this"),
        ("ip port 80", "ip", "must not come before this"),
        ("tcp[13] = 2", "tcp[13]", "must be host, net"),
    ] {
        let refused = Filter::new(expression).unwrap_err();
        assert!(refused.word == word && refused.allowed.contains(allowed), "{expression}: {refused}");
    }
    assert!(Filter::new(&"(".repeat(1_000_000)).unwrap_err().allowed.contains("at most 30"));
    let long = format!("{} tcp", "not tcp or ".repeat(100_000));
    assert!(Filter::new(&long).is_ok());
}

proptest! {
    #[test]
    fn any_text_is_a_filter_or_is_refused(words in prop::collection::vec(
        prop::sample::select(vec!["(", ")", "and", "or", "not", "src", "dst", "host", "net", "port", "tcp", "ip6", "80", "10.0.0.0/8", "x"]), 0..12)) {
        if let Ok(filter) = Filter::new(&words.join(" ")) {
            let mut capture = Capture::new(Cursor::new(pcap(&[(1, 80)])), 1).unwrap().selecting(filter);
            while capture.read(10).is_some() {}
        }
    }
}
