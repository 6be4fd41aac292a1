//! Free-list pool. The most recently freed slot is reused first, which keeps it in cache.

/// A vector of slots, some of them free.
#[derive(Debug)]
pub(crate) struct Pool<T> {
    places: Vec<T>,
    free: Vec<u32>,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self { places: Vec::new(), free: Vec::new() }
    }
}

impl<T: Copy> Pool<T> {
    /// Heap memory in bytes.
    pub(crate) const fn held(&self) -> usize {
        self.places.capacity() * size_of::<T>() + self.free.capacity() * size_of::<u32>()
    }

    /// Stores a value and returns its slot.
    pub(crate) fn add(&mut self, thing: T) -> u32 {
        if let Some(place) = self.free.pop() {
            self.places[place as usize] = thing;
            place
        } else {
            self.places.push(thing);
            self.places.len() as u32 - 1
        }
    }

    /// Removes and returns the value of a slot, which must not be used again.
    pub(crate) fn remove(&mut self, place: u32) -> T {
        self.free.push(place);
        self.places[place as usize]
    }
}
