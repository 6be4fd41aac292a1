//! CAKE's tins: classes of traffic by the differentiated services codepoint of packets (RFC 2474), with a soft priority.
//! Hoeiland-Joergensen, Taht and Morton, "Piece of CAKE" (2018), section III-C; Linux, `cake_config_diffserv4` and its
//! siblings, `cake_dequeue`, `cake_advance_shaper`.
//!
//! Each tin has a threshold: a share of the link's rate. A tin that has sent no more than its threshold allows has priority
//! over tins that have, and over tins with lower numbers. If none of the tins with packets is below its threshold, the one
//! that will be next may send, so that a tin may use all that others leave. A tin keeps account of its threshold by the time
//! of its next packet: each packet moves it by the transmission time at the threshold, from its old value if the tin is late,
//! and otherwise to at most this time from now. The time of a tin that was empty is at least the present.
//!
//! | tins | thresholds, as shares of the rate, from tin 0 on |
//! | --- | --- |
//! | `besteffort` | 1 |
//! | `diffserv3` | best effort 1, bulk 1/16, voice 1/4 |
//! | `diffserv4` | best effort 1, bulk 1/16, video 1/2, voice 1/4 |
//! | `diffserv8`, `precedence` | (7/8)^n for tin n |
//!
//! A threshold also determines the target and the interval of its tin's COBALT, by the rule for slow links.
//!
//! Differences from Linux:
//! - All tins have the same quantum; in Linux it depends on the tin's threshold.
//! - Linux chooses the tin again after each empty queue that it meets. The choice is the same as long as the tin has packets.

use std::sync::Arc;

use ackclock_units::{Rate, Time};
use serde::{Deserialize, Serialize};

use crate::codepoint::{
    AF11, AF12, AF13, AF21, AF22, AF23, AF31, AF32, AF33, AF41, AF42, AF43, CS1, CS2, CS3, CS4, CS5, CS6, CS7, EF, LE,
    TOS2, TOS4, VA,
};
use crate::packet::{FlowId, Packet};

/// Classes of traffic, in the terms of Linux.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tins {
    /// One for all packets.
    Besteffort,
    /// Best effort, bulk and voice.
    Diffserv3,
    /// Best effort, bulk, video and voice.
    Diffserv4,
    /// Eight, by kinds of applications.
    Diffserv8,
    /// Eight, by the first three bits of the codepoint (RFC 791, precedence).
    Precedence,
}

impl Tins {
    /// Number of tins.
    pub(super) const fn count(self) -> usize {
        match self {
            Self::Besteffort => 1,
            Self::Diffserv3 => 3,
            Self::Diffserv4 => 4,
            Self::Diffserv8 | Self::Precedence => 8,
        }
    }

    /// The tin of packets with a codepoint.
    const fn of(self, codepoint: u8) -> u8 {
        match self {
            Self::Besteffort => 0,
            Self::Precedence => codepoint >> 3,
            Self::Diffserv3 => match codepoint {
                LE | CS1 => 1,
                TOS4 | VA | EF | CS6 | CS7 => 2,
                _ => 0,
            },
            Self::Diffserv4 => match codepoint {
                LE | CS1 => 1,
                TOS4 | CS2 | AF21 | AF22 | AF23 | CS3 | AF31 | AF32 | AF33 | AF41 | AF42 | AF43 => 2,
                CS4 | CS5 | VA | EF | CS6 | CS7 => 3,
                _ => 0,
            },
            Self::Diffserv8 => match codepoint {
                LE => 0,
                TOS2 | CS1 | AF11 | AF12 | AF13 => 1,
                CS3 | AF31 | AF32 | AF33 | AF41 | AF42 | AF43 => 3,
                TOS4 | AF21 | AF22 | AF23 => 4,
                CS2 => 5,
                CS4 | CS5 | VA | EF => 6,
                CS6 | CS7 => 7,
                _ => 2,
            },
        }
    }

    /// The thresholds of all tins of a link. Linux counts and rounds bytes per second.
    pub(super) fn thresholds(self, link: Rate) -> Vec<Rate> {
        let shifts: &[u32] = match self {
            Self::Besteffort => return vec![link],
            Self::Diffserv3 => &[0, 4, 2],
            Self::Diffserv4 => &[0, 4, 1, 2],
            Self::Diffserv8 | Self::Precedence => &[],
        };
        let bytes = link.as_bps() / 8;
        let falling = std::iter::successors(Some(bytes), |rate| Some((u128::from(*rate) * 7 / 8) as u64));
        let rates: Vec<u64> = match shifts {
            [] => falling.take(self.count()).collect(),
            shifts => shifts.iter().map(|shift| bytes >> shift).collect(),
        };
        rates.into_iter().map(|rate| Rate::from_bps(8 * rate).unwrap_or(Rate::SLOWEST)).collect()
    }
}

/// The account of a tin.
#[derive(Clone, Copy, Debug)]
struct Account {
    threshold: Rate,
    /// Time from which on the tin is below its threshold.
    next: Time,
}

/// Several tins, and the order of their service.
#[derive(Debug)]
pub(super) struct Diffserv {
    tins: Tins,
    codepoints: Arc<[u8]>,
    accounts: Vec<Account>,
}

impl Diffserv {
    /// Tins for flows with these codepoints; `None` if there is one tin.
    pub(super) fn new(tins: Tins, link: Rate, codepoints: &Arc<[u8]>) -> Option<Self> {
        let account = |threshold| Account { threshold, next: Time::ZERO };
        (tins.count() > 1).then(|| Self {
            tins,
            codepoints: Arc::clone(codepoints),
            accounts: tins.thresholds(link).into_iter().map(account).collect(),
        })
    }

    /// The tin of a packet.
    #[inline(never)]
    pub(super) fn tin(&self, packet: &Packet) -> usize {
        let FlowId(flow) = packet.flow();
        self.tins.of(self.codepoints.get(flow as usize).copied().unwrap_or_default()).into()
    }

    /// Notes that a tin without packets gets one.
    pub(super) fn begin(&mut self, tin: usize, now: Time) {
        let next = &mut self.accounts[tin].next;
        *next = (*next).max(now);
    }

    /// The tin that is served next of those that `can_send`.
    #[inline(never)]
    pub(super) fn choose(&self, can_send: impl Fn(usize) -> bool, now: Time) -> Option<usize> {
        let wait = |tin: &usize| self.accounts[*tin].next.saturating_sub(now);
        (0..self.accounts.len()).rev().filter(|tin| can_send(*tin)).min_by_key(wait)
    }

    /// Charges a tin for the bytes that it sends.
    #[inline(never)]
    pub(super) fn charge(&mut self, tin: usize, bytes: u32, now: Time) {
        let Account { threshold, next } = &mut self.accounts[tin];
        let time = threshold.transmission_time(bytes);
        *next = if *next < now { next.saturating_add(time) } else { (*next).max(now.saturating_add(time)) };
    }
}

#[cfg(test)]
mod tests;
