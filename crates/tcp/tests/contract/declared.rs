//! Laws from the parameters that they declare, so that the tests cover each law of the list.

use ackclock_tcp::congestion::LawSpec;
use ackclock_units::catalogue::{Entry, Parameter, ParameterKind};
use serde_json::{Map, Value, json};

/// A law with these values of its parameters; `None` for the law that the caller of the engine provides.
pub(crate) fn spec(law: &Entry, value: impl FnMut(&Parameter) -> Value) -> Option<LawSpec> {
    if law.name == "foreign" {
        return None;
    }
    let names = law.parameters.iter().map(|parameter| parameter.name.to_owned());
    let mut fields: Map<_, _> = names.zip(law.parameters.iter().map(value)).collect();
    fields.insert("kind".to_owned(), json!(law.name));
    Some(serde_json::from_value(fields.into()).expect("a law accepts the parameters that it declares"))
}

/// The default of a parameter.
pub(crate) fn default(parameter: &Parameter) -> Value {
    match parameter.kind {
        ParameterKind::Number { default, .. } => json!(default),
        ParameterKind::Whole { default, .. } => json!(default),
        ParameterKind::Time { default, .. } | ParameterKind::Rate { default, .. } => json!(default),
        ParameterKind::Flag { default } => json!(default),
        ParameterKind::Choice { default, .. } => json!(default),
    }
}
