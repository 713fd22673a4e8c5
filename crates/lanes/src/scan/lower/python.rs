//! Python.

use std::string::{String, ToString};
use std::vec;
use std::vec::Vec;

use tree_sitter::Node;

use super::super::code::{Argument, Expr, Parameter, Step};
use super::text::unescape;
use super::{Callee, Lowering, MAX_DEPTH, Visit, children};

pub(super) fn visit(l: &mut Lowering<'_>, node: Node<'_>) -> Visit {
    match node.kind() {
        "call" => call(l, node),
        "assignment" => {
            if let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) {
                assign(l, left, right);
            }
            Visit::Inside
        }
        "named_expression" => {
            if let (Some(name), Some(value)) = (field(node, "name"), field(node, "value")) {
                assign(l, name, value);
            }
            Visit::Inside
        }
        "for_statement" | "for_in_clause" => {
            if let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) {
                let value = expr(l, right, 0).element();
                bind_pattern(l, left, value);
            }
            Visit::Inside
        }
        "pair" => {
            if let (Some(key), Some(value)) = (field(node, "key"), field(node, "value"))
                && let Expr::Text(key) = expr(l, key, 0)
            {
                l.entry(&key.value, &expr(l, value, 0));
            }
            Visit::Inside
        }
        "import_from_statement" => {
            import(l, node);
            Visit::Skip
        }
        "class_definition" => {
            let name = field(node, "name").map(|name| l.name(name)).unwrap_or_default();
            constants(l, node, name.clone());
            l.owner(name)
        }
        "function_definition" => {
            let name = field(node, "name").map(|name| l.name(name));
            let owner = l.method_owner();
            let parameters = parameters(l, node, owner.is_some());
            l.function(node, name, owner, parameters)
        }
        "lambda" => {
            let parameters = parameters(l, node, false);
            let name = l.names.remove(&node.id()).map(|named| named.name);
            l.function(node, name, None, parameters)
        }
        _ => Visit::Inside,
    }
}

fn field<'t>(node: Node<'t>, name: &str) -> Option<Node<'t>> {
    node.child_by_field_name(name)
}

/// The names of `from module import name`.
fn import(l: &mut Lowering<'_>, node: Node<'_>) {
    let Some(module) = field(node, "module_name").map(|module| l.name(module)) else { return };
    for name in node.children_by_field_name("name", &mut node.walk()) {
        let alias = field(name, "alias").map(|alias| l.name(alias));
        let name = l.name(field(name, "name").unwrap_or(name));
        l.import(name, alias, &module);
    }
}

fn call(l: &mut Lowering<'_>, node: Node<'_>) -> Visit {
    let Some(function) = field(node, "function") else { return Visit::Inside };
    let callee = match function.kind() {
        "identifier" => Callee {
            receiver: None,
            receiver_value: Expr::Nothing,
            name: l.name(function),
            start: function.start_byte(),
        },
        "attribute" => {
            let Some((object, name)) = field(function, "object").zip(field(function, "attribute"))
            else {
                return Visit::Inside;
            };
            Callee {
                receiver: Some(last_name(l, object)),
                receiver_value: expr(l, object, 0),
                name: l.name(name),
                start: name.start_byte(),
            }
        }
        _ => return Visit::Inside,
    };
    let list = field(node, "arguments").filter(|list| list.kind() == "argument_list");
    let arguments = list.map(children).unwrap_or_default().into_iter().map(|argument| {
        match (argument.kind(), field(argument, "name"), field(argument, "value")) {
            ("keyword_argument", Some(name), Some(value)) => {
                Argument { keyword: Some(l.name(name)), value: expr(l, value, 0) }
            }
            _ => Argument { keyword: None, value: expr(l, argument, 0) },
        }
    });
    let mut arguments: Vec<_> = arguments.collect();
    // `partial(function, ...)` passes the rest on.
    let callee = match arguments.first() {
        Some(Argument { value: Expr::Name(name), .. }) if callee.name == "partial" => {
            let called = Callee { receiver: None, name: name.clone(), ..callee };
            arguments.remove(0);
            called
        }
        _ => callee,
    };
    l.call(node.id(), callee, arguments);
    Visit::Inside
}

fn last_name(l: &Lowering<'_>, node: Node<'_>) -> String {
    match node.kind() {
        "attribute" => field(node, "attribute").map(|name| l.name(name)),
        "call" => field(node, "function").map(|called| match called.kind() {
            "attribute" => field(called, "attribute").map_or_else(String::new, |name| l.name(name)),
            _ => l.name(called),
        }),
        "identifier" => Some(l.name(node)),
        _ => None,
    }
    .unwrap_or_default()
}

