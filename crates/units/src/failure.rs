//! Failures of algorithms that the host of the engine provides, such as laws and queue disciplines written in Python.

use std::error::Error;
use std::fmt::{self, Display};
use std::sync::{Arc, OnceLock};

use crate::Time;

/// Why an algorithm failed.
pub type Cause = Arc<dyn Error + Send + Sync>;

/// What an algorithm is, and where it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A congestion-control law, which belongs to a connection.
    Law {
        /// Global id of the flow.
        flow: u32,
        /// Number of the flow's connection.
        connection: u64,
    },
    /// A queue discipline, which belongs to a link.
    Discipline {
        /// Global id of the link.
        link: u32,
    },
}

impl Owner {
    /// The field's term for the algorithm.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Law { .. } => "law",
            Self::Discipline { .. } => "discipline",
        }
    }
}

impl Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Law { flow, .. } => write!(f, "flow {flow}"),
            Self::Discipline { link } => write!(f, "link {link}"),
        }
    }
}

/// A failure of an algorithm, which ends the run.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Name of the algorithm.
    pub name: Arc<str>,
    /// What it is, and where it runs.
    pub owner: Owner,
    /// Simulated time.
    pub at: Time,
    /// The call that failed.
    pub call: &'static str,
    /// Why it failed.
    pub cause: Cause,
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, owner, at, call, cause } = self;
        write!(f, "{} {name}: {call} failed for {owner} at {at}: {cause}", owner.noun())
    }
}

impl Error for Failure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.cause)
    }
}

/// The first failure in a run. All its algorithms share it.
#[derive(Debug, Default)]
pub struct Failures(OnceLock<Failure>);

impl Failures {
    /// The first failure, if anything has failed.
    pub fn first(&self) -> Option<&Failure> {
        self.0.get()
    }

    /// Records a failure, unless there is one already.
    pub fn add(&self, failure: Failure) {
        let _ = self.0.set(failure);
    }
}

/// The host has not set the maker of an algorithm.
#[derive(Clone, Copy, Debug)]
pub struct NoMaker;

impl Display for NoMaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the plan does not have the algorithm itself")
    }
}

impl Error for NoMaker {}
