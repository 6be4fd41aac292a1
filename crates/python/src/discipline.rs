//! Queue disciplines from Python: interpreted objects, called as interpreted [laws](crate::law) are.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ackclock_net::Plan;
use ackclock_net::queue::Limit;
use ackclock_net::queue::foreign::{Candidate, Decision, DisciplineMaker, ForeignDiscipline, Waiting};
use ackclock_tcp::Ecn;
use ackclock_units::failure::Cause;
use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::law::interpreted::{Record, with_interpreter};
use crate::law::picos;

create_exception!(
    _core,
    DisciplineFailedError,
    PyRuntimeError,
    "A discipline failed; the arguments are its name, link, simulated time in seconds, call and reason."
);

/// A queue as its discipline finds it. Neither the packet in question nor the one in transmission is counted.
#[pyclass(module = "ackclock._core", get_all)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WaitingQueue {
    /// Current time in seconds.
    now: f64,
    /// Number of waiting packets.
    packets: i64,
    /// Number of waiting bytes.
    bytes: i64,
    /// Limit of the queue in packets; infinity if `limit_bytes` is the limit.
    limit_packets: f64,
    /// Limit of the queue in bytes; infinity if `limit_packets` is the limit.
    limit_bytes: f64,
    /// Mean rate of the link in bit/s.
    rate: f64,
    /// Size in bytes of the packet in transmission; 0 if the link is idle, and in `on_departure`.
    in_service: i64,
    /// Whether the arriving packet has no space.
    full: bool,
    /// Current time in whole picoseconds.
    now_ps: i64,
}

/// The packet that a discipline decides about.
#[pyclass(module = "ackclock._core", get_all)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct QueuedPacket {
    /// Size in bytes.
    size: i64,
    /// Number of the flow.
    flow: i64,
    /// Time since its arrival at the queue, in seconds; 0 in `on_arrival`.
    waited: f64,
    /// Whether the packet can be marked.
    ecn_capable: bool,
    /// Whether the packet asks for low latency by the codepoint ECT(1) (RFC 9331).
    ect1: bool,
    /// Whether the packet is marked, by this queue or an earlier one.
    marked: bool,
    /// Whether the packet is an acknowledgment without data.
    is_ack: bool,
    /// Time since its arrival at the queue, in whole picoseconds.
    waited_ps: i64,
}

impl WaitingQueue {
    fn of(queue: &Waiting) -> Self {
        let (limit_packets, limit_bytes) = match queue.limit {
            Limit::Packets(packets) => (packets as f64, f64::INFINITY),
            Limit::Bytes(bytes) => (f64::INFINITY, bytes as f64),
        };
        Self {
            now: queue.now.as_secs_f64(),
            packets: queue.packets as i64,
            bytes: queue.bytes as i64,
            limit_packets,
            limit_bytes,
            rate: queue.rate.as_bps() as f64,
            in_service: queue.in_service.into(),
            full: queue.is_full,
            now_ps: picos(queue.now),
        }
    }
}

impl QueuedPacket {
    fn of(packet: &Candidate) -> Self {
        Self {
            size: packet.size.into(),
            flow: packet.flow.into(),
            waited: packet.waited.as_secs_f64(),
            ecn_capable: packet.ecn.is_capable(),
            ect1: packet.ecn == Ecn::Ect1,
            marked: packet.ecn == Ecn::Ce,
            is_ack: packet.is_ack,
            waited_ps: picos(packet.waited),
        }
    }
}

/// A discipline whose objects a Python function makes.
#[pyclass(module = "ackclock._core", frozen)]
#[derive(Debug)]
pub(crate) struct InterpretedDiscipline {
    make: Py<PyAny>,
    calls: Arc<AtomicU64>,
}

#[pymethods]
impl InterpretedDiscipline {
    /// `make` returns the methods of a new discipline for a seed: `on_arrival` and `on_departure`, or None for those that
    /// it does not have.
    #[new]
    fn new(make: Py<PyAny>) -> Self {
        Self { make, calls: Arc::default() }
    }