fn expr(l: &Lowering<'_>, node: Node<'_>, depth: usize) -> Expr {
    if depth > MAX_DEPTH {
        return Expr::Unread;
    }
    let inner =
        |name: &str| field(node, name).map_or(Expr::Open, |inner| expr(l, inner, depth + 1));
    match node.kind() {
        "string" => string(l, node),
        "concatenated_string" => {
            let parts = children(node).into_iter().map(|part| expr(l, part, depth + 1));
            match parts.collect::<Vec<_>>().split_first() {
                Some((first, rest)) => rest.iter().cloned().fold(first.clone(), Expr::joined),
                None => Expr::Open,
            }
        }
        "identifier" => Expr::Name(l.name(node)),
        "attribute" => match field(node, "attribute") {
            Some(name) => inner("object").field(l.name(name)),
            None => Expr::Open,
        },
        "subscript" => Expr::Index { base: inner("value").into(), key: inner("subscript").into() },
        "call" => Expr::Call(node.id()),
        "parenthesized_expression" | "await" => {
            node.named_child(0).map_or(Expr::Open, |inner| expr(l, inner, depth + 1))
        }
        "named_expression" => inner("value"),
        "conditional_expression" => match &children(node)[..] {
            [then, _, otherwise] => {
                Expr::OneOf(vec![expr(l, *then, depth + 1), expr(l, *otherwise, depth + 1)])
            }
            _ => Expr::Open,
        },
        "boolean_operator" => Expr::OneOf(vec![inner("left"), inner("right")]),
        "binary_operator" if field(node, "operator").is_some_and(|o| l.text(o) == "+") => {
            inner("left").joined(inner("right"))
        }
        "list" | "tuple" | "set" | "expression_list" => {
            Expr::List(children(node).into_iter().map(|item| expr(l, item, depth + 1)).collect())
        }
        "dictionary" => {
            let entries = children(node).into_iter().filter_map(|pair| {
                let (key, value) = field(pair, "key").zip(field(pair, "value"))?;
                match expr(l, key, depth + 1) {
                    Expr::Text(key) => Some((key.value, expr(l, value, depth + 1))),
                    _ => None,
                }
            });
            Expr::Record(entries.collect())
        }
        "none" | "integer" | "float" | "true" | "false" => Expr::Nothing,
        _ => Expr::Open,
    }
}

fn string(l: &Lowering<'_>, node: Node<'_>) -> Expr {
    let parts = children(node);
    let opening = parts.first().filter(|part| part.kind() == "string_start");
    let is_raw = opening.is_some_and(|start| l.text(*start).contains(['r', 'R']));
    let decode = |raw: &str| if is_raw { raw.to_string() } else { unescape(raw) };
    let start = opening.map_or(node.start_byte(), Node::end_byte);
    let end = parts.last().filter(|part| part.kind() == "string_end");
    let end = end.map_or(node.end_byte(), Node::start_byte);
    let between = |start, end| decode(l.source.get(start..end).unwrap_or_default());
    let mut holes = parts.iter().filter(|part| part.kind() == "interpolation");
    match (holes.next(), holes.next_back()) {
        (None, _) => Expr::Text(l.literal(node, between(start, end))),
        (Some(first), last) => Expr::Affix {
            head: between(start, first.start_byte()),
            tail: between(last.unwrap_or(first).end_byte(), end),
        },
    }
}

fn assign(l: &mut Lowering<'_>, left: Node<'_>, right: Node<'_>) {
    if left.kind() == "identifier" && right.kind() == "lambda" {
        let name = l.name(left);
        l.names.insert(right.id(), super::Named { name, owner: None });
        return;
    }
    let value = expr(l, right, 0);
    bind_pattern(l, left, value);
}

fn bind_pattern(l: &mut Lowering<'_>, pattern: Node<'_>, value: Expr) {
    match pattern.kind() {
        "identifier" => {
            let name = l.name(pattern);
            l.bind(name, value, true);
        }
        "pattern_list" | "tuple_pattern" | "list_pattern" => {
            for (index, name) in children(pattern).into_iter().enumerate() {
                if name.kind() == "identifier" {
                    let name = l.name(name);
                    l.bind(name, value.clone().field(index.to_string()), true);
                }
            }
        }
        _ => {}
    }
}

/// The texts that a class body names, as an enum does.
fn constants(l: &mut Lowering<'_>, node: Node<'_>, class: String) {
    let Some(body) = field(node, "body") else { return };
    let mut members = Vec::new();
    for statement in children(body) {
        let assignment = statement.named_child(0).filter(|inner| inner.kind() == "assignment");
        if let Some(assignment) = assignment
            && let (Some(left), Some(right)) =
                (field(assignment, "left"), field(assignment, "right"))
            && left.kind() == "identifier"
        {
            members.push((l.name(left), expr(l, right, 0)));
        }
    }
    if !members.is_empty() {
        l.bind(class, Expr::Class(members), true);
    }
}

fn parameters(l: &Lowering<'_>, node: Node<'_>, is_method: bool) -> Vec<Parameter> {
    let Some(list) = field(node, "parameters") else { return Vec::new() };
    let mut parameters = Vec::new();
    for parameter in children(list) {
        let name = match parameter.kind() {
            "identifier" => Some(parameter),
            "typed_parameter" => parameter.named_child(0).filter(|n| n.kind() == "identifier"),
            "default_parameter" | "typed_default_parameter" => field(parameter, "name"),
            "keyword_separator" | "positional_separator" => continue,
            _ => None,
        };
        let name = name.map(|name| l.name(name));
        parameters.push(Parameter {
            keyword: name.clone(),
            names: name.into_iter().map(|name| (name, Vec::<Step>::new())).collect(),
            default: field(parameter, "value").map(|value| expr(l, value, 0)),
        });
    }
    let is_receiver = |first: &Parameter| matches!(first.keyword.as_deref(), Some("self" | "cls"));
    if is_method && parameters.first().is_some_and(is_receiver) {
        parameters.remove(0);
    }
    parameters
}
