//! Compact rows about flows, most of them in two to seven bytes. Most of the cost of an event-driven record is the
//! first access to new memory.
//!
//! A row is a byte, its flow, its time, and the bytes that are [added](Packed::add) to it. The two lowest bits of the
//! first byte state how the flow and the time are stored; the other six are free.

use std::mem::replace;

use ackclock_units::Time;

/// Only the flow is stored. The time since the reference equals the previous one, as for ACKs that a busy link clocks.
const USUAL: u64 = 0;
/// Only the time since the reference is stored, in three bytes. The flow is the flow of the reference.
const NEAR: u64 = 1;
/// The flow is stored, and the time since the reference, in five bytes. It may be negative.
const FAR: u64 = 2;
/// The flow is stored, and the time, in eight bytes.
const ANY: u64 = 3;

/// Bounds of the time since the reference in picoseconds: at most 17 us, and half a second forwards or backwards.
pub(super) const NEAR_TIMES: u64 = 1 << 24;
const FAR_TIMES: u64 = 1 << 39;

/// Upper bound of the bytes of a row without added bytes.
const MOST_BYTES: usize = 13;

/// Bytes of the first and of the largest chunks.
const FIRST: usize = 1 << 12;
const LARGEST: usize = 1 << 20;

/// Consecutive rows, each with its time, its flow, six bits, and further bytes.
#[derive(Clone, Debug)]
pub(super) struct Packed {
    /// The chunk being filled, and the number of bytes used.
    chunk: Box<[u8]>,
    used: u32,
    /// Bytes of a flow's number: 1, 2 or 4.
    width: u32,
    /// Free bytes that [two rows](Self::push_two) need; unlimited if `width` is too large for them.
    space: usize,
    reference: Reference,
    full: Vec<Chunk>,
}

/// A full chunk. No number begins in one chunk and ends in the next.
#[derive(Clone, Debug)]
struct Chunk {
    bytes: Box<[u8]>,
    used: u32,
}

/// The last row that is not `NEAR`: its time and its flow, and its time since the reference before it.
#[derive(Clone, Copy, Debug, Default)]
struct Reference {
    time: u64,
    since: u64,
    flow: u32,
}

impl Packed {
    /// A log of flows with numbers below `flows`.
    pub(super) fn new(flows: usize) -> Self {
        let width = match flows {
            0..=0x100 => 1,
            0x101..=0x1_0000 => 2,
            _ => 4,
        };
        let space = if width == 4 { usize::MAX >> 1 } else { 2 * MOST_BYTES };
        Self { chunk: Box::default(), used: 0, width, space, reference: Reference::default(), full: Vec::new() }
    }

    /// Appends a row; the two lowest bits of `head` are clear.
    #[inline(always)]
    pub(super) fn push(&mut self, now: Time, flow: u32, head: u64) {
        let since = now.as_picos().wrapping_sub(self.reference.time);
        if flow == self.reference.flow && since < NEAR_TIMES {
            self.put(head | NEAR | since << 8, 4);
        } else {
            self.push_apart(now, flow, head);
        }
    }

    /// Whether [`push_two`](Self::push_two) may be called: the rows fit into the chunk, and usual ones into a word.
    #[inline(always)]
    pub(super) fn has_space(&self) -> bool {
        self.used as usize + self.space <= self.chunk.len()
    }

    /// Appends a row and a second one of the same flow, which takes the lowest `bytes` bytes of `near`, at most 5.
    /// There must be [space](Self::has_space).
    #[inline(always)]
    pub(super) fn push_two(&mut self, now: Time, flow: u32, head: u64, near: u64, bytes: u32) {
        let since = now.as_picos().wrapping_sub(self.reference.time);
        if since == self.reference.since {
            (self.reference.time, self.reference.flow) = (now.as_picos(), flow);
            self.put(head | u64::from(flow) << 8 | near << (8 + 8 * self.width), 1 + self.width + bytes);
        } else {
            self.push_apart_two(now, flow, head, near, bytes);
        }
    }

    #[inline(never)]
    fn push_apart_two(&mut self, now: Time, flow: u32, head: u64, near: u64, bytes: u32) {
        self.push_apart(now, flow, head);
        self.put(near, bytes);
    }

