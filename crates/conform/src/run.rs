//! Runs a script against a sender.
//!
//! Packets that arrive, calls of the application and assertions take effect at their times; timers of the sender that are
//! due before take effect before. Relative times count from the last event; after an expected packet they count from the
//! time at which it was sent, if that is later (as in packetdrill).

mod arriving;
mod calls;
mod drawing;
mod expecting;
mod receiving;

use std::collections::VecDeque;
use std::sync::Arc;

use ackclock_tcp::congestion::foreign::{Failure, Failures, Place};
use ackclock_tcp::{Conversation, RackRule, ReceiverConfig, Sender, SenderConfig};
use ackclock_units::{Role, Stream, Time};

use expecting::Span;
use receiving::{Answer, Arrivals};

use crate::application::Application;
use crate::code::{Statement, Verdict as Evaluation};
use crate::info::{self, Scale};
use crate::octets::Octets;
use crate::outcome::{Compared, Difference, Outcome, Stop, Verdict};
use crate::path::Path;
use crate::picture::{Picture, Status};
use crate::script::{Action, Event, Script, When};
use crate::settings::{Setting, settings};
use crate::setup::{Handshake, Inexpressible, Setup};
use crate::shell;

/// Largest number of times that the sender acts or sends in a run.
const MOST_STEPS: u32 = 2_000_000;
/// Largest number of sent segments that no statement expects, and of writes that are kept apart.
const MOST_KEPT: usize = 1_000_000;

type Step = Result<(), Stop>;

/// The two ends of a connection.
#[derive(Clone, Debug, Default)]
pub struct Ends {
    /// Configuration of the sender.
    pub sender: SenderConfig,
    /// Configuration of the receiver, if the script has a path.
    pub receiver: ReceiverConfig,
}

/// Runs a script against a sender with this configuration. Random numbers of the sender follow from the seed.
///
/// # Errors
/// If a law from outside the engine fails.
pub fn run(script: &Script, setup: &Setup, ends: &Ends, seed: u64) -> Result<Outcome, Failure> {
    play(script, setup, ends, seed, None).map(|(outcome, _)| outcome)
}

/// Runs a script as [`run`] does, and also returns a picture. After the first difference, the run goes on in the picture
/// and is not compared.
///
/// # Errors
/// If a law from outside the engine fails.
pub fn draw(script: &Script, setup: &Setup, ends: &Ends, seed: u64) -> Result<(Outcome, Picture), Failure> {
    let (outcome, picture) = play(script, setup, ends, seed, Some(Picture::default()))?;
    Ok((outcome, picture.unwrap_or_default().completed()))
}

fn play(
    script: &Script,
    setup: &Setup,
    ends: &Ends,
    seed: u64,
    picture: Option<Picture>,
) -> Result<(Outcome, Option<Picture>), Failure> {
    if let Some(refused) = &setup.refused {
        let verdict = Verdict::Inexpressible(refused.clone());
        return Ok((Outcome { verdict, compared: Compared::default(), skipped: Vec::new() }, picture));
    }
    let failures = Arc::new(Failures::default());
    let mut run = Run::new(script, setup.handshake, ends, seed, &failures);
    run.picture = picture;
    let mut events = script.events.iter();
    let stop = events.find_map(|event| {
        let done = run.event(event);
        failures.first().map(|failure| Err(failure.clone())).or_else(|| done.err().map(Ok))
    });
    let verdict = stop.transpose()?.map_or(Verdict::Equal, Verdict::from);
    let (compared, skipped) = (run.compared, std::mem::take(&mut run.skipped));
    if run.picture.is_some() {
        match &verdict {
            Verdict::Differs(difference) => run.draw_after(Time::from_secs_f64(difference.time), events.as_slice()),
            _ => run.draw_rest(),
        }
        if let Some(failure) = failures.first() {
            return Err(failure.clone());
        }
    }
    Ok((Outcome { verdict, compared, skipped }, run.picture))
}

