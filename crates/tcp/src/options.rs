//! Macros that declare options. `options!` generates a struct, its defaults, and the description of each option for the
//! Python package; `words!` generates an enum whose variants have names in scenarios.
//!
//! An option is one entry: its documentation, which the Python package also shows, its name, its type, the allowed
//! range of a number or a time, and its default. An entry under `fields` is a field of the struct, but not an option.

/// Maximum of an option that is a time: 1,000,000 s, equal to `LONGEST_WAIT` of the Python package.
pub(crate) const LONGEST: ackclock_units::Time = ackclock_units::Time::from_millis(1_000_000_000);

/// Maximum of an option that is a rate: 1,000 Gb/s, as for links.
pub(crate) const FASTEST: ackclock_units::Rate = ackclock_units::Rate::from_mbps(1_000_000);

macro_rules! options {
    (
        $(#[$meta:meta])*
        pub struct $config:ident declared as $declared:ident {
            fields { $($(#[$field_doc:meta])+ $field:ident: $field_type:ty = $field_default:expr;)* }
            options {
                $($(#[doc = $doc:literal])+ $option:ident $(as $name:literal)?: $kind:ident $([$($range:tt)*])? = $default:expr;)+
            }
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, ::serde::Serialize, ::serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct $config {
            $($(#[$field_doc])+ pub $field: $field_type,)*
            $($(#[doc = $doc])+ $(#[serde(rename = $name)])? pub $option: $crate::options::option_type!($kind),)+
        }

        impl $config {
            pub(crate) const DEFAULT: Self = Self {
                $($field: $field_default,)*
                $($option: $default,)+
            };
        }

        impl Default for $config {
            fn default() -> Self {
                Self::DEFAULT
            }
        }

        #[doc = concat!("The options of [`", stringify!($config), "`], for the Python package.")]
        pub const $declared: &[::ackclock_units::catalogue::Parameter] = &[
            $(::ackclock_units::catalogue::Parameter {
                name: $crate::options::option_name!($option $($name)?),
                doc: concat!($($doc),+),
                kind: $crate::options::option_kind!($kind [$($($range)*)?] $default),
            },)+
        ];
    };
}

macro_rules! option_type {
    (Phase) => { Option<::ackclock_units::Time> };
    (Rate) => { Option<::ackclock_units::Rate> };
    (Time) => { ::ackclock_units::Time };
    ($kind:ident) => { $kind };
}

macro_rules! option_name {
    ($option:ident $name:literal) => {
        $name
    };
    ($option:ident) => {
        stringify!($option)
    };
}

macro_rules! option_kind {
    (bool [] $default:expr) => {
        ::ackclock_units::catalogue::ParameterKind::Flag { default: $default }
    };
    (u32 [$min:literal to $max:literal] $default:expr) => {
        ::ackclock_units::catalogue::ParameterKind::Whole { min: $min, max: $max, default: $default }
    };
    (Time [from $min:expr] $default:expr) => {
        ::ackclock_units::catalogue::ParameterKind::Time {
            min: $min.as_picos(),
            max: $crate::options::LONGEST.as_picos(),
            default: Some($default.as_picos()),
            or: None,
        }
    };
    (Phase [$word:literal] $default:expr) => {
        ::ackclock_units::catalogue::ParameterKind::Time {
            min: 0,
            max: $crate::options::LONGEST.as_picos(),
            default: None,
            or: Some($word),
        }
    };
    (Rate [$word:literal] $default:expr) => {
        ::ackclock_units::catalogue::ParameterKind::Rate {
            min: ::ackclock_units::Rate::SLOWEST.as_bps(),
            max: $crate::options::FASTEST.as_bps(),
            default: None,
            or: Some($word),
        }
    };
    ($words:ident [] $default:expr) => {
        ::ackclock_units::catalogue::ParameterKind::Choice { choices: $words::WORDS, default: $default.word() }
    };
}

macro_rules! words {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$doc:meta])+ $variant:ident = $word:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, ::serde::Serialize, ::serde::Deserialize)]
        pub enum $name {
            $($(#[$doc])+ #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// The names of the variants in a scenario, in the order of the variants.
            pub(crate) const WORDS: &[&str] = &[$($word),+];

            /// The name of the variant in a scenario.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }
    };
}

pub(crate) use {option_kind, option_name, option_type, options, words};
