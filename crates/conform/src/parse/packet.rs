//! Reads packets.

use crate::cursor::{Cursor, Read, shortened};
use crate::script::{Action, EcnWord, Flags, Options, Packet};

const MOST: u64 = u32::MAX as u64;
/// Largest number of SACK blocks that an option of TCP holds.
const BLOCKS: usize = 4;

/// Protocols other than TCP over IP, by the word that begins such a packet.
const OTHERS: [(&str, &str); 10] = [
    ("udp", "UDP"),
    ("icmp", "ICMP"),
    ("ipv4", "a packet in another packet"),
    ("ipv6", "a packet in another packet"),
    ("gre", "a packet in another packet"),
    ("GREv0", "a packet in another packet"),
    ("mpls", "MPLS"),
    ("raw", "a raw packet"),
    ("encap", "a packet in another packet"),
    ("psp", "PSP"),
];

/// Reads a packet after its direction.
pub(super) fn read(cursor: &mut Cursor<'_>, direct: impl FnOnce(Packet) -> Action) -> Read<Action> {
    cursor.skip_space()?;
    let start = cursor.at();
    let mut packet = Packet::default();
    let closing = if cursor.eat("[") {
        "]"
    } else if cursor.eat("(") {
        ")"
    } else {
        ""
    };
    if !closing.is_empty() {
        let words = cursor.until(closing, "the description of the IP header")?;
        match ecn(words) {
            Ok(ecn) => packet.ecn = Some(ecn),
            Err(reason) => return Ok(other(cursor, &reason)),
        }
        cursor.skip_space()?;
    }
    let word = { *cursor }.word();
    if let Some((_, what)) = OTHERS.iter().find(|(first, _)| *first == word) {
        return Ok(other(cursor, &format!("{what} is not modelled")));
    }
    if word.starts_with(|first: char| first.is_ascii_digit()) {
        return Ok(other(cursor, "a packet with ports belongs to another connection, and only one is modelled"));
    }
    packet.flags = flags(cursor)?;
    cursor.skip_space()?;
    let sequence = *cursor;
    packet.start = cursor.number("the first sequence number", MOST)? as u32;
    cursor.expect(":")?;
    packet.end = cursor.number("the sequence number after the last one", MOST)? as u32;
    cursor.expect("(")?;
    packet.length = cursor.number("the number of bytes", MOST)? as u32;
    cursor.expect(")")?;
    if packet.start.checked_add(packet.length) != Some(packet.end) {
        let (start, end, length) = (packet.start, packet.end, packet.length);
        return Err(sequence.fault(&format!("{start}:{end}({length}) is not {length} bytes long")));
    }
    let mut end = cursor.at();
    for (name, most) in [("ack", MOST), ("win", 0xffff), ("urg", 0xffff)] {
        cursor.skip_space()?;
        if { *cursor }.word() == name {
            cursor.word();
            let value = cursor.number(name, most)? as u32;
            match name {
                "ack" => packet.ack = Some(value),
                "win" => packet.window = Some(value),
                _ => packet.flags.urg = true,
            }
            end = cursor.at();
        }
    }
    cursor.between(start, end).clone_into(&mut packet.text);
    if cursor.take("<")? {
        packet.options = options(cursor)?;
    }
    Ok(direct(packet))
}

/// Skips the rest of a packet that is not expressible.
fn other(cursor: &mut Cursor<'_>, reason: &str) -> Action {
    cursor.skip_line();
    Action::Other(reason.to_owned())
}

/// The ECN field, from the description of an IP header.
fn ecn(words: &str) -> Result<EcnWord, String> {
    let mut found = None;
    for part in words.split(',') {
        let mut words = part.split_whitespace();
        let name = words.next().unwrap_or_default();
        found = Some(match name {
            "noecn" => EcnWord::NotEct,
            "ect0" => EcnWord::Ect0,
            "ect1" => EcnWord::Ect1,
            "ect01" => EcnWord::Ect01,
            "ce" => EcnWord::Ce,
            "tos" => match words.next().and_then(|value| u8::from_str_radix(value.trim_start_matches("0x"), 16).ok()) {
                Some(value) if value < 4 => {
                    [EcnWord::NotEct, EcnWord::Ect1, EcnWord::Ect0, EcnWord::Ce][usize::from(value)]
                }
                _ => return Err("the type of service is not modelled, except for its ECN bits".to_owned()),
            },
            _ => return Err(format!("{:?} in the IP header is not modelled", shortened(name))),
        });
    }
    found.ok_or_else(|| "the description of the IP header is empty".to_owned())
}

