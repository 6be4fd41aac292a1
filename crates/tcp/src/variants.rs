//! The TCP variants that scenarios can name.

use serde::Serialize;

use crate::config::RecoverySpec;
use crate::congestion::LISTINGS;

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

pub(crate) const EARLY: &str = "1988 to 2001";
pub(crate) const FAST: &str = "2003";
pub(crate) const TODAY: &str = "today";
const FIXED: &str = "with a fixed recovery, as in ns-2";

/// How lists show the variant that is named after a law.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Listing {
    /// See [`Variant::era`].
    pub(crate) era: &'static str,
    /// See [`Variant::doc`].
    pub(crate) doc: &'static str,
}

/// The names of Reno's law with a fixed recovery.
const OF_RECOVERIES: &[Variant] = &[
    Variant {
        name: "tahoe",
        recovery: Some(RecoverySpec::Tahoe),
        congestion: "reno",
        era: FIXED,
        doc: "Reno's window; fast retransmit, then slow start again (Jacobson 1988)",
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
];

/// Number of variants that are named after laws. A law without a listing is not a variant.
const OF_LAWS: usize = {
    let (mut count, mut place) = (0, 0);
    while place < LISTINGS.len() {
        count += LISTINGS[place].1.is_some() as usize;
        place += 1;
    }
    count
};

/// All named TCP variants.
pub const VARIANTS: &[Variant] = &{
    let mut all = [OF_RECOVERIES[0]; OF_RECOVERIES.len() + OF_LAWS];
    let (mut count, mut place) = (0, 0);
    while count < OF_RECOVERIES.len() {
        all[count] = OF_RECOVERIES[count];
        count += 1;
    }
    while place < LISTINGS.len() {
        if let (name, Some(Listing { era, doc })) = LISTINGS[place] {
            all[count] = Variant { name, recovery: None, congestion: name, era, doc };
            count += 1;
        }
        place += 1;
    }
    all
};
