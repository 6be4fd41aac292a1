//! Converts sequence numbers of bytes to numbers of segments, which senders count.
//!
//! Segment 0 is the SYN, with sequence number 0; data begins with segment 1 at sequence number 1. Each write is divided into
//! full segments, and the rest is a short one. The next write fills it while it has not been sent.

/// Segments of the same size in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Row {
    /// Number of the first segment, and sequence number of its first byte.
    first: u64,
    start: u64,
    /// Bytes in each segment.
    size: u64,
    count: u64,
}

impl Row {
    const fn end(&self) -> u64 {
        self.start + self.size * self.count
    }
}

/// The data of one direction.
#[derive(Clone, Debug)]
pub(crate) struct Octets {
    payload: u64,
    rows: Vec<Row>,
}

/// A write that is not expressible in segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waits;

impl Octets {
    /// No data yet; a full segment has `payload` bytes.
    pub(crate) fn new(payload: u32) -> Self {
        Self { payload: u64::from(payload).max(1), rows: Vec::new() }
    }

    /// Number of rows of segments, which take memory.
    pub(crate) const fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Sequence number after the last byte.
    pub(crate) fn end(&self) -> u64 {
        self.rows.last().map_or(1, Row::end)
    }

    /// Number after the last segment.
    pub(crate) fn segments(&self) -> u64 {
        self.rows.last().map_or(1, |row| row.first + row.count)
    }

    /// Adds a write of `bytes`. `snd_una` is the first unacknowledged segment, and `snd_max` the first one never sent.
    /// Returns the number of further segments. A short segment waits while another one is outstanding, unless the
    /// application forbids it (`no_delay`); such a wait is not expressible (RFC 9293, section 3.7.4; Linux,
    /// `tcp_minshall_check`).
    pub(crate) fn write(&mut self, bytes: u64, snd_una: u64, snd_max: u64, no_delay: bool) -> Result<u64, Waits> {
        let before = self.segments();
        let mut bytes = bytes;
        if let Some(last) = self.rows.last().copied()
            && last.size < self.payload
            && last.first >= snd_max
        {
            bytes += last.size;
            self.rows.pop();
        }
        let mut outstanding = self.rows.iter().rev().take_while(|row| row.first + row.count > snd_una);
        let short_is_out = outstanding.any(|row| row.size < self.payload);
        let (full, rest) = (bytes / self.payload, bytes % self.payload);
        if rest > 0 && short_is_out && !no_delay {
            return Err(Waits);
        }
        self.push(self.payload, full);
        self.push(rest, 1);
        Ok(self.segments() - before)
    }

    fn push(&mut self, size: u64, count: u64) {
        if size == 0 || count == 0 {
            return;
        }
        match self.rows.last_mut() {
            Some(last) if last.size == size && size == self.payload => last.count += count,
            _ => self.rows.push(Row { first: self.segments(), start: self.end(), size, count }),
        }
    }

    /// The segment that begins at a sequence number, if one does or would if more were written.
    pub(crate) fn segment_at(&self, sequence: u64) -> Option<u64> {
        let [last, first] = self.around(sequence);
        (first == last).then_some(first)
    }

    /// The last segment that begins at or before a sequence number, and the first one that begins at or after it.
    pub(crate) fn around(&self, sequence: u64) -> [u64; 2] {
        if sequence == 0 {
            return [0; 2];
        }
        if sequence >= self.end() {
            return [self.segments(); 2];
        }
        let Some(row) = self.row(|row| row.start <= sequence) else { return [1; 2] };
        let offset = sequence - row.start;
        [row.first + offset / row.size, row.first + offset.div_ceil(row.size)]
    }

    /// Sequence numbers of the first byte of a segment and of the one after its last.
    pub(crate) fn bytes_of(&self, segment: u64) -> Option<(u64, u64)> {
        if segment == 0 {
            return Some((0, 1));
        }
        let row = self.row(|row| row.first <= segment).filter(|row| segment < row.first + row.count)?;
        let start = row.start + (segment - row.first) * row.size;
        Some((start, start + row.size))
    }

    /// The last row that satisfies a condition, which the first ones do.
    fn row(&self, condition: impl Fn(&Row) -> bool) -> Option<&Row> {
        self.rows[..self.rows.partition_point(condition)].last()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_become_segments() {
        let mut octets = Octets::new(1000);
        assert_eq!(octets.write(2500, 1, 1, false), Ok(3));
        assert_eq!(
            (octets.segment_at(2001), octets.segment_at(2501), octets.segment_at(2500)),
            (Some(3), Some(4), None)
        );
        // nothing was sent, so that the short segment is filled
        assert_eq!(octets.write(700, 1, 1, false), Ok(1));
        assert_eq!([3, 4].map(|number| octets.bytes_of(number)), [Some((2001, 3001)), Some((3001, 3201))]);
        // the short segment is out
        assert_eq!(octets.clone().write(500, 1, 5, false), Err(Waits));
        assert_eq!(octets.clone().write(500, 1, 5, true), Ok(1));
        assert_eq!(octets.write(2000, 1, 5, false), Ok(2));
        assert_eq!(octets.bytes_of(5), Some((3201, 4201)));
        assert_eq!((octets.bytes_of(0), octets.bytes_of(7), octets.segment_at(5200)), (Some((0, 1)), None, None));
    }
}
