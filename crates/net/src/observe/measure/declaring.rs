//! The macro `measures!`, and what it declares of each measure for the Python package.

use ackclock_tcp::Limit;
use serde::Serialize;

/// A measure for the catalogue.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct MeasureEntry {
    /// Name in results.
    pub name: &'static str,
    /// Meaning, a paragraph in Markdown; definitions that need more follow in further paragraphs.
    pub doc: &'static str,
    /// Type of the values.
    #[serde(flatten)]
    pub kind: Kind,
    /// Unit of the values.
    #[serde(flatten)]
    pub unit: Unit,
    /// What has the measure: `run`, `link` or `group`.
    pub levels: &'static [&'static str],
    /// Name in titles and on axes. A measure without a title is not printed and not drawn.
    pub title: Option<&'static str>,
    /// Whether a printed table of groups has a column for it.
    pub column: bool,
    /// How results of earlier versions are read, which lack the measure.
    pub later: Option<Later>,
}

impl MeasureEntry {
    pub(super) const fn new(
        name: &'static str,
        doc: &'static str,
        kind: Kind,
        unit: Unit,
        levels: &'static [&'static str],
    ) -> Self {
        Self { name, doc, kind, unit, levels, title: None, column: false, later: None }
    }

    /// The share of the measured time for which a reason limited the senders of a group.
    pub(super) const fn of_limit(limit: Limit) -> Self {
        let later = Later { value: None, levels: &["group"] };
        let kind = <Option<f64> as Number>::KIND;
        Self { later: Some(later), ..Self::new(limit.field(), limit.share_doc(), kind, SHARE, &["group"]) }
    }

    // the marks of a row

    /// Gives the measure a title.
    pub(super) const fn title(self, title: &'static str) -> Self {
        Self { title: Some(title), ..self }
    }

    /// Adds the measure to the printed table of groups.
    pub(super) const fn column(self) -> Self {
        Self { column: true, ..self }
    }

    /// Allows results without the value: endpoints outside the engine do not report it.
    pub(super) const fn of_endpoints(self) -> Self {
        Self { kind: Kind { nullable: true, ..self.kind }, ..self }
    }

    /// Gives the value in results of earlier versions, which lack the measure.
    pub(super) const fn later(self, value: Option<u64>) -> Self {
        Self { later: Some(Later { value, levels: self.levels }), ..self }
    }

    /// The same if only the groups of these results lack the measure.
    pub(super) const fn later_in_groups(self, value: Option<u64>) -> Self {
        Self { later: Some(Later { value, levels: &["group"] }), ..self }
    }
}

/// How results of earlier versions are read that lack a measure.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Later {
    /// The value.
    pub value: Option<u64>,
    /// The levels that lack it.
    pub levels: &'static [&'static str],
}

/// Type of a measure.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Kind {
    /// `integer` or `number`.
    #[serde(rename = "type")]
    pub name: &'static str,
    /// Whether a value may be undefined.
    pub nullable: bool,
}

pub(super) trait Number {
    const KIND: Kind;
}

impl Number for u32 {
    const KIND: Kind = <u64 as Number>::KIND;
}

impl Number for u64 {
    const KIND: Kind = Kind { name: "integer", nullable: false };
}

impl Number for f64 {
    const KIND: Kind = Kind { name: "number", nullable: false };
}

impl<T: Number> Number for Option<T> {
    const KIND: Kind = Kind { nullable: true, ..T::KIND };
}

/// Unit of a measure.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Unit {
    /// Name; empty for counts of events, ratios and shares.
    #[serde(rename = "unit")]
    pub name: &'static str,
    /// Unit in which values are displayed.
    pub shown: &'static str,
    /// Factor that converts to this unit.
    pub factor: f64,
}

impl Unit {
    const fn plain(name: &'static str) -> Self {
        Self { name, shown: name, factor: 1.0 }
    }
}

