//! Reads captures for Python, in batches of rows and with a summary at the end.

use std::fs::File;
use std::io::{Read, stdin};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard};

use ackclock_capture::anonymise::{Anonymiser, KEY_BYTES};
use ackclock_capture::read::{
    ABSENT, Capture, Count, Counts, Filter, Flow, Layer, NONE, Opener, Rows, Way, transport_name,
};
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::json;

use crate::{RawColumn, bytes};

create_exception!(_core, CaptureError, PyValueError, "A file is not a capture: its place, and where and why.");
create_exception!(_core, FilterError, PyValueError, "A filter has a word that is not allowed: the word, and what is.");

/// A batch for Python: columns, and the addresses and protocols that their numbers refer to.
type RawBatch<'py> = (Vec<RawColumn<'py>>, Vec<String>, Vec<String>);

/// A column with its values.
type Column = (&'static str, Numbers);

type Number = fn(&Counts) -> u64;

type Measure = fn(&Way) -> Option<i64>;

/// The counts of TCP by direction: names of their columns, and the number.
const COUNTS: [(&str, &str, Number); 22] = [
    ("retransmissions", "retransmissions_back", |counts| counts.retransmissions),
    ("fast", "fast_back", |counts| counts.fast),
    ("timeouts", "timeouts_back", |counts| counts.timeouts),
    ("tail_probes", "tail_probes_back", |counts| counts.probes),
    ("spurious", "spurious_back", |counts| counts.spurious),
    ("overtaken", "overtaken_back", |counts| counts.overtaken),
    ("uncertain", "uncertain_back", |counts| counts.uncertain),
    ("duplicate_acks", "duplicate_acks_back", |counts| counts.duplicate_acks),
    ("zero_windows", "zero_windows_back", |counts| counts.zero_windows),
    ("sacks", "sacks_back", |counts| counts.sacks),
    ("resets", "resets_back", |counts| counts.resets),
    ("fins", "fins_back", |counts| counts.fins),
    ("ce", "ce_back", |counts| counts.marks),
    ("ece", "ece_back", |counts| counts.echoes),
    ("cwr", "cwr_back", |counts| counts.reductions),
    ("missed", "missed_back", |counts| counts.missed),
    ("missed_bytes", "missed_bytes_back", |counts| counts.missed_bytes),
    ("unread", "unread_back", |counts| counts.unread),
    ("copies", "copies_back", |counts| counts.copies),
    ("round_trips", "round_trips_back", |counts| counts.round_trips),
    ("round_trip_sum", "round_trip_sum_back", |counts| counts.round_trip_sum),
    ("round_trip_least", "round_trip_least_back", |counts| counts.round_trip_least),
];

/// Further measures of a direction, which may be missing. Times are in nanoseconds.
const MEASURES: [(&str, &str, Measure); 18] = [
    ("payload", "payload_back", |way| Some(way.course().map_or(0, |course| course.payload as i64))),
    ("outstanding", "outstanding_back", |way| Some(way.outstanding().into())),
    ("data_first", "data_first_back", |way| way.course()?.first),
    ("data_last", "data_last_back", |way| way.course()?.last),
    ("rtt_median", "rtt_median_back", |way| trip(way, 0.5)),
    ("rtt_p95", "rtt_p95_back", |way| trip(way, 0.95)),
    ("rtt_p99", "rtt_p99_back", |way| trip(way, 0.99)),
    ("rtt_handshake", "rtt_handshake_back", |way| way.handshake()),
    ("initial_window", "initial_window_back", |way| {
        way.course().filter(|_| way.is_begun()).map(|each| each.initial as i64)
    }),
    ("largest_flight", "largest_flight_back", |way| way.course().map(|course| course.flight.into())),
    ("application_limited", "application_limited_back", |way| way.course().map(|course| course.limits[0] as i64)),
    ("receiver_limited", "receiver_limited_back", |way| way.course().map(|course| course.limits[1] as i64)),
    ("network_limited", "network_limited_back", |way| way.course().map(|course| course.limits[2] as i64)),
    ("mss", "mss_back", |way| way.mss.map(i64::from)),
    ("wscale", "wscale_back", |way| way.scale.map(i64::from)),
    ("sack_permitted", "sack_permitted_back", |way| way.has_options.then_some(way.is_sack_permitted.into())),
    ("timestamps", "timestamps_back", |way| way.has_options.then_some(way.has_stamps.into())),
    ("syn", "syn_back", |way| Some(way.is_begun().into())),
];

fn trip(way: &Way, share: f64) -> Option<i64> {
    way.trips().quantile(share).and_then(|trip| i64::try_from(trip).ok())
}

#[derive(Debug)]
enum Numbers {
    U32(Vec<u32>),
    U64(Vec<u64>),
    I32(Vec<i32>),
    I64(Vec<i64>),
    U8(Vec<u8>),
    Bool(Vec<bool>),
}

/// A capture being read.
#[pyclass(frozen, name = "Capture")]
#[derive(Debug)]
pub(crate) struct PyCapture {
    capture: Mutex<Capture>,
    anonymiser: Option<Anonymiser>,
}

#[pymethods]
impl PyCapture {
    /// Opens files, or the standard input if there are none.
    #[new]
    fn new(
        paths: Vec<PathBuf>,
        bin: u64,
        rows: bool,
        inner: bool,
        filter: Option<&str>,
        key: Option<[u8; KEY_BYTES]>,
    ) -> PyResult<Self> {
        let filter = filter.map(Filter::new).transpose();
        let filter = filter.map_err(|refused| FilterError::new_err((refused.word, refused.allowed)))?;
        let mut capture = match &paths[..] {
            [] => Ok(Capture::live(stdin(), bin)),
            [path] => Capture::new(File::open(path)?, bin),
            _ => Capture::of_files(paths.into_iter().map(opener).collect(), bin),
        }
        .map_err(|stop| CaptureError::new_err((stop.file, stop.to_string())))?;
        if rows {
            capture = capture.keeping_rows();
        }
        if inner {
            capture = capture.opening_tunnels();
        }
        if let Some(filter) = filter {
            capture = capture.selecting(filter);
        }
        Ok(Self { capture: Mutex::new(capture), anonymiser: key.as_ref().map(Anonymiser::new) })
    }

    /// Reads up to `most` further packets; `None` at the end of the file.
    fn read<'py>(&self, py: Python<'py>, most: usize) -> PyResult<Option<RawBatch<'py>>> {
        let batch = py.detach(|| {
            let rows = self.capture().read(most)?;
            let names = (rows.addresses(self.anonymiser.as_ref()), rows.protocols());
            Some((columns(rows), names))
        });
        let Some((columns, (addresses, protocols))) = batch else { return Ok(None) };
        Ok(Some((raw(py, &columns)?, addresses, protocols)))
    }

    /// Conversations completed since the last call, and the addresses and protocols they refer to.
    fn flows<'py>(&self, py: Python<'py>) -> PyResult<RawBatch<'py>> {
        let (columns, addresses, protocols) = py.detach(|| self.flow_columns());
        Ok((raw(py, &columns)?, addresses, protocols))
    }

    /// Reads no further than what the standard input has now, or not at all.
    fn finish(&self, now: bool) {
        let mut capture = self.capture();
        if now { capture.end() } else { capture.finish() }
    }

    /// Bytes of the files read so far.
    fn taken(&self) -> u64 {
        self.capture().taken()
    }

    /// Packets read so far.
    fn packets(&self) -> u64 {
        self.capture().packets()
    }

    /// Packets and bytes in each bin, starting at the first packet.
    fn arrivals<'py>(&self, py: Python<'py>) -> PyResult<Vec<RawColumn<'py>>> {
        let capture = self.capture();
        let (packets, bytes) = capture.arrivals();
        let columns = [("packets", Numbers::U32(packets.to_vec())), ("bytes", Numbers::U64(bytes.to_vec()))];
        raw(py, &columns)
    }

    /// All results except rows, conversations and bins, as JSON.
    fn facts(&self) -> String {
        let capture = self.capture();
        let odd = capture.oddities();
        let formats = capture.formats();
        let files: Vec<_> =
            formats.iter().map(|(format, packing)| json!({"format": format, "packing": packing.name()})).collect();
        let stopped = capture.stops().iter();
        let stopped: Vec<_> =
            stopped.map(|stop| json!({"file": stop.file, "offset": stop.offset, "problem": stop.problem})).collect();
        let protocols: Vec<_> = capture
            .protocols()
            .into_iter()
            .map(|(layer, name, Count { packets, bytes })| {
                let layer = match layer {
                    Layer::Link => "link",
                    Layer::Network => "network",
                    Layer::Transport => "transport",
                };
                json!({"layer": layer, "name": name, "packets": packets, "bytes": bytes})
            })
            .collect();
        let interfaces: Vec<_> = capture
            .interfaces()
            .into_iter()
            .map(|(file, name, number, link)| json!({"file": file, "name": name, "number": number, "link": link}))
            .collect();
        json!({
            "files": files,
            "packets": capture.packets(),
            "bytes": capture.bytes(),
            "captured_bytes": capture.captured(),
            "conversations": capture.conversations(),
            "connections": capture.connections(),
            "ip": {"packets": capture.ip().packets, "bytes": capture.ip().bytes},
            "start": capture.start(),
            "span": capture.span(),
            "bin": capture.bin(),
            "protocols": protocols,
            "interfaces": interfaces,
            "stopped": stopped,
            "oddities": {
                "backwards": odd.backwards,
                "timeless": odd.timeless,
                "cut": odd.cut,
                "short": odd.short,
                "headless": odd.headless,
                "unread": odd.unread,
                "fragments": odd.fragments,
                "forgotten": odd.forgotten,
                "before": odd.before,
                "jumps": odd.jumps,
                "apart": odd.apart,
                "copies": odd.copies,
                "routed": odd.routed,
                "dropped": odd.dropped,
                "filtered": odd.filtered,
            },
        })
        .to_string()
    }
}

