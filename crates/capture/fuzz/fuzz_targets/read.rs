//! Reads arbitrary bytes as a capture: `cargo +nightly fuzz run read`, from `crates/capture`.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/laws/mod.rs"]
mod laws;

fuzz_target!(|bytes: &[u8]| {
    let _ = laws::hold(bytes);
});
