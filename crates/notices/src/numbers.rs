//! Numbers as the texts of notices have them.

use ackclock_units::{Rate, Time};

/// A share in percent, with a number of decimals.
pub(crate) fn percent(share: f64, decimals: usize) -> String {
    format!("{:.decimals$}%", 100.0 * share)
}

/// A number with this many significant digits at most, and with an exponent if it is small or large (C's `%g`).
pub(crate) fn general(value: f64, digits: usize) -> String {
    if !value.is_finite() || value == 0.0 {
        return value.to_string();
    }
    let written = format!("{value:.*e}", digits - 1);
    let (mantissa, exponent) = written.split_once('e').expect("the form of floating-point numbers");
    let power: i32 = exponent.parse().expect("the form of floating-point numbers");
    if (-4..digits as i32).contains(&power) {
        shortened(&format!("{value:.*}", (digits as i32 - 1 - power) as usize)).into()
    } else {
        let sign = if power < 0 { '-' } else { '+' };
        format!("{}e{sign}{:02}", shortened(mantissa), power.abs())
    }
}

/// A decimal number without zeros at its end.
fn shortened(decimal: &str) -> &str {
    if decimal.contains('.') { decimal.trim_end_matches('0').trim_end_matches('.') } else { decimal }
}

/// An integer with commas between thousands.
pub(crate) fn thousands(value: u64) -> String {
    let digits = value.to_string();
    let first = (digits.len() - 1) % 3 + 1;
    let mut text = digits[..first].to_owned();
    for place in (first..digits.len()).step_by(3) {
        text.push(',');
        text.push_str(&digits[place..place + 3]);
    }
    text
}

/// A time in the largest unit in which it is an integer, as scenarios have it.
pub(crate) fn time(time: Time) -> String {
    quantity(time.as_picos(), &["ps", "ns", "us", "ms", "s"], "s")
}

/// A rate in the largest unit in which it is an integer, as scenarios have it.
pub(crate) fn rate(rate: Rate) -> String {
    quantity(rate.as_bps(), &["bps", "kbps", "Mbps", "Gbps"], "bps")
}

fn quantity(value: u64, units: &[&str], of_zero: &str) -> String {
    if value == 0 {
        return format!("0 {of_zero}");
    }
    let mut whole = value;
    let mut unit = 0;
    while unit + 1 < units.len() && whole.is_multiple_of(1000) {
        whole /= 1000;
        unit += 1;
    }
    format!("{whole} {}", units[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_rounded_half_to_even() {
        for (share, decimals, text) in [
            (0.5, 0, "50%"),
            (0.125, 0, "12%"),
            (0.375, 0, "38%"),
            (0.995, 0, "100%"),
            (0.000_625, 2, "0.06%"),
            (0.000_634, 2, "0.06%"),
            (1.5, 1, "150.0%"),
            (f64::INFINITY, 0, "inf%"),
        ] {
            assert_eq!(percent(share, decimals), text);
        }
    }

    #[test]
    fn significant_digits() {
        for (value, digits, text) in [
            (0.0, 3, "0"),
            (7.5, 3, "7.5"),
            (10.0, 6, "10"),
            (0.259_99, 3, "0.26"),
            (83.333_33, 4, "83.33"),
            (99.999, 4, "100"),
            (1000.4, 4, "1000"),
            (9999.6, 4, "1e+04"),
            (123_456.7, 4, "1.235e+05"),
            (0.000_123_4, 3, "0.000123"),
            (0.000_012_34, 3, "1.23e-05"),
            (-2.5, 1, "-2"),
        ] {
            assert_eq!(general(value, digits), text);
        }
    }

    #[test]
    fn thousands_and_units() {
        for (value, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (100_000, "100,000"), (1_234_567, "1,234,567")] {
            assert_eq!(thousands(value), text);
        }
        for (picos, text) in [
            (0, "0 s"),
            (1, "1 ps"),
            (2_500_000_000, "2500 us"),
            (100_000_000_000, "100 ms"),
            (90 * 1_000_000_000_000, "90 s"),
        ] {
            assert_eq!(time(Time::from_picos(picos)), text);
        }
        for (bps, text) in [(1500, "1500 bps"), (4_000_000, "4 Mbps"), (2_000_000_000_000, "2000 Gbps")] {
            assert_eq!(rate(Rate::from_bps(bps).unwrap()), text);
        }
    }
}
