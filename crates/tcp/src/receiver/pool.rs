//! State that receivers share: their configurations, and records of rarely needed state.
//!
//! Most receivers miss no segment at most times, so a record is taken from the pool when a gap opens and returned when
//! it closes. Records keep their memory, so that a gap does not allocate.

use std::collections::VecDeque;

use ackclock_units::Time;
use ackclock_units::prefetch::prefetch;

use super::batch::{Batch, Taken};
use super::compression::EXPECTED_BLOCKS;
use super::delay::Delay;
use super::echo::{Echo, Mark};
use super::host::{Host, Released};
use super::window::Window;
use super::{OtherAck, Receiver, ReceiverConfig};
use crate::config::EcnMode;
use crate::packed_option::PackedOption;
use crate::segment::{Block, Sack};

/// The record of a receiver that has none.
pub(super) const NO_RECORD: u32 = u32::MAX;

/// Number of packets that Linux acknowledges at once from a mark on (`tcp_data_ecn_check`).
const QUICK_ACKS_OF_MARK: u32 = 2;

/// The configurations and the records of a set of receivers.
#[derive(Clone, Debug, Default)]
pub struct ReceiverPool {
    pub(super) configs: Vec<ReceiverConfig>,
    pub(super) records: Vec<Record>,
    /// Records that no receiver uses.
    free: Vec<u32>,
}

/// State of a receiver that misses segments, delays ACKs or reports marks.
#[derive(Clone, Debug)]
pub(super) struct Record {
    /// Disjoint runs received beyond a gap, in ascending order.
    pub(super) beyond: VecDeque<Block>,
    /// The SACK blocks of the last ACK that had any. Those of runs that have grown since are in their current extent.
    reported: Option<Box<Sack>>,
    /// Whether the first of them reports a duplicate.
    reports_duplicate: bool,
    pub(super) delay: Delay,
    pub(super) echo: Echo,
    /// The [`Ack::original`](crate::Ack::original) of the next ACK, if the receiver reports it.
    pub(super) original: bool,
    /// Whether the receiver [only delays ACKs](ReceiverConfig::delays_only).
    pub(super) delays_only: bool,
    /// The window, if ACKs carry it.
    pub(super) window: Option<Box<Window>>,
    /// The state of the host's rules, if it has any.
    pub(super) host: Option<Box<Host>>,
}

impl ReceiverPool {
    /// Memory of a receiver's record in bytes, excluding runs beyond a gap.
    pub const BYTES_OF_RECORD: usize = size_of::<Record>() + size_of::<Sack>() + size_of::<u32>();

    /// A receiver that waits for segment 0, and whose clock shows 0 at time 0. Successive receivers of the same
    /// configuration share it.
    pub fn add(&mut self, config: ReceiverConfig) -> Receiver {
        if self.configs.last() != Some(&config) {
            self.configs.push(config);
        }
        let mut record = NO_RECORD;
        if config.keeps_record() {
            record = self.add_record();
            self.records[record as usize].begin(&config);
        }
        Receiver { rcv_nxt: 0, record, config: self.configs.len() as u32 - 1 }
    }

    /// Heap memory in bytes. Visits each record.
    pub fn memory(&self) -> usize {
        self.configs.capacity() * size_of::<ReceiverConfig>()
            + self.records.capacity() * size_of::<Record>()
            + self.free.capacity() * size_of::<u32>()
            + self.records.iter().map(Record::memory).sum::<usize>()
    }

    /// Takes an empty record.
    pub(super) fn add_record(&mut self) -> u32 {
        if let Some(place) = self.free.pop() {
            return place;
        }
        let (delay, echo) = (Delay::new(0), Echo::default());
        self.records.push(Record {
            beyond: VecDeque::new(),
            reported: None,
            reports_duplicate: false,
            delay,
            echo,
            original: false,
            delays_only: false,
            window: None,
            host: None,
        });
        self.records.len() as u32 - 1
    }

    /// Returns a record.
    pub(super) fn free_record(&mut self, place: u32) {
        self.records[place as usize].clear();
        self.free.push(place);
    }

    /// Returns a record that was only used for gaps, all of which are closed.
    #[inline(always)]
    pub(super) fn free_plain_record(&mut self, place: u32) {
        if let Some(reported) = self.records[place as usize].reported.as_deref_mut() {
            *reported = Sack::NONE;
        }
        self.free.push(place);
    }