/// The progress of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    Closed,
    /// The SYN or its answer was sent, by the side that opens actively or not.
    Opening {
        actively: bool,
    },
    Open,
    /// The application has closed the connection, and all data is acknowledged.
    Finished,
}

#[derive(Debug)]
struct Run<'a> {
    script: &'a Script,
    config: SenderConfig,
    receiver: ReceiverConfig,
    handshake: Handshake,
    /// What carries packets, if the script states it.
    path: Option<Path>,
    /// What the application writes at regular times.
    application: Option<Application>,
    talk: Conversation,
    octets: Octets,
    progress: Progress,
    /// Since when the queue of the host takes no packet.
    refuses_since: Option<Time>,
    /// The current time, and the time of the last event.
    now: Time,
    last: Time,
    /// First segment that is not acknowledged.
    snd_una: u64,
    /// Whether short segments never wait.
    no_delay: bool,
    stamps: Stamps,
    /// Data of the peer, and the ACKs of the host.
    arrivals: Option<Arrivals>,
    answers: VecDeque<Answer>,
    steps: u32,
    compared: Compared,
    skipped: Vec<Inexpressible>,
    /// What was recorded for a picture, if one is drawn, and the marks that the last ACK has reported.
    picture: Option<Picture>,
    echoed: u8,
}

/// The clock of timestamps.
#[derive(Clone, Copy, Debug, Default)]
struct Stamps {
    /// A timestamp of the script, and the time at which it was sent.
    base: Option<(u32, Time)>,
    /// When the first of the outstanding retransmissions was sent, and the segment after the last of them.
    retransmitted: Option<(Time, u64)>,
}

impl<'a> Run<'a> {
    fn new(script: &'a Script, handshake: Handshake, ends: &Ends, seed: u64, failures: &Arc<Failures>) -> Self {
        let window = (handshake.window / u64::from(handshake.payload.max(1))).max(1);
        let initial_rwnd = Some(window.min(u64::from(ends.sender.max_window)) as u32);
        let config = SenderConfig { handshake: true, initial_rwnd, ..ends.sender.clone() };
        let mut sender = Sender::new(config.clone(), Stream::new(seed, Role::Sender, 0));
        sender.place_law(|| Place::new(seed, 0, Arc::clone(failures)));
        Self {
            script,
            config,
            receiver: ReceiverConfig { data_bytes: ends.sender.data_bytes(), ..ends.receiver },
            handshake,
            path: None,
            application: None,
            talk: Conversation::new(sender),
            octets: Octets::new(handshake.payload),
            progress: Progress::Closed,
            refuses_since: None,
            now: Time::ZERO,
            last: Time::ZERO,
            snd_una: 0,
            no_delay: false,
            stamps: Stamps::default(),
            arrivals: None,
            answers: VecDeque::new(),
            steps: 0,
            compared: Compared::default(),
            skipped: Vec::new(),
            picture: None,
            echoed: 0,
        }
    }

    fn event(&mut self, event: &Event) -> Step {
        let Event { line, when, ref action } = *event;
        if self.progress == Progress::Finished {
            self.skip(line, "the end of a connection is not modelled");
            return Ok(());
        }
        let span = self.span(when);
        if let Action::Outbound(packet) = action {
            return self.expect(line, packet, span);
        }
        let (at, latest) = span.unwrap_or((self.now, self.now));
        self.pass(line, at, matches!(action, Action::Code(_)))?;
        match action {
            Action::Code(statements) => self.await_all(line, statements, latest)?,
            action => self.take(line, action)?,
        }
        self.last = self.now;
        Ok(())
    }

    /// The earliest and the latest time of an event; `None` at any time.
    fn span(&self, when: When) -> Span {
        match when {
            When::At(first, last) => Some((first, last)),
            When::After(first, last) => Some((self.now.saturating_add(first), self.now.saturating_add(last))),
            When::Any => None,
        }
    }

