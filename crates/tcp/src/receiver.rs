//! The data receiver: immediate or delayed cumulative ACKs (RFC 5681, section 4.2; RFC 1122, section 4.2.3.2).
//!
//! A delayed ACK waits for a second segment or for the timer; the number of segments can be changed, and there are
//! exceptions (`delay.rs`). The receiver immediately acknowledges out-of-order segments, segments that fill a gap,
//! duplicates (RFC 9293, section 3.10.7.4) and the SYN. With `sack_compression`, the ACKs of out-of-order segments wait for
//! a short time (`compression.rs`), and with `gro_interval` the host gathers segments first (`batch.rs`).
//!
//! With `sack_blocks` above 0, an ACK sent while segments are missing reports the data received beyond the gap: first
//! the run around the segment just received, then the runs reported in the previous ACK, most recent first (RFC 2018,
//! section 4). With `dsack`, the first block of the ACK for a duplicate reports the duplicate (RFC 2883, section 4).
//!
//! The advertised window is fixed, opens by auto-tuning (`rwnd = auto`, `tuning.rs`), or follows the application that reads
//! at a rate (`read_rate`, `reader.rs`); in the latter two cases each ACK carries it (`window.rs`).
//!
//! With `ecn`, ACKs report marked segments (`echo.rs`). If a segment's mark differs from the previous one's, DCTCP's
//! receiver sends two ACKs: one with the old state for the segments whose ACK waits, and one for the new segment (RFC
//! 8257, section 3.2).
//!
//! Differences from the RFCs:
//! - with `ack_gap_fill = false` the ACK of a segment that fills part of a gap may be delayed, as in ns-2 before April
//!   2000;
//! - with `delay_duplicates` the ACK of a duplicate of the last in-order segment may also be delayed: ns-2 only checks
//!   whether the segment is now the last in order, not whether it is new;
//! - the delay timer starts with the first segment that waits; there is no heartbeat;
//! - a run that did not fit into an ACK is not reported again until one of its segments arrives, even if later ACKs
//!   have space for it (RFC 2018, section 4, recommends reporting as many runs as fit; ns-2 behaves as this
//!   implementation does);
//! - the first of DCTCP's two ACKs carries no SACK blocks; the second one follows at once and carries them.

mod adaptive;
mod batch;
mod calm;
mod compression;
mod config;
mod delay;
mod echo;
mod host;
mod pool;
mod reader;
mod round_trip;
#[cfg(test)]
mod tests;
mod tuning;
mod window;

use std::mem::replace;

use ackclock_units::prefetch::prefetch;
use ackclock_units::{Stream, Time};

use crate::segment::{Ack, Block};
use batch::Batch;
pub use calm::Answer;
pub use config::{DelayRule, RECEIVER, ReceiverConfig, WindowRule};
pub use echo::Mark;
use host::{Host, Released};
pub use pool::ReceiverPool;
use pool::{NO_RECORD, Record};
use window::{Admission, Window};

/// A TCP receiver. Its rarely needed state lies in a [`ReceiverPool`], which all methods with a pool must be given.
#[derive(Clone, Debug)]
pub struct Receiver {
    rcv_nxt: u64,
    /// Index of the record in the pool, or [`NO_RECORD`]. A receiver has a record while segments are missing, until the
    /// next ACK after one that reports a duplicate, while it reports originals and the segment that last advanced
    /// `rcv_nxt` was a retransmission, and always if it delays ACKs, compresses SACKs, gathers segments, reports marks or
    /// advertises a window that changes.
    record: u32,
    /// Index of the configuration in the pool.
    config: u32,
}

/// The result of a segment's arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival<'a> {
    /// Number of segments newly in order.
    pub in_order: u64,
    /// Whether the receiver already had the segment.
    pub duplicate: bool,
    /// Whether there is another ACK besides `ack`.
    pub other: OtherAck,
    /// The ACK; `None` if it waits.
    pub ack: Option<Ack<'a>>,
}

/// An ACK besides the [ACK](Arrival::ack) that is sent when a segment arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherAck {
    /// There is none.
    None,
    /// An [early](Arrival::early) ACK precedes it.
    Early,
    /// It answers only earlier segments, and the ACK of this one waits.
    Waits,
}

