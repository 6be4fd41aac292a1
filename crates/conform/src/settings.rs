//! What shell commands mean for a sender: settings of the kernel that correspond to options of a transport.

use serde::Serialize;

use crate::application::Application;
use crate::path::Change;
use crate::shell::Command;

/// The value of an option, as in a scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Choice {
    /// Yes or no.
    Flag(bool),
    /// A number.
    Number(u64),
    /// A word, or a time with its unit.
    Word(String),
}

/// A setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Setting {
    Option(&'static str, Choice),
    /// The congestion control.
    Law(String),
    /// The profile of the ends.
    Profile(String),
    /// A file of further commands.
    File(String),
    /// Properties of a path between the sender and a receiver.
    Path(Change),
    /// Regular writes of the application.
    Application(Application),
    /// Whether the queue of the host takes no packet, and otherwise any.
    Refusal(bool),
    /// Something that is not expressible, with the reason.
    Other(String),
}

/// Settings of the kernel that change nothing here: they concern other sockets, the receiver, buffers whose effect the
/// script states, or what the handshake of the script shows.
const NO_MATTER: [&str; 28] = [
    "tcp_rmem",
    "tcp_wmem",
    "tcp_mem",
    "tcp_syn_retries",
    "tcp_synack_retries",
    "tcp_syncookies",
    "tcp_retries1",
    "tcp_retries2",
    "tcp_fack",
    "tcp_dsack",
    "tcp_sack",
    "tcp_timestamps",
    "tcp_window_scaling",
    "tcp_ecn",
    "tcp_ecn_fallback",
    "tcp_ecn_option",
    "tcp_fastopen",
    "tcp_fastopen_key",
    "tcp_notsent_lowat",
    "tcp_no_metrics_save",
    "tcp_moderate_rcvbuf",
    "tcp_autocorking",
    "tcp_limit_output_bytes",
    "tcp_tso_win_divisor",
    "tcp_max_reordering",
    "tcp_shrink_window",
    "tcp_comp_sack_nr",
    "tcp_comp_sack_delay_ns",
];

/// The settings that a command makes.
pub(crate) fn settings(command: &Command) -> Vec<Setting> {
    let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
    let [program, rest @ ..] = words.as_slice() else { return Vec::new() };
    let name = program.rsplit('/').next().unwrap_or_default();
    match name {
        "sysctl" | "set_sysctls.py" => {
            rest.iter().filter(|word| !word.starts_with('-')).filter_map(|word| sysctl(word)).collect()
        }
        "ackclock" => vec![match rest {
            ["path", words @ ..] => Change::of(words).map_or_else(Setting::Other, Setting::Path),
            ["application", words @ ..] => Application::of(words).map_or_else(Setting::Other, Setting::Application),
            ["profile", name] => Setting::Profile((*name).to_owned()),
            _ => Setting::Other("a command of ackclock in a script must be path, application or profile".to_owned()),
        }],
        "tc" => vec![qdisc(rest)],
        "ip" => route(rest),
        // restores settings when the script ends
        _ if name.starts_with("sysctl_restore") => Vec::new(),
        "ethtool" | "true" | ":" | "echo" => Vec::new(),
        _ if name.rsplit('.').next() == Some("sh") && rest.is_empty() => vec![Setting::File((*program).to_owned())],
        _ => vec![Setting::Other(format!("the command {} is not known", crate::cursor::shortened(program)))],
    }
}

/// A setting such as `net.ipv4.tcp_sack=1`.
fn sysctl(assignment: &str) -> Option<Setting> {
    let Some((path, value)) = assignment.split_once('=') else {
        return Some(Setting::Other(format!("{assignment:?} is not a setting of sysctl")));
    };
    let path = path.trim().replace('/', ".");
    let path = path.trim_start_matches('.').trim_start_matches("proc.sys.");
    let name = path.strip_prefix("net.ipv4.").unwrap_or(path);
    let value = value.trim().trim_matches(|quote| quote == '"' || quote == '\'');
    let number: Option<u64> = value.parse().ok();
    let option = |name, choice| Some(Setting::Option(name, choice));
    let word = |word: &str| Choice::Word(word.to_owned());
    match (name, number) {
        ("tcp_congestion_control", _) => Some(Setting::Law(value.to_owned())),
        ("tcp_recovery", Some(bits)) if bits & 1 == 0 => option("recovery", word("sack")),
        ("tcp_early_retrans", Some(mode)) => option("tail_loss_probe", Choice::Flag(mode >= 3)),
        ("tcp_frto", Some(mode)) => option("frto", Choice::Flag(mode > 0)),
        ("tcp_slow_start_after_idle", Some(0)) => option("idle_restart", word("off")),
        ("tcp_slow_start_after_idle", Some(_)) => option("idle_restart", word("rfc2861")),
        ("tcp_pacing_ss_ratio", Some(percent)) => option("pacing_ss_ratio", Choice::Number(percent)),
        ("tcp_pacing_ca_ratio", Some(percent)) => option("pacing_ca_ratio", Choice::Number(percent)),
        ("tcp_min_tso_segs", Some(segments)) => option("pacing_burst", Choice::Number(segments)),
        ("tcp_reordering", Some(3)) | ("tcp_recovery", Some(1)) | ("tcp_mtu_probing", Some(0)) => None,
        _ if NO_MATTER.contains(&name) => None,
        _ => Some(Setting::Other(format!("{name} = {value} corresponds to no option of a sender"))),
    }
}

