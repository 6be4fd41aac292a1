//! Tests of all records.

use super::*;
use crate::observe::Values;
use crate::plan::testing::dumbbell_of_reno;

/// Tables of a run, compared with the declarations of the records that the plan names.
#[test]
fn each_table_has_the_declared_columns() {
    let records = RecordSpec::of_each(&[0, 1], &[0, 2], Time::from_millis(100));
    let plan = Plan { records, duration: Time::SECOND, ..dumbbell_of_reno(3) };
    let tables = crate::run(&plan, 1).expect("sound").tables;
    assert_eq!(tables.len(), 1 + plan.records.len(), "the first table has the flows' counters");
    for (record, table) in plan.records.iter().zip(&tables[1..]) {
        let request = serde_json::to_value(record).expect("a request is data");
        let entry = RECORDS.iter().find(|entry| request["kind"] == entry.kind()).expect("the record is listed");
        assert!(request.get(entry.of).is_some());
        assert_eq!(request.get("bin").or_else(|| request.get("every")).is_some(), entry.interval.is_some());
        assert_eq!(table.name, entry.table());
        let declared: Vec<_> = entry.declared.columns.iter().map(|column| (column.name, column.bytes)).collect();
        let found: Vec<_> = table.columns().iter().map(|column| (column.name, bytes(&column.values))).collect();
        assert_eq!(found, declared, "{}", table.name);
    }
}

const fn bytes(values: &Values) -> usize {
    match values {
        Values::U32(_) => size_of::<u32>(),
        Values::U64(_) => size_of::<u64>(),
        Values::F64(_) => size_of::<f64>(),
        Values::Bool(_) | Values::Words { .. } => size_of::<u8>(),
    }
}
