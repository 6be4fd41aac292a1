//! Codepoints of differentiated services, by their names (RFC 2474, section 3: six bits of the IP header).
//!
//! `CS`: class selectors (RFC 2474, section 4.2.2); `AF`: assured forwarding (RFC 2597); `EF`: expedited forwarding (RFC
//! 3246); `VA`: voice-admit (RFC 5865); `LE`: lower effort (RFC 8622). `TOS2` and `TOS4` are bits of the former type of
//! service, throughput and delay (RFC 1349), which `sch_cake` also knows.

/// Number of codepoints.
pub const CODEPOINTS: usize = 64;

macro_rules! codepoints {
    ($($name:ident = $number:literal,)+) => {
        $(#[expect(missing_docs, reason = "the name is the meaning")] pub const $name: u8 = $number;)+

        /// The names, each with its codepoint.
        pub const NAMES: &[(&str, u8)] = &[$((stringify!($name), $number),)+];
    };
}

codepoints! {
    CS0 = 0, LE = 1, TOS2 = 2, TOS4 = 4,
    CS1 = 8, AF11 = 10, AF12 = 12, AF13 = 14,
    CS2 = 16, AF21 = 18, AF22 = 20, AF23 = 22,
    CS3 = 24, AF31 = 26, AF32 = 28, AF33 = 30,
    CS4 = 32, AF41 = 34, AF42 = 36, AF43 = 38,
    CS5 = 40, VA = 44, EF = 46,
    CS6 = 48,
    CS7 = 56,
}
