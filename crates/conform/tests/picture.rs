//! The events of a picture, worked out by hand.

use std::collections::BTreeMap;

use ackclock_conform::{Ends, Event, Picture, Script, Shape, Status, Verdict, draw};
use ackclock_tcp::{EcnMode, SenderConfig};

const OPENING: &str = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 < S 0:0(0) win 65535 <mss 1000,sackOK,nop,wscale 2>
+0 > S. 0:0(0) ack 1 <...>
+.1 < . 1:1(0) ack 1 win 10000
";

fn drawn(text: &str, ecn: EcnMode) -> (Verdict, Picture) {
    let script = Script::parse(format!("{OPENING}{text}").as_bytes()).expect("a script");
    let sender = SenderConfig { ecn, ..SenderConfig::default() };
    let ends = Ends { sender, ..Ends::default() };
    let (outcome, picture) = draw(&script, &script.setup(&BTreeMap::new()), &ends, 1).expect("the law is built in");
    (outcome.verdict, picture)
}

/// An event in a line: its time and place, its status and its shape.
fn told(event: &Event) -> String {
    let line = event.line.map_or("-".to_owned(), |line| line.to_string());
    let until = event.until.filter(|until| *until > event.time).map_or(String::new(), |until| format!("~{until:.3}"));
    let status = format!("{:?}", event.status).to_lowercase();
    let shape = match &event.shape {
        Shape::Segment { start, end, retransmission, lost, ce, cwr } => {
            let flags = [(retransmission, " again"), (lost, " lost"), (ce, " ce"), (cwr, " cwr")];
            let flags: String = flags.iter().filter(|(is, _)| **is).map(|(_, word)| *word).collect();
            format!("{start}:{end}{flags}")
        }
        Shape::Ack { ack, limit, sacks, ece } => {
            let limit = limit.map_or(String::new(), |limit| format!(" to {limit}"));
            let sacks = sacks.iter().fold(String::new(), |all, (start, end)| format!("{all} sack {start}:{end}"));
            format!("ack {ack}{limit}{sacks}{}", if *ece { " ece" } else { "" })
        }
        Shape::Assertion { text } => text.clone(),
    };
    format!("{line} {:.3}{until} {status} {shape}", event.time)
}

fn lines(picture: &Picture) -> Vec<String> {
    picture.events.iter().map(told).collect()
}

#[test]
fn a_script_that_is_equal() {
    let (verdict, picture) = drawn(
        "+0 write(4, ..., 3000) = 3000
+0 > . 1:3001(3000) ack 1
+.1 < . 1:1(0) ack 1 win 10000 <sack 1001:3001>
+0~+.2 > . 1:1001(1000) ack 1
+0 %{ assert tcpi_total_retrans == 1 }%
+.1 < . 1:1(0) ack 3001 win 500",
        EcnMode::Off,
    );
    assert_eq!(verdict, Verdict::Equal);
    assert_eq!(
        lines(&picture)[..6],
        [
            "3 0.000 met 0:1",
            "4 0.100 given ack 1 to 40001",
            "6 0.100 met 1:1001",
            "6 0.100 met 1001:2001",
            "6 0.100 met 2001:3001",
            "7 0.200 given ack 1 to 40001 sack 1001:3001",
        ]
    );
    let rest = &lines(&picture)[6..];
    assert!(rest[0].starts_with("8 0.2") && rest[0].ends_with(" met 1:1001 again"), "{rest:?}");
    assert!(rest[1].starts_with("9 0.2") && rest[1].ends_with(" met tcpi_total_retrans == 1"), "{rest:?}");
    assert!(rest[2].starts_with("10 0.3") && rest[2].ends_with(" given ack 3001 to 5001"), "{rest:?}");
    assert_eq!((rest.len(), picture.pauses.len(), picture.truncated), (3, 0, false));
}

