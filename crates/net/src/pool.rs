//! Free-list pool. The most recently freed slot is reused first, which keeps it in cache.

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

impl<T: Copy> Pool<T> {
    /// Heap memory in bytes.
    pub(crate) const fn held(&self) -> usize {
        self.slots.capacity() * size_of::<T>() + self.free.capacity() * size_of::<u32>()
    }

    /// Stores a value and returns its slot.
    pub(crate) fn add(&mut self, value: T) -> u32 {
        if let Some(slot) = self.free.pop() {
            self.slots[slot as usize] = value;
            slot
        } else {
            self.slots.push(value);
            self.slots.len() as u32 - 1
        }
    }

    /// The value of a slot.
    pub(crate) fn get(&self, slot: u32) -> &T {
        &self.slots[slot as usize]
    }

    /// Removes and returns the value of a slot, which must not be used again.
    pub(crate) fn remove(&mut self, slot: u32) -> T {
        self.free.push(slot);
        self.slots[slot as usize]
    }
}
