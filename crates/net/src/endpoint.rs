//! What a flow has at its two ends besides TCP itself: the application's data, connections of clients, and receivers.

pub(crate) mod application;
pub(crate) mod clients;
pub(crate) mod packetizer;
pub(crate) mod pages;
pub(crate) mod sack_store;
pub(crate) mod sink;
pub(crate) mod timer;
