//! A queue of plain values in a ring whose length is a power of two, so that a position needs neither a comparison nor a
//! division.

/// The queue.
#[derive(Clone, Debug)]
pub(crate) struct Ring<T> {
    /// Places of the values, and of earlier ones that are no longer in the queue; the number is a power of two or 0.
    places: Box<[T]>,
    /// Number of values removed so far, modulo `2^32`; modulo the number of places, the place of the first value.
    head: u32,
    len: u32,
}

impl<T> Default for Ring<T> {
    fn default() -> Self {
        Self { places: Box::default(), head: 0, len: 0 }
    }
}

impl<T: Copy> Ring<T> {
    /// Number of values.
    #[inline(always)]
    pub(crate) const fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether there are no values.
    #[inline(always)]
    pub(crate) const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Heap memory in bytes.
    pub(crate) const fn memory(&self) -> usize {
        self.places.len() * size_of::<T>()
    }

    /// The place of the value at `index`. Without places, it is none of them.
    #[inline(always)]
    const fn place(&self, index: usize) -> usize {
        (self.head as usize).wrapping_add(index) & self.places.len().wrapping_sub(1)
    }

    /// The value at `index`, counted from the first one.
    #[inline(always)]
    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        if index < self.len() { self.places.get(self.place(index)) } else { None }
    }

    /// The value at `index`, counted from the first one.
    #[inline(always)]
    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        let place = self.place(index);
        if index < self.len() { self.places.get_mut(place) } else { None }
    }

    /// The first value.
    #[inline(always)]
    pub(crate) fn front(&self) -> Option<&T> {
        self.get(0)
    }

    /// Appends a value.
    #[inline(always)]
    pub(crate) fn push_back(&mut self, value: T) {
        if self.len() == self.places.len() {
            self.grow(value);
        }
        let place = self.place(self.len());
        if let Some(place) = self.places.get_mut(place) {
            *place = value;
            self.len += 1;
        }
    }

    /// Doubles the number of places; `filler` is the content of those without a value.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, filler: T) {
        let count = (2 * self.places.len()).max(4);
        let values = (0..self.len()).filter_map(|index| self.get(index).copied());
        let places = values.chain(std::iter::repeat(filler)).take(count).collect();
        (self.places, self.head) = (places, 0);
    }

    /// Removes the first `count` values, or all if there are fewer.
    #[inline(always)]
    pub(crate) fn remove_front(&mut self, count: usize) {
        let count = count.min(self.len()) as u32;
        self.head = self.head.wrapping_add(count);
        self.len -= count;
    }

    /// Removes all values.
    pub(crate) const fn clear(&mut self) {
        self.len = 0;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_ring_contains_what_a_deque_of_the_standard_library_contains(steps in prop::collection::vec((0_u8..8, 0_usize..20), 0..300)) {
            let (mut ring, mut deque) = (Ring::default(), VecDeque::new());
            for (value, (step, count)) in steps.into_iter().enumerate() {
                match step {
                    0 => {
                        ring.remove_front(count);
                        deque.drain(..count.min(deque.len()));
                    }
                    1 => if let (Some(a), Some(b)) = (ring.get_mut(count), deque.get_mut(count)) {
                        (*a, *b) = (value, value);
                    },
                    2 if count == 0 => {
                        ring.clear();
                        deque.clear();
                    }
                    _ => {
                        ring.push_back(value);
                        deque.push_back(value);
                    }
                }
                prop_assert_eq!((ring.len(), ring.is_empty()), (deque.len(), deque.is_empty()));
                prop_assert_eq!(ring.front(), deque.front());
                prop_assert!((0..=deque.len()).all(|index| ring.get(index) == deque.get(index)));
                prop_assert!(ring.places.is_empty() || ring.places.len().is_power_of_two());
            }
        }
    }
}
