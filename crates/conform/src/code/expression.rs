//! Expressions and their values.

use std::fmt;

/// A value of Python.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Number(f64),
    Text(String),
    List(Vec<Self>),
}

/// What came of an assertion.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Verdict {
    Holds,
    /// With the values of the names in it.
    Fails(Vec<(String, Value)>),
    /// A name that has no value here, or an operation that has none.
    Unknown(String),
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expression {
    Constant(Value),
    Name(String),
    Call(Function, Vec<Self>),
    Minus(Box<Self>),
    Not(Box<Self>),
    Arithmetic(Operator, Box<Self>, Box<Self>),
    /// A chain: all neighbours must compare.
    Comparison(Box<Self>, Vec<(Relation, Self)>),
    And(Vec<Self>),
    Or(Vec<Self>),
    List(Vec<Self>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Abs,
    Min,
    Max,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Plus,
    Minus,
    Times,
    Over,
    WholeOver,
    Rest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    Equal,
    Unequal,
    Less,
    AtMost,
    More,
    AtLeast,
    In,
    NotIn,
}

/// The values of names.
pub(crate) type Names<'a> = &'a dyn Fn(&str) -> Option<Value>;

impl Value {
    fn is_true(&self) -> bool {
        match self {
            Self::Number(number) => *number != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::List(list) => !list.is_empty(),
        }
    }

    fn number(self) -> Result<f64, String> {
        match self {
            Self::Number(number) => Ok(number),
            other => Err(format!("{other} is not a number")),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::List(list) => write!(f, "a list of {}", list.len()),
        }
    }
}

impl Expression {
    /// Evaluates an assertion.
    pub(crate) fn check(&self, names: Names<'_>) -> Verdict {
        match self.value(names) {
            Ok(value) if value.is_true() => Verdict::Holds,
            Ok(_) => {
                let mut found = Vec::new();
                self.collect(names, &mut found);
                Verdict::Fails(found)
            }
            Err(unknown) => Verdict::Unknown(unknown),
        }
    }

    fn value(&self, names: Names<'_>) -> Result<Value, String> {
        let truth = |holds: bool| Value::Number(f64::from(u8::from(holds)));
        Ok(match self {
            Self::Constant(value) => value.clone(),
            Self::Name(name) => names(name).ok_or_else(|| name.clone())?,
            Self::Call(function, arguments) => function.value(arguments, names)?,
            Self::Minus(operand) => Value::Number(-operand.value(names)?.number()?),
            Self::Not(operand) => truth(!operand.value(names)?.is_true()),
            Self::Arithmetic(operator, left, right) => {
                let (left, right) = (left.value(names)?.number()?, right.value(names)?.number()?);
                Value::Number(operator.value(left, right)?)
            }
            Self::Comparison(first, rest) => {
                let mut left = first.value(names)?;
                let mut holds = true;
                for (relation, right) in rest {
                    let right = right.value(names)?;
                    holds &= relation.holds(&left, &right)?;
                    left = right;
                }
                truth(holds)
            }
            Self::And(all) => {
                let values: Result<Vec<Value>, String> = all.iter().map(|each| each.value(names)).collect();
                truth(values?.iter().all(Value::is_true))
            }
            Self::Or(all) => {
                let values: Result<Vec<Value>, String> = all.iter().map(|each| each.value(names)).collect();
                truth(values?.iter().any(Value::is_true))
            }
            Self::List(all) => Value::List(all.iter().map(|each| each.value(names)).collect::<Result<_, _>>()?),
        })
    }

    /// Collects the values of all names, each once.
    fn collect(&self, names: Names<'_>, found: &mut Vec<(String, Value)>) {
        match self {
            Self::Constant(_) => {}
            Self::Name(name) => {
                if !found.iter().any(|(known, _)| known == name) {
                    found.extend(names(name).map(|value| (name.clone(), value)));
                }
            }
            Self::Minus(operand) | Self::Not(operand) => operand.collect(names, found),
            Self::Arithmetic(_, left, right) => {
                left.collect(names, found);
                right.collect(names, found);
            }
            Self::Comparison(first, rest) => {
                first.collect(names, found);
                for (_, each) in rest {
                    each.collect(names, found);
                }
            }
            Self::Call(_, all) | Self::And(all) | Self::Or(all) | Self::List(all) => {
                for each in all {
                    each.collect(names, found);
                }
            }
        }
    }
}

impl Function {
    pub(crate) fn of(name: &str) -> Option<Self> {
        Some(match name {
            "abs" => Self::Abs,
            "min" => Self::Min,
            "max" => Self::Max,
            _ => return None,
        })
    }

    fn value(self, arguments: &[Expression], names: Names<'_>) -> Result<Value, String> {
        let numbers: Result<Vec<f64>, String> = arguments.iter().map(|each| each.value(names)?.number()).collect();
        let numbers = numbers?.into_iter();
        let found = match self {
            Self::Abs => numbers.map(f64::abs).next(),
            Self::Min => numbers.reduce(f64::min),
            Self::Max => numbers.reduce(f64::max),
        };
        found.map(Value::Number).ok_or_else(|| "a function without arguments".to_owned())
    }
}

impl Operator {
    fn value(self, left: f64, right: f64) -> Result<f64, String> {
        if right == 0.0 && matches!(self, Self::Over | Self::WholeOver | Self::Rest) {
            return Err("a division by zero".to_owned());
        }
        Ok(match self {
            Self::Plus => left + right,
            Self::Minus => left - right,
            Self::Times => left * right,
            Self::Over => left / right,
            Self::WholeOver => (left / right).floor(),
            Self::Rest => left - right * (left / right).floor(),
        })
    }
}

impl Relation {
    fn holds(self, left: &Value, right: &Value) -> Result<bool, String> {
        if let (Self::In | Self::NotIn, Value::List(list)) = (self, right) {
            return Ok(list.contains(left) == (self == Self::In));
        }
        let order = match (left, right) {
            (Value::Number(left), Value::Number(right)) => left.partial_cmp(right),
            (Value::Text(left), Value::Text(right)) => Some(left.cmp(right)),
            _ if self == Self::Unequal => return Ok(true),
            _ => return Err(format!("{left} and {right} do not compare")),
        };
        Ok(match self {
            Self::Equal => order.is_some_and(std::cmp::Ordering::is_eq),
            Self::Unequal => order.is_none_or(std::cmp::Ordering::is_ne),
            Self::Less => order.is_some_and(std::cmp::Ordering::is_lt),
            Self::AtMost => order.is_some_and(std::cmp::Ordering::is_le),
            Self::More => order.is_some_and(std::cmp::Ordering::is_gt),
            Self::AtLeast => order.is_some_and(std::cmp::Ordering::is_ge),
            Self::In | Self::NotIn => return Err(format!("{right} is not a list")),
        })
    }
}
