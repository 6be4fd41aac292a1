//! Reads system calls. Arguments stay texts: few calls need them.

use crate::cursor::{Cursor, Read};
use crate::script::Call;

pub(super) fn read(cursor: &mut Cursor<'_>) -> Read<Call> {
    let blocks = cursor.eat("...");
    if blocks {
        cursor.seconds()?;
        cursor.skip_space()?;
    }
    let start = *cursor;
    let name = cursor.word().to_owned();
    if name.is_empty() {
        return Err(start.expected("the name of a system call"));
    }
    cursor.expect("(")?;
    let arguments = arguments(cursor)?;
    cursor.expect("=")?;
    let result = result(cursor)?;
    Ok(Call { name, arguments, result, blocks })
}

/// Reads arguments up to the closing parenthesis, which is skipped.
fn arguments(cursor: &mut Cursor<'_>) -> Read<Vec<String>> {
    let opening = *cursor;
    let mut arguments = Vec::new();
    let mut argument = String::new();
    let mut depth = 0_u32;
    loop {
        cursor.skip_space()?;
        let start = cursor.at();
        let Some(next) = cursor.peek() else { return Err(opening.fault("the arguments have no end: \")\"")) };
        match next {
            '"' => {
                cursor.bump();
                cursor.until("\"", "the text")?;
            }
            ',' | ')' if depth == 0 => {
                cursor.bump();
                if !argument.is_empty() || next == ',' {
                    arguments.push(std::mem::take(&mut argument));
                }
                if next == ')' {
                    return Ok(arguments);
                }
                continue;
            }
            _ if next.is_ascii_alphanumeric() || next == '_' => {
                let word = cursor.word();
                argument.push_str(cursor.meaning(word));
                continue;
            }
            _ => {
                depth += u32::from(matches!(next, '(' | '[' | '{'));
                depth = depth.saturating_sub(u32::from(matches!(next, ')' | ']' | '}')));
                cursor.bump();
            }
        }
        argument.push_str(cursor.since(start));
    }
}

/// Reads the result, the name of an error, and remarks.
fn result(cursor: &mut Cursor<'_>) -> Read<Option<i64>> {
    cursor.skip_space()?;
    let start = *cursor;
    let negative = cursor.eat("-");
    let word = cursor.word();
    if word.is_empty() && !cursor.eat("...") {
        return Err(start.expected("the result of the system call, such as 0 or -1 EAGAIN"));
    }
    let digits = word.strip_prefix("0x");
    let value = digits.map_or_else(|| word.parse().ok(), |digits| i64::from_str_radix(digits, 16).ok());
    cursor.skip_space()?;
    if cursor.rest().starts_with(|next: char| next.is_ascii_alphabetic()) {
        cursor.word(); // the error
    }
    while cursor.take("(")? {
        cursor.until(")", "the remark")?;
    }
    Ok(value.map(|value: i64| if negative { -value } else { value }))
}