    /// Number of records, and of those that no receiver uses.
    #[cfg(test)]
    pub(super) const fn counts(&self) -> (usize, usize) {
        (self.records.len(), self.free.len())
    }
}

impl Record {
    /// Heap memory in bytes.
    fn memory(&self) -> usize {
        self.beyond.capacity() * size_of::<Block>()
            + self.reported.as_ref().map_or(0, |_| size_of::<Sack>())
            + self.window.as_ref().map_or(0, |_| size_of::<Window>())
            + self.host.as_ref().map_or(0, |host| host.memory())
    }

    /// Prefetches the state of the host's rules, the last run beyond a gap, and the blocks of the last ACK.
    #[inline(always)]
    pub(super) fn prefetch(&self) {
        self.host.as_deref().into_iter().for_each(prefetch);
        self.beyond.back().into_iter().for_each(prefetch);
        self.reported.as_deref().into_iter().for_each(prefetch);
    }

    /// Prepares the record for a new connection of a receiver that always has one.
    pub(super) fn begin(&mut self, config: &ReceiverConfig) {
        self.delay = Delay::new(config.quick_acks);
        self.original = false;
        self.delays_only = config.delays_only();
        self.window = config.advertises().then(|| Box::new(Window::new(config)));
        self.host = config
            .has_host()
            .then(|| Box::new(self.host.as_ref().map_or_else(|| Host::new(config), |last| last.renewed(config))));
    }

    /// Empties the record but keeps its memory.
    pub(super) fn clear(&mut self) {
        self.beyond.clear();
        self.delay = Delay::new(0);
        self.echo = Echo::default();
        self.original = false;
        if let Some(reported) = self.reported.as_deref_mut() {
            *reported = Sack::NONE;
        }
        self.reports_duplicate = false;
    }

    /// Handles the mark of segment `number`. Returns whether an early ACK for earlier segments must be sent, and whether the
    /// segment must be acknowledged at once.
    #[inline(never)]
    pub(super) fn note(&mut self, number: u64, mark: Mark, rcv_nxt: u64, config: &ReceiverConfig) -> (bool, bool) {
        if number < rcv_nxt {
            return (false, false);
        }
        let is_urgent = self.echo.update(config.ecn, mark);
        match config.ecn {
            EcnMode::Classic if config.quick_acks_again == 0 => (false, false),
            EcnMode::Classic if is_urgent && (mark.ce || mark.again) && !(config.handshake && number == 0) => {
                self.delay.quick = self.delay.quick.max(QUICK_ACKS_OF_MARK);
                if let Some(host) = &mut self.host {
                    host.adaptive.deflate();
                }
                (false, true)
            }
            EcnMode::Dctcp => (is_urgent && self.delay.is_delayed(), is_urgent),
            _ => (false, is_urgent),
        }
    }

    /// Lets the window know of segment `number`, which has moved the next one expected from `before` to `next`.
    #[inline(always)]
    pub(super) fn tune(
        &mut self,
        (number, mark): (u64, Mark),
        (before, next): (u64, u64),
        duplicate: bool,
        now: Time,
        config: &ReceiverConfig,
    ) {
        let Some(window) = &mut self.window else { return };
        if config.handshake && number == 0 {
            return window.open(now);
        }
        let end = self.beyond.back().map_or(next, |run| run.end);
        if !duplicate && window.take((number, mark), (next - before, next, end), now, config) {
            self.delay.acknowledge_once();
        }
        if window.is_scarce() {
            self.delay.quick = 0;
        }
    }

    /// Lets the host's rules know of segment `number`, sent at `sent`. Returns whether it came after a pause, if that depends
    /// on them.
    #[inline(always)]
    pub(super) fn adapt(
        &mut self,
        number: u64,
        in_order: bool,
        sent: Time,
        now: Time,
        config: &ReceiverConfig,
    ) -> Option<bool> {
        let host = self.host.as_mut()?;
        if config.handshake && number == 0 {
            host.on_syn(now);
            return None;
        }
        host.on_data(in_order, sent, now, config)
    }

