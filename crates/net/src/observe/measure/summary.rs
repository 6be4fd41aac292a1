//! The measures, a row each: the summaries of runs, links and groups follow from the rows, and so do the classes,
//! signatures, units and references of the Python package.

use ackclock_tcp::Limit;
use serde::Serialize;

use super::Limited;
use super::declaring::{
    BITRATE, FLOWS, MILLISECONDS, MeasureEntry, NUMBER, Number, PACKETS, SECONDS, SHARE, TRANSFERS, level, measures,
    summary,
};
use super::service::Service;
use super::videos::OfVideos;
use super::views::{OfGroup, OfLink, OfRun, seconds};
use crate::observe::Histogram;

/// The measures, in the order of summaries.
pub fn measures() -> impl Iterator<Item = MeasureEntry> {
    ROWS.iter().copied().chain(Limit::ALL.into_iter().map(MeasureEntry::of_limit))
}

measures! {
    |of|
    rows {
        /// Number of flows.
        clients: u32 [NUMBER, column]
            = of.flows.clients, in group;

        /// Packets offered to the queue, including dropped packets.
        ///
        /// Measures of a run and of a link include ACKs that cross the link, measures of a group do not.
        arrivals: u64 [PACKETS, title("Arrivals"), column]
            = of.packets.arrivals.all(), in run, link, group;

        /// Packets whose transmission began.
        departures: u64 [PACKETS, title("Departures")]
            = of.packets.departures(), in run, link, group;

        /// Packets dropped by the queue or the policer, or lost by the link's loss model before the queue.
        drops: u64 [PACKETS, title("Drops")]
            = of.packets.drops.all(), in run, link, group;

        /// Packets that the queue dropped at their arrival.
        ///
        /// The queue was full, or dropped early.
        drops_arrival: u64 [PACKETS, title("Drops at arrival"), later(None)]
            = of.packets.drops.arrival, in run, link, group;

        /// Packets that the queue had stored and dropped later.
        ///
        /// They were about to leave, or made room for others.
        drops_stored: u64 [PACKETS, title("Drops of stored packets"), later(None)]
            = of.packets.drops.stored, in run, link, group;

        /// Packets lost by the link's loss model before the queue.
        drops_lost: u64 [PACKETS, title("Losses before the queue"), later(None)]
            = of.packets.drops.lost, in run, link, group;

        /// Packets dropped by the link's policer.
        ///
        /// `drops_arrival`, `drops_stored`, `drops_lost` and `drops_policed` add up to `drops`. They are printed only
        /// if some drops were not at arrival.
        drops_policed: u64 [PACKETS, title("Drops by the policer"), later(None)]
            = of.packets.drops.policed, in run, link, group;

        /// Drops divided by arrivals.
        loss: Option<f64> [SHARE, title("Loss"), column]
            = of.packets.loss(), in run, link, group;

        /// Packets that the queue marked (ECN).
        ///
        /// They have the codepoint CE. Packets that already had it count too. Printed only if above 0.
        marks: u64 [PACKETS, title("Marks"), column, later(Some(0))]
            = of.packets.marks, in run, link, group;

        /// Packets lost after their transmission.
        ///
        /// They are departures and not drops. Printed only if above 0.
        corrupted: u64 [PACKETS, title("Packets lost after transmission"), later(Some(0))]
            = of.packets.corrupted, in run, link, group;

        /// Bits transmitted per second, including headers.
        throughput_bps: f64 [BITRATE, title("Throughput"), column]
            = of.at.throughput_bps(of.packets), in run, link, group;

        /// Bits delivered in order for the first time, per second, including headers.
        ///
        /// It can exceed the link's rate: data that crossed the link earlier counts when it is delivered in order.
        goodput_bps: f64 [BITRATE, title("Goodput"), column]
            = of.flows.goodput_bps, in run, group;

        /// Bits of data delivered in order for the first time, per second, without headers.
        ///
        /// A TCP packet holds `payload` bytes of data: `packet_size` minus 40, or minus 52 in the profile `linux`. A
        /// UDP packet holds 28 bytes less than its size.
        payload_bps: f64 [BITRATE, title("Goodput without headers"), column, later(None)]
            = of.flows.payload_bps, in run, group;

        /// Throughput divided by the link's rate.
        ///
        /// This is the fraction of time in which the link transmits. If the rate changes, its mean counts.
        utilization: f64 [SHARE, title("Utilization")]
            = of.at.share(of.at.throughput_bps(of.packets)), in run, link;

        /// Share of the measured time in which the link's transmissions occupy its medium.
        ///
        /// Only links that share a medium have it. Preambles, acknowledgements, repetitions and collisions count.
        air_time: Option<f64> [SHARE, title("Air time"), later(None)]
            = of.at.air_shares().map(|[own, _]| own), in run, link;

        /// Share of the measured time in which the link's medium is busy with transmissions of any station.
        ///
        /// Only links that share a medium have it. A collision counts once here, and once in `air_time` of each of its
        /// links.
        medium_busy: Option<f64> [SHARE, title("Busy time of the medium"), later(None)]
            = of.at.air_shares().map(|[_, all]| all), in run, link;

        /// Goodput divided by the link's rate.
        ///
        /// It can exceed 1, as `goodput_bps` can exceed the rate.
        goodput_share: f64 [SHARE, title("Goodput over the link's rate")]
            = of.at.share(of.flows.goodput_bps), in run;

        /// Coefficient of variation of arrivals per whole bin: population standard deviation divided by mean.
        ///
        /// It measures burstiness. A bin has the length `measure.bin`. It is undefined without arrivals in whole bins.
        cov: Option<f64> [NUMBER, title("C.o.v. of arrivals per bin"), column]
            = of.at.bins.cov(&of.packets.arrivals), in run, link, group;

        /// C.o.v. per bin of the offered Poisson load; `None` unless all sources are Poisson.
        ///
        /// It is `1 / sqrt(packets per bin)`.
        cov_poisson: Option<f64> [NUMBER, title("C.o.v. of the offered Poisson load")]
            = of.flows.cov_poisson(), in run, group;

        /// Time average of the number of waiting packets.
        ///
        /// The packet in transmission does not count. The queue of a group is its share: the shares of all groups and of
        /// ACKs add up to the total.
        queue_mean: f64 [PACKETS, title("Mean queue")]
            = of.at.queue_mean(of.packets), in run, link, group;

        /// Mean time that packets spend in the queue.
        ///
        /// The time begins when a packet arrives at the queue, and ends when its transmission starts. Only packets that
        /// depart count. Times in the queue are accurate to 0.1 %.
        sojourn_mean: Option<f64> [MILLISECONDS, title("Time in the queue, mean"), later(None)]
            = of.packets.sojourn.mean(), in run, link, group;

        /// Median time that packets spend in the queue.
        sojourn_p50: Option<f64> [MILLISECONDS, title("Time in the queue, median"), later_in_groups(None)]
            = seconds(&of.packets.sojourn, 0.5), in run, link, group;

        /// 95th percentile of the time in the queue.
        sojourn_p95: Option<f64> [MILLISECONDS, title("Time in the queue, 95th percentile"), later_in_groups(None)]
            = seconds(&of.packets.sojourn, 0.95), in run, link, group;

        /// 99th percentile of the time in the queue.
        sojourn_p99: Option<f64> [MILLISECONDS, title("Time in the queue, 99th percentile"), later_in_groups(None)]
            = seconds(&of.packets.sojourn, 0.99), in run, link, group;

        /// Maximum time in the queue.
        sojourn_max: Option<f64> [MILLISECONDS, title("Time in the queue, maximum"), later(None)]
            = seconds(&of.packets.sojourn, 1.0), in run, link, group;

        /// Mean one-way delay of data packets.
        ///
        /// The delay is from sender to receiver.
        delay_mean: Option<f64> [MILLISECONDS, title("One-way delay, mean"), column]
            = of.flows.delay_mean, in run, group;

        /// Median one-way delay of the packets of calls.
        ///
        /// Only groups whose source is `frames` or `call` and whose transport is UDP have it.
        delay_p50: Option<f64> [MILLISECONDS, title("One-way delay, median"), later(None)]
            = of.delay(0.5), in group;

        /// 95th percentile of the one-way delay of the packets of calls.
        delay_p95: Option<f64> [MILLISECONDS, title("One-way delay, 95th percentile"), later(None)]
            = of.delay(0.95), in group;

        /// 99th percentile of the one-way delay of the packets of calls.
        delay_p99: Option<f64> [MILLISECONDS, title("One-way delay, 99th percentile"), column, later(None)]
            = of.delay(0.99), in group;

        /// Share of the packets of calls that never arrived.
        ///
        /// Lost packets are gaps in the numbers of the packets that arrived in the measured time (RFC 3550, appendix
        /// A.3). Losses on any link count.
        lost: Option<f64> [SHARE, title("Loss from sender to receiver"), column, later(None)]
            = of.calls.and_then(|calls| calls.lost), in group;

        /// Bits that calls sent per second, including headers.
        ///
        /// This is the mean bitrate of the senders. Only groups whose source is `frames` or `call` and whose transport
        /// is UDP have it.
        sent_bps: Option<f64> [BITRATE, title("Sent"), column, later(None)]
            = of.calls.map(|calls| calls.sent_bps), in group;

        /// Mean opinion score of speech by the simplified E-model, from 1 to 4.41.
        ///
        /// It depends on the delay and on the share of packets that are lost or late, with the best playout time (ITU-T
        /// G.107). Only groups whose frames have one packet have it.
        mos: Option<f64> [NUMBER, title("Mean opinion score"), column, later(None)]
            = of.calls.and_then(|calls| calls.mos()), in group;

        /// Interarrival jitter (RFC 3550, section 6.4.1).
        ///
        /// It is averaged over packets.
        jitter: Option<f64> [MILLISECONDS, title("Jitter")]
            = of.flows.jitter, in run, group;

        /// Mean of the senders' round-trip samples: from the transmission of a segment to the arrival of its ACK.
        ///
        /// All samples of the measured time count, including those of SYNs. They are not rounded to the sender's
        /// `clock`. With most recoveries, a sender times one segment per round trip. With RACK, each ACK gives a
        /// sample. Retransmissions give no samples. The mean is over all samples of all flows, so flows with more
        /// samples weigh more. Undefined for UDP.
        rtt_mean: Option<f64> [MILLISECONDS, title("Round-trip time, mean"), column, later(None)]
            = of.flows.counters.round_trips.mean(), in run, group;

        /// Shortest round-trip sample.
        rtt_min: Option<f64> [MILLISECONDS, title("Round-trip time, minimum"), later(None)]
            = of.flows.counters.round_trips.min(), in run, group;

        /// Retransmission timeouts with data outstanding.
        ///
        /// Kernels before 6.7 do not report them: `None` in their live runs.
        timeouts: u64 [NUMBER, title("Timeouts"), column, of_endpoints]
            = of.flows.counters.timeouts, in run, group;

        /// Fast retransmits.
        ///
        /// Duplicate ACKs or the early check of Vegas trigger them. `None` in live runs: a kernel does not report them.
        fast_retransmits: u64 [NUMBER, title("Fast retransmits"), of_endpoints]
            = of.flows.counters.fast_retransmits, in run, group;

        /// Duplicate ACKs received by senders.
        ///
        /// `None` in live runs: a kernel does not report them.
        dup_acks: u64 [NUMBER, title("Duplicate ACKs"), of_endpoints]
            = of.flows.counters.dup_acks, in run, group;

        /// Packets retransmitted.
        retransmissions: u64 [PACKETS, title("Retransmissions"), column]
            = of.flows.counters.retransmissions, in run, group;

        /// Data packets whose receiver already had their data: unnecessary retransmissions.
        duplicates: u64 [PACKETS, title("Unnecessary retransmissions")]
            = of.flows.duplicates, in run, group;

        /// Timeouts divided by duplicate ACKs.
        ///
        /// A large value means that timeouts, rather than duplicate ACKs, detect losses.
        timeouts_per_dup_ack: Option<f64> [NUMBER]
            = of.flows.timeouts_per_dup_ack(), in run, group;

        /// Jain's fairness index over clients' goodput.
        ///
        /// It is `(sum x)^2 / (n sum x^2)`: 1 if all are equal, `1/n` if one client gets everything.
        jain_index: Option<f64> [NUMBER, title("Jain's fairness index"), column]
            = of.flows.jain_index, in run, group;

        /// Jain's fairness index over the groups' goodput per client.
        ///
        /// It shows the fairness between kinds of flows, independently of their numbers.
        jain_between: Option<f64> [NUMBER]
            = of.results.jain_between(), in run;

        /// Mean of Jain's index over windows of time, of the flows that share the link then.
        ///
        /// `measure.convergence` gives the length of a window. Without it, the measure is undefined. A window begins at
        /// each tenth of its length. Only flows of greedy sources without a size count. A window does not count if it
        /// has fewer than two such flows, or if one of them joins or leaves.
        jain_windows: Option<f64> [NUMBER, title("Jain's fairness index over windows"), later(None)]
            = of.results.convergence().jain, in run;

        /// Mean delta-fair convergence time after a flow joined (RFC 5166, section 2.3).
        ///
        /// The time begins with the change. It ends with the beginning of the first window in which each of the `n`
        /// flows that share the link has a fair rate. A rate is fair if it is within `delta` of `1/n` of the available
        /// rate. The available rate is the link's rate minus all other traffic: the data that other flows deliver, and
        /// ACKs. A change does not count if the next change follows within a window. If flows do not converge before
        /// the next change, the time until then counts. The mean is then a lower bound, and `converged` is below 1. If
        /// a flow is alone, its start is not a join.
        convergence_join: Option<f64> [SECONDS, title("Convergence time after a join"), later(None)]
            = of.results.convergence().join, in run;

        /// Mean delta-fair convergence time after a flow left.
        convergence_leave: Option<f64> [SECONDS, title("Convergence time after a leave"), later(None)]
            = of.results.convergence().leave, in run;

        /// Mean delta-fair convergence time after a new rate of the link.
        ///
        /// Such changes are the steps of a trace that does not repeat, and the ends of outages.
        convergence_rate: Option<f64> [SECONDS, title("Convergence time after a new rate"), later(None)]
            = of.results.convergence().rate, in run;

        /// Share of the changes after which the flows converged before the next change.
        converged: Option<f64> [SHARE, title("Changes with convergence"), later(None)]
            = of.results.convergence().converged, in run;

        /// Number of flows with a goodput below 2 % of both their fair share and their offered load. The fair share is
        /// the link's rate divided by the number of flows that cross the link.
        shut_off: u64 [FLOWS, title("Flows shut off")]
            = of.flows.rated_or_worse(Service::ShutOff), in run, group;

        /// Number of flows with a goodput below 10 % of both their fair share and their offered load.
        ///
        /// Flows that are shut off count too.
        starved: u64 [FLOWS, title("Flows starved")]
            = of.flows.rated_or_worse(Service::Starved), in run, group;

        /// Completed finite transfers.
        completed: u64 [TRANSFERS, column]
            = of.flows.completed, in group;

        /// Mean completion time: from the request of a transfer to the arrival of its last packet.
        ///
        /// The request may come before a handshake.
        completion_mean: Option<f64> [SECONDS, column]
            = of.flows.completion_mean, in group;

        /// Median completion time.
        completion_p50: Option<f64> [SECONDS, later(None)]
            = of.completion(0.5), in group;

        /// 95th percentile of the completion time.
        completion_p95: Option<f64> [SECONDS, later(None)]
            = of.completion(0.95), in group;

        /// 99th percentile of the completion time.
        completion_p99: Option<f64> [SECONDS, later(None)]
            = of.completion(0.99), in group;

        /// Web pages loaded.
        ///
        /// Only groups whose source is `pages` have this measure and the load times.
        pages: u64 [NUMBER, column, later(Some(0))]
            = of.pages.map_or(0, Histogram::count), in group;

        /// Mean load time of a web page: from its request to the arrival of its last data, to 0.1 %.
        page_load_mean: Option<f64> [SECONDS, title("Load time of a page, mean"), later(None)]
            = of.pages.and_then(Histogram::mean), in group;

        /// Median load time of a web page.
        page_load_p50: Option<f64> [SECONDS, title("Load time of a page, median"), column, later(None)]
            = of.page(0.5), in group;

        /// 95th percentile of the load time of a web page.
        page_load_p95: Option<f64> [SECONDS, title("Load time of a page, 95th percentile"), later(None)]
            = of.page(0.95), in group;

        /// 99th percentile of the load time of a web page.
        page_load_p99: Option<f64> [SECONDS, title("Load time of a page, 99th percentile"), later(None)]
            = of.page(0.99), in group;

        /// Chunks of adaptive video loaded.
        ///
        /// Only groups whose source is `video` have this measure and the measures of play.
        chunks: u64 [NUMBER, later(Some(0))]
            = of.videos.map_or(0, |videos| videos.chunks), in group;

        /// Mean bitrate of the chunks loaded.
        video_bitrate: Option<f64> [BITRATE, title("Bitrate of video, mean"), column, later(None)]
            = of.videos.and_then(OfVideos::bitrate), in group;

        /// Changes of the bitrate from one chunk to the next.
        ///
        /// This is the sum over all clients. The number of stalls is also such a sum.
        switches: u64 [NUMBER, title("Changes of the bitrate"), later(Some(0))]
            = of.videos.map_or(0, |videos| videos.switches), in group;

        /// Times at which a video stopped because its buffer was empty.
        stalls: u64 [NUMBER, title("Stalls"), column, later(Some(0))]
            = of.videos.map_or(0, |videos| videos.stalls), in group;

        /// Time in which videos stood still, the sum over clients.
        ///
        /// The time before play begins does not count.
        stall_time: f64 [SECONDS, title("Stalls, total time"), later(None)]
            = of.videos.map_or(0.0, OfVideos::stall_time), in group;

        /// Share of the time from the beginning of play in which videos stood still: the rebuffering ratio.
        stall_share: Option<f64> [SHARE, title("Stalls, share of time"), column, later(None)]
            = of.videos.and_then(OfVideos::stall_share), in group;

        /// Mean time from the first request of a video to the beginning of play.
        ///
        /// All videos of the run count, including those that began before the measured time.
        startup_mean: Option<f64> [SECONDS, title("Start-up delay of video, mean"), later(None)]
            = of.videos.and_then(OfVideos::startup), in group;

        /// Mean slowdown: completion time divided by the minimum time that the idle path needs for the transfer.
        slowdown_mean: Option<f64> [NUMBER, later(None)]
            = of.flows.slowdown_mean, in group;
    }
    families in groups {
        /// What limited the senders.
        #[serde(flatten)]
        limited: Limited = of.flows.limited.shares();
    }
}
