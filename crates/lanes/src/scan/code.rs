//! What the scan knows of a source file, whatever its language: calls,
//! functions, bindings and the expressions in them.

use std::boxed::Box;
use std::collections::HashMap;
use std::string::{String, ToString};
use std::vec::Vec;

/// One source file. Names inside refer to its own lists by index.
#[derive(Debug, Default)]
pub(crate) struct Module {
    pub(crate) calls: Vec<Call>,
    pub(crate) functions: Vec<Function>,
    pub(crate) bindings: Vec<Binding>,
    /// Texts under a name: a property, a keyword argument, a struct field.
    pub(crate) entries: Vec<Entry>,
    /// Names that are brought in from elsewhere, each with the last name of where
    /// it is from: `fence` for `./lib/fence.js`.
    pub(crate) imports: HashMap<String, String>,
    /// What a name here is called where it comes from, where it has another name
    /// here. Calls carry the name of where the called function comes from.
    pub(crate) aliases: HashMap<String, String>,
    /// Where in `calls` a call stands, by its key.
    pub(crate) calls_by_key: HashMap<usize, usize>,
    /// Whether the parser met something it does not understand.
    pub(crate) has_errors: bool,
}

impl Module {
    /// Gives every call of an alias the name of what it calls. A name that is bound
    /// once, to another name, is an alias as well.
    pub(super) fn resolve_aliases(&mut self) {
        let mut bound: HashMap<&str, Option<&str>> = HashMap::new();
        for Binding { name, value, .. } in &self.bindings {
            let target = match value {
                Expr::Name(target) if target != name => Some(&**target),
                _ => None,
            };
            bound.entry(name).and_modify(|known| *known = None).or_insert(target);
        }
        let bound = bound.into_iter().filter_map(|(name, target)| {
            let target = target?;
            let target = self.aliases.get(target).map_or(target, String::as_str);
            Some((name.to_string(), target.to_string()))
        });
        let bound: Vec<_> = bound.collect();
        self.aliases.extend(bound);
        for call in self.calls.iter_mut().filter(|call| call.receiver.is_none()) {
            if let Some(name) = self.aliases.get(&call.name) {
                call.name.clone_from(name);
            }
        }
    }
}

/// Index of a function in its module.
pub(crate) type FunctionId = usize;

#[derive(Debug)]
pub(crate) struct Call {
    /// What [`Expr::Call`] carries.
    pub(crate) key: usize,
    /// The name right before the called one: an object, a module, a type.
    pub(crate) receiver: Option<String>,
    /// What the call is made on; [`Expr::Nothing`] where it is no method call.
    pub(crate) receiver_value: Expr,
    pub(crate) name: String,
    pub(crate) arguments: Vec<Argument>,
    /// The byte at which the called name starts.
    pub(crate) start: usize,
    /// The function around the call; none at the top of the file.
    pub(crate) scope: Option<FunctionId>,
}

impl Call {
    /// The name that the call is made on: what stands before it, or the module
    /// that it was brought in from.
    pub(crate) fn made_on<'m>(&'m self, module: &'m Module) -> Option<&'m str> {
        let imported = || module.imports.get(&self.name);
        self.receiver.as_ref().or_else(imported).map(String::as_str)
    }

    /// The argument of a parameter: by its keyword, else by its place.
    pub(crate) fn argument(&self, keyword: Option<&str>, index: usize) -> Option<&Expr> {
        let by_keyword = self.arguments.iter().find(|argument| match &argument.keyword {
            Some(passed) => match keyword {
                Some(keyword) => passed == keyword,
                None => LANE_KEYS.contains(&&**passed),
            },
            None => false,
        });
        let by_place = || self.arguments.get(index).filter(|argument| argument.keyword.is_none());
        by_keyword.or_else(by_place).map(|argument| &argument.value)
    }

    /// The call up to its literal, as a search for the literals shows it. None
    /// where the literal does not stand in the call itself.
    pub(crate) fn up_to(&self, literal: &Text) -> Option<String> {
        let index =
            self.arguments.iter().position(|argument| argument.value.has_literal(literal))?;
        let before = match (&self.arguments[index].keyword, index) {
            (Some(keyword), _) => [keyword, "="].concat(),
            (None, 0) => String::new(),
            (None, _) => "..., ".to_string(),
        };
        Some([&self.name, "(", &before, &literal.raw].concat())
    }
}

/// Under which names a lane is passed.
pub(crate) const LANE_KEYS: [&str; 3] = ["lane", "source", "name"];

#[derive(Debug)]
pub(crate) struct Argument {
    pub(crate) keyword: Option<String>,
    pub(crate) value: Expr,
}

