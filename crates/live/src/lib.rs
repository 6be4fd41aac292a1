//! Carries the packets of real kernels through the links of a plan, in real time.
//!
//! Two or more network namespaces have a TUN device each. Whatever a kernel sends through its device is read here, crosses
//! a [relay](ackclock_net::relay) with the links of the plan, and is written to another device when it arrives there.
//!
//! | module | contents |
//! | --- | --- |
//! | [`connections`] | the links for packets of any program: connections are numbered as they are seen |
//! | [`headers`] | what the links need of a packet: flow, kind, number and ECN field; marks |
//! | [`carrier`] | the loop that moves packets, for real wires and for those of tests |
//! | [`lateness`] | how late packets left, compared with the time that the links computed |
//! | [`tap`] | a capture of the packets at one end |
//! | `wires` | the TUN devices and the clock (only on Linux) |

pub mod carrier;
pub mod connections;
pub mod headers;
pub mod lateness;
pub mod tap;
#[cfg(target_os = "linux")]
pub mod wires;
