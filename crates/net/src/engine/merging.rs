//! Merges the outcomes of independent parts. The result equals that of an undivided run except for the order of rows
//! with equal timestamps.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::engine::outcome::Outcome;
use crate::network::Part;
use crate::observe::{Capture, Column, Rows, Table, Values};
use crate::plan::{Plan, RecordSpec};

/// Merges the outcomes of all parts, given in order.
pub(crate) fn merge(plan: &Plan, parts: Vec<Part>, outcomes: Vec<Outcome>) -> Outcome {
    let mut groups = vec![None; plan.groups.len()];
    let (mut unfinished, mut waited) = (vec![0; plan.groups.len()], vec![0; plan.groups.len()]);
    let mut thirds = vec![[0; 3]; plan.groups.len()];
    let mut elsewhere = BTreeMap::new();
    let mut tables: Vec<Vec<(Arc<Numbers>, Table)>> = vec![Vec::new(); plan.records.len() + 1];
    let mut captures: Vec<Vec<(Arc<Numbers>, Capture)>> = vec![Vec::new(); plan.captures.len()];
    let (mut measured, mut events, mut rows) = (None, 0, 0);
    for (Part { plan: part, names, groups: places, is_measured }, outcome) in parts.into_iter().zip(outcomes) {
        for (at, (place, group)) in places.iter().map(|place| *place as usize).zip(outcome.groups).enumerate() {
            groups[place] = Some(group);
            unfinished[place] = outcome.facts.unfinished[at];
            waited[place] = outcome.facts.waited[at];
            thirds[place] = outcome.facts.thirds[at];
        }
        let others = part.measure.others.iter().map(|link| names.links[*link as usize]);
        elsewhere.extend(others.zip(outcome.elsewhere));
        let numbers = Arc::new(Numbers { links: names.links, flows: names.flows, groups: places });
        for (table, together) in outcome.tables.into_iter().zip(&mut tables) {
            together.push((Arc::clone(&numbers), table));
        }
        for (capture, together) in outcome.captures.into_iter().zip(&mut captures) {
            together.push((Arc::clone(&numbers), capture));
        }
        events += outcome.events;
        rows += outcome.rows;
        if is_measured {
            measured = Some((outcome.summary, outcome.facts));
        }
    }
    let (summary, mut facts) = measured.expect("the measured link belongs to a part");
    (facts.unfinished, facts.waited) = (unfinished, waited);
    facts.thirds = thirds;
    // the table of the flows' counters precedes the records
    let records = std::iter::once(None).chain(plan.records.iter().map(Some));
    let merged = records.zip(tables).filter_map(|(record, tables)| {
        let name = tables.first()?.1.name;
        Some(Table::new(name, Merged { tables, order: record.map_or(Vec::new(), links_in_order) }))
    });
    let captures = captures.into_iter().map(|parts| {
        let (numbers, captures): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        let named = captures.into_iter().zip(&numbers);
        Capture::join(named.map(|(capture, numbers)| (capture, &numbers.links[..], &numbers.flows[..])))
    });
    Outcome {
        summary,
        groups: groups.into_iter().flatten().collect(),
        elsewhere: plan.measure.others.iter().filter_map(|link| elsewhere.get(link).cloned()).collect(),
        facts,
        events,
        rows,
        tables: merged.collect(),
        captures: captures.collect(),
    }
}

/// The links of a record if its rows with equal timestamps follow the record's list of links; otherwise empty.
fn links_in_order(record: &RecordSpec) -> Vec<u32> {
    record.asked().interval().map_or(Vec::new(), |_| record.links().to_vec())
}

/// Global ids of the links, flows and groups of a part.
#[derive(Debug)]
struct Numbers {
    links: Vec<u32>,
    flows: Vec<u32>,
    groups: Vec<u32>,
}

/// The merged tables of all parts, sorted by time and, for equal times, by link or flow.
#[derive(Debug)]
struct Merged {
    tables: Vec<(Arc<Numbers>, Table)>,
    /// Row order of links, if it differs from the order of link ids.
    order: Vec<u32>,
}

impl Rows for Merged {
    fn is_empty(&self) -> bool {
        self.tables.iter().all(|(_, table)| table.is_empty())
    }

    fn columns(&self) -> Vec<Column> {
        let mut columns: Vec<Column> = Vec::new();
        for (numbers, table) in &self.tables {
            let own = table.columns().into_iter().map(|column| named(column, numbers));
            if columns.is_empty() {
                columns = own.collect();
            } else {
                columns.iter_mut().zip(own).for_each(|(column, more)| column.values.extend(more.values));
            }
        }
        let rows = columns.first().map_or(0, |column| column.values.len());
        let mut order: Vec<usize> = (0..rows).collect();
        let keys = self.keys(&columns, rows);
        order.sort_by_key(|row| keys[*row]);
        for column in &mut columns {
            column.values = column.values.taken(&order);
        }
        columns
    }
}

impl Merged {
    /// Sort keys of rows: the time, whether the event is not an arrival at the end of a link, and the rank of the link
    /// or flow.
    fn keys(&self, columns: &[Column], rows: usize) -> Vec<(u64, bool, u32)> {
        let mut keys = vec![(0, false, 0); rows];
        for Column { name, values } in columns {
            match (*name, values) {
                // times are non-negative, so their bit patterns are in order
                ("time" | "start", Values::F64(times)) => {
                    keys.iter_mut().zip(times).for_each(|(key, time)| key.0 = time.to_bits());
                }
                ("event", Values::Words { codes, words }) => {
                    keys.iter_mut().zip(codes).for_each(|(key, code)| key.1 = words[usize::from(*code)] != "receive");
                }
                ("link", Values::U32(links)) => {
                    keys.iter_mut().zip(links).for_each(|(key, link)| key.2 = self.place_of(*link));
                }
                ("flow", Values::U32(flows)) if columns.iter().all(|column| column.name != "link") => {
                    keys.iter_mut().zip(flows).for_each(|(key, flow)| key.2 = *flow);
                }
                _ => {}
            }
        }
        keys
    }

    fn place_of(&self, link: u32) -> u32 {
        self.order.iter().position(|other| *other == link).map_or(link, |place| place as u32)
    }
}

/// Replaces a column's local ids of links, flows and groups by the global ones.
fn named(mut column: Column, whole: &Numbers) -> Column {
    let names = match column.name {
        "link" => &whole.links,
        "flow" => &whole.flows,
        "group" => &whole.groups,
        _ => return column,
    };
    if let Values::U32(numbers) = &mut column.values {
        for number in numbers {
            *number = names[*number as usize];
        }
    }
    column
}