    /// Lets the script act.
    fn take(&mut self, line: u32, action: &Action) -> Step {
        match action {
            Action::Inbound(packet) => self.arrive(line, packet),
            Action::Call(call) => self.call(line, call),
            Action::Commands(text) => self.execute(text, line),
            Action::Other(reason) => Err(Stop::inexpressible(line, reason)),
            Action::Outbound(_) | Action::Code(_) => Ok(()),
        }
    }

    /// Lets time pass until an event of the script. Timers at exactly this time come after it, unless it only looks.
    fn pass(&mut self, line: u32, until: Time, inclusive: bool) -> Step {
        if until.saturating_add(self.tolerance(until)) < self.now {
            let (expected, found) = (format!("an event at {} s", info::seconds(until)), info::seconds(self.now));
            let found = format!("the last event was at {found} s");
            return Err(Stop::Differs(Difference { line, time: until.as_secs_f64(), expected, found }));
        }
        while self.act(line, until, inclusive)? {}
        self.now = self.now.max(until);
        self.talk.wait(self.now);
        Ok(())
    }

    /// Lets the next thing happen on the path, at the application or at the sender, if it does before `end` or, if
    /// `inclusive`, at `end`. Returns whether it has.
    fn act(&mut self, line: u32, end: Time, inclusive: bool) -> Result<bool, Stop> {
        self.count_step(line)?;
        let timer = self.talk.due();
        let is_next = |due: &Time| (*due < end || inclusive && *due == end) && timer.is_none_or(|timer| *due <= timer);
        let write = self.application.and_then(|application| application.due()).filter(is_next);
        let packet = self.path.as_ref().and_then(Path::due).filter(is_next);
        let answer = self.arrivals.as_ref().and_then(Arrivals::due).filter(is_next);
        if let Some(due) = write.filter(|due| packet.is_none_or(|packet| *due <= packet)) {
            self.talk.wait(due);
            self.write_again(line)?;
        } else if let Some(due) = packet {
            self.talk.wait(due);
            if let Some(ack) = self.path.as_mut().and_then(|path| path.act(due)) {
                self.snd_una = self.snd_una.max(ack.ack().next);
                self.draw_carried(ack.ack());
                self.talk.acknowledge(ack.ack());
            }
        } else if let (Some(due), Some(arrivals)) = (answer, &mut self.arrivals) {
            self.talk.wait(due);
            self.answers.extend(arrivals.act(due));
        } else if !self.talk.act(end, inclusive) {
            return Ok(false);
        }
        self.check_refusal(line)?;
        self.carry();
        Ok(true)
    }

    /// Ends the comparison if the sender has sent a packet that the queue of the host would have refused.
    fn check_refusal(&mut self, line: u32) -> Step {
        let Some(since) = self.refuses_since else { return Ok(()) };
        if self.talk.sent().back().is_some_and(|(at, _)| *at > since) {
            return Err(Stop::inexpressible(
                line,
                "a probe or the answer to a timeout that the host refuses is not modelled",
            ));
        }
        Ok(())
    }

    /// Passes what the sender has sent to the path, if there is one.
    fn carry(&mut self) {
        let Some(mut path) = self.path.take() else { return };
        while let Some((at, segment)) = self.talk.sent().pop_front() {
            let is_carried = path.carry(at, segment);
            self.draw_sent(at, segment, !is_carried);
        }
        self.path = Some(path);
    }

