//! Scripts in the language of packetdrill, run against the sender of a transport.

use std::collections::BTreeMap;

use ackclock_conform::{Ends, Outcome, Picture, Script, Setup, draw};
use ackclock_net::plan::TransportSpec;
use serde::{Deserialize, Serialize};

/// A question about a script. A page has no files, so that a script cannot execute any.
#[derive(Deserialize)]
struct Question {
    script: String,
    /// The sender and the receiver of a run, as in a plan.
    transport: Option<TransportSpec>,
}

/// What a script demands of its sender, or the result of a run.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Answer {
    Demands { setup: Setup },
    Run { outcome: Outcome, picture: Picture },
}

pub(crate) fn answered(question: &[u8], seed: u64) -> Result<Answer, String> {
    let Question { script, transport } =
        serde_json::from_slice(question).map_err(|error| format!("script: {error}"))?;
    let script = Script::parse(script.as_bytes()).map_err(|error| error.to_string())?;
    let setup = script.setup(&BTreeMap::new());
    match transport {
        None => Ok(Answer::Demands { setup }),
        Some(TransportSpec::Udp { .. }) => Err("transport: must be TCP".to_owned()),
        Some(TransportSpec::Tcp { sender, receiver }) => {
            let ends = Ends { sender: (*sender).clone(), receiver };
            let (outcome, picture) = draw(&script, &setup, &ends, seed).map_err(|failure| failure.to_string())?;
            Ok(Answer::Run { outcome, picture })
        }
    }
}
