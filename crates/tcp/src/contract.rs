//! The contract of congestion control: rules that hold in any conversation, whatever is lost, late or duplicated. The
//! property tests check it for all built-in laws, and [`check`] for a law from
//! [outside the engine](crate::congestion::foreign).
//!
//! The rules: at most one reduction per congestion event; a window of at least one segment that grows no faster than in
//! slow start; never more in flight than allowed; a running timer while data is outstanding; transfers that end; and the
//! same conversation again with the same seed, also while another one goes on.

mod channel;
mod counting;
mod draw;
mod guard;
mod witness;

use std::fmt::{self, Display};

use ackclock_units::Time;

pub use channel::{Channel, Fate, Script, paired};
pub use counting::{Counting, counts_acks};
pub use witness::window_is_sane;

use crate::congestion::LawSpec;
use crate::congestion::foreign::{Cause, ForeignSpec};

/// The rule that is broken, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken(pub(crate) String);

impl Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether the contract is kept so far.
pub type Kept = Result<(), Broken>;

/// Returns from the function, with the broken rule in words, unless a condition holds.
macro_rules! hold {
    ($condition:expr, $($words:tt)+) => {{
        let holds: bool = $condition;
        if !holds {
            return Err(crate::contract::Broken(format!($($words)+)));
        }
    }};
}
use hold;

/// A conversation in which a law breaks the contract.
#[derive(Clone, Debug)]
pub struct Breach {
    /// The rule that is broken, in words.
    pub broken: Broken,
    /// When, in simulated time.
    pub at: Time,
    /// The conversation, in words.
    pub conversation: String,
    /// Why the law failed, if it did.
    pub cause: Option<Cause>,
}

/// Checks a law in conversation `number` of those with a seed.
///
/// # Errors
/// If the law breaks the contract.
pub fn check(law: &ForeignSpec, seed: u64, number: u32) -> Result<(), Breach> {
    let mut script = draw::script(law, seed, number);
    script.sender.congestion = LawSpec::Foreign(guard::guarded(law));
    let mut alone = Channel::new(&script);
    let breach = |broken, of: &Channel| Breach {
        broken,
        at: of.now,
        conversation: draw::description(&script),
        cause: of.cause(),
    };
    alone.play().map_err(|broken| breach(broken, &alone))?;
    let (mut again, mut beside) = (Channel::new(&script), Channel::new(&script));
    loop {
        // the second one runs ahead, so that state shared by both shows
        for _ in 0..2 {
            beside.advance().map_err(|broken| breach(broken, &beside))?;
        }
        if again.advance().map_err(|broken| breach(broken, &again))? {
            break;
        }
    }
    if again.trace != alone.trace {
        let words = "the same conversation differs when it is repeated beside another one: flows share state, or the law \
                     uses a clock or random numbers other than its own";
        return Err(breach(Broken(words.to_owned()), &again));
    }
    Ok(())
}
