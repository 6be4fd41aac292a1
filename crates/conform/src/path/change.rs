//! The properties of a path that a command sets.

use ackclock_units::{Rate, Time};

use super::{Path, Policer};
use crate::cursor::{LONGEST, shortened};

/// Properties that a command sets, in the order of the command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Change {
    properties: Vec<Property>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Property {
    Rate(Rate),
    Rtt(Time),
    Buffer(u64),
    Lose(u64),
    LoseEvery(u64),
    Hold(Time),
    Pause(Time),
    Aggregate(Time),
    Policer(Rate),
    Burst(u64),
}

/// Packets of a policer's bucket, unless a script says otherwise.
const BURST: u64 = 10;
/// Largest number of packets.
const MOST: u64 = 1_000_000;
const KEYS: &str = "rate, rtt, buffer, lose, lose_every, hold, pause, aggregate, policer or burst";

impl Change {
    /// Reads words such as `rate=10Mbps`.
    pub(crate) fn of(words: &[&str]) -> Result<Self, String> {
        words.iter().map(|word| property(word)).collect::<Result<_, _>>().map(|properties| Self { properties })
    }

    pub(crate) fn apply(&self, path: &mut Path, now: Time) {
        for property in &self.properties {
            match *property {
                Property::Rate(rate) => path.rate = rate,
                Property::Rtt(rtt) => path.rtt = rtt,
                Property::Buffer(packets) => path.buffer = packets,
                Property::Lose(packets) => path.lose = packets,
                Property::LoseEvery(packets) => path.lose_every = packets,
                Property::Hold(time) => path.hold = Some(time),
                Property::Pause(time) => path.free = path.free.max(now.saturating_add(time)),
                Property::Aggregate(time) => path.aggregate = time,
                Property::Policer(rate) => {
                    let burst = path.policer.map_or(BURST, |policer| policer.burst);
                    path.policer = Some(Policer { rate, burst, empty: Time::ZERO });
                }
                Property::Burst(burst) => {
                    let rate = path.policer.map_or(path.rate, |policer| policer.rate);
                    path.policer = Some(Policer { rate, burst, empty: Time::ZERO });
                }
            }
        }
    }
}

fn property(word: &str) -> Result<Property, String> {
    let (key, value) = word.split_once('=').unwrap_or((word, ""));
    let packets = || {
        let allowed = format!("{key} of a path must be a number of packets up to {MOST}");
        value.parse().ok().filter(|packets| *packets <= MOST).ok_or(allowed)
    };
    Ok(match key {
        "rate" => Property::Rate(rate(value)?),
        "rtt" => Property::Rtt(time(value)?),
        "buffer" => Property::Buffer(packets()?),
        "lose" => Property::Lose(packets()?),
        "lose_every" => Property::LoseEvery(packets()?),
        "hold" => Property::Hold(time(value)?),
        "pause" => Property::Pause(time(value)?),
        "aggregate" => Property::Aggregate(time(value)?),
        "policer" => Property::Policer(rate(value)?),
        "burst" => Property::Burst(packets()?),
        _ => return Err(format!("{} is not allowed for a path; must be {KEYS}", shortened(key))),
    })
}

/// A number of units.
fn quantity(text: &str, units: &[(&str, f64)], allowed: &str) -> Result<f64, String> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit = units.iter().find(|(name, _)| *name == &text[digits.len()..]);
    let number = digits.parse::<f64>().ok().filter(|number| *number >= 0.0 && *number <= 1e12);
    number.zip(unit).map(|(number, (_, unit))| number * unit).ok_or_else(|| {
        let shown = shortened(text);
        format!("{shown} is not allowed; must be {allowed}")
    })
}

fn rate(text: &str) -> Result<Rate, String> {
    let allowed = "a rate such as 10Mbps, 64kbps or 1Gbps";
    let bps = quantity(text, &[("kbps", 1e3), ("Mbps", 1e6), ("Gbps", 1e9)], allowed)?;
    let is_realistic = (1e3..=1e12).contains(&bps);
    Rate::from_bps(bps as u64)
        .filter(|_| is_realistic)
        .ok_or_else(|| format!("{text} is not allowed; must be {allowed}"))
}

/// A time such as `40ms`.
pub(crate) fn time(text: &str) -> Result<Time, String> {
    let seconds = quantity(text, &[("us", 1e-6), ("ms", 1e-3), ("s", 1.0)], "a time such as 40ms, 500us or 1s")?;
    Ok(Time::from_secs_f64(seconds.min(LONGEST as f64)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_have_units() {
        let found = Change::of(&["rate=10Mbps", "rtt=0.5ms", "buffer=100", "hold=1s"]).unwrap().properties;
        let expected = [
            Property::Rate(Rate::from_mbps(10)),
            Property::Rtt(Time::from_micros(500)),
            Property::Buffer(100),
            Property::Hold(Time::SECOND),
        ];
        assert_eq!(found, expected);
        for wrong in
            ["rate=10", "rate=0Mbps", "rtt=-1ms", "rtt=NaNms", "buffer=-1", "speed=1", "rate", "é=é", "rtt=éms"]
        {
            assert!(Change::of(&[wrong]).is_err(), "{wrong}");
        }
    }
}