impl Arrival<'_> {
    /// An ACK for the segments before this one, to be sent before `ack`. It reports the opposite state of DCTCP (RFC 8257,
    /// section 3.2).
    pub fn early(&self) -> Option<Ack<'static>> {
        let ack = self.ack.filter(|_| self.other == OtherAck::Early)?;
        Some(Ack { echo: 1 - ack.echo, ..Ack::cumulative(ack.next - self.in_order) })
    }
}

impl Receiver {
    /// Memory used by one run beyond a gap, in bytes.
    pub const BYTES_OF_GAP: usize = size_of::<Block>();
    /// Memory used by a window that ACKs carry, in bytes.
    pub const BYTES_OF_WINDOW: usize = size_of::<Window>();
    /// Memory used by the rules of a receiver's host, in bytes.
    pub const BYTES_OF_HOST: usize = size_of::<Host>() + size_of::<Released>();
    /// Memory used by the segments that a host gathers, in bytes.
    pub const BYTES_OF_BATCH: usize = size_of::<Batch>();

    /// Lets the receiver's clock show a random time at time 0. It decides when the ticks of `delayed_ack_tick` come.
    pub fn shift_clock(&self, stream: &mut Stream, pool: &mut ReceiverPool) {
        let config = *self.config(pool);
        if config.adapts()
            && let Some(host) = &mut pool.records[self.record as usize].host
        {
            host.shift_clock(&config, stream);
        }
    }

    /// Resets the receiver for a new connection.
    #[cold]
    pub fn renew(&mut self, pool: &mut ReceiverPool) {
        self.rcv_nxt = 0;
        if self.record != NO_RECORD {
            let config = *self.config(pool);
            let record = &mut pool.records[self.record as usize];
            record.clear();
            record.begin(&config);
            self.release(pool);
        }
    }

    /// Prefetches the receiver's record, if it has one.
    #[inline(always)]
    pub fn prefetch(&self, pool: &ReceiverPool) {
        pool.records.get(self.record as usize).into_iter().for_each(prefetch);
    }

    /// Prefetches what belongs to the record, which is in the cache.
    #[inline(always)]
    pub fn prefetch_rules(&self, pool: &ReceiverPool) {
        pool.records.get(self.record as usize).into_iter().for_each(Record::prefetch);
    }

    /// The next expected segment.
    pub const fn rcv_nxt(&self) -> u64 {
        self.rcv_nxt
    }

    /// Number of data segments received in order.
    pub fn received(&self, pool: &ReceiverPool) -> u64 {
        self.rcv_nxt.saturating_sub(u64::from(self.config(pool).handshake))
    }

    /// Whether no segment is missing, ACKs are never delayed, marks are not reported, and the next expected segment
    /// follows an original: the most frequent state. The receiver has no other state then than that segment's number.
    #[inline(always)]
    pub const fn is_steady(&self) -> bool {
        self.record == NO_RECORD
    }

    /// Handles segment `number`, which was sent once, if it is the next one in order. The receiver must be
    /// [steady](Self::is_steady). Returns the number to acknowledge; if there is none, the receiver is unchanged. The ACK
    /// answers an [original](Ack::original).
    #[inline(always)]
    pub fn take_in_order(&mut self, number: u64) -> Option<u64> {
        debug_assert!(self.is_steady(), "the caller checks it");
        if number != self.rcv_nxt {
            return None;
        }
        self.rcv_nxt += 1;
        Some(self.rcv_nxt)
    }

