//! Tests of the declarations of measures.

use std::collections::BTreeSet;

use serde::Serialize;

use super::*;
use crate::plan::MeasureSpec;
use crate::plan::testing::dumbbell_of_reno;

/// The fields of each summary are the declared measures of its level, in the same order, with values of their types.
#[test]
fn each_level_has_the_declared_measures() {
    let plan = dumbbell_of_reno(3);
    let measure = MeasureSpec { others: vec![1], ..plan.measure.clone() };
    let outcome = crate::run(&Plan { measure, duration: Time::SECOND, ..plan }, 1).expect("sound");
    check("run", &outcome.summary);
    outcome.groups.iter().for_each(|group| check("group", group));
    outcome.elsewhere.iter().for_each(|link| check("link", link));
    assert_eq!((outcome.groups.len(), outcome.elsewhere.len()), (1, 1));
}

fn check(level: &str, summary: &impl Serialize) {
    let text = serde_json::to_string(summary).expect("a summary is data");
    // all values are numbers or null
    let fields: Vec<_> = text.trim_matches(['{', '}']).split(',').filter_map(|field| field.split_once(':')).collect();
    let declared: Vec<_> = measures().filter(|measure| measure.levels.contains(&level)).collect();
    assert_eq!(
        fields.iter().map(|(name, _)| name.trim_matches('"')).collect::<Vec<_>>(),
        declared.iter().map(|measure| measure.name).collect::<Vec<_>>(),
        "{level}"
    );
    for ((name, value), measure) in fields.into_iter().zip(declared) {
        let is_integer = value.parse::<u64>().is_ok();
        assert!(measure.kind.nullable || value != "null", "{level}: {name}");
        assert_eq!(is_integer, measure.kind.name == "integer", "{level}: {name}");
    }
}

#[test]
fn each_measure_is_declared_once_with_a_meaning() {
    let mut names = BTreeSet::new();
    for measure in measures() {
        assert!(names.insert(measure.name), "{} is declared twice", measure.name);
        assert!(measure.doc.trim().ends_with('.') && !measure.levels.is_empty(), "{}", measure.name);
        let lacking = measure.later.map_or(&[][..], |later| later.levels);
        assert!(lacking.iter().all(|level| measure.levels.contains(level)), "{}", measure.name);
    }
}