    /// Whether recorded segments require a quick ACK; the next segment expected is `next`.
    #[inline(always)]
    fn is_quick(&mut self, taken: Taken, next: u64, now: Time, config: &ReceiverConfig) -> bool {
        self.delay.quick | config.quick_acks_again > 0 && !(config.handshake && taken.number == 0) && {
            let counted = self.delay.count((taken.number, next), taken.duplicate, taken.paused, now, config);
            if counted.deflates
                && let Some(host) = &mut self.host
            {
                host.adaptive.deflate();
            }
            counted.is_quick
        }
    }

    /// Records segment `number` and all that depends on its arrival. Returns what its ACK depends on, and whether another ACK
    /// must be sent: an early one, or one that the segment [releases](Self::release).
    #[inline(always)]
    pub(super) fn take(
        &mut self,
        number: u64,
        mark: Mark,
        rcv_nxt: &mut u64,
        now: Time,
        config: &ReceiverConfig,
    ) -> (Taken, OtherAck) {
        let before = *rcv_nxt;
        let releases = self.delay.held > 0 && self.displaces(number, before);
        if releases {
            self.release(None, false, before, config);
        }
        let (splits, is_urgent) = match config.ecn {
            EcnMode::Off => (false, false),
            _ => self.note(number, mark, before, config),
        };
        let other = match (releases, splits) {
            (true, _) => OtherAck::Waits,
            (false, true) => OtherAck::Early,
            (false, false) => OtherAck::None,
        };
        // as RFC 7323's TS.Recent, of the first segment that an ACK answers
        if config.reports_originals && number == before && !self.delay.is_delayed() {
            self.original = !mark.again;
        }
        let (duplicate, may_wait) = self.place(number, rcv_nxt, config);
        let paused = self.adapt(number, *rcv_nxt > before, mark.sent, now, config);
        self.tune((number, mark), (before, *rcv_nxt), duplicate, now, config);
        let is_urgent = is_urgent
            || number == 0 && (config.handshake || config.ack_first)
            || mark.pushed && config.acks_pushed && config.read_rate.is_none() && number <= before;
        let again = duplicate && config.reports_duplicate(number);
        (Taken { number, count: 1, duplicate, again, is_old: number < before, may_wait, is_urgent, paused }, other)
    }

    /// Whether the ACK of recorded segments waits from `now` on; the next segment expected is `next`.
    #[inline(always)]
    pub(super) fn waits(&mut self, taken: Taken, next: u64, now: Time, config: &ReceiverConfig) -> bool {
        let is_quick = config.delayed_ack && self.is_quick(taken, next, now, config);
        let may_hold = config.delayed_ack && !self.beyond.is_empty() && config.compresses() && !taken.is_old;
        !is_quick
            && !taken.is_urgent
            && (config.delayed_ack && taken.may_wait && !taken.again && self.wait(taken.count, next, now, config)
                || may_hold && self.hold(taken, next, now, config))
    }

    /// The same for a segment that arrives [calmly](Receiver::take_calmly).
    #[inline(always)]
    pub(super) fn waits_calmly(&mut self, taken: Taken, next: u64, now: Time, config: &ReceiverConfig) -> bool {
        !self.is_quick(taken, next, now, config) && self.wait(taken.count, next, now, config)
    }

    /// Delays an ACK of `count` segments at `now`, unless enough segments have arrived since the last one. Returns whether it
    /// waits.
    #[inline(always)]
    fn wait(&mut self, count: u16, next: u64, now: Time, config: &ReceiverConfig) -> bool {
        let waiting = self.delay.waiting().saturating_add(count);
        let is_enough = u32::from(waiting) >= config.ack_every;
        let must_answer = match &mut self.window {
            None => is_enough,
            Some(window) => window.answers(next, waiting, config.ack_every) || is_enough && window.lasts(),
        };
        if must_answer {
            return false;
        }
        let deadline =
            self.host.as_ref().map_or_else(|| now + config.delayed_ack_timeout, |host| host.deadline(now, config));
        self.delay.wait(deadline, count);
        true
    }

    /// Lets the ACK of segments beyond the gap at `next` wait at `now`, if SACK compression allows it. Returns whether it
    /// waits.
    #[inline(never)]
    fn hold(&mut self, taken: Taken, next: u64, now: Time, config: &ReceiverConfig) -> bool {
        let Some(host) = &mut self.host else { return false };
        if u32::from(self.delay.held) >= config.sack_compression || !host.compression.may_wait(next) {
            return false;
        }
        let tuned = self.window.as_ref().and_then(|window| window.rtt());
        let until = host.compressed_until(now, tuned, config);
        self.hold_until(until, taken, config);
        true
    }

