//! Selects packets by an expression in the language of pcap filters (pcap-filter(7)): addresses, ports and protocols.
//!
//! Differences: headers are those that this reader decodes, so that tags of VLANs and MPLS and extension headers of IPv6
//! hide nothing, and `host` and `net` match IP only, not the addresses in ARP. Names of hosts and ports are not resolved.
//! Other primitives, such as `vlan`, `less` and comparisons of bytes, are refused.
//!
//! No crate compiles such expressions without libpcap. The parser emits a program for a stack of bits, so that neither long
//! nor deep expressions need stack.

use std::net::IpAddr;
use std::ops::RangeInclusive;

use thiserror::Error;

use super::network::{Ip, SCTP, TCP, UDP};

/// Deepest nesting of parentheses: one bit of the stack for each operand of each.
const DEEPEST: usize = 30;

const PRIMITIVE: &str =
    "must be host, net, port, portrange, src, dst, ip, ip6, tcp, udp, sctp, icmp, icmp6, arp, not, ( or an address";

/// A word that an expression must not have in its place.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("'{word}' {allowed}")]
pub struct Refused {
    /// The word; empty at the end of the expression.
    pub word: String,
    /// What is allowed there.
    pub allowed: String,
}

/// A compiled expression.
#[derive(Clone, Debug)]
pub struct Filter(Vec<Step>);

#[derive(Clone, Debug)]
enum Step {
    Test(Test),
    Not,
    And,
    Or,
}

/// A condition on one packet: all parts hold.
#[derive(Clone, Debug, Default)]
struct Test {
    kind: Option<Kind>,
    way: Way,
    value: Option<Value>,
}

/// A protocol.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Arp,
    Version4,
    Version6,
    /// Carried by a version of IP, or by both.
    Transport(u8, Option<bool>),
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Way {
    Source,
    Destination,
    #[default]
    Either,
    Both,
}

#[derive(Clone, Debug)]
enum Value {
    /// Addresses with the same first bits.
    Network(IpAddr, u8),
    Ports(RangeInclusive<u16>),
}

/// What a value is said to be.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Type {
    Host,
    Net,
    Port,
    PortRange,
}

impl Filter {
    /// Compiles an expression.
    ///
    /// # Errors
    ///
    /// If a word of it is not allowed in its place.
    pub fn new(text: &str) -> Result<Self, Refused> {
        let spaced = text.replace('(', " ( ").replace(')', " ) ").replace("&&", " and ").replace("||", " or ");
        let spaced = spaced.replace('!', " not ");
        let words: Vec<&str> = spaced.split_whitespace().collect();
        let mut parser = Parser { words: &words, at: 0, steps: Vec::new(), last: (Test::default(), None) };
        parser.expression(0)?;
        match parser.word() {
            Some(word) => Err(refused(word, "must be and, or, or the end")),
            None => Ok(Self(parser.steps)),
        }
    }

    /// Whether a packet is selected: its IP header if it has one, and whether it is ARP.
    #[inline]
    pub(super) fn selects(&self, ip: Option<&Ip<'_>>, is_arp: bool) -> bool {
        let mut stack = 0_u64;
        for step in &self.0 {
            stack = match step {
                Step::Test(test) => (stack << 1) | u64::from(test.holds(ip, is_arp)),
                Step::Not => stack ^ 1,
                Step::And => (stack >> 1) & (stack | !1),
                Step::Or => (stack >> 1) | (stack & 1),
            };
        }
        stack & 1 == 1
    }
}

