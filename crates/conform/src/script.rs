//! A script: events with their times, as the text states them.

use ackclock_units::Time;

use crate::code::Statement;
use crate::cursor::Fault;
use crate::parse;

/// Largest script in bytes.
pub const LARGEST: usize = 1 << 20;

/// A text that is not a script.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {problem}")]
pub struct SyntaxError {
    /// Line of the error, from 1.
    pub line: u32,
    /// Column of the error in characters, from 1.
    pub column: u32,
    /// What is found and what is allowed.
    pub problem: String,
}

/// A script.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    pub(crate) events: Vec<Event>,
    /// Least tolerance of times, and tolerance as a share of the time since the last event.
    pub(crate) tolerance: Time,
    pub(crate) tolerance_share: f64,
    /// Whether each expected packet is a single segment.
    pub(crate) strict_segments: bool,
}

/// Something that happens or is expected, at a time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Event {
    pub(crate) line: u32,
    pub(crate) when: When,
    pub(crate) action: Action,
}

/// The time of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// Seconds since the start: the earliest and the latest.
    At(Time, Time),
    /// Seconds since the last event: the earliest and the latest.
    After(Time, Time),
    /// Any time.
    Any,
}

/// An event.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Action {
    /// A packet arrives.
    Inbound(Packet),
    /// The sender sends a packet.
    Outbound(Packet),
    Call(Call),
    /// Shell commands.
    Commands(String),
    /// Python code.
    Code(Vec<Statement>),
    /// Something else, with the reason why it is not expressible.
    Other(String),
}

/// A TCP segment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Packet {
    pub(crate) flags: Flags,
    /// Sequence numbers of the first byte and of the one after the last, and the number of bytes of data.
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) length: u32,
    pub(crate) ack: Option<u32>,
    pub(crate) window: Option<u32>,
    pub(crate) options: Options,
    pub(crate) ecn: Option<EcnWord>,
    /// The packet in the words of the script.
    pub(crate) text: String,
}

/// The flags of a segment, and the three bits of AccECN's counter if they are given as a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags {
    pub(crate) syn: bool,
    pub(crate) fin: bool,
    pub(crate) rst: bool,
    pub(crate) psh: bool,
    pub(crate) urg: bool,
    pub(crate) ack: bool,
    pub(crate) ece: bool,
    pub(crate) cwr: bool,
    pub(crate) ae: bool,
    pub(crate) ace: Option<u8>,
}

/// TCP options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) mss: Option<u32>,
    pub(crate) window_scale: Option<u32>,
    pub(crate) sack_permitted: bool,
    pub(crate) sacks: Vec<(u32, u32)>,
    /// The timestamp, and the one that it echoes.
    pub(crate) timestamp: Option<(u32, u32)>,
    /// Whether the options are left open (`<...>`).
    pub(crate) unchecked: bool,
    /// An option of another kind.
    pub(crate) other: Option<String>,
}

/// The ECN field that a packet has, or is expected to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EcnWord {
    NotEct,
    Ect0,
    Ect1,
    /// Either of both.
    Ect01,
    Ce,
}

/// A system call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) arguments: Vec<String>,
    /// The result, if it is a number.
    pub(crate) result: Option<i64>,
    /// Whether the call returns later than it begins.
    pub(crate) blocks: bool,
}

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    /// If the bytes are not a script in the language of packetdrill, with the place and what is allowed there.
    pub fn parse(bytes: &[u8]) -> Result<Self, SyntaxError> {
        if bytes.len() > LARGEST {
            let problem = format!("the script has {} bytes; must have at most {LARGEST}", bytes.len());
            return Err(SyntaxError { line: 1, column: 1, problem });
        }
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let valid = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
            placed(valid, Fault { at: valid.len(), problem: "found a byte that is not UTF-8".to_owned() })
        })?;
        parse::script(text).map_err(|fault| placed(text, fault))
    }
}

/// Finds the line and the column of an error.
fn placed(text: &str, fault: Fault) -> SyntaxError {
    let before = &text[..fault.at];
    let line = 1 + before.bytes().filter(|byte| *byte == b'\n').count();
    let column = 1 + before.rsplit('\n').next().unwrap_or_default().chars().count();
    SyntaxError { line: line as u32, column: column as u32, problem: fault.problem }
}
