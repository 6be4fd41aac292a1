//! The receiving end of a call that adapts: the filter, the detector, and reports to the sender.
//!
//! Reports are those of draft-ietf-rmcat-gcc-02, section 3, first version: the times of all packets since the last report, from
//! which the sender estimates. All that the filter needs is when packets left, which they carry, and when they arrived, so it
//! runs here with each packet, and a report has what it has found. The numbers are the same, except that a lost report loses
//! no times. A report leaves with the first packet that arrives at least one interval after the last report, so no report
//! leaves while nothing arrives. It goes back like an ACK, with the size of one, and may be lost or overtaken; the sender knows
//! its content when it arrives. Bitrates are those on the wire, not of payloads as in the draft.

use std::collections::VecDeque;

use ackclock_units::Time;

use super::arrival::ArrivalFilter;
use super::detector::{Detector, Signal};
use crate::packet::Packet;

/// `T`: time over which the received bitrate is measured.
const WINDOW: Time = Time::from_millis(500);

/// What a report says.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Report {
    pub(super) number: u64,
    /// When the packet left that the report answers.
    pub(super) sent: Time,
    pub(super) signal: Signal,
    /// The estimate of the detector and its threshold in ms.
    pub(super) estimate: f64,
    pub(super) threshold: f64,
    /// Bitrate received over the last [`WINDOW`], in bit/s.
    pub(super) received: f64,
    /// Packets up to the highest number so far, and those that have arrived.
    pub(super) expected: u64,
    pub(super) arrived: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct CallReceiver {
    /// First hop of the reports.
    hop: u32,
    interval: Time,
    last: Option<Time>,
    filter: ArrivalFilter,
    detector: Detector,
    /// Time and size in bytes of the packets of the last [`WINDOW`], and the sum of their sizes.
    window: VecDeque<(Time, u16)>,
    bytes: u64,
    expected: u64,
    arrived: u64,
    /// Reports that have left and may still arrive.
    reports: VecDeque<Report>,
    next: u64,
}

impl CallReceiver {
    pub(crate) const fn new(hop: u32, interval: Time) -> Self {
        Self {
            hop,
            interval,
            last: None,
            filter: ArrivalFilter::new(),
            detector: Detector::new(),
            window: VecDeque::new(),
            bytes: 0,
            expected: 0,
            arrived: 0,
            reports: VecDeque::new(),
            next: 0,
        }
    }

    /// Sends reports along the route with this first hop from now on.
    pub(crate) const fn take_route(&mut self, hop: u32) {
        self.hop = hop;
    }

    /// Handles a packet. Returns the number of a report that leaves now, and its first hop.
    pub(crate) fn receive(&mut self, packet: &Packet, now: Time) -> Option<(u64, u32)> {
        if let Some(estimate) = self.filter.arrived(packet.sent, now) {
            self.detector.update(estimate);
        }
        self.window.push_back((now, packet.size() as u16));
        self.bytes += u64::from(packet.size());
        while let Some((at, size)) = self.window.front().copied()
            && now - at >= WINDOW
        {
            self.window.pop_front();
            self.bytes -= u64::from(size);
        }
        (self.expected, self.arrived) = (self.expected.max(packet.number() + 1), self.arrived + 1);
        if self.last.is_some_and(|last| now - last < self.interval) {
            return None;
        }
        self.last = Some(now);
        let report = Report {
            number: self.next,
            sent: packet.sent,
            signal: self.detector.signal,
            estimate: self.detector.estimate,
            threshold: self.detector.threshold,
            received: 8.0 * self.bytes as f64 / WINDOW.as_secs_f64(),
            expected: self.expected,
            arrived: self.arrived,
        };
        self.reports.push_back(report);
        self.next += 1;
        Some((report.number, self.hop))
    }

    /// The content of a report that reaches the sender; `None` if a later one was there before.
    pub(crate) fn take_report(&mut self, number: u64) -> Option<Report> {
        while self.reports.front()?.number < number {
            self.reports.pop_front();
        }
        if self.reports.front()?.number == number { self.reports.pop_front() } else { None }
    }

    /// Memory in bytes.
    pub(crate) fn memory(&self) -> usize {
        size_of::<Self>()
            + self.window.capacity() * size_of::<(Time, u16)>()
            + self.reports.capacity() * size_of::<Report>()
    }
}

#[cfg(test)]
mod tests {
    use ackclock_tcp::Segment;

    use super::*;
    use crate::packet::FlowId;

    /// Validates: packets of 1,000 bytes each 10 ms, of which each tenth is lost, give reports every 100 ms, the received
    ///     bitrate of half a second, and the counts of packets.
    /// Source: by hand: 45 of 50 packets in 500 ms are 720 kb/s.
    /// Tolerance: exact.
    #[test]
    fn reports_count_what_arrives() {
        let mut receiver = CallReceiver::new(7, Time::from_millis(100));
        let mut numbers = Vec::new();
        for number in (0..200_u64).filter(|number| number % 10 != 9) {
            let sent = Time::from_millis(10 * number);
            let packet = Packet::data(FlowId(0), 0, Segment::new(number, 1_000), sent);
            let report = receiver.receive(&packet, sent + Time::from_millis(40));
            numbers.extend(report.map(|(number, hop)| (number, hop, sent.as_picos() / 1_000_000_000)));
        }
        let expected: Vec<_> = (0..20).map(|number| (number, 7, 100 * number)).collect();
        assert_eq!(numbers, expected);
        let report = receiver.take_report(19).expect("it has left");
        assert_eq!((report.received, report.expected, report.arrived), (720_000.0, 191, 172));
        assert_eq!(report.signal, Signal::Normal);
        assert_eq!(receiver.take_report(18), None, "a later one was there before");
    }
}