    /// Number of calls begun and of calls ended, so far. It is odd while a call runs.
    #[getter]
    fn calls(&self) -> u64 {
        self.calls.load(Relaxed)
    }
}

#[derive(Debug)]
struct Maker {
    make: Py<PyAny>,
    calls: Arc<AtomicU64>,
}

impl DisciplineMaker for Maker {
    fn make(&self, _: u32, seed: u64) -> Result<Box<dyn ForeignDiscipline>, Cause> {
        with_interpreter(|py| {
            self.calls.fetch_add(1, Relaxed);
            let made = self.make.call1(py, (seed,));
            self.calls.fetch_add(1, Relaxed);
            let [on_arrival, on_departure]: [Option<Py<PyAny>>; 2] = made?.extract(py)?;
            let (queue, packet, calls) = (Record::new(py)?, Record::new(py)?, Arc::clone(&self.calls));
            Ok(Interpreted { on_arrival, on_departure, queue, packet, calls })
        })
        .map(|discipline: Interpreted| Box::new(discipline) as Box<dyn ForeignDiscipline>)
    }
}

#[derive(Debug)]
struct Interpreted {
    on_arrival: Option<Py<PyAny>>,
    on_departure: Option<Py<PyAny>>,
    queue: Record<WaitingQueue>,
    packet: Record<QueuedPacket>,
    calls: Arc<AtomicU64>,
}

impl Interpreted {
    /// Calls a method, and reads its decision; `keep` is the word for no intervention.
    fn decide(
        &self,
        method: Option<&Py<PyAny>>,
        keep: &str,
        queue: &Waiting,
        packet: &Candidate,
    ) -> Result<Decision, Cause> {
        let Some(method) = method else { return Ok(Decision::Keep) };
        with_interpreter(|py| {
            let queue = self.queue.filled(py, WaitingQueue::of(queue));
            let packet = self.packet.filled(py, QueuedPacket::of(packet));
            self.calls.fetch_add(1, Relaxed);
            let answer = method.bind(py).call1((queue, packet));
            self.calls.fetch_add(1, Relaxed);
            let answer = answer?;
            self.queue.is_free(py, "discipline", "queue")?;
            self.packet.is_free(py, "discipline", "packet")?;
            match answer.extract::<&str>() {
                Ok("drop") => Ok(Decision::Drop),
                Ok("mark") => Ok(Decision::Mark),
                Ok(word) if word == keep => Ok(Decision::Keep),
                _ => {
                    let problem = format!("must return '{keep}', 'mark' or 'drop', not {}", answer.repr()?);
                    Err(PyValueError::new_err(problem))
                }
            }
        })
    }
}

impl ForeignDiscipline for Interpreted {
    fn on_arrival(&mut self, queue: &Waiting, packet: &Candidate) -> Result<Decision, Cause> {
        self.decide(self.on_arrival.as_ref(), "accept", queue, packet)
    }

    fn on_departure(&mut self, queue: &Waiting, packet: &Candidate) -> Result<Decision, Cause> {
        self.decide(self.on_departure.as_ref(), "deliver", queue, packet)
    }
}

/// Sets the makers of the disciplines in a plan. Returns whether there are any.
pub(crate) fn set_makers(plan: &mut Plan, disciplines: &[Bound<'_, InterpretedDiscipline>]) -> bool {
    let maker = |discipline: &Bound<'_, InterpretedDiscipline>| -> Arc<dyn DisciplineMaker> {
        let InterpretedDiscipline { make, calls } = discipline.get();
        Arc::new(Maker { make: make.clone_ref(discipline.py()), calls: Arc::clone(calls) })
    };
    let makers: Vec<_> = disciplines.iter().map(maker).collect();
    plan.set_discipline_makers(|spec| makers.get(spec.number as usize).map(Arc::clone));
    !disciplines.is_empty()
}

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<WaitingQueue>()?;
    module.add_class::<QueuedPacket>()?;
    module.add_class::<InterpretedDiscipline>()?;
    module.add("DisciplineFailedError", module.py().get_type::<DisciplineFailedError>())
}
