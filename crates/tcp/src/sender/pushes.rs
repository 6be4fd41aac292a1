//! The segments that carry the flag PSH, which tells the receiver that no more data may follow soon.
//!
//! The last segment that the application has supplied is pushed (RFC 9293, section 3.9.1.2). An application that always
//! has data pushes segments as in Linux (`tcp_sendmsg_locked`, in `tcp.c`):
//! - It writes `write_size` bytes at a time. The next write fills up the last segment of a write, which removes its flag,
//!   unless the write ended with a full segment.
//! - Within a write, a segment is pushed when more than half of the largest window that the peer has advertised was
//!   written since the last push or the last write (`forced_push`). Until the first ACK this is the window of the
//!   SYN-ACK, which has no scale and is at most 65,535 bytes (RFC 7323, section 2.2).
//! - It writes until `send_buffer` segments are not yet acknowledged, and the last one is pushed. It goes on writing when
//!   a third of the buffer is free (`sk_stream_write_space`).
//!
//! Differences from Linux:
//! - writing takes no time, so the first filling of the send buffer is complete before the first ACK;
//! - later windows are so large that they force no push;
//! - the send buffer does not grow with the window (`tcp_sndbuf_expand`), and never limits the sender.

use crate::config::SenderConfig;

/// Half of the largest window without scale, in bytes.
const HALF_WINDOW: u64 = 65_535 / 2;

/// What a sender must remember to push segments.
#[derive(Clone, Debug)]
pub(crate) struct Pushes {
    /// The last segment that the send buffer held each time it was full, the latest first; [`NEVER`] if it was not. They
    /// are at least a third of the buffer apart, so that those that are not yet acknowledged are among them. There are none
    /// without a send buffer.
    ends: Box<[u64]>,
}

/// A segment that is never sent.
const NEVER: u64 = u64::MAX;

/// The segments of a sender.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    pub(super) snd_una: u64,
    pub(super) supplied: u64,
}

impl Pushes {
    /// The state of a sender that pushes segments, if it does.
    pub(super) fn of(config: &SenderConfig) -> Option<Self> {
        let ends = match u64::from(config.send_buffer) {
            0 => Box::default(),
            size => [size - u64::from(!config.handshake), NEVER, NEVER, NEVER].into(),
        };
        config.push.then_some(Self { ends })
    }

    /// Heap memory in bytes.
    pub(super) fn memory(&self) -> usize {
        size_of_val(&self.ends[..])
    }

    /// Whether only the last segment that the application has supplied is pushed.
    pub(super) const fn only_ends(config: &SenderConfig) -> bool {
        config.write_size == 0 && config.send_buffer == 0
    }

    /// Whether the segment `number`, which is being sent, is pushed.
    pub(super) fn is_pushed(&mut self, number: u64, at: Progress, config: &SenderConfig) -> bool {
        let size = u64::from(config.send_buffer);
        if self.ends.first().is_some_and(|last| last.saturating_sub(at.snd_una) < 2 * size / 3) {
            self.ends.rotate_right(1);
            self.ends[0] = at.snd_una + size - 1;
        }
        number + 1 == at.supplied || self.ends.contains(&number) || ends_or_fills(number, config)
    }
}

/// Whether a write ends with the end of segment `number`, or forces it to be pushed.
fn ends_or_fills(number: u64, config: &SenderConfig) -> bool {
    let (write, payload) = (u64::from(config.write_size), u64::from(config.data_bytes()));
    let before = number - u64::from(config.handshake && number > 0);
    if write == 0 {
        return false;
    }
    let end = (before + 1) * payload;
    if end.is_multiple_of(write) {
        return true;
    }
    let is_first_filling = config.send_buffer == 0 || before < u64::from(config.send_buffer);
    // the first segment of the write that ends beyond half a window, and then each that is as far from the last one
    let start = end / write * write;
    let first = (start + HALF_WINDOW) / payload;
    is_first_filling && before >= first && (before - first).is_multiple_of(HALF_WINDOW / payload + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sender with the writes and the send buffer of the measured kernel: 64 KB, and 4 MB, of which a segment takes
    /// 2280 bytes.
    const CONFIG: SenderConfig =
        SenderConfig { push: true, write_size: 65_536, payload: 1448, send_buffer: 1840, ..SenderConfig::DEFAULT };

    fn pushed(config: &SenderConfig, numbers: std::ops::Range<u64>, behind: u64) -> Vec<u64> {
        let mut pushes = Pushes::of(config).unwrap();
        numbers
            .filter(|number| {
                let at = Progress { snd_una: number.saturating_sub(behind), supplied: u64::MAX };
                pushes.is_pushed(*number, at, config)
            })
            .collect()
    }

    /// Validates: the pushed segments of a sender that writes 64 KB at a time: the middle of each write while the send
    ///     buffer is filled for the first time, then the end of each filling, about a third of the buffer apart.
    /// Source: segments that a Linux kernel, version 6.18, acknowledged one by one (docs/agreement_linux.md): 385, 430,
    ///     521, 566, 657, 702, 747, 838 and 1788; segment 1840 in a trace with another parity.
    /// Tolerance: exact.
    #[test]
    fn writes_of_64_kb_push_the_segments_that_the_kernel_pushed() {
        let found = pushed(&CONFIG, 1..3000, 80);
        assert_eq!(found[..5], [23, 68, 114, 159, 204]);
        for number in [385, 430, 476, 521, 566, 612, 657, 702, 747, 838, 1788, 1834, 1840] {
            assert!(found.contains(&number), "segment {number}");
        }
        assert_eq!(found[40..], [1834, 1840, 2454]);
    }

    /// Validates: a write that is a whole number of segments ends with a pushed one; otherwise the next write removes the
    ///     flag, and a write of at most half the first window forces none.
    /// Source: Linux, `tcp_sendmsg_locked`.
    /// Tolerance: exact.
    #[test]
    fn only_full_segments_remain_pushed_at_the_end_of_a_write() {
        let config = |write_size| SenderConfig { write_size, send_buffer: 0, ..CONFIG };
        assert_eq!(pushed(&config(10 * 1448), 1..45, 10), [10, 20, 30, 40]);
        assert_eq!(pushed(&config(10 * 1448 + 362), 1..90, 10), [41, 82], "four writes are 41 segments");
        assert_eq!(pushed(&config(0), 1..200, 10), Vec::<u64>::new());
        // 100 segments: forced 23 segments apart, and the end
        assert_eq!(pushed(&config(100 * 1448), 1..125, 10), [23, 46, 69, 92, 100, 123]);
    }

    /// Validates: the last segment that the application has supplied is pushed, also when it is sent again.
    /// Source: RFC 9293, section 3.9.1.2 (MUST-61).
    /// Tolerance: exact.
    #[test]
    fn the_end_of_the_data_is_pushed() {
        let config = SenderConfig { push: true, ..SenderConfig::DEFAULT };
        let mut pushes = Pushes::of(&config).unwrap();
        let mut is_pushed = |number| pushes.is_pushed(number, Progress { snd_una: 1, supplied: 8 }, &config);
        assert_eq!([6, 7, 3, 7].map(&mut is_pushed), [false, true, false, true]);
        assert!(Pushes::of(&SenderConfig::DEFAULT).is_none());
    }
}
