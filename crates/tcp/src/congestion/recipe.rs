//! Compiles and tests the law of `docs/recipes/add_a_congestion_control.md`.

#[expect(unreachable_pub, reason = "a law exports its parameters")]
mod binomial;

use binomial::{Binomial, BinomialSpec, DOC, LISTING, PARAMETERS};

use super::*;

const PAGE: &str = include_str!("../../../../docs/recipes/add_a_congestion_control.md");

fn law(k: f64, l: f64) -> Binomial {
    BinomialSpec { k, l }.build()
}

#[test]
fn the_page_contains_the_file() {
    assert!(PAGE.contains(&format!("```rust\n{}```\n", include_str!("recipe/binomial.rs"))));
    assert_eq!(LISTING.map(|listing| listing.doc), Some(DOC), "the variant has the same description");
    let names: Vec<_> = PARAMETERS.iter().map(|parameter| parameter.name).collect();
    assert_eq!(names, ["k", "l"]);
}

/// Validates: with k = l = 0.5, a window of 16 segments grows by 1/64 per ACK, and a loss reduces it by 2; with k = 0 and
///   l = 1 the law is Reno.
/// Source: Bansal and Balakrishnan 2001, section II.
/// Tolerance: exact.
#[test]
fn the_law_of_the_page_works() {
    let event = CongestionEvent { signal: Signal::Loss, window: 16.0, least: 2.0, lost_again: false, abe: false };
    for (k, l, grown, reduced) in [(0.5, 0.5, 16.0 + 1.0 / 64.0, 14.0), (0.0, 1.0, 16.0 + 1.0 / 16.0, 8.0)] {
        let (mut law, mut window) = (law(k, l), Window { cwnd: 16.0, ssthresh: 10.0 });
        law.on_ack(&mut window, &AckSample::ONE);
        assert_eq!(window.cwnd, grown);
        law.on_congestion(&mut window, &event);
        assert_eq!(window, Window { cwnd: reduced, ssthresh: reduced });
        law.on_congestion(&mut window, &CongestionEvent { signal: Signal::Timeout, ..event });
        assert_eq!(window, Window { cwnd: 1.0, ssthresh: reduced });
    }
}
