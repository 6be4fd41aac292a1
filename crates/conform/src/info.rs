//! The state of a sender under the names of `tcp_info`, and under its own.

use ackclock_tcp::{Conversation, Episode};
use ackclock_units::Time;

use crate::code::Value;

/// `ssthresh` before it is set (Linux, `TCP_INFINITE_SSTHRESH`).
const INFINITE: f64 = 2_147_483_647.0;

/// What the values of a sender depend on besides its state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    /// Data in a full segment, in bytes.
    pub(crate) payload: u32,
    /// The initial slow-start threshold, in segments.
    pub(crate) initial_ssthresh: f64,
}

/// The value of a name in an assertion; `None` if it has none here.
pub(crate) fn value(name: &str, talk: &Conversation, scale: Scale) -> Option<Value> {
    if name == "phase" {
        return Some(Value::Text(talk.sender.phase(talk.now).to_owned()));
    }
    let field = name.strip_prefix("tcpi_").and_then(|field| tcp_info(field, talk, scale));
    field.or_else(|| constant(name)).or_else(|| state(name, talk)).map(Value::Number)
}

fn tcp_info(field: &str, talk: &Conversation, scale: Scale) -> Option<f64> {
    let state = talk.sender.state();
    let outstanding = || talk.sender.outstanding();
    let micros = |seconds: f64| if seconds.is_nan() { 0.0 } else { (seconds * 1e6 + 1e-3).floor() };
    let count = |count: u64| count as f64;
    Some(match field {
        "snd_cwnd" => state.cwnd.floor(),
        "snd_ssthresh" if state.ssthresh >= scale.initial_ssthresh => INFINITE,
        "snd_ssthresh" => state.ssthresh.floor(),
        "snd_mss" => scale.payload.into(),
        "ca_state" => f64::from(talk.sender.episode() as u8),
        "unacked" => count(state.flight_size),
        "sacked" => count(outstanding().sacked),
        "lost" => count(outstanding().lost?),
        "retrans" => count(outstanding().retransmitted?),
        "total_retrans" => count(talk.sender.counters().retransmissions),
        "rtt" => micros(state.srtt),
        "rto" => micros(state.rto),
        "pacing_rate" => segments_per_second(talk)? * f64::from(scale.payload),
        _ => return None,
    })
}

fn segments_per_second(talk: &Conversation) -> Option<f64> {
    state("pacing_rate", talk).filter(|rate| rate.is_finite())
}

fn constant(name: &str) -> Option<f64> {
    let episode = |episode: Episode| f64::from(episode as u8);
    Some(match name {
        "TCP_CA_Open" => episode(Episode::Open),
        "TCP_CA_Disorder" => episode(Episode::Disorder),
        "TCP_CA_CWR" => episode(Episode::Cwr),
        "TCP_CA_Recovery" => episode(Episode::Recovery),
        "TCP_CA_Loss" => episode(Episode::Loss),
        "TCP_INFINITE_SSTHRESH" => INFINITE,
        _ => return None,
    })
}

/// A state variable of the law.
fn state(name: &str, talk: &Conversation) -> Option<f64> {
    let mut found = None;
    talk.sender.visit_state(talk.now, &mut |known, value| {
        if known == name {
            found = Some(value);
        }
    });
    found
}

/// A time in seconds, as text.
pub(crate) fn seconds(time: Time) -> String {
    format!("{:.6}", time.as_secs_f64()).trim_end_matches('0').trim_end_matches('.').to_owned()
}
