//! Reads the text of a script: options, then events.

mod call;
mod packet;

use ackclock_units::Time;

use crate::code;
use crate::cursor::{Cursor, Defines, Read, shortened};
use crate::script::{Action, Event, Script, When};

/// Tolerances of packetdrill.
const TOLERANCE: Time = Time::from_millis(4);
const TOLERANCE_PERCENT: f64 = 12.5;

/// Options about addresses, devices and the output of packetdrill, which do not concern a sender.
const NO_MATTER: [&str; 21] = [
    "ip_version",
    "bind_port",
    "connect_port",
    "local_ip",
    "local_linux_ip",
    "remote_ip",
    "gateway_ip",
    "netmask_ip",
    "netdev_name",
    "speed",
    "mtu",
    "mss",
    "init_scripts",
    "non_fatal",
    "dry_run",
    "verbose",
    "debug",
    "no_cleanup",
    "send_omit_free",
    "tcp_ts_tick_usecs",
    "ignore_ts_val",
];

/// Finds lines.
struct Lines<'a> {
    text: &'a str,
    counted: usize,
    line: u32,
}

impl Lines<'_> {
    /// The line of a position that is not before the last one.
    fn of(&mut self, at: usize) -> u32 {
        self.line += self.text[self.counted..at].bytes().filter(|byte| *byte == b'\n').count() as u32;
        self.counted = at;
        self.line
    }
}

pub(crate) fn script(text: &str) -> Read<Script> {
    let mut cursor = Cursor::new(text);
    let mut lines = Lines { text, counted: 0, line: 1 };
    let mut script = Script {
        events: Vec::new(),
        tolerance: TOLERANCE,
        tolerance_share: TOLERANCE_PERCENT / 100.0,
        strict_segments: false,
    };
    let mut defines = Defines::new();
    while cursor.take("--")? {
        option(&mut cursor, &mut lines, &mut script, &mut defines)?;
    }
    let mut cursor = cursor.with(&defines);
    let mut is_first = true;
    loop {
        cursor.skip_space()?;
        if cursor.rest().is_empty() {
            break;
        }
        let (start, line) = (cursor, lines.of(cursor.at()));
        // commands before the first event and after the last one have no time
        let when =
            if cursor.rest().starts_with('`') { When::After(Time::ZERO, Time::ZERO) } else { when(&mut cursor)? };
        let is_timed = cursor.at() > start.at();
        if is_timed && is_first && !matches!(when, When::At(Time::ZERO, _) | When::After(Time::ZERO, _)) {
            return Err(start.fault("the first event must be at time 0"));
        }
        is_first &= !is_timed;
        let action = action(&mut cursor, line)?;
        let is_range = match when {
            When::At(first, last) | When::After(first, last) => first != last,
            When::Any => true,
        };
        let may_have_range = matches!(action, Action::Outbound(_) | Action::Code(_) | Action::Other(_));
        if is_range && !may_have_range || when == When::Any && matches!(action, Action::Code(_)) {
            return Err(start.fault("only an expected packet (\">\") or an assertion may have a range of times"));
        }
        script.events.push(Event { line, when, action });
    }
    if is_first {
        return Err(cursor.expected("an event, such as: 0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3"));
    }
    Ok(script)
}

/// Reads an option after its dashes.
fn option(cursor: &mut Cursor<'_>, lines: &mut Lines<'_>, script: &mut Script, defines: &mut Defines) -> Read<()> {
    let start = *cursor;
    let name = cursor.word();
    let value = if cursor.eat("=") { Some(option_value(cursor)?) } else { None };
    let number = || value.and_then(|value| value.parse::<f64>().ok()).filter(|value| (0.0..1e12).contains(value));
    match name {
        "" => return Err(start.expected("the name of an option")),
        "tolerance_usecs" => {
            let Some(micros) = number() else {
                return Err(
                    start.fault("tolerance_usecs must be a number of microseconds, such as --tolerance_usecs=4000")
                );
            };
            script.tolerance = Time::from_secs_f64(micros / 1e6);
        }
        "tolerance_percent" => {
            let Some(percent) = number().filter(|percent| *percent <= 100.0) else {
                return Err(start.fault("tolerance_percent must be a number from 0 to 100"));
            };
            script.tolerance_share = percent / 100.0;
        }
        "strict_segments" => script.strict_segments = true,
        "define" | "D" => {
            let Some((word, meaning)) = value.and_then(|value| value.split_once('=')) else {
                return Err(start.fault("define must be a word and its meaning, such as --define=CC=\"reno\""));
            };
            defines.push((word.to_owned(), meaning.to_owned()));
        }
        _ if NO_MATTER.contains(&name) => {}
        _ => {
            let reason = format!("the option --{} is not known", shortened(name));
            let (line, when) = (lines.of(start.at()), When::After(Time::ZERO, Time::ZERO));
            script.events.push(Event { line, when, action: Action::Other(reason) });
        }
    }
    Ok(())
}

/// The value of an option: words, numbers and addresses, or a text in quotes.
fn option_value<'a>(cursor: &mut Cursor<'a>) -> Read<&'a str> {
    let start = cursor.at();
    while let Some(next) = cursor.peek() {
        match next {
            '"' | '`' => {
                cursor.bump();
                cursor.until(&next.to_string(), "the text")?;
            }
            _ if next.is_whitespace() => break,
            _ => {
                cursor.bump();
            }
        }
    }
    Ok(cursor.since(start))
}

/// Reads the time of an event.
fn when(cursor: &mut Cursor<'_>) -> Read<When> {
    if cursor.eat("*") {
        return Ok(When::Any);
    }
    let start = *cursor;
    let is_relative = cursor.eat("+");
    cursor.skip_space()?;
    if !cursor.rest().starts_with(|next: char| next.is_ascii_digit() || next == '.') {
        return Err(start.expected("the time of an event: seconds such as 0.1, +0.1 after the last event, or *"));
    }
    let first = cursor.seconds()?;
    let mut last = first;
    if cursor.take("~")? {
        if is_relative {
            cursor.expect("+")?;
        }
        last = cursor.seconds()?;
        if last < first {
            return Err(start.fault("the range of times ends before it begins"));
        }
    }
    Ok(if is_relative { When::After(first, last) } else { When::At(first, last) })
}

fn action(cursor: &mut Cursor<'_>, line: u32) -> Read<Action> {
    cursor.skip_space()?;
    let rest = cursor.rest();
    if cursor.eat("<") {
        return packet::read(cursor, Action::Inbound);
    }
    if cursor.eat(">") {
        return packet::read(cursor, Action::Outbound);
    }
    if cursor.eat("`") {
        return Ok(Action::Commands(cursor.until("`", "the shell command")?.to_owned()));
    }
    if cursor.eat("%{") {
        let skipped = rest.len() - cursor.rest().len();
        debug_assert!(skipped == 2, "only the mark is skipped");
        return Ok(Action::Code(code::statements(cursor.until("}%", "the code")?, line)));
    }
    if rest.starts_with("...") || rest.starts_with(|next: char| next.is_ascii_alphabetic() || next == '_') {
        return call::read(cursor).map(Action::Call);
    }
    Err(cursor.expected("an event: a packet (< or >), a system call, `commands` or %{ code }%"))
}
