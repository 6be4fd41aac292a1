//! Tests of the recorder.

use super::*;
use crate::observe::Values;
use crate::plan::testing::dumbbell_of_reno;

#[test]
fn a_record_asked_for_twice_is_refused() {
    let acks = |flow| RecordSpec::Acks { flows: vec![flow] };
    let plan = Plan { records: vec![acks(0), acks(1)], ..dumbbell_of_reno(2) };
    assert_eq!(Recorder::new(&plan).expect_err("twice").field, "records.1");
}

#[test]
fn a_window_kept_at_each_change_is_the_one_that_is_sampled() {
    let every = Some(Time::from_millis(7));
    let windows = |every| RecordSpec::Windows { flows: vec![1, 2], every };
    let plan = Plan { records: vec![windows(None), windows(every)], ..dumbbell_of_reno(60) };
    let tables = crate::run(&plan, 1).expect("sound").tables;
    let rows = |table: &Table| -> Vec<Vec<f64>> {
        let columns: Vec<Vec<f64>> = table
            .columns()
            .into_iter()
            .map(|column| match column.values {
                Values::F64(values) => values,
                Values::U32(values) => values.into_iter().map(f64::from).collect(),
                other => panic!("no number: {other:?}"),
            })
            .collect();
        (0..columns[0].len()).map(|row| columns.iter().map(|column| column[row]).collect()).collect()
    };
    let (changes, samples) = (rows(&tables[1]), rows(&tables[2]));
    let mut compared = 0;
    for sample in samples {
        let before = |row: &&Vec<f64>| row[1] == sample[1] && row[0] < sample[0];
        if let Some(change) = changes.iter().rfind(before).filter(|row| row[5] > 0.0) {
            assert_eq!(change[1..], sample[1..], "at {} s", sample[0]);
            compared += 1;
        }
    }
    assert!(compared > 1000, "{compared} rows of two flows in ten seconds");
}
