//! Reads a text from left to right. Errors have the position at which reading stopped.

use ackclock_units::Time;

/// An error of syntax at a byte of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) at: usize,
    pub(crate) problem: String,
}

/// A result of reading.
pub(crate) type Read<T> = Result<T, Fault>;

/// Largest time in a script, in seconds.
pub(crate) const LONGEST: u64 = 1_000_000;

/// Words that an option of a script replaces, with their meanings.
pub(crate) type Defines = Vec<(String, String)>;

/// A position in a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    defines: &'a [(String, String)],
}

impl<'a> Cursor<'a> {
    pub(crate) const fn new(text: &'a str) -> Self {
        Self { text, at: 0, defines: &[] }
    }

    /// The same position, from which on words are replaced.
    pub(crate) const fn with<'b>(self, defines: &'b [(String, String)]) -> Cursor<'b>
    where
        'a: 'b,
    {
        Cursor { text: self.text, at: self.at, defines }
    }

    /// The meaning of a word.
    pub(crate) fn meaning(&self, word: &'a str) -> &'a str {
        self.defines.iter().rev().find(|(known, _)| known == word).map_or(word, |(_, meaning)| meaning)
    }

    /// The position in bytes.
    pub(crate) const fn at(&self) -> usize {
        self.at
    }

    /// The text from here on.
    pub(crate) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The text from an earlier position up to here.
    pub(crate) fn since(&self, start: usize) -> &'a str {
        &self.text[start..self.at]
    }

    /// The text between two positions.
    pub(crate) fn between(&self, start: usize, end: usize) -> &'a str {
        &self.text[start..end]
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Skips one character.
    pub(crate) fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Skips a token if it is next. Spaces before it are not skipped.
    pub(crate) fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    /// Skips spaces and comments, and then a token if it is next.
    pub(crate) fn take(&mut self, token: &str) -> Read<bool> {
        self.skip_space()?;
        Ok(self.eat(token))
    }

    /// Skips spaces and comments, and then a token that must be next.
    pub(crate) fn expect(&mut self, token: &str) -> Read<()> {
        if self.take(token)? { Ok(()) } else { Err(self.expected(&format!("{token:?}"))) }
    }

    /// Skips spaces and comments (`// ...` and `/* ... */`).
    pub(crate) fn skip_space(&mut self) -> Read<()> {
        loop {
            let rest = self.rest();
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if let Some(comment) = rest.strip_prefix("/*") {
                let Some(end) = comment.find("*/") else { return Err(self.fault("the comment has no end: \"*/\"")) };
                self.at += end + 4;
            } else if let Some(next) = rest.chars().next().filter(|next| next.is_whitespace()) {
                self.at += next.len_utf8();
            } else {
                return Ok(());
            }
        }
    }

    /// Skips characters that satisfy a condition, and returns them.
    pub(crate) fn while_is(&mut self, is: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|next| !is(next)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Skips a word of letters, digits and underscores, perhaps empty, and returns it.
    pub(crate) fn word(&mut self) -> &'a str {
        self.while_is(|next| next.is_ascii_alphanumeric() || next == '_')
    }

    /// The text up to a token, which is skipped. `what` names the thing that the token ends.
    pub(crate) fn until(&mut self, end: &str, what: &str) -> Read<&'a str> {
        let rest = self.rest();
        let Some(length) = rest.find(end) else { return Err(self.fault(&format!("{what} has no end: {end:?}"))) };
        self.at += length + end.len();
        Ok(&rest[..length])
    }

    /// Skips the rest of the line.
    pub(crate) fn skip_line(&mut self) {
        self.while_is(|next| next != '\n');
    }

    /// An unsigned decimal number up to `most`, after spaces.
    pub(crate) fn number(&mut self, what: &str, most: u64) -> Read<u64> {
        self.skip_space()?;
        let start = *self;
        let mut digits = self.while_is(|next| next.is_ascii_digit());
        if digits.is_empty() {
            let word = self.word();
            digits = self.meaning(word);
            if digits == word || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
                return Err(start.expected(&format!("{what}, a number from 0 to {most}")));
            }
        }
        let value = digits.parse().ok().filter(|value| *value <= most);
        value.ok_or_else(|| start.fault(&format!("{what} is {}; must be from 0 to {most}", shortened(digits))))
    }

    /// A time in seconds.
    pub(crate) fn seconds(&mut self) -> Read<Time> {
        self.skip_space()?;
        let start = *self;
        let whole = self.while_is(|next| next.is_ascii_digit());
        let mut fraction = "";
        if self.rest().starts_with('.') && self.rest()[1..].starts_with(|next: char| next.is_ascii_digit()) {
            self.at += 1;
            fraction = self.while_is(|next| next.is_ascii_digit());
        }
        if whole.is_empty() && fraction.is_empty() {
            return Err(start.expected("a time in seconds, such as 0.25"));
        }
        let seconds: Option<u64> = if whole.is_empty() { Some(0) } else { whole.parse().ok() };
        let picos = fraction.bytes().chain(std::iter::repeat(b'0')).take(12);
        let picos = picos.fold(0, |sum, digit| 10 * sum + u64::from(digit - b'0'));
        let Some(seconds) = seconds.filter(|seconds| *seconds < LONGEST) else {
            let given = shortened(self.since(start.at));
            return Err(start.fault(&format!("the time is {given} s; must be below {LONGEST} s")));
        };
        Ok(Time::SECOND.saturating_mul(seconds) + Time::from_picos(picos))
    }

    /// An error here that says what is allowed.
    pub(crate) fn expected(&self, allowed: &str) -> Fault {
        let found = match self.rest().split_whitespace().next() {
            Some(next) if !self.rest().starts_with(char::is_whitespace) => format!("{:?}", shortened(next)),
            _ if self.rest().is_empty() => "the end of the script".to_owned(),
            _ => "a space".to_owned(),
        };
        self.fault(&format!("found {found}; must be {allowed}"))
    }

    pub(crate) fn fault(&self, problem: &str) -> Fault {
        Fault { at: self.at, problem: problem.to_owned() }
    }
}

/// The beginning of a long text.
pub(crate) fn shortened(text: &str) -> String {
    const MOST: usize = 40;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