impl PyCapture {
    fn capture(&self) -> MutexGuard<'_, Capture> {
        self.capture.lock().expect("reading does not panic")
    }

    fn flow_columns(&self) -> (Vec<Column>, Vec<String>, Vec<String>) {
        let flows = self.capture().flows();
        let mut addresses = Vec::with_capacity(2 * flows.len());
        let mut protocols: Vec<u8> = Vec::new();
        let (mut protocol, mut ends, mut ports) = (Vec::new(), [Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
        for flow in &flows {
            let place = protocols.iter().position(|&each| each == flow.protocol).unwrap_or_else(|| {
                protocols.push(flow.protocol);
                protocols.len() - 1
            });
            protocol.push(place as u32);
            for (end, &(address, port)) in flow.ends.iter().enumerate() {
                ends[end].push(addresses.len() as i32);
                addresses.push(self.anonymiser.as_ref().map_or(address, |other| other.address(address)).to_string());
                ports[end].push(if flow.ported { i32::from(port) } else { NONE });
            }
        }
        let [sources, destinations] = ends;
        let [source_ports, destination_ports] = ports;
        let of = |number: fn(&Flow) -> u64| Numbers::U64(flows.iter().map(number).collect());
        let mut columns = vec![
            ("protocol", Numbers::U32(protocol)),
            ("source", Numbers::I32(sources)),
            ("source_port", Numbers::I32(source_ports)),
            ("destination", Numbers::I32(destinations)),
            ("destination_port", Numbers::I32(destination_ports)),
            ("first", Numbers::I64(flows.iter().map(|flow| flow.first).collect())),
            ("last", Numbers::I64(flows.iter().map(|flow| flow.last).collect())),
            ("connection", Numbers::I32(flows.iter().map(|flow| number_of(flow.connection)).collect())),
            ("packets", of(|flow| flow.ways[0].packets)),
            ("bytes", of(|flow| flow.ways[0].bytes)),
            ("packets_back", of(|flow| flow.ways[1].packets)),
            ("bytes_back", of(|flow| flow.ways[1].bytes)),
        ];
        for (forth, back, count) in COUNTS {
            for (way, name) in [forth, back].into_iter().enumerate() {
                columns.push((name, Numbers::U64(flows.iter().map(|flow| count(flow.ways[way].counts())).collect())));
            }
        }
        for (forth, back, measure) in MEASURES {
            for (way, name) in [forth, back].into_iter().enumerate() {
                let values = flows.iter().map(|flow| measure(&flow.ways[way]).unwrap_or(ABSENT)).collect();
                columns.push((name, Numbers::I64(values)));
            }
        }
        let protocols = protocols.into_iter().map(transport_name).collect();
        (columns, addresses, protocols)
    }
}

/// The number of a connection in a column.
fn number_of(connection: Option<u32>) -> i32 {
    connection.map_or(NONE, |number| i32::try_from(number).unwrap_or(i32::MAX))
}

fn columns(rows: Rows) -> Vec<Column> {
    let [sack_left, sack_right] = rows.tcp.edges;
    [
        ("timestamp", Numbers::I64(rows.time)),
        ("interface", Numbers::U32(rows.interface)),
        ("bytes", Numbers::U32(rows.bytes)),
        ("captured", Numbers::U32(rows.captured)),
        ("network", Numbers::U32(rows.network)),
        ("protocol", Numbers::I32(rows.transport)),
        ("source", Numbers::I32(rows.source)),
        ("source_port", Numbers::I32(rows.source_port)),
        ("destination", Numbers::I32(rows.destination)),
        ("destination_port", Numbers::I32(rows.destination_port)),
        ("dscp", Numbers::I32(rows.dscp)),
        ("ecn", Numbers::I32(rows.ecn)),
        ("fragment", Numbers::Bool(rows.fragment)),
        ("retransmission", Numbers::I32(rows.retransmission)),
        ("overtaken", Numbers::I32(rows.overtaken)),
        ("copy", Numbers::Bool(rows.copy)),
        ("ip_id", Numbers::I32(rows.id)),
        ("ttl", Numbers::I32(rows.ttl)),
        ("connection", Numbers::I32(rows.connection)),
        ("back", Numbers::I32(rows.back)),
        ("sequence", Numbers::I64(rows.tcp.sequence)),
        ("ack", Numbers::I64(rows.tcp.acknowledgment)),
        ("flags", Numbers::I32(rows.tcp.flags)),
        ("window", Numbers::I32(rows.tcp.window)),
        ("payload", Numbers::I32(rows.tcp.payload)),
        ("tsval", Numbers::I64(rows.tcp.stamp)),
        ("tsecr", Numbers::I64(rows.tcp.echo)),
        ("sack_blocks", Numbers::U8(rows.tcp.blocks)),
        ("sack_left", Numbers::I64(sack_left)),
        ("sack_right", Numbers::I64(sack_right)),
    ]
    .into()
}

fn raw<'py>(py: Python<'py>, columns: &[Column]) -> PyResult<Vec<RawColumn<'py>>> {
    let raw_column = |(name, numbers): &Column| {
        let (kind, bytes) = match numbers {
            Numbers::U32(values) => ("u32", bytes(py, values, u32::to_le_bytes)?),
            Numbers::U64(values) => ("u64", bytes(py, values, u64::to_le_bytes)?),
            Numbers::I32(values) => ("i32", bytes(py, values, i32::to_le_bytes)?),
            Numbers::I64(values) => ("i64", bytes(py, values, i64::to_le_bytes)?),
            Numbers::U8(values) => ("u8", bytes(py, values, u8::to_le_bytes)?),
            Numbers::Bool(values) => ("bool", bytes(py, values, |value| [u8::from(value)])?),
        };
        Ok((*name, kind.into(), bytes))
    };
    columns.iter().map(raw_column).collect()
}

fn opener(path: PathBuf) -> Opener {
    Box::new(move || Ok(Box::new(File::open(&path)?) as Box<dyn Read + Send>))
}
