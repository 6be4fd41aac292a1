//! Reads expressions, by recursive descent with a limited depth.

use super::expression::{Expression, Function, Operator, Relation, Value};
use crate::cursor::{Cursor, shortened};

/// Largest depth of brackets and operators, and largest number of operands in a row.
const DEPTH: u32 = 50;
const OPERANDS: usize = 1_000;

type Parsed = Result<Expression, String>;

/// Reads an expression. Returns it, or why it is not expressible, and the length of its text.
pub(super) fn expression(text: &str) -> (Parsed, usize) {
    let mut reader = Reader { cursor: Cursor::new(text), depth: 0 };
    let parsed = reader.either().and_then(|found| {
        reader.skip();
        let rest = reader.cursor.rest();
        if rest.is_empty() || rest.starts_with(',') { Ok(found) } else { Err(reader.strange()) }
    });
    let length = if parsed.is_ok() { reader.cursor.at() } else { text.len() };
    (parsed, length)
}

#[derive(Debug)]
struct Reader<'a> {
    cursor: Cursor<'a>,
    depth: u32,
}

impl Reader<'_> {
    fn skip(&mut self) {
        self.cursor.while_is(char::is_whitespace);
    }

    fn strange(&self) -> String {
        let rest = self.cursor.rest();
        let found = rest.split_whitespace().next().unwrap_or("the end");
        format!("{:?} is not expressible in an assertion", shortened(found))
    }

    /// Skips a token if it is next.
    fn eat(&mut self, token: &str) -> bool {
        self.skip();
        self.cursor.eat(token)
    }

    /// Skips a word if it is next.
    fn eat_word(&mut self, word: &str) -> bool {
        self.skip();
        let mut ahead = self.cursor;
        let found = ahead.word() == word;
        if found {
            self.cursor = ahead;
        }
        found
    }

    /// Reads one level deeper.
    fn deeper(&mut self, read: impl FnOnce(&mut Self) -> Parsed) -> Parsed {
        if self.depth == DEPTH {
            return Err("an expression as deep as this is not expressible".to_owned());
        }
        self.depth += 1;
        let found = read(self);
        self.depth -= 1;
        found
    }

    /// Reads operands of the same kind, separated by a word.
    fn row(&mut self, word: &str, read: fn(&mut Self) -> Parsed, join: fn(Vec<Expression>) -> Expression) -> Parsed {
        let mut all = vec![read(self)?];
        while self.eat_word(word) {
            if all.len() == OPERANDS {
                return Err("an expression as long as this is not expressible".to_owned());
            }
            all.push(read(self)?);
        }
        Ok(if all.len() == 1 { all.remove(0) } else { join(all) })
    }

    fn either(&mut self) -> Parsed {
        self.deeper(|reader| reader.row("or", Self::both, Expression::Or))
    }

    fn both(&mut self) -> Parsed {
        self.row("and", Self::negation, Expression::And)
    }

    fn negation(&mut self) -> Parsed {
        if self.eat_word("not") {
            return self.deeper(|reader| Ok(Expression::Not(Box::new(reader.negation()?))));
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Parsed {
        let first = self.sum()?;
        let mut rest = Vec::new();
        while let Some(relation) = self.relation() {
            if rest.len() == OPERANDS {
                return Err("an expression as long as this is not expressible".to_owned());
            }
            rest.push((relation, self.sum()?));
        }
        Ok(if rest.is_empty() { first } else { Expression::Comparison(Box::new(first), rest) })
    }

    fn relation(&mut self) -> Option<Relation> {
        const SIGNS: [(&str, Relation); 6] = [
            ("==", Relation::Equal),
            ("!=", Relation::Unequal),
            ("<=", Relation::AtMost),
            (">=", Relation::AtLeast),
            ("<", Relation::Less),
            (">", Relation::More),
        ];
        if let Some((_, relation)) = SIGNS.into_iter().find(|(sign, _)| self.eat(sign)) {
            return Some(relation);
        }
        if self.eat_word("in") {
            return Some(Relation::In);
        }
        let before = self.cursor;
        if self.eat_word("not") && self.eat_word("in") {
            return Some(Relation::NotIn);
        }
        self.cursor = before;
        None
    }

    fn sum(&mut self) -> Parsed {
        self.chain(&[("+", Operator::Plus), ("-", Operator::Minus)], Self::product)
    }

    fn product(&mut self) -> Parsed {
        let signs = [("//", Operator::WholeOver), ("*", Operator::Times), ("/", Operator::Over), ("%", Operator::Rest)];
        self.chain(&signs, Self::factor)
    }

    /// Reads operands from left to right. Each makes the expression one level deeper.
    fn chain(&mut self, signs: &[(&str, Operator)], read: fn(&mut Self) -> Parsed) -> Parsed {
        let mut left = read(self)?;
        let mut count = 0;
        while let Some((_, operator)) = signs.iter().find(|(sign, _)| self.eat(sign)) {
            count += 1;
            if count > DEPTH {
                return Err("an expression as long as this is not expressible".to_owned());
            }
            left = Expression::Arithmetic(*operator, Box::new(left), Box::new(read(self)?));
        }
        Ok(left)
    }

    fn factor(&mut self) -> Parsed {
        self.skip();
        if self.eat("-") {
            return self.deeper(|reader| Ok(Expression::Minus(Box::new(reader.factor()?))));
        }
        if self.eat("(") {
            return self.list(")", true);
        }
        if self.eat("[") {
            return self.list("]", false);
        }
        match self.cursor.peek() {
            Some(quote @ ('"' | '\'')) => self.text(quote),
            Some(next) if next.is_ascii_digit() || next == '.' => self.number(),
            Some(next) if next.is_ascii_alphabetic() || next == '_' => self.name(),
            _ => Err(self.strange()),
        }
    }

    /// Reads the rest of a list. In parentheses, one expression without a comma is no list.
    fn list(&mut self, end: &str, may_be_one: bool) -> Parsed {
        let mut all = Vec::new();
        let mut has_comma = false;
        while !self.eat(end) {
            if !all.is_empty() && !has_comma || all.len() == OPERANDS {
                return Err(self.strange());
            }
            all.push(self.either()?);
            has_comma = self.eat(",");
        }
        Ok(if may_be_one && all.len() == 1 && !has_comma { all.remove(0) } else { Expression::List(all) })
    }

    fn text(&mut self, quote: char) -> Parsed {
        self.cursor.bump();
        let text = self.cursor.until(&quote.to_string(), "the text").map_err(|fault| fault.problem)?;
        Ok(Expression::Constant(Value::Text(text.to_owned())))
    }

    fn number(&mut self) -> Parsed {
        let start = self.cursor;
        if self.cursor.eat("0x") {
            let value = u64::from_str_radix(self.cursor.word(), 16);
            return value.map(|value| Expression::Constant(Value::Number(value as f64))).map_err(|_| start_of(start));
        }
        self.cursor.while_is(|next| next.is_ascii_digit() || next == '.' || next == '_');
        if self.cursor.eat("e") || self.cursor.eat("E") {
            let _ = self.cursor.eat("-") || self.cursor.eat("+");
            self.cursor.while_is(|next| next.is_ascii_digit());
        }
        let digits = self.cursor.since(start.at()).replace('_', "");
        digits.parse().map(|value| Expression::Constant(Value::Number(value))).map_err(|_| start_of(start))
    }

    fn name(&mut self) -> Parsed {
        let name = self.cursor.word();
        if self.eat("(") {
            let Some(function) = Function::of(name) else {
                return Err(format!("the function {} is not expressible in an assertion", shortened(name)));
            };
            return match self.list(")", false)? {
                Expression::List(arguments) => Ok(Expression::Call(function, arguments)),
                other => Ok(other),
            };
        }
        Ok(match name {
            "True" => Expression::Constant(Value::Number(1.0)),
            "False" | "None" => Expression::Constant(Value::Number(0.0)),
            _ => Expression::Name(name.to_owned()),
        })
    }
}

fn start_of(cursor: Cursor<'_>) -> String {
    format!("{:?} is not a number", shortened(cursor.rest().split_whitespace().next().unwrap_or_default()))
}
