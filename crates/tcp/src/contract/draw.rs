//! Random conversations for a law from outside the engine, each determined by a seed and a number.

use ackclock_units::{Role, Stream, Time};

use super::{Fate, Script, paired};
use crate::congestion::foreign::ForeignSpec;
use crate::recovery::RecoverySpec;
use crate::{
    DecreaseFrom, EcnMode, GsoRule, Pacing, PrrRule, ReceiverConfig, RttConfig, SenderConfig, SlowStartRule, UndoRule,
    WindowRule,
};

/// Maximum number of packets whose fate is drawn; all later ones arrive.
const FATES: u64 = 100;

/// Draws numbers and choices.
struct Draw(Stream);

impl Draw {
    /// A whole number from `low` up to, but not including, `high`.
    fn from(&mut self, low: u64, high: u64) -> u64 {
        low + (self.0.uniform() * (high - low) as f64) as u64
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.from(0, of.len() as u64) as usize]
    }

    fn flag(&mut self) -> bool {
        self.from(0, 2) == 1
    }

    /// Half of all packets arrive as sent, a quarter are lost, some are late, and a few are duplicated.
    fn fate(&mut self) -> Fate {
        match self.from(0, 12) {
            0..6 => vec![0],
            6..9 => vec![],
            9..11 => vec![self.from(0, 200)],
            _ => vec![self.from(0, 200), self.from(0, 200)],
        }
    }

    fn fates(&mut self) -> Vec<Fate> {
        (0..self.from(0, FATES)).map(|_| self.fate()).collect()
    }

    /// Supplies of data, some of them after a timeout.
    fn supplies(&mut self) -> Vec<(Time, u64)> {
        let mut at = 0;
        let mut next = || {
            at += match self.from(0, 5) {
                0..2 => 0,
                2..4 => self.from(1, 300),
                _ => self.from(1_000, 5_000),
            };
            (Time::from_millis(at), self.from(1, 60))
        };
        (0..3).map(|_| next()).collect()
    }
}

pub(super) fn script(law: &ForeignSpec, seed: u64, number: u32) -> Script {
    let mut draw = Draw(Stream::new(seed, Role::Law, number));
    let needs = law.needs;
    let recovery = if needs.samples_rate {
        RecoverySpec::Rack
    } else {
        draw.one(&[
            RecoverySpec::Tahoe,
            RecoverySpec::Reno,
            RecoverySpec::NewReno,
            RecoverySpec::Sack,
            RecoverySpec::Sack,
            RecoverySpec::Rack,
            RecoverySpec::Rack,
        ])
    };
    let feedback = [EcnMode::Off, EcnMode::Off, EcnMode::Classic, EcnMode::Dctcp, EcnMode::Accurate];
    let ecn = if needs.scalable { EcnMode::Accurate } else { draw.one(&feedback) };
    let sender = SenderConfig {
        recovery,
        ecn,
        max_window: draw.from(1, 160) as u32,
        initial_window: draw.from(1, 12) as u32,
        slow_start: draw.one(&[
            SlowStartRule::Standard,
            SlowStartRule::Limited,
            SlowStartRule::HystartPlusPlus,
            SlowStartRule::Hystart,
        ]),
        byte_counting: draw.one(&[0, 0, 2, 10]),
        whole_growth: draw.flag(),
        decrease_from: draw.one(&[DecreaseFrom::FlightSize, DecreaseFrom::Window, DecreaseFrom::WholeWindow]),
        prr: draw.one(&[PrrRule::Off, PrrRule::Rfc9937, PrrRule::Linux]),
        undo: draw.one(&[UndoRule::Off, UndoRule::Off, UndoRule::Both]),
        pacing: draw.one(&[Pacing::Off, Pacing::Off, Pacing::Window, Pacing::Law]),
        abe: draw.flag(),
        rtt: RttConfig { min_rto: Time::from_millis(draw.one(&[200, 1_000])), ..RttConfig::default() },
        ..SenderConfig::default()
    };
    let receiver = ReceiverConfig {
        delayed_ack: draw.flag(),
        sack_blocks: draw.from(0, 4) as u32,
        dsack: draw.flag(),
        sack_compression: draw.one(&[0, 3, 44]),
        ecn,
        rwnd: WindowRule::Fixed,
        ..ReceiverConfig::default()
    };
    let (sender, receiver) = paired(sender, receiver);
    let delay = Time::from_millis(draw.from(1, 150));
    let marks = (0..draw.from(0, FATES)).map(|_| draw.from(0, 10) < 3).collect();
    let (supplies, segments, acks) = (draw.supplies(), draw.fates(), draw.fates());
    let sender = SenderConfig {
        gso: draw.one(&[GsoRule::Off, GsoRule::Off, GsoRule::Autosize, GsoRule::Fixed]),
        gso_max_segs: draw.from(1, 60) as u32,
        limit_output_bytes: draw.one(&[0, 0, 5_000, 4_194_304]),
        ..sender
    };
    Script { sender, receiver, delay, supplies, segments, acks, marks }
}

/// Describes a conversation in words.
pub(super) fn description(script: &Script) -> String {
    let SenderConfig { recovery, slow_start, byte_counting, initial_window, max_window, pacing, gso, .. } =
        &script.sender;
    let lost = script.segments.iter().filter(|fate| fate.is_empty()).count();
    let packets: u64 = script.supplies.iter().map(|(_, packets)| packets).sum();
    let delay = script.delay;
    format!(
        "{packets} packets over a path of {delay} each way, of which {lost} of the first {} are lost; recovery {}, \
         slow_start {}, byte_counting {byte_counting}, initial_window {initial_window}, max_window {max_window}, \
         pacing {}, gso {}, ecn {}",
        script.segments.len(),
        format!("{recovery:?}").to_lowercase(),
        slow_start.word(),
        pacing.word(),
        gso.word(),
        script.sender.ecn.word(),
    )
}
