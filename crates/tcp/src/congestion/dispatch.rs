//! The list of congestion-control laws, and all that is generated from it.

macro_rules! laws {
    ($($variant:ident $name:literal => $spec:ident, $module:ident, $held:ty;)+) => {
        $(pub use $module::$spec;)+

        /// A congestion-control law with its parameters.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind")]
        pub enum LawSpec {
            $(
                #[doc = concat!("The law `", $name, "`.")]
                #[serde(rename = $name)]
                $variant($module::$spec),
            )+
        }

        impl LawSpec {
            /// Name of the law, as in plans.
            pub const fn name(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name,)+ }
            }

            /// Checks constraints between parameters, which the range of a single parameter cannot express.
            ///
            /// # Errors
            /// If parameters contradict each other.
            pub fn check(&self) -> Result<(), Invalid> {
                match self { $(Self::$variant(spec) => spec.check(),)+ }
            }

            pub(crate) fn build(&self) -> Law {
                match self { $(Self::$variant(spec) => Other::$variant(spec.build().into()).into(),)+ }
            }

            /// The parameters that cannot change in a run; `None` if none of them can.
            pub const fn fixed(&self) -> Option<&'static [&'static str]> {
                match self { $(Self::$variant(_) => <$spec as Spec>::FIXED,)+ }
            }
        }

        /// The state of a congestion-control law. It is an enum, not a trait object, because it is called for every
        /// ACK. Large states lie in boxes, so that a sender with another law does not need their memory.
        #[derive(Debug)]
        pub(crate) enum Other {
            $($variant($held),)+
        }

        impl Other {
            /// Memory of a law in a box of its own, in bytes.
            const fn boxed(&self) -> usize {
                match self {
                    $(Self::$variant(_) => {
                        let size = size_of::<$module::$variant>();
                        if size_of::<$held>() < size { size } else { 0 }
                    })+
                }
            }

            /// Gives the law other parameters.
            fn retune(&mut self, spec: &LawSpec) {
                match (self, spec) {
                    $((Self::$variant(law), LawSpec::$variant(spec)) => spec.retune(law),)+
                    _ => debug_assert!(false, "a law cannot become another one"),
                }
            }
        }

        /// Evaluates an expression with the state of a law.
        macro_rules! with_other {
            ($other:expr, $law:ident => $value:expr) => {
                match $other { $(Other::$variant($law) => $value,)+ }
            };
        }

        /// Evaluates an expression with the type of a law, for what it declares by constants.
        macro_rules! with_type {
            ($config:expr, $law:ident => $value:expr) => {
                match $config { $(LawSpec::$variant(_) => { type $law = $module::$variant; $value })+ }
            };
        }

        /// All congestion-control laws.
        pub const LAWS: &[Entry] = &[
            $(Entry { name: $name, doc: $module::DOC, parameters: $module::PARAMETERS },)+
        ];

        /// The names of all laws, and how lists of variants describe them.
        pub(crate) const LISTINGS: &[(&str, Option<Listing>)] = &[$(($name, $module::LISTING),)+];

        /// The phases and the state variables of all laws.
        pub const STATES: &[LawState] = &[
            $(LawState {
                law: $name,
                phases: <$module::$variant as CongestionControl>::PHASES,
                variables: <$module::$variant as CongestionControl>::VARIABLES,
            },)+
        ];
    };
}
