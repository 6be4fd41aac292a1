//! Optional times and segment numbers in eight bytes instead of the sixteen of an `Option`, since there may be a
//! million flows.

use ackclock_units::Time;

/// A type whose maximum value never occurs and therefore represents "none".
pub(crate) trait Last: Copy + Ord {
    const LAST: Self;
}

impl Last for Time {
    const LAST: Self = Self::MAX;
}

impl Last for u64 {
    const LAST: Self = Self::MAX;
}

/// An optional value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PackedOption<T>(T);

impl<T: Last> Default for PackedOption<T> {
    fn default() -> Self {
        Self::NONE
    }
}

impl<T: Last> PackedOption<T> {
    pub(crate) const NONE: Self = Self(T::LAST);

    pub(crate) const fn some(value: T) -> Self {
        Self(value)
    }

    #[inline(always)]
    pub(crate) fn get(self) -> Option<T> {
        (self != Self::NONE).then_some(self.0)
    }

    #[inline(always)]
    pub(crate) fn is_none(self) -> bool {
        self == Self::NONE
    }

    #[inline(always)]
    pub(crate) fn is_some_and(self, holds: impl FnOnce(T) -> bool) -> bool {
        self.get().is_some_and(holds)
    }

    /// Whether there is a value and it is at most `bound`.
    #[inline(always)]
    pub(crate) fn is_at_most(self, bound: T) -> bool {
        self.0 <= bound
    }

    /// Whether there is a value and it is below `bound`.
    #[inline(always)]
    pub(crate) fn is_below(self, bound: T) -> bool {
        self.0 < bound
    }

    /// Takes the value out, leaving none.
    #[inline(always)]
    pub(crate) fn take(&mut self) -> Option<T> {
        let value = self.get()?;
        *self = Self::NONE;
        Some(value)
    }
}