impl Test {
    fn holds(&self, ip: Option<&Ip<'_>>, is_arp: bool) -> bool {
        let Some(ip) = ip else { return self.kind == Some(Kind::Arp) && is_arp };
        let is_kind = match self.kind {
            None => true,
            Some(Kind::Arp) => false,
            Some(Kind::Version4) => ip.source.is_ipv4(),
            Some(Kind::Version6) => ip.source.is_ipv6(),
            Some(Kind::Transport(protocol, version)) => {
                ip.protocol == protocol && version.is_none_or(|is_4| is_4 == ip.source.is_ipv4())
            }
        };
        let either = |[source, destination]: [bool; 2]| match self.way {
            Way::Source => source,
            Way::Destination => destination,
            Way::Either => source || destination,
            Way::Both => source && destination,
        };
        is_kind
            && match &self.value {
                None => true,
                Some(Value::Network(base, bits)) => {
                    either([ip.source, ip.destination].map(|address| is_in(address, *base, *bits)))
                }
                Some(Value::Ports(ports)) => ip.ports.is_some_and(|(source, destination)| {
                    matches!(ip.protocol, TCP | UDP | SCTP)
                        && either([source, destination].map(|port| ports.contains(&port)))
                }),
            }
    }
}

/// Bits of an address, the first bit highest, and their number.
fn bits_of(address: IpAddr) -> (u128, u8) {
    match address {
        IpAddr::V4(address) => (u128::from(address.to_bits()) << 96, 32),
        IpAddr::V6(address) => (address.to_bits(), 128),
    }
}

/// The bits of an address behind its first ones.
fn rest(address: IpAddr, bits: u8) -> u128 {
    bits_of(address).0.checked_shl(bits.into()).unwrap_or(0)
}

fn is_in(address: IpAddr, base: IpAddr, bits: u8) -> bool {
    let differing = bits_of(address).0 ^ bits_of(base).0;
    address.is_ipv4() == base.is_ipv4() && differing.checked_shr(128 - u32::from(bits)).unwrap_or(0) == 0
}

fn refused(word: &str, allowed: impl Into<String>) -> Refused {
    Refused { word: word.to_owned(), allowed: allowed.into() }
}

struct Parser<'a> {
    words: &'a [&'a str],
    at: usize,
    steps: Vec<Step>,
    /// Qualifiers of the last value, which a value without qualifiers repeats.
    last: (Test, Option<Type>),
}