    /// Appends a row that becomes the reference.
    #[inline(always)]
    fn push_apart(&mut self, now: Time, flow: u32, head: u64) {
        let since = now.as_picos().wrapping_sub(self.reference.time);
        let head = head | u64::from(flow) << 8;
        if since == self.reference.since {
            self.put(head | USUAL, 1 + self.width);
        } else if is_far(since) && self.width <= 2 {
            self.put(head | FAR | since << (8 + 8 * self.width), 6 + self.width);
        } else {
            self.put(head | ANY, 1 + self.width);
            self.put(now.as_picos(), 8);
        }
        self.reference = Reference { time: now.as_picos(), since, flow };
    }

    /// Appends the lowest `bytes` bytes of a number, at most 8.
    #[inline(always)]
    fn put(&mut self, number: u64, bytes: u32) {
        let from = self.used as usize;
        let Some(free) = self.chunk.get_mut(from..from + 8) else { return self.put_into_next(number, bytes) };
        free.copy_from_slice(&number.to_le_bytes());
        self.used += bytes;
    }

    /// Begins a chunk with a number.
    #[cold]
    #[inline(never)]
    fn put_into_next(&mut self, number: u64, bytes: u32) {
        let next = vec![0; (2 * self.chunk.len()).clamp(FIRST, LARGEST)].into_boxed_slice();
        let full = Chunk { bytes: replace(&mut self.chunk, next), used: replace(&mut self.used, bytes) };
        self.chunk[..8].copy_from_slice(&number.to_le_bytes());
        if full.used > 0 {
            self.full.push(full);
        }
    }

    /// Adds a byte to the last row.
    pub(super) fn add_byte(&mut self, byte: u8) {
        self.put(byte.into(), 1);
    }

    /// Adds a number to the last row.
    pub(super) fn add(&mut self, number: u64) {
        self.put(number, 8);
    }

    /// Adds a number below 255 to the last row in a byte, or instead of a larger one the byte 255 and `whole`.
    pub(super) fn add_small(&mut self, number: u64, whole: u64) {
        self.put(number.min(255), 1);
        if number >= 255 {
            self.put(whole, 8);
        }
    }

    /// Heap memory in bytes.
    pub(super) fn memory(&self) -> usize {
        let chunks: usize = self.full.iter().map(|chunk| chunk.bytes.len()).sum();
        chunks + self.chunk.len() + self.full.capacity() * size_of::<Chunk>()
    }

    pub(super) fn read(&self) -> Reader<'_> {
        Reader { log: self, chunks: 0, bytes: &[], reference: Reference::default() }
    }
}

/// Whether five bytes hold a time since the reference, modulo 2^64.
const fn is_far(since: u64) -> bool {
    since.wrapping_add(FAR_TIMES) < 2 * FAR_TIMES
}

/// The word and the number of bytes of a row that is `later` than the reference, by less than 2^24 ps, and has the same
/// flow.
pub(super) const fn near(head: u64, later: u64) -> u64 {
    head | NEAR | later << 8
}

/// Reads rows in the order in which they were appended.
pub(super) struct Reader<'a> {
    log: &'a Packed,
    /// Number of chunks begun, and the unread bytes of the last one.
    chunks: usize,
    bytes: &'a [u8],
    reference: Reference,
}

impl Reader<'_> {
    /// Reads the next byte that was added to the row.
    pub(super) fn byte(&mut self) -> u8 {
        self.take::<1>().map_or(0, |[byte]| byte)
    }

    /// Reads the next number that was added to the row.
    pub(super) fn number(&mut self) -> u64 {
        self.take().map_or(0, u64::from_le_bytes)
    }

    /// Reads the next number below 255 that was added to the row; `None` if a larger one follows.
    pub(super) fn small(&mut self) -> Option<u64> {
        let byte = self.byte();
        (byte < 255).then_some(byte.into())
    }

    /// Reads a number of `N` bytes.
    fn read<const N: usize>(&mut self) -> u64 {
        let mut bytes = [0; 8];
        bytes[..N].copy_from_slice(&self.take::<N>().unwrap_or([0; N]));
        u64::from_le_bytes(bytes)
    }

    #[inline(always)]
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        if self.bytes.is_empty() {
            let full = self.log.full.get(self.chunks).map(|chunk| &chunk.bytes[..chunk.used as usize]);
            let last = || (self.chunks == self.log.full.len()).then(|| &self.log.chunk[..self.log.used as usize]);
            self.bytes = full.or_else(last)?;
            self.chunks += 1;
        }
        let (taken, rest) = self.bytes.split_first_chunk()?;
        self.bytes = rest;
        Some(*taken)
    }
}

