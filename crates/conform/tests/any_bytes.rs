//! For any text, reading ends with a script or an error at a place in the text, and a script runs to an end, with the same
//! outcome if it is drawn.

use std::collections::BTreeMap;

use ackclock_conform::{Ends, LARGEST, Script, draw, run};
use ackclock_tcp::recovery::RecoverySpec;
use ackclock_tcp::{EcnMode, SenderConfig};
use proptest::prelude::*;

/// Reads and runs a text. Returns whether it is a script.
fn hold(text: &[u8]) -> bool {
    match Script::parse(text) {
        Ok(script) => {
            let files: BTreeMap<_, _> = script
                .files()
                .into_iter()
                .map(|(_, name)| (name, "sysctl -q net.ipv4.tcp_frto=2".to_owned()))
                .collect();
            let setup = script.setup(&files);
            for (recovery, ecn) in [(RecoverySpec::Rack, EcnMode::Classic), (RecoverySpec::NewReno, EcnMode::Off)] {
                let sender = SenderConfig { recovery, ecn, ..SenderConfig::default() };
                let ends = Ends { sender, ..Ends::default() };
                let outcome = run(&script, &setup, &ends, 1).expect("the law is built in");
                let (drawn, picture) = draw(&script, &setup, &ends, 1).expect("the law is built in");
                assert_eq!(drawn, outcome, "a picture changes nothing");
                assert!(picture.events.iter().all(|event| event.time.is_finite()));
            }
            true
        }
        Err(error) => {
            let lines = text.split(|byte| *byte == b'\n').count();
            assert!(error.line >= 1 && error.line as usize <= lines && error.column >= 1, "{error}");
            assert!(!error.problem.is_empty() && error.problem.len() < 400, "{error}");
            false
        }
    }
}

/// Pieces of the language, for texts that are nearly scripts.
const PIECES: [&str; 58] = [
    "0 ",
    "+0 ",
    "+.1 ",
    "+3 ",
    "* ",
    "+.1~+.2 ",
    "0.5~0.6 ",
    "< S 0:0(0) win 100 <mss 1000,sackOK,TS val 1 ecr 0,wscale 7>\n",
    "> S. 0:0(0) ack 1 <...>\n",
    "< . 1:1(0) ack 1 win 257\n",
    "> . 1:10001(10000) ack 1\n",
    "> P. 1:1001(1000) ack 1\n",
    "< . 1:1(0) ack 1001 win 257 <nop,nop,sack 2001:3001 4001:4500>\n",
    "< . 1:1(0) ack 20001 win 65535\n",
    "< E. 1:1(0) ack 3001 win 257\n",
    "< . 1:1001(1000) ack 1 win 257\n",
    "< [ce] . 1:1(0) ack 5001 win 0\n",
    "< R. 1:1(0) ack 1\n",
    "< F. 1:1(0) ack 1 win 9\n",
    "> [ect0] PW. 1001:2001(1000) ack 1\n",
    "> udp (100)\n",
    "- ",
    ".5 ",
    "socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n",
    "connect(3, ..., ...) = 0\n",
    "accept(3, ..., ...) = 4\n",
    "write(4, ..., 20000) = 20000\n",
    "write(4, ..., 4294967295) = 4294967295\n",
    "write(4, ..., 77) = 77\n",
    "setsockopt(4, SOL_TCP, TCP_NODELAY, [1], 4) = 0\n",
    "...0.4 write(4, ..., 1) = -1 EAGAIN (Resource)\n",
    "close(4) = 0\n",
    "`sysctl -q net.ipv4.tcp_early_retrans=0`\n",
    "`./defaults.sh`\n",
    "`tc qdisc add dev tun0 root fq`\n",
    "`ackclock path rate=300kbps rtt=20ms buffer=3 lose_every=7`\n",
    "`ackclock path hold=10ms pause=50ms aggregate=7ms policer=200kbps burst=2`\n",
    "`ackclock application bytes=5000 every=10ms`\n",
    "`ackclock application bytes=1 every=1us`\n",
    "`ackclock path rate=0Mbps x=y`\n",
    "`ackclock profile rfc`\n",
    "`",
    "%{",
    "}%",
    "%{ assert tcpi_snd_cwnd == 10, tcpi_snd_cwnd }%\n",
    "%{ assert phase == 'x' or tcpi_rtt // 0 < 1\nprint(1) }%\n",
    "(",
    ")",
    "--tolerance_usecs=5000\n",
    "--define=X=\"a\"\n",
    "--strict_segments\n",
    "// remark\n",
    "/* */",
    "\n",
    " ",
    "\"",
    "999999 ",
    "é",
];

