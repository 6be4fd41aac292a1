//! The TCP variants that scenarios can name.

use serde::Serialize;

use crate::config::RecoverySpec;

/// A TCP variant: a conventional name for the combination of a loss recovery and a congestion-control law.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Variant {
    /// Name in a scenario.
    #[serde(skip)]
    pub name: &'static str,
    /// The loss recovery of the variant.
    pub recovery: RecoverySpec,
    /// Name of its congestion-control law.
    pub congestion: &'static str,
    /// When the variant was published: one of the constants below, whose order as text is the order in time.
    pub era: &'static str,
    /// Description, one sentence.
    pub doc: &'static str,
}

const EARLY: &str = "1988 to 2001";
const FAST: &str = "2003";
const TODAY: &str = "today";

/// All named TCP variants.
pub const VARIANTS: &[Variant] = &[
    Variant {
        name: "tahoe",
        recovery: RecoverySpec::Tahoe,
        congestion: "reno",
        era: EARLY,
        doc: "Slow start, congestion avoidance and fast retransmit, then slow start again (Jacobson 1988)",
    },
    Variant {
        name: "reno",
        recovery: RecoverySpec::Reno,
        congestion: "reno",
        era: EARLY,
        doc: "Slow start, congestion avoidance, fast retransmit and fast recovery (RFC 5681)",
    },
    Variant {
        name: "newreno",
        recovery: RecoverySpec::NewReno,
        congestion: "reno",
        era: EARLY,
        doc: "Reno whose fast recovery repairs all losses of a window (RFC 6582)",
    },
    Variant {
        name: "sack",
        recovery: RecoverySpec::Sack,
        congestion: "reno",
        era: EARLY,
        doc: "Reno's window; repairs losses with selective acknowledgments (RFC 2018, RFC 6675)",
    },
    Variant {
        name: "rack",
        recovery: RecoverySpec::Rack,
        congestion: "reno",
        era: TODAY,
        doc: "Reno's window; finds losses by time and probes the tail (RFC 8985)",
    },
    Variant {
        name: "bbr",
        recovery: RecoverySpec::Rack,
        congestion: "bbr",
        era: TODAY,
        doc: "Sends at the bandwidth that it measures, and does not react to losses (Cardwell et al. 2016); RACK-TLP",
    },
    Variant {
        name: "bbr3",
        recovery: RecoverySpec::Rack,
        congestion: "bbr3",
        era: TODAY,
        doc: "BBR that also bounds its flight by losses, version 3 (draft-ietf-ccwg-bbr); RACK-TLP",
    },
    Variant {
        name: "copa",
        recovery: RecoverySpec::Rack,
        congestion: "copa",
        era: TODAY,
        doc: "Keeps a few packets in queues, by round-trip times, paced (Arun and Balakrishnan 2018); RACK-TLP",
    },
    Variant {
        name: "cubic",
        recovery: RecoverySpec::Rack,
        congestion: "cubic",
        era: TODAY,
        doc: "CUBIC's window, a function of the time since the last loss (RFC 9438); RACK-TLP",
    },
    Variant {
        name: "dctcp",
        recovery: RecoverySpec::Rack,
        congestion: "dctcp",
        era: TODAY,
        doc: "Reduces the window in proportion to the share of marked packets (RFC 8257); RACK-TLP",
    },
    Variant {
        name: "prague",
        recovery: RecoverySpec::Rack,
        congestion: "prague",
        era: TODAY,
        doc: "DCTCP for the Internet, with ECT(1), pacing and exact counts of marks (TCP Prague); RACK-TLP",
    },
    Variant {
        name: "highspeed",
        recovery: RecoverySpec::Sack,
        congestion: "highspeed",
        era: FAST,
        doc: "Grows faster and reduces less the larger the window is (RFC 3649); SACK recovery",
    },
    Variant {
        name: "scalable",
        recovery: RecoverySpec::Sack,
        congestion: "scalable",
        era: FAST,
        doc: "Adds a constant per ACK, removes an eighth on a loss (Kelly 2003); SACK recovery",
    },
    Variant {
        name: "vegas",
        recovery: RecoverySpec::Vegas,
        congestion: "vegas",
        era: EARLY,
        doc: "Keeps a few packets in queues, by round-trip times; retransmits early (Brakmo and Peterson 1995)",
    },
];
