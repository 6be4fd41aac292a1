//! Splits shell text into commands and words. Expansions are kept as text.

/// A command: its words, and the line where it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Command {
    pub(crate) line: u32,
    pub(crate) words: Vec<String>,
}

/// Splits a text that begins on a line. Redirections of the output are left out.
pub(crate) fn commands(text: &str, mut line: u32) -> Vec<Command> {
    let mut found = Vec::new();
    let mut command = Command { line, words: Vec::new() };
    let mut word: Option<String> = None;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let is_end = matches!(letter, '\n' | ';') || letter == '&' && letters.peek() == Some(&'&');
        if is_end || letter.is_whitespace() {
            command.words.extend(word.take());
        }
        line += u32::from(letter == '\n');
        match letter {
            _ if is_end => {
                if letter == '&' {
                    letters.next();
                }
                if !command.words.is_empty() {
                    found.push(std::mem::replace(&mut command, Command { line, words: Vec::new() }));
                }
                command.line = line;
            }
            _ if letter.is_whitespace() => {}
            '#' if word.is_none() => while letters.next_if(|next| *next != '\n').is_some() {},
            '\\' => {
                let next = letters.next();
                line += u32::from(next == Some('\n'));
                if let Some(next) = next.filter(|next| *next != '\n') {
                    word.get_or_insert_default().push(next);
                }
            }
            '"' | '\'' => {
                let word = word.get_or_insert_default();
                for next in letters.by_ref().take_while(|next| *next != letter) {
                    line += u32::from(next == '\n');
                    word.push(next);
                }
            }
            _ => word.get_or_insert_default().push(letter),
        }
    }
    command.words.extend(word);
    found.push(command);
    for command in &mut found {
        drop_redirections(&mut command.words);
    }
    found.retain(|command| !command.words.is_empty());
    found
}

/// Leaves out redirections such as `> /dev/null`, `2>/dev/null` and `2>&1`.
fn drop_redirections(words: &mut Vec<String>) {
    let mut is_target = false;
    words.retain(|word| {
        let arrow = word.find('>').filter(|arrow| word[..*arrow].bytes().all(|byte| byte.is_ascii_digit()));
        let is_dropped = is_target || arrow.is_some();
        is_target = !is_target && arrow.is_some_and(|arrow| word[arrow..].trim_start_matches('>').is_empty());
        !is_dropped
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_into_words() {
        let text =
            "../common/defaults.sh\nsysctl -q a=\"1 2\" \\\n b=3 # end\n\n tc qdisc x > /dev/null 2>&1; true && false";
        let found: Vec<_> = commands(text, 4).into_iter().map(|each| (each.line, each.words.join("|"))).collect();
        let expected =
            [(4, "../common/defaults.sh"), (5, "sysctl|-q|a=1 2|b=3"), (8, "tc|qdisc|x"), (8, "true"), (8, "false")];
        assert_eq!(found, expected.map(|(line, words)| (line, words.to_owned())));
    }
}