pub(super) const NUMBER: Unit = Unit::plain("");
pub(super) const PACKETS: Unit = Unit::plain("packets");
pub(super) const FLOWS: Unit = Unit::plain("flows");
pub(super) const TRANSFERS: Unit = Unit::plain("transfers");
pub(super) const SECONDS: Unit = Unit::plain("s");
pub(super) const MILLISECONDS: Unit = Unit { name: "s", shown: "ms", factor: 1e3 };
pub(super) const BITRATE: Unit = Unit { name: "bit/s", shown: "Mbps", factor: 1e-6 };
pub(super) const SHARE: Unit = Unit { name: "", shown: "%", factor: 100.0 };

/// Declares measures, a row each: documentation, which the Python package also shows, name, type, unit and marks, the
/// levels at which the measure exists, and the expression that computes it. The marks are methods of [`MeasureEntry`].
/// `$of` is an `OfRun`, an `OfLink` or an `OfGroup`. A family is a field with several measures.
macro_rules! measures {
    (
        |$of:ident|
        rows {
            $(
                $(#[doc = $doc:literal])+
                $name:ident: $type:ty [$unit:ident $(, $mark:ident $(($argument:expr))?)*] = $value:expr,
                // a level captures the sign after it, which says in the expansion that the row has the level
                in $(run $run:tt)? $(link $link:tt)? $(group $group:tt)?
            )+
        }
        families in groups {
            $($(#[$meta:meta])+ $family:ident: $all:ty = $values:expr;)*
        }
    ) => {
        summary! {
            /// Summary of a run: of all packets at the measured link, and of all flows whose data crosses the link.
            /// Undefined ratios are `None`.
            Summary |$of: OfRun|
            $([$($run)?] { $(#[doc = $doc])+ $name: $type = $value })+
        }
        summary! {
            /// Summary of a measured link: of all packets at the link. Undefined ratios are `None`.
            LinkSummary |$of: OfLink|
            $([$($link)?] { $(#[doc = $doc])+ $name: $type = $value })+
        }
        summary! {
            /// Summary of a group: of its flows, and of the packets that their senders send across the measured link.
            /// Undefined ratios are `None`.
            GroupSummary |$of: OfGroup|
            $([$($group)?] { $(#[doc = $doc])+ $name: $type = $value })+
            $([=] { $(#[$meta])+ $family: $all = $values })*
        }

        const ROWS: &[MeasureEntry] = &[$(
            MeasureEntry::new(
                stringify!($name),
                concat!($($doc, "\n"),+),
                <$type as Number>::KIND,
                $unit,
                &[$(level!($run "run"),)? $(level!($link "link"),)? $(level!($group "group"),)?],
            )
            $(.$mark($($argument)?))*,
        )+];
    };
}

/// The name of a level, given the sign that a row captured for it.
macro_rules! level {
    ($sign:tt $level:literal) => {
        $level
    };
}

/// Generates the summary of a level from the rows of all measures: a row begins with `[]` if the level lacks it.
macro_rules! summary {
    (@keep $head:tt [$($kept:tt)*] [] $row:tt $($rest:tt)*) => {
        summary! { @keep $head [$($kept)*] $($rest)* }
    };
    (@keep $head:tt [$($kept:tt)*] [$sign:tt] $row:tt $($rest:tt)*) => {
        summary! { @keep $head [$($kept)* $row] $($rest)* }
    };
    (
        @keep [$(#[$meta:meta])+ $summary:ident |$of:ident: $view:ident|]
        [$({ $(#[$doc:meta])+ $name:ident: $type:ty = $value:expr })+]
    ) => {
        $(#[$meta])+
        #[derive(Clone, Debug, PartialEq, Serialize)]
        pub struct $summary {
            $($(#[$doc])+ pub $name: $type,)+
        }

        impl $summary {
            pub(super) fn new($of: &$view<'_>) -> Self {
                Self { $($name: $value,)+ }
            }
        }
    };
    ($(#[$meta:meta])+ $summary:ident |$of:ident: $view:ident| $($rows:tt)+) => {
        summary! { @keep [$(#[$meta])+ $summary |$of: $view|] [] $($rows)+ }
    };
}

pub(super) use {level, measures, summary};