/// Reads flags, such as `S`, `P.` or `.`; a digit after the dot is AccECN's counter.
fn flags(cursor: &mut Cursor<'_>) -> Read<Flags> {
    let start = *cursor;
    let mut flags = Flags::default();
    if cursor.eat("-") {
        return Ok(flags);
    }
    for letter in cursor.while_is(|next| next.is_ascii_alphabetic()).chars() {
        let flag = match letter {
            'S' => &mut flags.syn,
            'F' => &mut flags.fin,
            'R' => &mut flags.rst,
            'P' => &mut flags.psh,
            'U' => &mut flags.urg,
            'E' => &mut flags.ece,
            'W' => &mut flags.cwr,
            'A' => &mut flags.ae,
            _ => return Err(start.expected("the flags of a segment: letters of SFRPUEWA, \".\" for ACK, or -")),
        };
        *flag = true;
    }
    flags.ack = cursor.eat(".");
    if flags.ack {
        let digits = cursor.while_is(|next| next.is_ascii_digit());
        flags.ace = match digits {
            "" => None,
            _ => match digits.parse() {
                Ok(count @ 0..=7) => Some(count),
                _ => return Err(start.fault("the counter of AccECN must be a digit from 0 to 7")),
            },
        };
    }
    if cursor.at() == start.at() {
        return Err(start.expected("the flags of a segment: letters of SFRPUEWA, \".\" for ACK, or -"));
    }
    Ok(flags)
}

/// Reads TCP options up to the closing bracket, which is skipped.
fn options(cursor: &mut Cursor<'_>) -> Read<Options> {
    let mut options = Options::default();
    loop {
        cursor.skip_space()?;
        let start = *cursor;
        if cursor.eat("...") {
            options.unchecked = true;
            cursor.expect(">")?;
            return Ok(options);
        }
        match cursor.word() {
            "" => return Err(start.expected("a TCP option, such as mss 1000, sackOK, nop or sack 1001:2001")),
            "nop" | "eol" => {}
            "mss" => options.mss = Some(cursor.number("mss", 0xffff)? as u32),
            "wscale" => options.window_scale = Some(cursor.number("wscale", 0xff)? as u32),
            "sackOK" => options.sack_permitted = true,
            "sack" => sacks(cursor, &mut options)?,
            "TS" => {
                cursor.expect("val")?;
                let value = cursor.number("the timestamp", MOST)? as u32;
                cursor.expect("ecr")?;
                options.timestamp = Some((value, cursor.number("the echoed timestamp", MOST)? as u32));
            }
            word => {
                options.other = Some(word.to_owned());
                cursor.while_is(|next| !matches!(next, ',' | '>' | '\n'));
            }
        }
        if cursor.take(">")? {
            return Ok(options);
        }
        if !cursor.eat(",") {
            return Err(cursor.expected("\",\" and another TCP option, or \">\""));
        }
    }
}

fn sacks(cursor: &mut Cursor<'_>, options: &mut Options) -> Read<()> {
    loop {
        cursor.skip_space()?;
        let start = *cursor;
        if !options.sacks.is_empty() && !cursor.rest().starts_with(|next: char| next.is_ascii_digit()) {
            return Ok(());
        }
        let left = cursor.number("the left edge of a SACK block", MOST)? as u32;
        cursor.expect(":")?;
        let right = cursor.number("the right edge of a SACK block", MOST)? as u32;
        if options.sacks.len() == BLOCKS {
            return Err(start.fault(&format!("an option has at most {BLOCKS} SACK blocks")));
        }
        options.sacks.push((left, right));
    }
}
