//! System calls of the application.

use super::{Progress, Run, Step};
use crate::outcome::Stop;
use crate::script::Call;

/// Calls that do not concern a sender.
const NO_MATTER: [&str; 11] = [
    "socket",
    "bind",
    "listen",
    "accept",
    "accept4",
    "fcntl",
    "read",
    "recv",
    "recvfrom",
    "getsockname",
    "getpeername",
];

/// Options of sockets that do not concern a sender, or only through what the script states about writes.
const OPTIONS: [&str; 11] = [
    "SO_REUSEADDR",
    "SO_REUSEPORT",
    "SO_SNDBUF",
    "SO_RCVBUF",
    "SO_KEEPALIVE",
    "SO_PRIORITY",
    "IP_TOS",
    "IP_MTU_DISCOVER",
    "IPV6_TCLASS",
    "TCP_CONGESTION",
    "TCP_NOTSENT_LOWAT",
];

/// Flags of `send` that do not change what is sent.
const FLAGS: [&str; 3] = ["0", "MSG_NOSIGNAL", "MSG_DONTWAIT"];

/// Largest number of bytes that a script writes.
const MOST_BYTES: u64 = 1 << 31;

impl Run<'_> {
    pub(super) fn call(&mut self, line: u32, call: &Call) -> Step {
        let Call { name, arguments, result, blocks } = call;
        let refused = |reason: String| Err(Stop::inexpressible(line, reason));
        match name.as_str() {
            "connect" => self.connect(line),
            _ if *blocks => refused(format!("a call of {name} that waits is not modelled")),
            _ if NO_MATTER.contains(&name.as_str()) => Ok(()),
            "setsockopt" => self.set_option(line, arguments, *result),
            "getsockopt" => {
                self.skip(line, "options of sockets are not compared");
                Ok(())
            }
            "write" | "writev" => self.write(line, *result),
            "send" | "sendto" | "sendmsg" => {
                let last = if name == "sendmsg" { arguments.get(2) } else { arguments.get(3) };
                let flags = last.map_or("0", String::as_str);
                match flags.split('|').find(|flag| !FLAGS.contains(flag)) {
                    Some(flag) => refused(format!("the flag {flag} is not modelled")),
                    None => self.write(line, *result),
                }
            }
            "close" | "shutdown" => self.close(line),
            _ => refused(format!("the call {name} is not modelled")),
        }
    }

    fn connect(&mut self, line: u32) -> Step {
        if self.progress != Progress::Closed {
            return Err(Stop::inexpressible(line, "only one connection is modelled"));
        }
        self.progress = Progress::Opening { actively: true };
        self.talk.open();
        Ok(())
    }

    fn set_option(&mut self, line: u32, arguments: &[String], result: Option<i64>) -> Step {
        let name = arguments.get(2).map_or("", String::as_str);
        if result != Some(0) || OPTIONS.contains(&name) {
            return Ok(());
        }
        if name == "TCP_NODELAY" {
            self.no_delay = arguments.get(3).is_some_and(|value| value != "[0]");
            return Ok(());
        }
        Err(Stop::inexpressible(line, format!("the option {name} of a socket is not modelled")))
    }

    fn write(&mut self, line: u32, result: Option<i64>) -> Step {
        let Some(bytes) = result.and_then(|bytes| u64::try_from(bytes).ok()) else {
            return Err(Stop::inexpressible(line, "a write that fails is not modelled"));
        };
        self.supply(line, bytes)?;
        self.count_step(line)
    }

    /// A write of the application that writes at regular times.
    pub(super) fn write_again(&mut self, line: u32) -> Step {
        let Some(application) = &mut self.application else { return Ok(()) };
        application.next = application.next.saturating_add(application.every);
        let bytes = application.bytes;
        self.supply(line, bytes)
    }

    fn supply(&mut self, line: u32, bytes: u64) -> Step {
        let refused = |reason: &str| Err(Stop::inexpressible(line, reason));
        if self.progress != Progress::Open {
            return refused("a write before the connection is open is not modelled");
        }
        if self.arrivals.is_some() {
            return refused("data in both directions is not modelled");
        }
        if self.octets.end() + bytes > MOST_BYTES {
            return refused("more than 2 GB of data are not modelled");
        }
        let Ok(segments) = self.octets.write(bytes, self.snd_una, self.talk.snd_max(), self.no_delay) else {
            return refused(
                "a short segment that waits for the ACK of another one (Nagle's algorithm) is not modelled",
            );
        };
        self.talk.supply(segments);
        self.carry();
        Ok(())
    }

    /// The end of the connection ends the comparison.
    fn close(&mut self, line: u32) -> Step {
        if self.progress == Progress::Open && self.snd_una < self.octets.segments() {
            return Err(Stop::inexpressible(line, "a connection that is closed before all data is acknowledged"));
        }
        self.progress = Progress::Finished;
        self.skip(line, "the end of a connection is not modelled");
        Ok(())
    }
}
