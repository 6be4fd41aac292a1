//! The TCP variants that scenarios can name.

use serde::Serialize;

use crate::config::RecoverySpec;

/// A TCP variant: the name of a congestion-control law, or of Reno's law with a certain loss recovery.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Variant {
    /// Name in a scenario.
    #[serde(skip)]
    pub name: &'static str,
    /// The loss recovery that the name fixes, as names before 2001 do; otherwise the option `recovery` selects it.
    pub recovery: Option<RecoverySpec>,
    /// Name of its congestion-control law.
    pub congestion: &'static str,
    /// When the variant was published, or that it fixes a recovery: one of the constants below, which lists show in the
    /// order of their texts.
    pub era: &'static str,
    /// Description, one sentence.
    pub doc: &'static str,
}

const EARLY: &str = "1988 to 2001";
const FAST: &str = "2003";
const TODAY: &str = "today";
const FIXED: &str = "with a fixed recovery, as in ns-2";

/// All named TCP variants.
pub const VARIANTS: &[Variant] = &[
    Variant {
        name: "tahoe",
        recovery: Some(RecoverySpec::Tahoe),
        congestion: "reno",
        era: FIXED,
        doc: "Reno's window; fast retransmit, then slow start again (Jacobson 1988)",
    },
    Variant {
        name: "reno",
        recovery: None,
        congestion: "reno",
        era: EARLY,
        doc: "Adds a packet per round trip, and halves the window on a loss (RFC 5681)",
    },
    Variant {
        name: "newreno",
        recovery: Some(RecoverySpec::NewReno),
        congestion: "reno",
        era: FIXED,
        doc: "Reno's window; fast recovery repairs all losses of a window (RFC 6582)",
    },
    Variant {
        name: "sack",
        recovery: Some(RecoverySpec::Sack),
        congestion: "reno",
        era: FIXED,
        doc: "Reno's window; repairs losses with selective acknowledgments (RFC 2018, RFC 6675)",
    },
    Variant {
        name: "rack",
        recovery: Some(RecoverySpec::Rack),
        congestion: "reno",
        era: FIXED,
        doc: "Reno's window; finds losses by time and probes the tail (RFC 8985): reno with recovery rack",
    },
    Variant {
        name: "bbr",
        recovery: None,
        congestion: "bbr",
        era: TODAY,
        doc: "Sends at the bandwidth that it measures, and does not react to losses (Cardwell et al. 2016)",
    },
    Variant {
        name: "bbr3",
        recovery: None,
        congestion: "bbr3",
        era: TODAY,
        doc: "BBR that also bounds its flight by losses, version 3 (draft-ietf-ccwg-bbr)",
    },
    Variant {
        name: "copa",
        recovery: None,
        congestion: "copa",
        era: TODAY,
        doc: "Keeps a few packets in queues, by round-trip times, paced (Arun and Balakrishnan 2018)",
    },
    Variant {
        name: "cubic",
        recovery: None,
        congestion: "cubic",
        era: TODAY,
        doc: "CUBIC's window, a function of the time since the last loss (RFC 9438)",
    },
    Variant {
        name: "dctcp",
        recovery: None,
        congestion: "dctcp",
        era: TODAY,
        doc: "Reduces the window in proportion to the share of marked packets (RFC 8257)",
    },
    Variant {
        name: "prague",
        recovery: None,
        congestion: "prague",
        era: TODAY,
        doc: "DCTCP for the Internet, with ECT(1), pacing and exact counts of marks (TCP Prague)",
    },
    Variant {
        name: "highspeed",
        recovery: None,
        congestion: "highspeed",
        era: FAST,
        doc: "Grows faster and reduces less the larger the window is (RFC 3649)",
    },
    Variant {
        name: "scalable",
        recovery: None,
        congestion: "scalable",
        era: FAST,
        doc: "Adds a constant per ACK, removes an eighth on a loss (Kelly 2003)",
    },
    Variant {
        name: "vegas",
        recovery: None,
        congestion: "vegas",
        era: EARLY,
        doc: "Keeps a few packets in queues, by round-trip times (Brakmo and Peterson 1995)",
    },
];