#[test]
fn after_the_first_difference_a_run_goes_on() {
    let (verdict, picture) = drawn(
        "+0 write(4, ..., 12000) = 12000
+0 > . 1:9001(9000) ack 1
+.1~+.2 > . 10001:11001(1000) ack 1
+.2 < . 1:1(0) ack 2001 win 10000
+0 > . 11001:12001(1000) ack 1
+0 %{ assert tcpi_snd_cwnd == 12 }%",
        EcnMode::Off,
    );
    let Verdict::Differs(difference) = verdict else { panic!("{verdict:?}") };
    assert_eq!((difference.line, difference.found.as_str()), (7, ". 9001:10001(1000) at 0.1 s"));
    // the tenth segment of the initial window is not expected, and a tail loss probe follows
    assert_eq!(
        lines(&picture)[11..],
        [
            "7 0.100 wrong 9001:10001",
            "7 0.200~0.300 missing 10001:11001",
            "- 0.300 free 10001:11001",
            "8 0.400 given ack 2001 to 42001",
            "- 0.400 free 11001:12001",
            "9 0.400 missing 11001:12001",
        ]
    );
}

#[test]
fn an_assertion_that_fails_is_drawn_at_its_time() {
    let (verdict, picture) = drawn("+.5 %{ assert tcpi_snd_cwnd == 7 }%", EcnMode::Off);
    assert!(matches!(verdict, Verdict::Differs(_)), "{verdict:?}");
    assert_eq!(lines(&picture)[2..], ["5 0.600 missing tcpi_snd_cwnd == 7"]);
}

#[test]
fn marks_and_probes() {
    let (verdict, picture) = drawn(
        "+0 write(4, ..., 20000) = 20000
+0 > [ect0] . 1:10001(10000) ack 1
+.1 < E. 1:1(0) ack 2001 win 10000
+.01 < . 1:1(0) ack 8001 win 10000
+0 > [ect0] W. 10001:11001(1000) ack 1
+0 > . 11001:12001(1000) ack 1
+.1 < . 1:1(0) ack 12001 win 0
* > . 12000:12000(0) ack 1",
        EcnMode::Classic,
    );
    assert_eq!(verdict, Verdict::Equal);
    let found = lines(&picture);
    assert_eq!(
        found[12..17],
        [
            "7 0.200 given ack 2001 to 42001 ece",
            "8 0.210 given ack 8001 to 48001",
            "9 0.210 met 10001:11001 cwr",
            "10 0.210 met 11001:12001",
            "11 0.310 given ack 12001 to 12001",
        ]
    );
    assert!(found[17].ends_with(" met 12000:12000"), "{found:?}");
}

#[test]
fn data_of_the_peer_and_the_answers() {
    let (verdict, picture) = drawn(
        "+0 < . 1:1001(1000) ack 1 win 1000
+0 < [ce] . 2001:3001(1000) ack 1 win 1000
+0 > . 1:1(0) ack 1001 <sack 2001:3001>
+0 > . 1:1(0) ack 3001",
        EcnMode::Off,
    );
    assert!(matches!(verdict, Verdict::Differs(_)), "{verdict:?}");
    assert_eq!(
        lines(&picture),
        [
            "5 0.100 given 1:1001",
            "6 0.100 given 2001:3001 ce",
            "7 0.100 met ack 1001 sack 2001:3001",
            "8 0.100 missing ack 3001",
        ]
    );
}

#[test]
fn a_path_loses_a_packet() {
    let (verdict, picture) = drawn(
        "+0 `ackclock path rate=10Mbps rtt=100ms lose=1`
+0 write(4, ..., 2000) = 2000
+.15 %{ assert tcpi_sacked == 1 }%",
        EcnMode::Off,
    );
    assert_eq!(verdict, Verdict::Equal);
    let found = lines(&picture);
    assert_eq!(found[2..4], ["- 0.100 free 1:1001 lost", "- 0.100 free 1001:2001"]);
    assert_eq!(&found[4][found[4].find("given").expect("an ACK")..], "given ack 1 sack 1001:2001");
}

#[test]
fn a_picture_as_json_has_no_empty_fields() {
    let (_, picture) = drawn("+0 write(4, ..., 1000) = 1000\n+0 > P. 1:1001(1000) ack 1", EcnMode::Off);
    let events: Vec<_> = picture.events.iter().filter(|event| event.status == Status::Met).collect();
    assert_eq!(
        serde_json::to_string(&events[1]).expect("plain data"),
        r#"{"time":0.1,"line":6,"status":"met","kind":"segment","start":1,"end":1001}"#
    );
}
