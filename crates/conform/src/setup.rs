//! What a script demands of the sender before data is sent: its settings, and what the handshake negotiates.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::script::{Action, Call, Packet, Script};
use crate::settings::{Choice, Setting, settings};
use crate::shell;

/// Least maximum segment size in bytes (Linux, `TCP_MIN_SND_MSS`).
const LEAST_MSS: u32 = 48;
/// Maximum segment size without the option (RFC 9293, section 3.7.1).
const DEFAULT_MSS: u32 = 536;
/// Bytes of the timestamps option with its padding.
const TIMESTAMPS: u32 = 12;
/// Bytes of the headers of IPv4 and TCP.
const HEADERS: u32 = 40;

/// A statement that is not expressible.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Inexpressible {
    /// Line of the script.
    pub line: u32,
    /// The reason.
    pub reason: String,
}

/// What a script demands of the transport of its sender.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Setup {
    /// Name of the congestion control in the kernel, if the script selects one, and its line.
    pub law: Option<(String, u32)>,
    /// Name of the profile, if the script selects one, and its line.
    pub profile: Option<(String, u32)>,
    /// Options of the transport, each with its line.
    pub options: BTreeMap<&'static str, (Choice, u32)>,
    /// Whether ECN is negotiated, and how it reports marks: `classic` or `accurate`; and the line of the handshake.
    pub ecn: Option<(&'static str, u32)>,
    /// Size of a full packet with headers, in bytes.
    pub packet_size: u32,
    /// The first demand that is not expressible.
    pub refused: Option<Inexpressible>,
    #[serde(skip)]
    pub(crate) handshake: Handshake,
}

/// What the handshake negotiates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Handshake {
    /// Data in a full segment, in bytes.
    pub(crate) payload: u32,
    /// Shift of the windows that the peer advertises.
    pub(crate) window_scale: u32,
    /// The first window of the peer in bytes.
    pub(crate) window: u64,
    pub(crate) has_timestamps: bool,
    pub(crate) has_sack: bool,
}

impl Script {
    /// The files of shell commands that the script executes, each once, with their lines. Paths are relative to the script's
    /// folder.
    pub fn files(&self) -> Vec<(u32, String)> {
        let mut found: Vec<(u32, String)> = Vec::new();
        for event in &self.events {
            let Action::Commands(text) = &event.action else { continue };
            for command in shell::commands(text, event.line) {
                for setting in settings(&command) {
                    if let Setting::File(path) = setting
                        && !found.iter().any(|(_, known)| *known == path)
                    {
                        found.push((command.line, path));
                    }
                }
            }
        }
        found
    }

    /// What the script demands of its sender. `files` has the texts of the [files](Self::files) that exist.
    pub fn setup(&self, files: &BTreeMap<String, String>) -> Setup {
        let mut setup = Setup::default();
        let (mut own, mut peer) = (None, None);
        for event in &self.events {
            match &event.action {
                Action::Commands(text) => {
                    for command in shell::commands(text, event.line) {
                        for setting in settings(&command) {
                            setup.apply(setting, command.line, files);
                        }
                    }
                }
                Action::Call(call) => {
                    if let Some(setting) = congestion_control(call) {
                        setup.apply(setting, event.line, files);
                    }
                }
                Action::Outbound(packet) if packet.flags.syn => own = own.or(Some(packet)),
                Action::Inbound(packet) if packet.flags.syn => peer = peer.or(Some((packet, event.line))),
                Action::Inbound(packet) | Action::Outbound(packet) if packet.length > 0 => break,
                _ => {}
            }
        }
        if let Some((peer, line)) = peer {
            setup.negotiate(own, peer, line);
        } else {
            let line = self.events.first().map_or(1, |event| event.line);
            setup.refuse(line, "no connection is opened: no SYN arrives".to_owned());
        }
        setup
    }
}

