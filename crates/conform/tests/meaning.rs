//! What scripts mean: times, tolerances, demands, and statements that are not expressible.

use std::collections::BTreeMap;

use ackclock_conform::{Choice, Ends, Script, Setup, Verdict, run};
use ackclock_tcp::recovery::RecoverySpec;
use ackclock_tcp::{EcnMode, PrrRule, RackRule, SenderConfig};

const OPENING: &str = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 < S 0:0(0) win 65535 <mss 1000,sackOK,nop,wscale 7>
+0 > S. 0:0(0) ack 1 <...>
+.1 < . 1:1(0) ack 1 win 1000
";

fn read(text: &str) -> Script {
    Script::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn setup(text: &str) -> Setup {
    read(text).setup(&BTreeMap::new())
}

/// Runs a text after the opening: the verdict in words.
fn after(text: &str) -> String {
    whole(&format!("{OPENING}{text}"))
}

fn whole(text: &str) -> String {
    let script = read(text);
    let outcome = run(&script, &script.setup(&BTreeMap::new()), &Ends::default(), 1).expect("the law is built in");
    match outcome.verdict {
        Verdict::Equal => outcome.skipped.iter().fold("equal".to_owned(), |all, each| {
            let line = each.line;
            format!("{all}, not line {line}")
        }),
        Verdict::Differs(difference) => format!("line {}: {}", difference.line, difference.found),
        Verdict::Inexpressible(statement) => format!("line {}: {}", statement.line, statement.reason),
    }
}

#[test]
fn times_are_those_of_packetdrill() {
    for text in [
        "+0 write(4, ..., 1000) = 1000\n+0 > P. 1:1001(1000) ack 1",
        "0.25 write(4, ..., 1000) = 1000\n0.254 > P. 1:1001(1000) ack 1",
        // a probe of one segment waits for two round trips and a delayed ACK
        "+0 write(4, ..., 1000) = 1000\n* > . 1:1001(1000)\n+.35~+.38 > . 1:1001(1000)",
        "+0 write(4, ..., 1000) = 1000\n* > . 1:1001(1000)\n* > . 1:1001(1000)\n+.1 < . 1:1(0) ack 1001 win 9",
    ] {
        assert_eq!(after(text), "equal", "{text}");
    }
    assert_eq!(after("0.25 write(4, ..., 1000) = 1000\n0.255 > P. 1:1001(1000)"), "line 6: . 1:1001(1000) at 0.25 s");
    // 12.5 % of 360 ms are 45 ms
    let probe = "+0 write(4, ..., 1000) = 1000\n* > . 1:1001(1000)\n+.36 > . 1:1001(1000)";
    assert_eq!(after(probe), "equal");
    assert_ne!(whole(&format!("--tolerance_percent=0\n{OPENING}{probe}")), "equal");
    let strict = "--tolerance_usecs=100\n--tolerance_percent=0\n";
    assert_eq!(
        whole(&format!("{strict}{OPENING}+0 write(4, ..., 1000) = 1000\n+.001 > P. 1:1001(1000)")),
        "line 8: . 1:1001(1000) at 0.1 s"
    );
    assert_eq!(
        after("+0 write(4, ..., 1000) = 1000\n+9 > P. 1:1001(1000)\n9 > P. 1:1001(1000)"),
        "line 6: . 1:1001(1000) at 0.1 s"
    );
    assert_eq!(after("0 < . 1:1(0) ack 1 win 9"), "line 5: the last event was at 0.1 s");
}

#[test]
fn packets_are_compared_byte_by_byte() {
    let write = "+0 write(4, ..., 2500) = 2500\n";
    assert_eq!(after(&format!("{write}+0 > . 1:2001(2000)\n+0 > P. 2001:2501(500)")), "equal");
    assert_eq!(after(&format!("{write}+0 > . 1:2501(2500)")), "equal");
    assert_eq!(after(&format!("{write}+0 > . 1:2401(2400)")), "line 6: . 2001:2501(500) at 0.1 s");
    assert_eq!(after(&format!("{write}+0 > . 1001:2001(1000)")), "line 6: . 1:1001(1000) at 0.1 s");
    let more = format!("{write}+0 > . 1:2501(2500)\n+0 > . 2501:3501(1000)");
    assert_eq!(after(&more), "line 7: nothing until 0.104 s");
    let strict = format!("--strict_segments\n{OPENING}{write}+0 > . 1:2001(2000)");
    assert_eq!(whole(&strict), "line 7: . 1:1001(1000) at 0.1 s");
    let defined = format!("--define=ALL=2500\n{OPENING}+0 write(4, ..., ALL) = 2500\n+0 > . 1:2501(ALL)");
    assert_eq!(whole(&defined), "equal");
}

#[test]
fn assertions_fail_with_the_values_of_their_names() {
    assert_eq!(after("+0 %{ assert tcpi_snd_cwnd == 9, 'no' }%"), "line 5: tcpi_snd_cwnd = 10");
    assert_eq!(after("+0 %{\nassert tcpi_snd_mss == 1000\nassert tcpi_unacked > 0 }%"), "line 7: tcpi_unacked = 0");
    assert_eq!(
        after("+0 %{ assert phase == 'slow_start'; assert tcpi_options == 5 }%\n+0 %{ print(1) }%"),
        "equal, not line 5, not line 6"
    );
    assert_eq!(
        after("+0 %{ assert tcpi_snd_ssthresh == TCP_INFINITE_SSTHRESH and 99000 < tcpi_rtt < 101000 }%"),
        "equal"
    );
}

#[test]
fn what_is_not_expressible_ends_the_comparison() {
    for (statement, reason) in [
        ("+0 < R. 1:1(0) ack 1", "a reset is not modelled"),
        ("+0 < F. 1:1(0) ack 1 win 9", "the end of a connection by the peer is not modelled"),
        ("+0 < . 1:1(0) ack 1 win 7", "a window of 896 bytes, less than a segment, is not modelled"),
        ("+0 < icmp unreachable frag_needed mtu 1500 [1:1001(1000)]", "ICMP is not modelled"),
        ("+0 > udp (100)", "UDP is not modelled"),
        ("+0...0.2 write(4, ..., 1000) = 1000", "a call of write that waits is not modelled"),
        ("+0 write(4, ..., 1000) = -1 EAGAIN (Resource temporarily unavailable)", "a write that fails is not modelled"),
        ("+0 poll([{fd=4, events=POLLIN}], 1, 0) = 1", "the call poll is not modelled"),
        ("+0 setsockopt(4, SOL_TCP, TCP_CORK, [1], 4) = 0", "the option TCP_CORK of a socket is not modelled"),
        ("+0 send(4, ..., 100, MSG_MORE) = 100", "the flag MSG_MORE is not modelled"),
        ("+0 > . 1:1(0) ack 1", "an ACK without data from the peer is not modelled"),
    ] {
        assert_eq!(after(statement), format!("line 5: {reason}"), "{statement}");
    }
    let write = "+0 write(4, ..., 1000) = 1000\n+0 > P. 1:1001(1000)\n";
    for (statement, reason) in [
        ("+0 `tc qdisc replace dev tun0 root fq`", "tc takes effect after data was sent"),
        (
            "+0 `tc qdisc replace dev tun0 root pfifo limit 0`",
            "the host refuses packets, which only a sender with rack = linux knows",
        ),
        ("+0 close(4) = 0", "a connection that is closed before all data is acknowledged"),
        ("+0 < . 1:1(0) ack 501 win 9", "an ACK of a part of a segment is not modelled"),
        ("+0 < . 1:101(100) ack 1 win 9", "data in both directions is not modelled"),
    ] {
        assert_eq!(after(&format!("{write}{statement}")), format!("line 7: {reason}"), "{statement}");
    }
    // an ACK of data never sent is ignored, and the end of the connection only ends the comparison
    assert_eq!(
        after(&format!(
            "{write}+0 < . 1:1(0) ack 9001 win 99\n+0 < . 1:1(0) ack 1001 win 99\n+0 close(4) = 0\n+0 > F. 1:2(1)"
        )),
        "equal, not line 9"
    );
}

#[test]
fn a_script_demands_a_sender() {
    let found = setup(&format!("`sysctl -q net.ipv4.tcp_congestion_control=bbr net.ipv4.tcp_frto=0`\n{OPENING}"));
    assert_eq!((found.law, found.refused, found.packet_size), (Some(("bbr".to_owned(), 1)), None, 1040));
    assert_eq!(found.options["frto"], (Choice::Flag(false), 1));
    assert_eq!(found.options["payload"], (Choice::Number(1000), 3));
    let active = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0...0.1 connect(3, ..., ...) = 0
+0 > SEW 0:0(0) <mss 1460,sackOK,TS val 100 ecr 0,nop,wscale 8>
+.1 < SE. 0:0(0) ack 1 win 9000 <mss 1000,TS val 7 ecr 100>\n+0 > . 1:1(0) ack 1";
    let found = setup(active);
    assert_eq!(found.ecn, Some(("classic", 4)));
    assert_eq!(found.options["timestamps"].0, Choice::Flag(true));
    assert_eq!(found.options["payload"].0, Choice::Number(988));
    assert_eq!(found.options["sack_blocks"].0, Choice::Number(0));
    assert_eq!(whole(active), "equal");
    let accurate = OPENING.replace("< S 0", "< SEWA 0").replace("> S. 0", "> SW. 0");
    assert_eq!(setup(&accurate).ecn, Some(("accurate", 2)));
    assert_eq!(setup(&accurate).options["most_marks"].0, Choice::Flag(true));
    for (text, reason) in [
        ("0 socket(...) = 3", "no connection is opened: no SYN arrives"),
        ("`./defaults.sh`\n0 socket(...) = 3", "the file ./defaults.sh cannot be read"),
    ] {
        assert_eq!(setup(text).refused.expect("it is refused").reason, reason);
    }
}

#[test]
fn echoes_are_those_of_the_negotiated_feedback() {
    let text = format!(
        "{OPENING}+0 write(4, ..., 9000) = 9000\n+0 > [ect0] P. 1:9001(9000)\n+.1 < .7 1:1(0) ack 9001 win 99\n+0 %{{ assert tcpi_snd_ssthresh == 5 }}%"
    );
    let script = read(&text);
    let sender = SenderConfig { ecn: EcnMode::Accurate, ..SenderConfig::default() };
    let ends = Ends { sender, ..Ends::default() };
    let outcome = run(&script, &script.setup(&BTreeMap::new()), &ends, 1).expect("the law is built in");
    let Verdict::Differs(difference) = outcome.verdict else { panic!("two marks reduce the window: {outcome:?}") };
    assert_ne!(difference.found, "tcpi_snd_ssthresh = 2147483647");
}

#[test]
fn a_path_carries_packets_and_an_application_writes() {
    let path = "+0 `ackclock path rate=12Mbps rtt=50ms buffer=100`\n";
    let greedy = format!("{path}+0 write(4, ..., 10000000) = 10000000\n");
    assert_eq!(
        after(&format!("{greedy}+0~+1 %{{ assert tcpi_snd_cwnd == 40 }}%\n+0 %{{ assert tcpi_unacked == 40 }}%")),
        "equal"
    );
    assert_eq!(after(&format!("{greedy}+0 > . 1:1001(1000)")), "line 7: a packet on a path is not compared");
    assert_eq!(
        after(&format!("{greedy}+.1 `ackclock path lose=3`\n+0~+1 %{{ assert tcpi_total_retrans == 3 }}%")),
        "equal"
    );
    let regular = format!(
        "{path}+0 `ackclock application bytes=5000 every=100ms`\n+2 %{{ assert tcpi_unacked == 0 or tcpi_unacked == 5 }}%"
    );
    assert_eq!(after(&regular), "equal");
    assert_eq!(
        whole("`ackclock path rate=1Mbps`\n0 < S 0:0(0) win 9 <mss 1000>"),
        "line 1: a path begins after the handshake"
    );
    let wrong = format!("{OPENING}+0 `ackclock path speed=1`");
    assert!(whole(&wrong).starts_with("line 5: speed is not allowed for a path; must be rate, rtt, buffer"));
}

#[test]
fn the_host_acknowledges_what_arrives() {
    let text = "+0 < . 1:1001(1000) ack 1 win 9\n+0 < . 1001:2001(1000) ack 1 win 9\n+0 > . 1:1(0) ack 2001\n\
                +0 < . 2001:2501(500) ack 1 win 9\n+.2 > . 1:1(0) ack 2501\n+0 < . 2501:3501(1000) ack 1 win 9";
    assert_eq!(
        after(text),
        "line 10: segments of the peer that differ in size are not modelled, except for a shorter last one"
    );
    assert_eq!(after("+0 < . 1:1001(1000) ack 1 win 9\n+0 > . 1:1(0) ack 1001"), "line 6: nothing until 0.104 s");
}

/// Of 20 segments, ten are sent. The queue of the host then takes no packet until its discipline is replaced.
#[test]
fn the_host_may_refuse_packets() {
    let sender = SenderConfig {
        recovery: RecoverySpec::Rack,
        rack: RackRule::Linux,
        prr: PrrRule::Linux,
        tail_loss_probe: true,
        ..SenderConfig::default()
    };
    let verdict = |rest: &str| {
        let refuses = "+0 `tc qdisc replace dev tun0 root pfifo limit 0`";
        let write = "+0 write(4, ..., 20000) = 20000\n+0 > . 1:10001(10000)";
        let text = format!("{OPENING}{write}\n{refuses}\n+.1 < . 1:1(0) ack 2001 win 1000\n{rest}");
        let script = read(&text);
        let ends = Ends { sender: sender.clone(), ..Ends::default() };
        let outcome = run(&script, &script.setup(&BTreeMap::new()), &ends, 1).expect("the law is built in");
        match outcome.verdict {
            Verdict::Equal => "equal".to_owned(),
            Verdict::Differs(difference) => difference.found,
            Verdict::Inexpressible(statement) => statement.reason,
        }
    };
    assert_eq!(verdict("+0 > . 10001:11001(1000) ack 1"), "nothing until 0.204 s");
    // nor is data answered
    assert_eq!(verdict("+0 < . 1:101(100) ack 2001 win 1000\n+0 %{ assert tcpi_unacked == 8 }%"), "equal");
    let again = "+0 `tc qdisc replace dev tun0 root pfifo`\n+.01 < . 1:1(0) ack 3001 win 1000";
    assert_eq!(verdict(&format!("{again}\n+0 > . 10001:11001(1000) ack 1")), "equal");
    let probe = "a probe or the answer to a timeout that the host refuses is not modelled";
    assert_eq!(verdict("+2 %{ assert tcpi_unacked == 8 }%"), probe);
}
