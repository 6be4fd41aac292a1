//! Free-list pool. The most recently freed slot is reused first, which keeps it in cache.

use super::grow;

/// A vector of slots, some of them free.
#[derive(Debug)]
pub(crate) struct Pool<T> {
    slots: Vec<T>,
    free: Vec<u32>,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self { slots: Vec::new(), free: Vec::new() }
    }
}

impl<T> Pool<T> {
    /// Heap memory in bytes.
    pub(crate) const fn memory(&self) -> usize {
        self.slots.capacity() * size_of::<T>() + self.free.capacity() * size_of::<u32>()
    }

    /// Stores a value and returns its slot.
    pub(crate) fn add(&mut self, value: T) -> u32 {
        if let Some(slot) = self.free.pop() {
            self.slots[slot as usize] = value;
            slot
        } else {
            grow(&mut self.slots, 1);
            self.slots.push(value);
            self.slots.len() as u32 - 1
        }
    }

    /// The value of a slot.
    pub(crate) fn get(&self, slot: u32) -> &T {
        &self.slots[slot as usize]
    }

    /// The value of a slot.
    pub(crate) fn get_mut(&mut self, slot: u32) -> &mut T {
        &mut self.slots[slot as usize]
    }

    /// Frees a slot, which must not be used again. Its value stays in memory until the slot is reused.
    pub(crate) fn free(&mut self, slot: u32) {
        self.free.push(slot);
    }

    /// All values, including those of free slots.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.slots.iter()
    }

    /// Number of slots, and of free ones.
    #[cfg(test)]
    pub(crate) const fn counts(&self) -> (usize, usize) {
        (self.slots.len(), self.free.len())
    }
}