#[derive(Debug)]
pub(crate) struct Function {
    /// None for a function that nothing can call by a name.
    pub(crate) name: Option<String>,
    /// The class or type whose method it is; empty for an unnamed one.
    pub(crate) owner: Option<String>,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) parent: Option<FunctionId>,
    /// What the method that takes this unnamed function is called on, as in
    /// `lanes.map(|lane| ...)`.
    pub(crate) taken_by: Option<TakenBy>,
}

/// A method call that takes a function.
#[derive(Debug)]
pub(crate) struct TakenBy {
    pub(crate) receiver: Expr,
    /// Which of the function's parameters is an element of the receiver.
    pub(crate) element: usize,
}

/// A parameter, without the receiver that a method takes.
#[derive(Debug, Default)]
pub(crate) struct Parameter {
    /// The name under which a caller may pass it.
    pub(crate) keyword: Option<String>,
    /// The names that the body knows, each with its way into the parameter.
    pub(crate) names: Vec<(String, Vec<Step>)>,
    /// What it is where a caller passes nothing.
    pub(crate) default: Option<Expr>,
}

/// A way into a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Step {
    /// A property, or an element by its number.
    Field(String),
    /// Any element of a list.
    Element,
    /// Any key of a record.
    Key,
    /// The value under any key of a record.
    Value,
}

impl Step {
    /// Whether it leads to every part of what it leads into.
    pub(crate) fn is_a_loop(&self) -> bool {
        matches!(self, Step::Element | Step::Key | Step::Value)
    }
}

#[derive(Debug)]
pub(crate) struct Binding {
    pub(crate) name: String,
    pub(crate) value: Expr,
    pub(crate) scope: Option<FunctionId>,
    /// Whether it makes the name known in its scope, or only changes it.
    pub(crate) declares: bool,
}

#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) value: Text,
}

/// A text that stands in the source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Text {
    /// What it means.
    pub(crate) value: String,
    /// How it is spelled, quotes included.
    pub(crate) raw: String,
    /// The byte at which it starts.
    pub(crate) start: usize,
}

#[derive(Clone, Debug)]
pub(crate) enum Expr {
    Text(Text),
    /// A text that starts and ends with known text around what is not known.
    Affix {
        head: String,
        tail: String,
    },
    Name(String),
    Into(Box<Expr>, Step),
    /// An entry under a key: a property, or one lane's entry in a table of lanes.
    Index {
        base: Box<Expr>,
        key: Box<Expr>,
    },
    /// A call of this module, by its key.
    Call(usize),
    OneOf(Vec<Expr>),
    List(Vec<Expr>),
    Record(Vec<(String, Expr)>),
    /// The constants of a class or enum, by their names; they do not change.
    Class(Vec<(String, Expr)>),
    /// A value that names nothing: null, a number, a truth value.
    Nothing,
    /// Nested too deep to be read.
    Unread,
    /// Anything else.
    Open,
}

/// The longest text that is put together of several, in bytes. No lane's name is
/// as long.
const MAX_JOINED: usize = 512;

impl Expr {
    pub(crate) fn field(self, name: impl Into<String>) -> Expr {
        Expr::Into(Box::new(self), Step::Field(name.into()))
    }

    /// Whether the literal stands in the expression itself.
    fn has_literal(&self, literal: &Text) -> bool {
        match self {
            Expr::Text(text) => text == literal,
            Expr::Into(inner, _) => inner.has_literal(literal),
            Expr::Index { base, key } => base.has_literal(literal) || key.has_literal(literal),
            Expr::OneOf(values) | Expr::List(values) => {
                values.iter().any(|value| value.has_literal(literal))
            }
            Expr::Record(entries) | Expr::Class(entries) => {
                entries.iter().any(|(_, value)| value.has_literal(literal))
            }
            _ => false,
        }
    }

    pub(crate) fn element(self) -> Expr {
        Expr::Into(Box::new(self), Step::Element)
    }

    /// Two texts, one after the other.
    pub(crate) fn joined(self, other: Expr) -> Expr {
        if let (Expr::Text(first), Expr::Text(second)) = (&self, &other)
            && first.raw.len() + second.raw.len() <= MAX_JOINED
        {
            return Expr::Text(Text {
                value: [&*first.value, &second.value].concat(),
                raw: [&*first.raw, " ", &second.raw].concat(),
                start: first.start,
            });
        }
        match (self.ends(), other.ends()) {
            (Some((head, _)), Some((_, tail))) => Expr::Affix { head, tail },
            (Some((head, _)), None) => Expr::Affix { head, tail: String::new() },
            (None, Some((_, tail))) => Expr::Affix { head: String::new(), tail },
            (None, None) => Expr::Open,
        }
    }

    /// The known text at the start and at the end.
    fn ends(&self) -> Option<(String, String)> {
        match self {
            Expr::Text(text) => Some((text.value.clone(), text.value.clone())),
            Expr::Affix { head, tail } => Some((head.clone(), tail.clone())),
            _ => None,
        }
    }
}
