//! Laws compiled to machine code: functions with C's calling convention over the engine's own records.

use std::ffi::c_void;
use std::mem::offset_of;
use std::sync::Arc;

use ackclock_tcp::congestion::foreign::{Cause, Controls, ForeignLaw, LawMaker};
use ackclock_tcp::congestion::{AckSample, CongestionEvent};
use ackclock_tcp::{LostSegment, RateSample};
use ackclock_units::Time;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::{Ack, Congestion, Idle, Lost, Rate, Window};

/// The record of the windows is the engine's own.
const _: () = {
    assert!(size_of::<Window>() == size_of::<Controls>());
    assert!(offset_of!(Window, cwnd) == offset_of!(Controls, cwnd));
    assert!(offset_of!(Window, ssthresh) == offset_of!(Controls, ssthresh));
    assert!(offset_of!(Window, pacing_rate) == offset_of!(Controls, pacing_rate));
    assert!(offset_of!(Window, sets_ssthresh) == offset_of!(Controls, sets_ssthresh));
};

/// A compiled call: its arguments are the state of the law and the records of the call, and it returns 0 unless it failed.
type Call1 = unsafe extern "C" fn(*mut u64, *mut c_void) -> i32;
type Call2 = unsafe extern "C" fn(*mut u64, *mut c_void, *mut c_void) -> i32;
type Call3 = unsafe extern "C" fn(*mut u64, *mut c_void, *mut c_void, *mut c_void) -> i32;

/// The functions of a compiled law.
#[derive(Clone, Copy, Debug)]
struct Calls {
    on_ack: Option<Call2>,
    on_congestion: Option<Call2>,
    observe: Option<Call1>,
    on_rate: Option<Call2>,
    on_lost: Option<Call3>,
    on_idle: Option<Call1>,
    on_undo: Option<Call1>,
}

/// A law compiled to machine code.
#[pyclass(module = "ackclock._core", frozen)]
#[derive(Debug)]
pub(crate) struct CompiledLaw {
    calls: Calls,
    state: Arc<[u64]>,
    /// Keeps the code in memory.
    _code: Py<PyAny>,
}

#[pymethods]
impl CompiledLaw {
    /// `addresses` are those of `on_ack`, `on_congestion`, `observe`, `on_rate`, `on_lost`, `on_idle` and `on_undo`, or
    /// None; `state` is the initial state, whose first eight bytes are the state of the random numbers; `code` owns the
    /// functions.
    #[new]
    fn new(addresses: [Option<usize>; 7], state: &[u8], code: Py<PyAny>) -> PyResult<Self> {
        let (words, []) = state.as_chunks() else {
            return Err(PyValueError::new_err("the state is not a whole number of words"));
        };
        let state: Arc<[u64]> = words.iter().map(|word| u64::from_ne_bytes(*word)).collect();
        if state.is_empty() || addresses.contains(&Some(0)) {
            return Err(PyValueError::new_err("no function has the address 0, and the state has at least one word"));
        }
        let [on_ack, on_congestion, observe, on_rate, on_lost, on_idle, on_undo] = addresses;
        #[expect(unsafe_code, reason = "numba gives the address of a function as a number")]
        // SAFETY: `ackclock.laws.compiling` is the only caller, and gives addresses of functions of these types, which
        // live as long as `code`
        let calls = unsafe {
            Calls {
                on_ack: on_ack.map(|at| std::mem::transmute::<usize, Call2>(at)),
                on_congestion: on_congestion.map(|at| std::mem::transmute::<usize, Call2>(at)),
                observe: observe.map(|at| std::mem::transmute::<usize, Call1>(at)),
                on_rate: on_rate.map(|at| std::mem::transmute::<usize, Call2>(at)),
                on_lost: on_lost.map(|at| std::mem::transmute::<usize, Call3>(at)),
                on_idle: on_idle.map(|at| std::mem::transmute::<usize, Call1>(at)),
                on_undo: on_undo.map(|at| std::mem::transmute::<usize, Call1>(at)),
            }
        };
        Ok(Self { calls, state, _code: code })
    }
}

impl CompiledLaw {
    pub(super) fn maker(&self) -> Arc<dyn LawMaker> {
        Arc::new(Maker { calls: self.calls, state: Arc::clone(&self.state) })
    }
}

#[derive(Debug)]
struct Maker {
    calls: Calls,
    state: Arc<[u64]>,
}