    /// Handles the arrival of segment `number`.
    #[inline(always)]
    pub fn handle_segment<'a>(
        &mut self,
        number: u64,
        mark: Mark,
        now: Time,
        pool: &'a mut ReceiverPool,
    ) -> Arrival<'a> {
        if !self.is_steady() || number != self.rcv_nxt || mark.again {
            return self.handle_with_record(number, mark, now, pool);
        }
        self.rcv_nxt += 1;
        let ack = Ack { original: self.config(pool).reports_originals, ..Ack::cumulative(self.rcv_nxt) };
        Arrival { in_order: 1, duplicate: false, other: OtherAck::None, ack: Some(ack) }
    }

    #[inline(never)]
    fn handle_with_record<'a>(
        &mut self,
        number: u64,
        mark: Mark,
        now: Time,
        pool: &'a mut ReceiverPool,
    ) -> Arrival<'a> {
        if self.is_steady() {
            self.record = pool.add_record();
            pool.records[self.record as usize].original = self.rcv_nxt > 0;
        }
        let config = &pool.configs[self.config as usize];
        let record = &mut pool.records[self.record as usize];
        if !config.keeps_record() && !config.dsack && !config.reports_originals {
            let before = self.rcv_nxt;
            let (duplicate, _) = record.place(number, &mut self.rcv_nxt, config);
            let in_order = self.rcv_nxt - before;
            return Arrival {
                in_order,
                duplicate,
                other: OtherAck::None,
                ack: Some(self.acknowledge_at_once(number, pool)),
            };
        }
        self.handle_by_rules(number, mark, now, pool)
    }

    /// Handles the arrival of segment `number` at a receiver whose ACKs may wait or report more than gaps.
    #[inline(never)]
    fn handle_by_rules<'a>(&mut self, number: u64, mark: Mark, now: Time, pool: &'a mut ReceiverPool) -> Arrival<'a> {
        let config = &pool.configs[self.config as usize];
        let record = &mut pool.records[self.record as usize];
        let admission = record.window.as_mut().map_or(Admission::Granted, |window| window.admit(number, mark, now));
        if admission != Admission::Granted {
            let waiting = record.delay.waiting();
            let updates = |window: &mut Box<Window>| window.answers(self.rcv_nxt, waiting, config.ack_every);
            let answers = match admission {
                Admission::Answered => true,
                Admission::Read => record.window.as_mut().is_some_and(updates),
                Admission::Ignored | Admission::Granted => false,
            };
            let ack = if answers { Some(self.acknowledge_all(pool)) } else { None };
            return Arrival { in_order: 0, duplicate: false, other: OtherAck::None, ack };
        }
        if config.gathers() {
            if !config.handshake || number > 0 {
                return self.gather(number, mark, now, pool);
            }
            pool.records[self.record as usize].forget_batch();
        }
        let record = &mut pool.records[self.record as usize];
        let before = self.rcv_nxt;
        let (taken, other) = record.take(number, mark, &mut self.rcv_nxt, now, config);
        let arrival = Arrival { in_order: self.rcv_nxt - before, duplicate: taken.duplicate, other, ack: None };
        let waits = record.waits(taken, self.rcv_nxt, now, config);
        if other == OtherAck::Waits {
            if !waits {
                record.hold_until(now, taken, config);
            }
            return Arrival { ack: self.released(pool), ..arrival };
        }
        let ack = if waits { None } else { Some(self.acknowledge(Some(number), taken.again, pool)) };
        Arrival { ack, ..arrival }
    }

    /// Handles the arrival of segment `number` at a receiver whose host gathers segments.
    #[inline(never)]
    fn gather<'a>(&mut self, number: u64, mark: Mark, now: Time, pool: &'a mut ReceiverPool) -> Arrival<'a> {
        let config = &pool.configs[self.config as usize];
        let record = &mut pool.records[self.record as usize];
        let before = self.rcv_nxt;
        let ended = if record.joins(number, mark) { None } else { record.close(before, now, config) };
        if let Some(last) = ended {
            record.release(Some(last.number), last.again, before, config);
        }
        let (taken, other) = record.take(number, mark, &mut self.rcv_nxt, now, config);
        let other = if ended.is_some() { OtherAck::Waits } else { other };
        let arrival = Arrival { in_order: self.rcv_nxt - before, duplicate: taken.duplicate, other, ack: None };
        let is_complete = record.gather(taken, mark, now, config);
        let closed = if is_complete || mark.pushed { record.close(self.rcv_nxt, now, config) } else { None };
        match closed {
            Some(last) if other == OtherAck::Waits => record.hold_until(now, last, config),
            Some(last) => return Arrival { ack: Some(self.acknowledge(Some(number), last.again, pool)), ..arrival },
            None => {}
        }
        Arrival { ack: if other == OtherAck::Waits { self.released(pool) } else { None }, ..arrival }
    }

    /// The ACK that was released for segments before the last one.
    #[cold]
    fn released<'a>(&self, pool: &'a ReceiverPool) -> Option<Ack<'a>> {
        let Released { next, sack, echo, original } = self.record(pool)?.host.as_ref()?.released.as_deref()?;
        Some(Ack { next: *next, sack, echo: *echo, original: *original })
    }

    /// Handles the timer; call it at the time given by [`poll_timeout`](Self::poll_timeout). Returns the ACK, unless the
    /// timer was the one of segments gathered by the host, whose ACK waits.
    pub fn handle_timeout<'a>(&mut self, pool: &'a mut ReceiverPool) -> Option<Ack<'a>> {
        let now = self.poll_timeout(pool)?;
        let config = &pool.configs[self.config as usize];
        let record = &mut pool.records[self.record as usize];
        if let Some(window) = &mut record.window {
            window.read(now);
        }
        if record.has_batch_until(now) {
            let last = record.close(self.rcv_nxt, now, config)?;
            return Some(self.acknowledge(Some(last.number), last.again, pool));
        }
        if record.delay.deadline.is_at_most(now)
            && record.delay.held == 0
            && let Some(host) = &mut record.host
        {
            host.adaptive.on_timer();
        }
        Some(self.acknowledge_all(pool))
    }

    /// When [`handle_timeout`](Self::handle_timeout) is due.
    pub fn poll_timeout(&self, pool: &ReceiverPool) -> Option<Time> {
        let Record { delay, window, .. } = self.record(pool)?;
        let deadline = delay.deadline.get();
        let Some(window) = window else { return deadline };
        let read = window.acknowledges_at(self.rcv_nxt, delay.waiting(), self.config(pool).ack_every);
        deadline.into_iter().chain(read).min()
    }

    /// The ACK of all segments so far, which answers none in particular. The receiver has a record.
    #[cold]
    fn acknowledge_all<'a>(&mut self, pool: &'a mut ReceiverPool) -> Ack<'a> {
        let record = &mut pool.records[self.record as usize];
        record.forget_batch();
        let is_held = record.delay.held > 0;
        let again = record.host.as_ref().filter(|_| is_held).and_then(|host| host.compression.again.get());
        self.acknowledge(again, again.is_some(), pool)
    }

    /// The ACK of segment `latest` at a receiver that has a record only because of gaps.
    #[inline(always)]
    fn acknowledge_at_once<'a>(&mut self, latest: u64, pool: &'a mut ReceiverPool) -> Ack<'a> {
        let next = self.rcv_nxt;
        if pool.records[self.record as usize].beyond.is_empty() {
            pool.free_plain_record(replace(&mut self.record, NO_RECORD));
            return Ack::cumulative(next);
        }
        let most = pool.configs[self.config as usize].sack_blocks as usize;
        if most == 0 {
            return Ack::cumulative(next);
        }
        let sack = pool.records[self.record as usize].choose_blocks(Some(latest), false, most);
        Ack { sack, ..Ack::cumulative(next) }
    }

    /// The ACK to send now; `latest` is the segment that it answers, and `again` whether it reports this segment as a
    /// duplicate. The receiver has a record.
    #[inline(always)]
    fn acknowledge<'a>(&mut self, latest: Option<u64>, again: bool, pool: &'a mut ReceiverPool) -> Ack<'a> {
        let next = self.rcv_nxt;
        let config = &pool.configs[self.config as usize];
        let most = config.sack_blocks as usize;
        let record = &mut pool.records[self.record as usize];
        let (echo, original) = record.report(config);
        let window = record.window.as_mut().map(|window| window.advertise(next));
        let has_blocks = most > 0 && (again || !record.beyond.is_empty());
        if has_blocks || window.is_some() {
            let sack = pool.records[self.record as usize].choose_blocks(latest, again, most);
            sack.set_window(window);
            return Ack { next, sack, echo, original };
        }
        if record.beyond.is_empty() && !again && original == config.reports_originals {
            self.release(pool);
        }
        Ack { echo, original, ..Ack::cumulative(next) }
    }

    /// Returns the empty record to the pool, unless the receiver needs it.
    #[inline(always)]
    fn release(&mut self, pool: &mut ReceiverPool) {
        if !self.config(pool).keeps_record() {
            pool.free_record(replace(&mut self.record, NO_RECORD));
        }
    }

    fn config<'a>(&self, pool: &'a ReceiverPool) -> &'a ReceiverConfig {
        &pool.configs[self.config as usize]
    }

    fn record<'a>(&self, pool: &'a ReceiverPool) -> Option<&'a Record> {
        pool.records.get(self.record as usize)
    }
}
