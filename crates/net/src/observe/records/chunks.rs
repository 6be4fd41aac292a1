//! The record `chunks`: each chunk of adaptive video, from its request to its last data.

use ackclock_units::Time;

use super::record::{Declared, Record};
use super::usual::{Rows as Estimate, Usual};
use crate::engine::simulator::Simulator;
use crate::observe::table::columns;
use crate::observe::{Measure, ROW, Table};
use crate::packet::FlowId;
use crate::plan::records::Asked;
use crate::plan::{GroupSpec, Plan};
use crate::source::{Chunk, Playback};

columns! { ChunkColumns {
    start: F64(f64) "s", flow: U32(u32) "", group: U32(u32) "", level: U32(u32) "", bitrate: F64(f64) "bit/s",
    bytes: U64(u64) "B", buffer: F64(f64) "s", end: F64(f64) "s", download: F64(f64) "s", stalled: F64(f64) "s",
} }

/// Log of chunks.
#[derive(Clone, Debug)]
pub(in crate::observe) struct Log {
    wanted: Vec<bool>,
    /// Payload bytes per packet of each group.
    payloads: Vec<u32>,
    rows: Vec<Row>,
    end: Time,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    flow: u32,
    chunk: Chunk,
    /// How long the video stood still since the chunk before was loaded.
    stalled: Time,
}

impl Record for Log {
    const DECLARED: Declared = Declared {
        empty: "no video of these flows began",
        ..Declared::new(
            "each chunk of adaptive video: request, level from 0, bitrate, size, buffer at the request, end, download \
             time, and how long the video stood still meanwhile",
            ChunkColumns::DESCRIBED,
        )
    };

    fn new(asked: &Asked<'_>, plan: &Plan) -> Self {
        let payloads = plan.groups.iter().map(GroupSpec::data_bytes).collect();
        Self { wanted: super::membership(asked.ids), payloads, rows: Vec::new(), end: plan.duration }
    }

    fn usual(asked: &Asked<'_>, usual: &Usual<'_>) -> Estimate {
        Estimate::of_events(usual.over_flows(asked, |group| group.flows + group.transfers), ROW as f64)
    }

    fn playback(&mut self, flow: u32, playback: &Playback) {
        let Some(chunk) = playback.chunk.filter(|_| self.wanted.get(flow as usize) == Some(&true)) else { return };
        if chunk.asked < self.end {
            let [from, to] = playback.stalled;
            self.rows.push(Row { flow, chunk, stalled: to - from });
        }
    }

    /// Adds rows for chunks that are being loaded.
    fn finish(&mut self, simulator: &Simulator) {
        for (FlowId(flow), playback) in simulator.playbacks(self.end) {
            self.playback(flow, &playback);
        }
    }

    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn memory(&self) -> usize {
        self.rows.len() * size_of::<Row>()
    }

    /// The rows, ordered by the time of the request and then by flow.
    fn table(mut self, name: &'static str, measure: &Measure) -> Table {
        self.rows.sort_by_key(|row| (row.chunk.asked, row.flow));
        let mut rows = ChunkColumns::with_capacity(self.rows.len());
        for Row { flow, chunk, stalled } in &self.rows {
            let group = measure.group_of(*flow);
            let end = chunk.loaded.filter(|end| *end < self.end);
            rows.push(
                chunk.asked.as_secs_f64(),
                *flow,
                group,
                chunk.level as u32,
                chunk.bitrate as f64,
                chunk.packets.saturating_mul(self.payloads[group as usize].into()),
                chunk.buffer.as_secs_f64(),
                end.map_or(f64::NAN, Time::as_secs_f64),
                end.map_or(f64::NAN, |end| (end - chunk.asked).as_secs_f64()),
                stalled.as_secs_f64(),
            );
        }
        Table::new(name, rows)
    }
}
