//! Python code in a script: assertions about `tcp_info` and the state of the sender. Other statements are not expressible.
//!
//! Expressions have numbers, texts, names, `+ - * / // %`, comparisons (also chained), `and`, `or`, `not`, `abs`, `min`,
//! `max` and parentheses. The message of an assertion is not evaluated.

mod expression;
mod reading;

pub(crate) use expression::{Expression, Value, Verdict};

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Statement {
    pub(crate) line: u32,
    /// The asserted expression in the words of the script.
    pub(crate) text: String,
    /// The asserted expression, or why the statement is not expressible.
    pub(crate) asserts: Result<Expression, String>,
}

/// Reads the statements of a block that begins on a line.
pub(crate) fn statements(code: &str, line: u32) -> Vec<Statement> {
    split(code, line).into_iter().filter_map(|(line, text)| statement(&text, line)).collect()
}

fn statement(text: &str, line: u32) -> Option<Statement> {
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    let Some(rest) = text.strip_prefix("assert").filter(|rest| !rest.starts_with(|next: char| next.is_alphanumeric()))
    else {
        let reason = "only assertions are expressible".to_owned();
        return Some(Statement { line, text: text.to_owned(), asserts: Err(reason) });
    };
    let (asserts, length) = reading::expression(rest);
    Some(Statement { line, text: rest[..length].trim().to_owned(), asserts })
}

/// Splits code into statements, without comments, each with its line. Brackets and a backslash join lines.
fn split(code: &str, mut line: u32) -> Vec<(u32, String)> {
    let mut found = Vec::new();
    let (mut text, mut begun, mut depth) = (String::new(), line, 0_i32);
    let mut letters = code.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if letters.peek() == Some(&'\n') => {
                letters.next();
                line += 1;
                text.push(' ');
            }
            '#' => while letters.next_if(|next| *next != '\n').is_some() {},
            '"' | '\'' => {
                text.push(letter);
                while let Some(next) = letters.next() {
                    text.push(next);
                    line += u32::from(next == '\n');
                    if next == letter {
                        break;
                    }
                    if next == '\\' {
                        text.extend(letters.next());
                    }
                }
            }
            '\n' | ';' if depth <= 0 || letter == ';' => {
                found.push((begun, std::mem::take(&mut text)));
                line += u32::from(letter == '\n');
                (begun, depth) = (line, 0);
            }
            _ => {
                depth += i32::from(matches!(letter, '(' | '[' | '{')) - i32::from(matches!(letter, ')' | ']' | '}'));
                if text.trim().is_empty() {
                    begun = line;
                }
                line += u32::from(letter == '\n');
                text.push(letter);
            }
        }
    }
    found.push((begun, text));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(text: &str) -> Verdict {
        let names = |name: &str| match name {
            "tcpi_snd_cwnd" => Some(Value::Number(10.0)),
            "tcpi_rtt" => Some(Value::Number(100_250.0)),
            "phase" => Some(Value::Text("startup".to_owned())),
            _ => None,
        };
        statements(text, 1)[0].asserts.as_ref().unwrap().check(&names)
    }

    #[test]
    fn assertions_have_values() {
        for holds in [
            "assert tcpi_snd_cwnd == 10, tcpi_snd_cwnd",
            "assert 9 <= tcpi_snd_cwnd < 11 and not tcpi_snd_cwnd == 3",
            "assert abs(tcpi_rtt - 100000) < 1e3",
            "assert phase == 'startup'",
            "assert (tcpi_snd_cwnd // 3) * 3 + tcpi_snd_cwnd % 3 == 10 or False",
            "assert tcpi_snd_cwnd in (9, 10)",
            "assert -tcpi_snd_cwnd < min(1, 2) < max(1, 2)",
            "assert (tcpi_snd_cwnd,) != 3",
        ] {
            assert_eq!(verdict(holds), Verdict::Holds, "{holds}");
        }
        let Verdict::Fails(names) = verdict("assert tcpi_snd_cwnd == 11") else { panic!("it fails") };
        assert_eq!(names, [("tcpi_snd_cwnd".to_owned(), Value::Number(10.0))]);
        assert_eq!(verdict("assert tcpi_options == 7"), Verdict::Unknown("tcpi_options".to_owned()));
    }

    #[test]
    fn lines_are_counted() {
        let found = statements("\nassert a == 1, 'a;\\'' # all\n\n  assert b == (1 +\n 2); print(b)\n", 7);
        let told: Vec<_> = found.iter().map(|each| (each.line, each.text.as_str(), each.asserts.is_ok())).collect();
        assert_eq!(told, [(8, "a == 1", true), (10, "b == (1 +\n 2)", true), (11, "print(b)", false)]);
    }

    #[test]
    fn deep_expressions_are_refused() {
        for deep in ["(".repeat(100_000), "not ".repeat(100_000), "-".repeat(100_000)] {
            assert!(statements(&format!("assert {deep}1"), 1)[0].asserts.is_err());
        }
        let long = format!("assert 1{}", " + 1".repeat(100_000));
        assert!(statements(&long, 1)[0].asserts.is_err());
    }
}