/// Returns the time, the flow and the bits of the next row; the bytes added to the previous one must have been read.
impl Iterator for Reader<'_> {
    type Item = (Time, u32, u64);

    fn next(&mut self) -> Option<Self::Item> {
        let [head] = self.take()?;
        let (head, encoding) = (u64::from(head) & !3, u64::from(head) & 3);
        if encoding == NEAR {
            let time = self.reference.time.wrapping_add(self.read::<3>());
            return Some((Time::from_picos(time), self.reference.flow, head));
        }
        let flow = match self.log.width {
            1 => self.read::<1>(),
            2 => self.read::<2>(),
            _ => self.read::<4>(),
        };
        let before = self.reference;
        let since = match encoding {
            USUAL => before.since,
            FAR => ((self.read::<5>() << 24) as i64 >> 24) as u64,
            _ => self.number().wrapping_sub(before.time),
        };
        let time = before.time.wrapping_add(since);
        self.reference = Reference { time, since, flow: flow as u32 };
        Some((Time::from_picos(time), flow as u32, head))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A time: shortly or as usual after the previous one, later, or any, also an earlier one.
    fn times() -> impl Strategy<Value = Vec<Time>> {
        let step = prop_oneof![
            4 => Just(240_000_000),
            2 => 0..2 * NEAR_TIMES,
            2 => 0..4 * FAR_TIMES,
            2 => (0..4 * FAR_TIMES).prop_map(u64::wrapping_neg),
            1 => any::<u64>(),
            1 => prop::sample::select(vec![NEAR_TIMES - 1, NEAR_TIMES, FAR_TIMES - 1, FAR_TIMES, FAR_TIMES.wrapping_neg()]),
        ];
        prop::collection::vec(step, 0..400).prop_map(|steps| {
            let sum = |now: &mut u64, step| {
                *now = now.wrapping_add(step);
                Some(Time::from_picos(*now))
            };
            steps.into_iter().scan(0, sum).collect()
        })
    }

    proptest! {
        /// Rows of few and of many flows come back, with the bytes and the numbers added to them, from several chunks.
        #[test]
        fn rows_come_back(times in times(), flows in prop::sample::select(vec![1_usize, 256, 257, 65_536, 65_537]), seed: u64) {
            let mut packed = Packed::new(flows);
            let number = |row: usize| seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(row as u32 % 64);
            // most rows have the flow of the row before
            let flow = |row: usize| number(row / 3) as u32 % flows as u32;
            let (head, second) = (|row: usize| number(row) & 0xfc, |row: usize| 0xfc & !number(row));
            let mut pairs = Vec::new();
            for (row, now) in times.iter().enumerate() {
                let later = number(row) % NEAR_TIMES;
                if number(row) % 3 == 0 && packed.has_space() {
                    packed.push_two(*now, flow(row), head(row), near(second(row), later) | 7 << 32, 5);
                    pairs.push((row, Time::from_picos(now.as_picos().wrapping_add(later))));
                } else {
                    packed.push(*now, flow(row), head(row));
                }
                packed.add_byte(row as u8);
                packed.add(number(row));
                packed.add_small(row as u64, seed);
            }
            let mut pairs = pairs.into_iter().peekable();
            let mut read = packed.read();
            for (row, now) in times.iter().enumerate() {
                prop_assert_eq!(read.next(), Some((*now, flow(row), head(row))));
                if let Some((_, later)) = pairs.next_if(|(first, _)| *first == row) {
                    prop_assert_eq!(read.next(), Some((later, flow(row), second(row))));
                    prop_assert_eq!(read.byte(), 7);
                }
                prop_assert_eq!((read.byte(), read.number()), (row as u8, number(row)));
                let small = read.small();
                prop_assert_eq!(small.unwrap_or_else(|| read.number()), if row < 255 { row as u64 } else { seed });
            }
            prop_assert_eq!(read.next(), None);
        }
    }

    #[test]
    fn usual_and_near_rows_take_few_bytes() {
        let mut packed = Packed::new(60);
        for row in 1..=100_u64 {
            packed.push(Time::from_micros(240 * row), row as u32 % 7, 0);
            packed.push(Time::from_micros(240 * row + 10), row as u32 % 7, 4);
        }
        assert_eq!(packed.used, 5 + 100 * 6, "the first row is far");
        assert_eq!(packed.memory(), FIRST);
    }
}