/// A queue discipline of the host: `fq` paces all senders, and a limit of 0 packets refuses them.
fn qdisc(words: &[&str]) -> Setting {
    let kind = words.iter().position(|word| *word == "root").and_then(|root| words.get(root + 1));
    match (words.first(), words.get(1), kind) {
        (Some(&"qdisc"), Some(&("add" | "replace" | "change")), Some(&"fq")) if !words.contains(&"limit") => {
            Setting::Option("pacing", Choice::Word("window".to_owned()))
        }
        (Some(&"qdisc"), Some(&("add" | "replace")), Some(&("pfifo" | "pfifo_fast" | "noqueue" | "fq_codel")))
            if !words.contains(&"limit") =>
        {
            Setting::Refusal(false)
        }
        (Some(&"qdisc"), Some(&("add" | "replace")), Some(&"pfifo")) if words.ends_with(&["limit", "0"]) => {
            Setting::Refusal(true)
        }
        _ => Setting::Other("a queue of the host that drops packets is not modelled".to_owned()),
    }
}

/// Properties of a route.
fn route(words: &[&str]) -> Vec<Setting> {
    if words.first() == Some(&"tcp_metrics") {
        return Vec::new();
    }
    if words.first() != Some(&"route") {
        return vec![Setting::Other("commands of ip other than route are not modelled".to_owned())];
    }
    let mut found = Vec::new();
    for pair in words.windows(2) {
        let value = pair[1];
        match pair[0] {
            "initcwnd" => found.push(match value.parse() {
                Ok(segments) => Setting::Option("initial_window", Choice::Number(segments)),
                Err(_) => Setting::Other(format!("initcwnd {value} is not a number")),
            }),
            "congctl" => found.push(Setting::Law(value.to_owned())),
            "rto_min" => found.push(Setting::Option("min_rto", Choice::Word(spaced(value)))),
            "mtu" => found.push(Setting::Other("the MTU of a route is not modelled".to_owned())),
            "features" | "quickack" | "rtt" | "rttvar" | "cwnd" | "ssthresh" | "reordering" | "window" => {
                found.push(Setting::Other(format!("{} of a route is not modelled", pair[0])));
            }
            _ => {}
        }
    }
    found
}

/// A time such as `5ms` with a space before its unit.
fn spaced(time: &str) -> String {
    let digits = time.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit = &time[digits.len()..];
    format!("{digits} {}", if unit.is_empty() { "ms" } else { unit })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::commands;

    fn of(text: &str) -> Vec<Setting> {
        commands(text, 1).iter().flat_map(settings).collect()
    }

    #[test]
    fn settings_of_the_kernel_are_options_of_a_transport() {
        let word = |text: &str| Choice::Word(text.to_owned());
        assert_eq!(
            of("sysctl -q net.ipv4.tcp_congestion_control=reno net/ipv4/tcp_early_retrans=0 net.ipv4.tcp_sack=1"),
            [Setting::Law("reno".to_owned()), Setting::Option("tail_loss_probe", Choice::Flag(false))]
        );
        assert_eq!(
            of("../common/set_sysctls.py /proc/sys/net/ipv4/tcp_slow_start_after_idle=0"),
            [Setting::Option("idle_restart", word("off"))]
        );
        assert_eq!(
            of(
                "ip route change 192.0.2.1 via 192.168.0.2 dev tun0 initcwnd 4 rto_min 5ms; tc qdisc add dev t root pfifo"
            ),
            [
                Setting::Option("initial_window", Choice::Number(4)),
                Setting::Option("min_rto", word("5 ms")),
                Setting::Refusal(false)
            ]
        );
        assert_eq!(of("tc qdisc replace dev tun0 root pfifo limit 0"), [Setting::Refusal(true)]);
        assert_eq!(of("./defaults.sh"), [Setting::File("./defaults.sh".to_owned())]);
    }

    #[test]
    fn all_others_are_told() {
        for other in ["reboot", "sysctl x", "sysctl net.ipv4.tcp_base_mss=512", "tc qdisc add dev t root pfifo limit 9"]
        {
            assert!(matches!(of(other).as_slice(), [Setting::Other(_)]), "{other}");
        }
    }
}
