//! Memory for many things that come and go. A place let go of is the next one used, so that what is there, and no more, lies in
//! the cache.

/// Places for things, some of them free.
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
    /// Bytes of memory beyond its own size.
    pub(crate) const fn held(&self) -> usize {
        self.places.capacity() * size_of::<T>() + self.free.capacity() * size_of::<u32>()
    }

    /// Keeps a thing, and tells where.
    pub(crate) fn add(&mut self, thing: T) -> u32 {
        if let Some(place) = self.free.pop() {
            self.places[place as usize] = thing;
            place
        } else {
            self.places.push(thing);
            self.places.len() as u32 - 1
        }
    }

    /// Hands it back; nobody may ask for it again.
    pub(crate) fn remove(&mut self, place: u32) -> T {
        self.free.push(place);
        self.places[place as usize]
    }
}