impl<'a> Parser<'a> {
    fn word(&self) -> Option<&'a str> {
        self.words.get(self.at).copied()
    }

    fn take(&mut self, word: &str) -> bool {
        let is_there = self.word() == Some(word);
        self.at += usize::from(is_there);
        is_there
    }

    /// `and` and `or` have the same precedence.
    fn expression(&mut self, depth: usize) -> Result<(), Refused> {
        self.factor(depth)?;
        loop {
            let step = if self.take("and") {
                Step::And
            } else if self.take("or") {
                Step::Or
            } else {
                return Ok(());
            };
            self.factor(depth)?;
            self.steps.push(step);
        }
    }

    fn factor(&mut self, depth: usize) -> Result<(), Refused> {
        let mut is_negated = false;
        while self.take("not") {
            is_negated = !is_negated;
        }
        if self.take("(") {
            if depth == DEEPEST {
                return Err(refused("(", format!("must be nested in at most {DEEPEST} others")));
            }
            self.expression(depth + 1)?;
            if !self.take(")") {
                return Err(refused(self.word().unwrap_or(""), "must be and, or, or )"));
            }
        } else {
            let test = self.primitive()?;
            self.steps.push(Step::Test(test));
        }
        if is_negated {
            self.steps.push(Step::Not);
        }
        Ok(())
    }

    fn primitive(&mut self) -> Result<Test, Refused> {
        let begin = self.at;
        let kind = self.kind();
        let way = self.way();
        let said = self.said();
        if kind.is_some() && way.is_none() && said.is_none() {
            return Ok(Test { kind, ..Test::default() });
        }
        let (mut test, mut said) = (Test { kind, way: way.unwrap_or_default(), value: None }, said);
        if self.at == begin {
            (test, said) = self.last.clone();
        }
        // A word without qualifiers may be meant as a primitive.
        let allowed = if self.at == begin { PRIMITIVE } else { allowed(said) };
        let word = self.word().unwrap_or("");
        self.at += 1;
        test.value = Some(value(word, said).ok_or_else(|| refused(word, allowed))?);
        let is_port = matches!(test.value, Some(Value::Ports(_)));
        let is_fitting = match test.kind {
            None => true,
            Some(Kind::Transport(protocol, _)) => is_port && matches!(protocol, TCP | UDP | SCTP),
            Some(Kind::Version4 | Kind::Version6) => !is_port,
            Some(Kind::Arp) => false,
        };
        if !is_fitting {
            let allowed = "must not come before this: ip and ip6 come before host and net, and tcp, udp and sctp before \
                           port and portrange; join others with and";
            return Err(refused(self.words[begin], allowed));
        }
        self.last = (Test { value: None, ..test.clone() }, said);
        Ok(test)
    }

    fn kind(&mut self) -> Option<Kind> {
        let kind = match self.word()? {
            "arp" => Kind::Arp,
            "ip" => Kind::Version4,
            "ip6" => Kind::Version6,
            "tcp" => Kind::Transport(TCP, None),
            "udp" => Kind::Transport(UDP, None),
            "sctp" => Kind::Transport(SCTP, None),
            "icmp" => Kind::Transport(1, Some(true)),
            "icmp6" => Kind::Transport(58, Some(false)),
            _ => return None,
        };
        self.at += 1;
        Some(kind)
    }

    fn way(&mut self) -> Option<Way> {
        let (way, count) = match self.words[self.at..] {
            ["src", "or", "dst", ..] | ["dst", "or", "src", ..] => (Way::Either, 3),
            ["src", "and", "dst", ..] | ["dst", "and", "src", ..] => (Way::Both, 3),
            ["src", ..] => (Way::Source, 1),
            ["dst", ..] => (Way::Destination, 1),
            _ => return None,
        };
        self.at += count;
        Some(way)
    }

    fn said(&mut self) -> Option<Type> {
        let said = match self.word()? {
            "host" => Type::Host,
            "net" => Type::Net,
            "port" => Type::Port,
            "portrange" => Type::PortRange,
            _ => return None,
        };
        self.at += 1;
        Some(said)
    }
}

const fn allowed(said: Option<Type>) -> &'static str {
    match said {
        None => PRIMITIVE,
        Some(Type::Host) => "must be an IPv4 or IPv6 address: names are not resolved",
        Some(Type::Net) => "must be a network, such as 10.0.0.0/8 or fd00::/8, without bits behind its prefix",
        Some(Type::Port) => "must be a port number from 0 to 65535",
        Some(Type::PortRange) => "must be two port numbers, such as 6000-6008",
    }
}

/// Reads a value. One without a type is an address or a network.
fn value(word: &str, said: Option<Type>) -> Option<Value> {
    match said {
        Some(Type::Port) => port(word).map(|port| Value::Ports(port..=port)),
        Some(Type::PortRange) => word.split_once('-').and_then(|(low, high)| {
            let (low, high) = (port(low)?, port(high)?);
            Some(Value::Ports(low.min(high)..=low.max(high)))
        }),
        Some(Type::Host) => word.parse().ok().map(|address| Value::Network(address, bits_of(address).1)),
        Some(Type::Net) | None => network(word),
    }
}

/// Reads a port, which has digits only.
fn port(word: &str) -> Option<u16> {
    word.parse().ok().filter(|_| word.bytes().all(|byte| byte.is_ascii_digit()))
}

fn network(word: &str) -> Option<Value> {
    let (address, bits) = match word.split_once('/') {
        Some((address, bits)) => (address, Some(bits.parse().ok()?)),
        None => (word, None),
    };
    let address: IpAddr = address.parse().ok()?;
    let most = bits_of(address).1;
    let bits = bits.unwrap_or(most);
    (bits <= most && rest(address, bits) == 0).then_some(Value::Network(address, bits))
}
