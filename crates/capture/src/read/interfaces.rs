//! Capture interfaces and the resolution of their clocks.

const NANOSECONDS: i128 = 1_000_000_000;
const MOST: usize = 65_536;

/// One interface.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Interface {
    pub(super) link: u16,
    pub(super) snap: u32,
    pub(super) name: String,
    tick: Tick,
    /// Seconds to add to every time.
    offset: i64,
}

/// Clock resolution.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Tick {
    /// Nanoseconds per tick.
    Nanoseconds(i64),
    /// Ticks per second.
    Decimal(u128),
    /// Base-2 logarithm of ticks per second.
    Halved(u32),
}

impl Interface {
    /// The interface of a pcap file, whose times need no conversion.
    pub(super) fn plain(link: u16) -> Self {
        Self { link, snap: 0, name: String::new(), tick: Tick::Nanoseconds(1), offset: 0 }
    }

    /// Parses an interface description block of at least 20 bytes. Parsing stops at an option that exceeds the block.
    pub(super) fn described(block: &[u8], big: bool) -> Self {
        let u16 = |at: usize| {
            let bytes = [block[at], block[at + 1]];
            if big { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) }
        };
        let snap: [u8; 4] = block[12..16].try_into().expect("four bytes");
        let mut interface = Self {
            snap: if big { u32::from_be_bytes(snap) } else { u32::from_le_bytes(snap) },
            tick: Tick::Nanoseconds(1_000),
            ..Self::plain(u16(8))
        };
        let mut at = 16;
        while at + 8 <= block.len() {
            let (code, length) = (u16(at), usize::from(u16(at + 2)));
            let value = block.get(at + 4..at + 4 + length).unwrap_or_default();
            match (code, value) {
                (0, _) => break,
                (2, name) => interface.name = String::from_utf8_lossy(&name[..name.len().min(64)]).into_owned(),
                (9, &[resolution]) => interface.tick = Tick::new(resolution),
                (14, value) => {
                    if let Ok(value) = value.try_into() {
                        interface.offset = if big { i64::from_be_bytes(value) } else { i64::from_le_bytes(value) };
                    }
                }
                _ => {}
            }
            at += 4 + length.next_multiple_of(4);
        }
        interface
    }

    /// Nanoseconds since 1970, rounded down and clamped to 64 bits.
    #[inline]
    pub(super) fn time(&self, ticks: u64) -> i64 {
        let since = match self.tick {
            Tick::Nanoseconds(length) => i128::from(ticks) * i128::from(length),
            Tick::Decimal(parts) => (u128::from(ticks) * NANOSECONDS as u128 / parts) as i128,
            Tick::Halved(times) => ((u128::from(ticks) * NANOSECONDS as u128) >> times) as i128,
        };
        let time = since + i128::from(self.offset) * NANOSECONDS;
        i64::try_from(time).unwrap_or(if time < 0 { i64::MIN } else { i64::MAX })
    }
}

impl Tick {
    /// Parses `if_tsresol`: an exponent of 10, or of 2 if the highest bit is set.
    fn new(resolution: u8) -> Self {
        let exponent = u32::from(resolution & 0x7f);
        if resolution & 0x80 != 0 {
            return Self::Halved(exponent);
        }
        match 10_u128.checked_pow(exponent) {
            Some(parts) if parts <= NANOSECONDS as u128 => Self::Nanoseconds((NANOSECONDS as u128 / parts) as i64),
            Some(parts) => Self::Decimal(parts),
            // Even 2^64 of these ticks together are shorter than a nanosecond.
            None => Self::Decimal(u128::MAX),
        }
    }
}

/// All interfaces of a file, numbered across its sections.
#[derive(Debug, Default)]
pub(super) struct Interfaces {
    all: Vec<Interface>,
    section: usize,
}

impl Interfaces {
    pub(super) fn begin_section(&mut self) {
        self.section = self.all.len();
    }

    /// Adds an interface; returns false if there are too many.
    pub(super) fn add(&mut self, interface: Interface) -> bool {
        let room = self.all.len() < MOST;
        if room {
            self.all.push(interface);
        }
        room
    }

    /// The interface with a given number in the current section, and its number in the file.
    #[inline]
    pub(super) fn get(&self, id: u32) -> Option<(u32, &Interface)> {
        let number = self.section + id as usize;
        self.all.get(number).map(|interface| (number as u32, interface))
    }

    /// The link type of a pcap file.
    #[inline]
    pub(super) fn first_link(&self) -> u16 {
        self.all.first().map_or(0, |interface| interface.link)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Interface> {
        self.all.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(resolution: u8) -> Interface {
        Interface { tick: Tick::new(resolution), ..Interface::plain(1) }
    }

    #[test]
    fn resolutions_of_ten_and_of_two() {
        assert_eq!(of(6).time(1_000_001), 1_000_001_000);
        assert_eq!(of(9).time(7), 7);
        assert_eq!(of(12).time(1_999), 1);
        assert_eq!(of(0).time(3), 3_000_000_000);
        assert_eq!(of(0x80 | 1).time(3), 1_500_000_000);
        assert_eq!(of(127).time(u64::MAX), 0);
        assert_eq!(of(0).time(u64::MAX), i64::MAX);
    }
}
