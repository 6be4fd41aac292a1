//! Capture interfaces, the resolution of their clocks, and the packets that they dropped.

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
    /// Packets that the interface and the operating system dropped, as the file states; 0 if it does not.
    pub(super) dropped: u64,
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
        Self { link, snap: 0, name: String::new(), tick: Tick::Nanoseconds(1), offset: 0, dropped: 0 }
    }

    /// Parses an interface description block of at least 20 bytes. Parsing stops at an option that exceeds the block.
    pub(super) fn described(block: &[u8], big: bool) -> Self {
        let link = [block[8], block[9]];
        let snap: [u8; 4] = block[12..16].try_into().expect("four bytes");
        let mut interface = Self {
            snap: if big { u32::from_be_bytes(snap) } else { u32::from_le_bytes(snap) },
            tick: Tick::Nanoseconds(1_000),
            ..Self::plain(if big { u16::from_be_bytes(link) } else { u16::from_le_bytes(link) })
        };
        for (code, value) in options(block, 16, big) {
            match (code, value) {
                (2, name) => interface.name = String::from_utf8_lossy(&name[..name.len().min(64)]).into_owned(),
                (9, &[resolution]) => interface.tick = Tick::new(resolution),
                (14, value) => interface.offset = number(value, big).map_or(0, |offset| offset as i64),
                _ => {}
            }
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

/// The options of a block from an offset on, as pairs of code and value (draft-ietf-opsawg-pcapng, section 3.5). They end at
/// one that exceeds the block.
fn options(block: &[u8], mut at: usize, big: bool) -> impl Iterator<Item = (u16, &[u8])> {
    let u16 = move |at: usize| {
        let bytes = *block.get(at..)?.first_chunk()?;
        Some(if big { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) })
    };
    std::iter::from_fn(move || {
        let (code, length) = (u16(at)?, usize::from(u16(at + 2)?));
        // The last four bytes are the length of the block.
        let value = block[..block.len() - 4].get(at + 4..at + 4 + length)?;
        at += 4 + length.next_multiple_of(4);
        (code != 0).then_some((code, value))
    })
}

/// A number of eight bytes.
fn number(value: &[u8], big: bool) -> Option<u64> {
    let bytes = value.try_into().ok()?;
    Some(if big { u64::from_be_bytes(bytes) } else { u64::from_le_bytes(bytes) })
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

    /// Reads an interface statistics block (4.6) of at least 12 bytes. Its counts are those since the capture began.
    pub(super) fn count(&mut self, block: &[u8], big: bool) {
        let Some(&id) = block.get(8..).and_then(|rest| rest.first_chunk()) else { return };
        let id = if big { u32::from_be_bytes(id) } else { u32::from_le_bytes(id) };
        let Some(interface) = self.all.get_mut(self.section + id as usize) else { return };
        let drops = options(block, 20, big).filter(|(code, _)| matches!(code, 5 | 7));
        interface.dropped = drops.filter_map(|(_, value)| number(value, big)).fold(0, u64::saturating_add);
    }

    /// Takes the number of packets that a snoop file states to be dropped so far.
    pub(super) fn drops(&mut self, dropped: u32) {
        if let Some(interface) = self.all.first_mut() {
            interface.dropped = dropped.into();
        }
    }

    /// The interface with a given number in the current section, and its number in the file.
    #[inline]
    pub(super) fn get(&self, id: u32) -> Option<(u32, &Interface)> {
        let number = self.section + id as usize;
        self.all.get(number).map(|interface| (number as u32, interface))
    }

    /// The interface with a number in the file.
    pub(super) fn at(&self, number: u32) -> Option<&Interface> {
        self.all.get(number as usize)
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
    fn drops_are_those_of_the_last_statistics() {
        let statistics = |dropped: u64, by_system: u64| {
            let options = [&[5, 0, 8, 0][..], &dropped.to_le_bytes(), &[7, 0, 8, 0], &by_system.to_le_bytes()].concat();
            [&[5, 0, 0, 0, 48, 0, 0, 0, 0, 0, 0, 0][..], &[0; 8], &options, &[48, 0, 0, 0]].concat()
        };
        let mut all = Interfaces::default();
        all.add(Interface::plain(1));
        all.count(&statistics(7, 1), false);
        all.count(&statistics(500, 20), false);
        assert_eq!(all.all[0].dropped, 520);
        // Statistics of an interface that is not described, and a block without options.
        all.count(&[5, 0, 0, 0, 16, 0, 0, 0, 9, 0, 0, 0, 16, 0, 0, 0], false);
        all.count(&[5, 0, 0, 0, 12, 0, 0, 0, 12, 0, 0, 0], false);
        assert_eq!(all.all[0].dropped, 520);
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