    fn count_step(&mut self, line: u32) -> Step {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Err(Stop::inexpressible(line, format!("the sender acts more than {MOST_STEPS} times")));
        }
        if self.talk.sent().len().max(self.octets.rows()) > MOST_KEPT {
            return Err(Stop::inexpressible(line, format!("more than {MOST_KEPT} segments are kept")));
        }
        Ok(())
    }

    /// The tolerance of an expected time.
    fn tolerance(&self, expected: Time) -> Time {
        let share = expected.saturating_sub(self.last).as_secs_f64() * self.script.tolerance_share;
        self.script.tolerance.max(Time::from_secs_f64(share))
    }

    /// Shell commands: those before data have been applied to the sender's configuration.
    fn execute(&mut self, text: &str, line: u32) -> Step {
        let is_before_data = self.octets.segments() <= 1;
        for command in shell::commands(text, line) {
            for setting in settings(&command) {
                match setting {
                    Setting::Path(_) if self.progress != Progress::Open => {
                        return Err(Stop::inexpressible(command.line, "a path begins after the handshake"));
                    }
                    Setting::Path(change) if self.path.is_some() || is_before_data => {
                        let path = self.path.get_or_insert_with(|| Path::new(self.receiver));
                        change.apply(path, self.now);
                    }
                    Setting::Application(application) if self.path.is_some() => {
                        self.application = Some(Application { next: self.now, ..application });
                    }
                    Setting::Refusal(true) if self.config.rack != RackRule::Linux => {
                        let reason = "the host refuses packets, which only a sender with rack = linux knows";
                        return Err(Stop::inexpressible(command.line, reason));
                    }
                    Setting::Refusal(refuses) => {
                        self.refuses_since = refuses.then_some(self.now);
                        self.talk.sender.refuse_packets(refuses);
                    }
                    _ if is_before_data => {}
                    _ => {
                        let reason = format!("{} takes effect after data was sent", command.words[0]);
                        return Err(Stop::inexpressible(command.line, reason));
                    }
                }
            }
        }
        Ok(())
    }

    /// Checks assertions, which must hold at some time until the latest one.
    fn await_all(&mut self, line: u32, statements: &[Statement], latest: Time) -> Step {
        loop {
            // counting outstanding segments takes time, too
            self.steps = self.steps.saturating_add((self.talk.sender.state().flight_size / 64) as u32);
            match self.check(statements) {
                Err(Stop::Differs(_)) if self.act(line, latest, true)? => self.now = self.now.max(self.talk.now),
                Err(Stop::Differs(difference)) => {
                    let failed = statements.iter().filter(|statement| statement.line == difference.line);
                    failed.for_each(|statement| self.draw_assertion(Status::Missing, statement));
                    return Err(Stop::Differs(difference));
                }
                done => return done,
            }
        }
    }

    /// Checks assertions.
    fn check(&mut self, statements: &[Statement]) -> Step {
        let initial_ssthresh = f64::from(self.config.max_window);
        let scale = Scale { payload: self.handshake.payload, initial_ssthresh };
        let mut held = Vec::new();
        for statement in statements {
            let Statement { line, text, asserts } = statement;
            let evaluated = match asserts {
                Ok(expression) => expression.check(&|name| info::value(name, &self.talk, scale)),
                Err(reason) => {
                    self.skip(*line, reason);
                    continue;
                }
            };
            match evaluated {
                Evaluation::Holds => held.push(statement),
                Evaluation::Unknown(name) => self.skip(*line, &format!("{name} has no value in this sender")),
                Evaluation::Fails(values) => {
                    let told: Vec<String> = values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
                    let (line, time) = (*line, self.now.as_secs_f64());
                    let (expected, found) = (text.clone(), told.join(", "));
                    return Err(Stop::Differs(Difference { line, time, expected, found }));
                }
            }
        }
        self.compared.assertions += held.len() as u32;
        for statement in held {
            self.draw_assertion(Status::Met, statement);
        }
        Ok(())
    }

    /// Records a statement that is left out; only the first one with a reason after another.
    fn skip(&mut self, line: u32, reason: &str) {
        if self.skipped.last().is_none_or(|last| last.reason != reason) {
            self.skipped.push(Inexpressible { line, reason: reason.to_owned() });
        }
    }
}