impl LawMaker for Maker {
    fn make(&self, _: u32, _: u64, seed: u64) -> Result<Box<dyn ForeignLaw>, Cause> {
        let mut state: Box<[u64]> = self.state.iter().copied().collect();
        state[0] = ackclock_units::Stream::new(seed, ackclock_units::Role::Law, 0).state();
        Ok(Box::new(Compiled { calls: self.calls, before: state.clone(), state }))
    }
}

#[derive(Debug)]
struct Compiled {
    calls: Calls,
    state: Box<[u64]>,
    /// The state before a call that is repeated.
    before: Box<[u64]>,
}

/// What a compiled law that raised an exception leaves behind.
#[derive(Debug, thiserror::Error)]
#[error("the compiled law raised an exception; without ac.compiled it shows which one, and where")]
struct Raised;

/// A pointer to a record, as compiled functions take it.
const fn at<T>(record: &mut T) -> *mut c_void {
    std::ptr::from_mut(record).cast()
}

fn answer(code: i32) -> Result<(), Cause> {
    if code == 0 { Ok(()) } else { Err(Arc::new(Raised)) }
}

impl Compiled {
    fn state(&mut self) -> *mut u64 {
        self.state.as_mut_ptr()
    }

    #[expect(unsafe_code, reason = "a compiled function")]
    fn call1<T>(&mut self, call: Call1, mut record: T) -> Result<(), Cause> {
        // SAFETY: the function has this type, and reads and writes only its arguments
        answer(unsafe { call(self.state(), at(&mut record)) })
    }

    #[expect(unsafe_code, reason = "a compiled function")]
    fn call2<T>(&mut self, call: Call2, controls: &mut Controls, mut record: T) -> Result<(), Cause> {
        // SAFETY: as above
        answer(unsafe { call(self.state(), at(controls), at(&mut record)) })
    }
}

impl ForeignLaw for Compiled {
    fn observe(&mut self, sample: &AckSample) -> Result<(), Cause> {
        self.calls.observe.map_or(Ok(()), |call| self.call1(call, Ack::of(sample, f64::INFINITY)))
    }

    fn on_ack(&mut self, controls: &mut Controls, sample: &AckSample) -> Result<(), Cause> {
        let cwnd = controls.cwnd;
        self.calls.on_ack.map_or(Ok(()), |call| self.call2(call, controls, Ack::of(sample, cwnd)))
    }

    fn on_congestion(&mut self, controls: &mut Controls, event: &CongestionEvent, now: Time) -> Result<(), Cause> {
        let Some(call) = self.calls.on_congestion else {
            controls.respond_as_reno(event);
            return Ok(());
        };
        let (before, record) = (*controls, Congestion::of(event, now));
        self.before.copy_from_slice(&self.state);
        self.call2(call, controls, record)?;
        if controls.ssthresh == before.ssthresh {
            // machine code that sets the old value leaves no trace: the same call with another value shows it
            let mut other = Controls { ssthresh: before.ssthresh.next_up(), ..before };
            std::mem::swap(&mut self.state, &mut self.before);
            let answer = self.call2(call, &mut other, record);
            std::mem::swap(&mut self.state, &mut self.before);
            controls.sets_ssthresh = answer.is_ok() && other.ssthresh == controls.ssthresh;
        }
        Ok(())
    }

    #[expect(unsafe_code, reason = "a compiled function")]
    fn on_lost(&mut self, controls: &mut Controls, lost: &LostSegment, sample: &RateSample) -> Result<(), Cause> {
        let Some(call) = self.calls.on_lost else { return Ok(()) };
        let (mut lost, mut rate) = (Lost::of(lost), Rate::of(sample));
        // SAFETY: as above
        answer(unsafe { call(self.state(), at(controls), at(&mut lost), at(&mut rate)) })
    }

    fn on_rate(&mut self, controls: &mut Controls, sample: &RateSample) -> Result<(), Cause> {
        self.calls.on_rate.map_or(Ok(()), |call| self.call2(call, controls, Rate::of(sample)))
    }

    fn on_idle(&mut self, now: Time, idle: Time) -> Result<(), Cause> {
        self.calls.on_idle.map_or(Ok(()), |call| self.call1(call, Idle::of(now, idle)))
    }

    #[expect(unsafe_code, reason = "a compiled function")]
    fn on_undo(&mut self, controls: &mut Controls, _: Time) -> Result<(), Cause> {
        let Some(call) = self.calls.on_undo else { return Ok(()) };
        // SAFETY: as above
        answer(unsafe { call(self.state(), at(controls)) })
    }
}