    /// Lets the ACK of segments wait until the time `until`.
    pub(super) fn hold_until(&mut self, until: Time, taken: Taken, config: &ReceiverConfig) {
        let Some(host) = &mut self.host else { return };
        host.compression.again = if taken.again { PackedOption::some(taken.number) } else { PackedOption::NONE };
        self.delay.hold(until);
        // the order of the runs in the next ACK
        self.choose_blocks(Some(taken.number), false, config.sack_blocks as usize);
    }

    /// Called before segment `number` is recorded while ACKs for segments beyond the gap at `next` wait. Returns whether
    /// their ACK must be sent first, since a run would lose its place among the first blocks.
    #[cold]
    #[inline(never)]
    fn displaces(&mut self, number: u64, next: u64) -> bool {
        if let Some(host) = &mut self.host {
            host.compression.again = PackedOption::NONE;
        }
        debug_assert!(!self.reports_duplicate, "the blocks were chosen when the ACK began to wait");
        let runs = self.reported.as_deref().map_or(&[][..], Sack::blocks);
        let touches = |run: &Block| run.start <= number + 1 && number <= run.end;
        let place = runs.iter().position(touches).unwrap_or(runs.len());
        number > next && place >= EXPECTED_BLOCKS
    }

    /// Ends the wait of an ACK that is sent. Returns its echo, and whether it answers an original.
    #[inline(always)]
    pub(super) const fn report(&mut self, config: &ReceiverConfig) -> (u8, bool) {
        self.delay.stop();
        (self.echo.report(), self.original && config.reports_originals)
    }

    /// Chooses the ACK of all segments so far, which is sent before the ACK of the next one; `latest` is the segment that it
    /// answers, and `again` whether it reports this segment as a duplicate.
    #[cold]
    #[inline(never)]
    pub(super) fn release(&mut self, latest: Option<u64>, again: bool, next: u64, config: &ReceiverConfig) {
        let window = self.window.as_mut().map(|window| window.advertise(next));
        let mut sack = Sack::NONE;
        if config.sack_blocks > 0 && (again || !self.beyond.is_empty()) {
            sack = *self.choose_blocks(latest, again, config.sack_blocks as usize);
        }
        sack.set_window(window);
        let (echo, original) = self.report(config);
        if let Some(host) = &mut self.host {
            **host.released.get_or_insert_default() = Released { next, sack, echo, original };
        }
        if let Some(batch) = self.batch_mut() {
            batch.on_ack();
        }
    }

    fn batch(&self) -> Option<&Batch> {
        self.host.as_ref()?.batch.as_deref()
    }

    fn batch_mut(&mut self) -> Option<&mut Batch> {
        self.host.as_mut()?.batch.as_deref_mut()
    }

    /// Whether the host has gathered segments that must be answered at `now`.
    pub(super) fn has_batch_until(&self, now: Time) -> bool {
        self.batch().is_some_and(|batch| batch.is_open() && batch.until <= now)
    }

    /// Whether segment `number` joins those that the host has gathered.
    pub(super) fn joins(&self, number: u64, mark: Mark) -> bool {
        self.batch().is_some_and(|batch| batch.accepts(number, mark))
    }

    /// Gathers a recorded segment. Returns whether the segments gathered must be answered at once.
    pub(super) fn gather(&mut self, taken: Taken, mark: Mark, now: Time, config: &ReceiverConfig) -> bool {
        let deadline = self.delay.deadline;
        let Some(batch) = self.batch_mut() else { return true };
        let count = batch.add(taken, mark, now.saturating_add(config.gro_interval), deadline);
        let until = batch.until;
        self.delay.send_until(until);
        u32::from(count) >= config.gro_packets || taken.is_urgent || taken.duplicate
    }

    /// Forgets the segments gathered, since an ACK that is sent for another reason answers them as well.
    pub(super) fn forget_batch(&mut self) {
        if let Some(batch) = self.batch_mut() {
            *batch = Batch::NONE;
        }
    }

