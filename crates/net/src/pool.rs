//! Memory shared by many short lists. A place let go of is the next one used, so that what is under way, and no more, lies in
//! the cache, however long each list once was.

use std::ops::{Index, IndexMut};

/// No node: the end of a list.
pub(crate) const NONE: u32 = u32::MAX;

/// A value, and the node that follows it in its list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node<T> {
    pub(crate) value: T,
    pub(crate) next: u32,
}

/// The nodes of many lists.
#[derive(Debug)]
pub(crate) struct Pool<T> {
    nodes: Vec<Node<T>>,
    /// The list of nodes that are free.
    free: u32,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self { nodes: Vec::new(), free: NONE }
    }
}

impl<T: Copy> Pool<T> {
    /// Adds a node in front of `next`.
    #[inline(always)]
    pub(crate) fn add(&mut self, value: T, next: u32) -> u32 {
        let (id, node) = (self.free, Node { value, next });
        if let Some(place) = self.nodes.get_mut(id as usize) {
            self.free = place.next;
            *place = node;
            id
        } else {
            self.nodes.push(node);
            self.nodes.len() as u32 - 1
        }
    }

    /// Lets go of a node.
    #[inline(always)]
    pub(crate) fn remove(&mut self, id: u32) -> Node<T> {
        let node = self[id];
        self[id].next = self.free;
        self.free = id;
        node
    }

    /// A node, unless it is [`NONE`].
    #[inline(always)]
    pub(crate) fn get(&self, id: u32) -> Option<&Node<T>> {
        self.nodes.get(id as usize)
    }
}

impl<T> Index<u32> for Pool<T> {
    type Output = Node<T>;

    fn index(&self, id: u32) -> &Node<T> {
        &self.nodes[id as usize]
    }
}

impl<T> IndexMut<u32> for Pool<T> {
    fn index_mut(&mut self, id: u32) -> &mut Node<T> {
        &mut self.nodes[id as usize]
    }
}