/// The setting of a system call that selects a congestion control.
fn congestion_control(call: &Call) -> Option<Setting> {
    let [_, _, name, value, ..] = call.arguments.as_slice() else { return None };
    let selects = call.name == "setsockopt" && name == "TCP_CONGESTION" && call.result == Some(0);
    selects.then(|| Setting::Law(value.trim_matches(['[', ']', '"']).to_owned()))
}

impl Setup {
    fn refuse(&mut self, line: u32, reason: String) {
        self.refused.get_or_insert(Inexpressible { line, reason });
    }

    fn apply(&mut self, setting: Setting, line: u32, files: &BTreeMap<String, String>) {
        match setting {
            Setting::Option(name, choice) => {
                self.options.insert(name, (choice, line));
            }
            Setting::Law(name) => self.law = Some((name, line)),
            Setting::Profile(name) => self.profile = Some((name, line)),
            Setting::Other(reason) => self.refuse(line, reason),
            Setting::Path(_) | Setting::Application(_) | Setting::Refusal(_) => {}
            Setting::File(path) => match files.get(&path) {
                Some(text) => {
                    for setting in shell::commands(text, 1).iter().flat_map(settings) {
                        match setting {
                            Setting::File(inner) => self.refuse(line, format!("{path} executes {inner}")),
                            Setting::Refusal(true) => {
                                self.refuse(line, format!("{path} lets the host refuse packets"));
                            }
                            Setting::Other(reason) => self.refuse(line, format!("{path}: {reason}")),
                            setting => self.apply(setting, line, files),
                        }
                    }
                }
                None => self.refuse(line, format!("the file {path} cannot be read")),
            },
        }
    }

    /// Derives what two SYNs negotiate. Without the options of our own, it offers all.
    fn negotiate(&mut self, own: Option<&Packet>, peer: &Packet, line: u32) {
        if let Some(other) = &peer.options.other {
            self.refuse(line, format!("the TCP option {other} is not modelled"));
        }
        if peer.length > 0 {
            self.refuse(line, "data in a SYN is not modelled".to_owned());
        }
        let offered = own.map(|own| &own.options).filter(|options| !options.unchecked);
        let has_timestamps =
            peer.options.timestamp.is_some() && offered.is_none_or(|options| options.timestamp.is_some());
        let has_sack = peer.options.sack_permitted && offered.is_none_or(|options| options.sack_permitted);
        let mss = peer.options.mss.unwrap_or(DEFAULT_MSS);
        if mss < LEAST_MSS {
            self.refuse(line, format!("a maximum segment size below {LEAST_MSS} bytes is not modelled"));
        }
        let payload = mss.max(LEAST_MSS) - if has_timestamps { TIMESTAMPS } else { 0 };
        let window_scale = peer.options.window_scale.unwrap_or(0).min(14); // RFC 7323, section 2.3
        let window = u64::from(peer.window.unwrap_or(0xffff));
        self.handshake = Handshake { payload, window_scale, window, has_timestamps, has_sack };
        self.packet_size = mss.max(LEAST_MSS) + HEADERS;
        self.options.insert("timestamps", (Choice::Flag(has_timestamps), line));
        self.options.insert("payload", (Choice::Number(payload.into()), line));
        if !has_sack {
            self.options.insert("sack_blocks", (Choice::Number(0), line));
        }
        self.ecn = own.and_then(|own| feedback(own, peer)).map(|mode| (mode, line));
        if self.ecn.is_some_and(|(mode, _)| mode == "accurate") {
            // the ACKs of scripts have no byte counters
            self.options.insert("most_marks", (Choice::Flag(true), line));
        }
    }
}

/// The ECN feedback that two SYNs negotiate (RFC 3168, section 6.1.1; RFC 9768, section 3.1).
fn feedback(own: &Packet, peer: &Packet) -> Option<&'static str> {
    let (asks, answers) = if peer.flags.ack { (own.flags, peer.flags) } else { (peer.flags, own.flags) };
    let is_accurate = asks.ae && asks.cwr && asks.ece && (answers.ae || answers.cwr);
    if is_accurate {
        return Some("accurate");
    }
    (asks.ece && asks.cwr && answers.ece && !answers.cwr).then_some("classic")
}