    /// Ends the gathering of segments. Returns the segments if their ACK must be sent; none if there are none, or it waits.
    pub(super) fn close(&mut self, next: u64, now: Time, config: &ReceiverConfig) -> Option<Taken> {
        let (taken, deadline) = self.batch_mut()?.close()?;
        self.delay.deadline = deadline;
        (!self.waits(taken, next, now, config)).then_some(taken)
    }

    /// Records segment `number` and advances the next expected segment. Returns whether the segment was recorded
    /// before, and whether its ACK may be delayed.
    #[inline(always)]
    pub(super) fn place(&mut self, number: u64, rcv_nxt: &mut u64, config: &ReceiverConfig) -> (bool, bool) {
        let may_wait = self.beyond.is_empty() || !config.ack_gap_fill;
        if number > *rcv_nxt {
            return (!self.keep(number), false);
        }
        if number < *rcv_nxt {
            return (true, config.delay_duplicates && number + 1 == *rcv_nxt && may_wait);
        }
        *rcv_nxt += 1;
        let fills = self.beyond.front().is_some_and(|first| first.start == *rcv_nxt);
        if fills && let Some(first) = self.beyond.pop_front() {
            *rcv_nxt = first.end;
            self.follow(first, None);
        }
        (false, !fills && may_wait)
    }

    /// Adds a segment beyond a gap. Returns whether it was missing.
    fn keep(&mut self, number: u64) -> bool {
        // most segments beyond a gap extend the last run, or are above all others
        let at = match self.beyond.back_mut() {
            Some(last) if last.end == number => {
                last.end += 1;
                let run = *last;
                self.follow_growth(run);
                return true;
            }
            Some(last) if last.end < number => self.beyond.len(),
            Some(last) if last.start <= number => self.beyond.len() - 1,
            _ => self.beyond.partition_point(|run| run.end < number),
        };
        match self.beyond.get_mut(at) {
            Some(run) if run.contains(number) => return false,
            Some(run) if run.end == number => {
                run.end += 1;
                if self.beyond.get(at + 1).is_some_and(|next| next.start == number + 1) {
                    let end = self.beyond.remove(at + 1).map_or(number + 1, |next| next.end);
                    self.beyond[at].end = end;
                }
            }
            Some(run) if run.start == number + 1 => run.start = number,
            _ => {
                self.beyond.insert(at, Block { start: number, end: number + 1 });
                return true;
            }
        }
        let run = self.beyond[at];
        self.follow(run, Some(run));
        true
    }

    /// Replaces the reported blocks within `range` by one block, or removes them.
    #[inline(always)]
    fn follow(&mut self, range: Block, run: Option<Block>) {
        if let Some(reported) = &mut self.reported {
            reported.replace_within(range, run);
        }
    }

    /// The same as [`follow`](Self::follow) for a run that has grown at its end.
    #[inline(always)]
    fn follow_growth(&mut self, run: Block) {
        let grows = |reported: &mut Box<Sack>| !self.reports_duplicate && reported.grow_first(run);
        if !self.reported.as_mut().is_some_and(grows) {
            self.follow(run, Some(run));
        }
    }

    /// Chooses the SACK blocks: the latest segment if it has arrived `again` (RFC 2883, section 4), its run, then the runs
    /// reported before, in their current extent.
    pub(super) fn choose_blocks(&mut self, latest: Option<u64>, again: bool, most: usize) -> &mut Sack {
        let Self { beyond, reported, reports_duplicate, .. } = self;
        let sack = &mut **reported.get_or_insert_default();
        // usually the latest segment belongs to the run that is first already
        if !again && !*reports_duplicate && latest.is_none_or(|latest| sack.begins_with(latest)) {
            return sack;
        }
        let duplicate = if std::mem::replace(reports_duplicate, again) { sack.remove_first() } else { None };
        for number in duplicate.map(|block| block.start).into_iter().chain(latest) {
            if !sack.move_to_front(number)
                && let Some(run) = run_of(beyond, number)
            {
                sack.push_front(run, most);
            }
        }
        if let Some(start) = latest.filter(|_| again) {
            sack.push_front(Block { start, end: start + 1 }, most);
        }
        sack
    }
}

/// The run, of those beyond a gap, that contains segment `number`.
fn run_of(beyond: &VecDeque<Block>, number: u64) -> Option<Block> {
    let last = beyond.back()?;
    let run = if last.start <= number { last } else { &beyond[beyond.partition_point(|run| run.end <= number)] };
    run.contains(number).then_some(*run)
}