proptest! {
    #[test]
    fn bytes(text in prop::collection::vec(any::<u8>(), 0..200)) {
        hold(&text);
    }

    #[test]
    fn pieces(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40)) {
        hold(pieces.concat().as_bytes());
    }

    /// Statements after a usual opening: most of these texts are scripts.
    #[test]
    fn statements(pieces in prop::collection::vec((0..7_usize, 7..58_usize), 0..30)) {
        let opening = "0 < S 0:0(0) win 65535 <mss 1000,sackOK,wscale 9>\n+0 > S. 0:0(0) ack 1 <...>\n+.1 < . 1:1(0) ack 1 win 9999\n";
        let rest: String = pieces.iter().map(|(time, what)| [PIECES[*time], PIECES[*what]].concat()).collect();
        hold(format!("{opening}{rest}").as_bytes());
    }

    /// A script with one byte changed.
    #[test]
    fn changed(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut text = WHOLE.as_bytes().to_vec();
        let at = at.index(text.len());
        text[at] = byte;
        hold(&text);
    }
}

const WHOLE: &str = "--tolerance_usecs=4000
`sysctl -q net.ipv4.tcp_congestion_control=reno`
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 32792 <mss 1000,sackOK,TS val 7 ecr 0,nop,wscale 7>
+0 > S. 0:0(0) ack 1 <...>
+.1 < . 1:1(0) ack 1 win 257 <nop,nop,TS val 107 ecr 1>
+0 accept(3, ..., ...) = 4
+0 write(4, ..., 10000) = 10000
+0 > P. 1:9881(9880) ack 1
+.1 < . 1:1(0) ack 1 win 257 <nop,nop,TS val 207 ecr 100,sack 989:1977>
+.1~+.3 > . 1:989(988) ack 1
* > . 1:989(988) ack 1
+0 %{ assert tcpi_unacked == 11 and 0 < tcpi_rtt, tcpi_rtt }%
";

#[test]
fn the_whole_script_is_one() {
    assert!(hold(WHOLE.as_bytes()));
}

#[test]
fn large_and_deep_texts_are_refused() {
    assert!(!hold(&vec![b' '; LARGEST + 1]));
    for deep in ["(", "[", "{", "%{", "`", "\"", "/*", "<", "0 f("] {
        assert!(!hold(deep.repeat(LARGEST / 2 / deep.len()).as_bytes()), "{deep}");
    }
}

#[test]
fn errors_have_a_place_and_what_is_allowed() {
    for (text, expected) in [
        (
            "",
            "line 1, column 1: found the end of the script; must be an event, such as: 0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3",
        ),
        ("0 foo x", "line 1, column 7: found \"x\"; must be \"(\""),
        ("1 f() = 0", "line 1, column 1: the first event must be at time 0"),
        (
            "0 f() = 0\n+0 > Q. 1:2(1)",
            "line 2, column 6: found \"Q.\"; must be the flags of a segment: letters of SFRPUEWA, \".\" for ACK, or -",
        ),
        ("0 f() = 0\n  +0 < . 1:5(3) ack 1", "line 2, column 10: 1:5(3) is not 3 bytes long"),
        ("0 f() = 0\n+.2~+.1 > . 1:2(1)", "line 2, column 1: the range of times ends before it begins"),
        (
            "0 f() = 0\n* < . 1:1(0)",
            "line 2, column 1: only an expected packet (\">\") or an assertion may have a range of times",
        ),
        ("0 f() = 0\n+0 < . 1:1(0) ack 1 win 99999", "line 2, column 25: win is 99999; must be from 0 to 65535"),
        ("0 f() = 0 /* ", "line 1, column 11: the comment has no end: \"*/\""),
        (
            "--tolerance_usecs=x\n0 f() = 0",
            "line 1, column 3: tolerance_usecs must be a number of microseconds, such as --tolerance_usecs=4000",
        ),
    ] {
        assert_eq!(Script::parse(text.as_bytes()).unwrap_err().to_string(), expected, "{text}");
    }
}
