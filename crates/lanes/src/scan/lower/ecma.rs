//! JavaScript and TypeScript.

use std::string::{String, ToString};
use std::vec;
use std::vec::Vec;

use tree_sitter::Node;

use super::super::code::{Argument, Expr, Parameter, Step};
use super::text::unescape;
use super::{Callee, Lowering, MAX_DEPTH, Named, Visit, children};

pub(super) fn visit(l: &mut Lowering<'_>, node: Node<'_>) -> Visit {
    match node.kind() {
        "call_expression" => call(l, node, "function"),
        "new_expression" => call(l, node, "constructor"),
        "variable_declarator" => {
            if let (Some(name), Some(value)) = (field(node, "name"), field(node, "value")) {
                bind_or_name(l, name, value, true);
            }
            Visit::Inside
        }
        "assignment_expression" => {
            if let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) {
                bind_or_name(l, left, right, false);
            }
            Visit::Inside
        }
        "for_in_statement" => {
            loop_over(l, node);
            Visit::Inside
        }
        "pair" => {
            pair(l, node);
            Visit::Inside
        }
        "field_definition" | "public_field_definition" => {
            let name = field(node, "name").or_else(|| field(node, "property"));
            if let (Some(name), Some(value)) = (name, field(node, "value")) {
                let owner = l.method_owner().unwrap_or_default();
                let name = key_text(l, name);
                l.entry(&name, &expr(l, value, 0));
                name_function(l, value, name, Some(owner));
            }
            Visit::Inside
        }
        "import_specifier" => {
            import(l, node);
            Visit::Skip
        }
        "enum_declaration" => {
            enumeration(l, node);
            Visit::Skip
        }
        "class_declaration" | "class" | "abstract_class_declaration" => {
            let named = l.names.remove(&node.id()).map(|named| named.name);
            let name = field(node, "name").map(|name| l.name(name)).or(named);
            l.owner(name.unwrap_or_default())
        }
        "function_declaration" | "generator_function_declaration" => {
            let name = field(node, "name").map(|name| l.name(name));
            let parameters = parameters(l, node);
            l.function(node, name, None, parameters)
        }
        "function_expression" | "generator_function" | "arrow_function" => {
            let named = l.names.remove(&node.id());
            let own = field(node, "name").map(|name| l.name(name));
            let (name, owner) = match named {
                Some(Named { name, owner }) => (Some(name), owner),
                None => (own, None),
            };
            let parameters = parameters(l, node);
            l.function(node, name, owner, parameters)
        }
        "method_definition" => {
            let name = field(node, "name").map(|name| key_text(l, name));
            let owner = l.method_owner().unwrap_or_default();
            let parameters = parameters(l, node);
            l.function(node, name, Some(owner), parameters)
        }
        _ => Visit::Inside,
    }
}

fn field<'t>(node: Node<'t>, name: &str) -> Option<Node<'t>> {
    node.child_by_field_name(name)
}

fn call(l: &mut Lowering<'_>, node: Node<'_>, callee: &str) -> Visit {
    let Some(function) = field(node, callee) else { return Visit::Inside };
    let function = unwrapped(function);
    let callee = match function.kind() {
        "identifier" => Callee {
            receiver: None,
            receiver_value: Expr::Nothing,
            name: l.name(function),
            start: function.start_byte(),
        },
        "member_expression" => {
            let Some((object, property)) =
                field(function, "object").zip(field(function, "property"))
            else {
                return Visit::Inside;
            };
            Callee {
                receiver: Some(last_name(l, object)),
                receiver_value: expr(l, object, 0),
                name: l.name(property),
                start: property.start_byte(),
            }
        }
        _ => return Visit::Inside,
    };
    let list = field(node, "arguments").filter(|list| list.kind() == "arguments");
    let mut arguments = Vec::new();
    for argument in list.map(children).unwrap_or_default() {
        if matches!(argument.kind(), "arrow_function" | "function_expression") {
            l.takes(&callee, argument);
        }
        arguments.push(Argument { keyword: None, value: expr(l, argument, 0) });
    }
    // `function.bind(null, ...)` and `function.call(this, ...)` pass the rest on.
    let callee = match (&callee.receiver_value, arguments.first().map(|first| &first.value)) {
        (Expr::Name(name), Some(this))
            if matches!(&*callee.name, "bind" | "call")
                && (matches!(this, Expr::Nothing)
                    || matches!(this, Expr::Name(this) if this == "this")) =>
        {
            let name = name.clone();
            arguments.remove(0);
            Callee { receiver: None, receiver_value: Expr::Nothing, name, ..callee }
        }
        _ => callee,
    };
    l.call(node.id(), callee, arguments);
    Visit::Inside
}

/// The last name of what a method is called on.
fn last_name(l: &Lowering<'_>, node: Node<'_>) -> String {
    let node = unwrapped(node);
    match node.kind() {
        "member_expression" => field(node, "property").map(|name| l.name(name)),
        "call_expression" => field(node, "function").map(|called| match called.kind() {
            "member_expression" => {
                field(called, "property").map_or_else(String::new, |p| l.name(p))
            }
            _ => l.name(called),
        }),
        "identifier" | "this" | "super" => Some(l.name(node)),
        _ => None,
    }
    .unwrap_or_default()
}

/// The expression without what changes nothing: brackets, casts, `await`, `!`.
fn unwrapped(node: Node<'_>) -> Node<'_> {
    let mut node = node;
    while let "parenthesized_expression"
    | "as_expression"
    | "satisfies_expression"
    | "non_null_expression"
    | "await_expression" = node.kind()
    {
        let Some(inner) = node.named_child(0) else { break };
        node = inner;
    }
    node
}

fn expr(l: &Lowering<'_>, node: Node<'_>, depth: usize) -> Expr {
    if depth > MAX_DEPTH {
        return Expr::Unread;
    }
    let node = unwrapped(node);
    let inner =
        |name: &str| field(node, name).map_or(Expr::Open, |inner| expr(l, inner, depth + 1));
    match node.kind() {
        "string" => {
            let raw = l.text(node);
            let body = raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default();
            Expr::Text(l.literal(node, unescape(body)))
        }
        "template_string" => template(l, node),
        "identifier" | "this" => Expr::Name(l.name(node)),
        "member_expression" => match field(node, "property") {
            Some(property) => inner("object").field(l.name(property)),
            None => Expr::Open,
        },
        "subscript_expression" => {
            Expr::Index { base: inner("object").into(), key: inner("index").into() }
        }
        "call_expression" | "new_expression" => Expr::Call(node.id()),
        "ternary_expression" => Expr::OneOf(vec![inner("consequence"), inner("alternative")]),
        "binary_expression" => match field(node, "operator").map(|operator| l.text(operator)) {
            Some("+") => inner("left").joined(inner("right")),
            Some("??" | "||") => Expr::OneOf(vec![inner("left"), inner("right")]),
            Some("&&") => inner("right"),
            _ => Expr::Open,
        },
        "array" => {
            Expr::List(children(node).into_iter().map(|item| expr(l, item, depth + 1)).collect())
        }
        "object" => Expr::Record(record(l, node, depth)),
        "null" | "undefined" | "number" | "true" | "false" => Expr::Nothing,
        _ => Expr::Open,
    }
}

fn record(l: &Lowering<'_>, node: Node<'_>, depth: usize) -> Vec<(String, Expr)> {
    let mut entries = Vec::new();
    for child in children(node) {
        match child.kind() {
            "pair" => {
                if let (Some(key), Some(value)) = (field(child, "key"), field(child, "value")) {
                    entries.push((key_text(l, key), expr(l, value, depth + 1)));
                }
            }
            "shorthand_property_identifier" => {
                entries.push((l.name(child), Expr::Name(l.name(child))));
            }
            _ => {}
        }
    }
    entries
}

fn template(l: &Lowering<'_>, node: Node<'_>) -> Expr {
    let raw = l.text(node);
    let holes: Vec<_> = children(node)
        .into_iter()
        .filter(|child| child.kind() == "template_substitution")
        .collect();
    let (Some(first), Some(last)) = (holes.first(), holes.last()) else {
        let body = raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default();
        return Expr::Text(l.literal(node, unescape(body)));
    };
    let between = |start, end| unescape(l.source.get(start..end).unwrap_or_default());
    Expr::Affix {
        head: between(node.start_byte() + 1, first.start_byte()),
        tail: between(last.end_byte(), node.end_byte().saturating_sub(1)),
    }
}

/// The text of a property's key.
fn key_text(l: &Lowering<'_>, node: Node<'_>) -> String {
    match node.kind() {
        "string" => l.text(node).trim_matches(['\'', '"']).to_string(),
        _ => l.name(node),
    }
}

fn pair(l: &mut Lowering<'_>, node: Node<'_>) {
    let (Some(key), Some(value)) = (field(node, "key"), field(node, "value")) else { return };
    let key = key_text(l, key);
    l.entry(&key, &expr(l, value, 0));
    name_function(l, value, key, Some(String::new()));
}

/// Gives a function or class expression the name under which it is kept.
fn name_function(
    l: &mut Lowering<'_>,
    value: Node<'_>,
    name: String,
    owner: Option<String>,
) -> bool {
    let value = unwrapped(value);
    let is_named = matches!(
        value.kind(),
        "arrow_function" | "function_expression" | "generator_function" | "class"
    );
    if is_named {
        l.names.insert(value.id(), Named { name, owner });
    }
    is_named
}

fn bind_or_name(l: &mut Lowering<'_>, target: Node<'_>, value: Node<'_>, declares: bool) {
    match target.kind() {
        "identifier" => {
            let name = l.name(target);
            if !name_function(l, value, name.clone(), None) {
                let value = expr(l, value, 0);
                l.bind(name, value, declares);
            }
        }
        "member_expression" => {
            if let Some(property) = field(target, "property") {
                let name = l.name(property);
                name_function(l, value, name, Some(String::new()));
            }
        }
        _ => {
            if let Some(module) = required(l, value) {
                for (name, steps) in pattern(l, target, 0) {
                    match steps.into_iter().next() {
                        Some(Step::Field(original)) => l.import(original, Some(name), &module),
                        _ => l.import(name, None, &module),
                    }
                }
                return;
            }
            let value = expr(l, value, 0);
            for (name, steps) in pattern(l, target, 0) {
                l.bind(name, steps.into_iter().fold(value.clone(), into), declares);
            }
        }
    }
}

/// One name of `import { name as alias } from 'module'`.
fn import(l: &mut Lowering<'_>, node: Node<'_>) {
    let name = field(node, "name");
    // The specifier stands in the names, they in the clause, that in the statement.
    let statement = node.parent().and_then(|n| n.parent()).and_then(|n| n.parent());
    let source = statement.and_then(|statement| field(statement, "source"));
    if let (Some(name), Some(source)) = (name, source) {
        let alias = field(node, "alias").map(|alias| l.name(alias));
        let (name, source) = (l.name(name), key_text(l, source));
        l.import(name, alias, &source);
    }
}

/// The module of `require('module')`.
fn required(l: &Lowering<'_>, node: Node<'_>) -> Option<String> {
    let function = field(node, "function").filter(|_| node.kind() == "call_expression")?;
    let module = field(node, "arguments")?.named_child(0).filter(|only| only.kind() == "string")?;
    (l.text(function) == "require").then(|| key_text(l, module))
}

fn into(value: Expr, step: Step) -> Expr {
    Expr::Into(value.into(), step)
}

fn loop_over(l: &mut Lowering<'_>, node: Node<'_>) {
    let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) else { return };
    let is_of = field(node, "operator").is_some_and(|operator| l.text(operator) == "of");
    let value = if is_of { expr(l, right, 0).element() } else { Expr::Open };
    for (name, steps) in pattern(l, left, 0) {
        l.bind(name, steps.into_iter().fold(value.clone(), into), true);
    }
}

/// The names of a pattern, each with its way into the value.
fn pattern(l: &Lowering<'_>, node: Node<'_>, depth: usize) -> Vec<(String, Vec<Step>)> {
    if depth > MAX_DEPTH {
        return Vec::new();
    }
    let below = |node, step: Step| {
        let names = pattern(l, node, depth + 1).into_iter();
        names.map(move |(name, mut steps)| {
            steps.insert(0, step.clone());
            (name, steps)
        })
    };
    let mut names = Vec::new();
    match node.kind() {
        "identifier" => names.push((l.name(node), Vec::new())),
        "assignment_pattern" | "object_assignment_pattern" => {
            names.extend(
                field(node, "left").into_iter().flat_map(|left| pattern(l, left, depth + 1)),
            );
        }
        "shorthand_property_identifier_pattern" => {
            names.push((l.name(node), vec![Step::Field(l.name(node))]));
        }
        "object_pattern" => {
            for child in children(node) {
                match child.kind() {
                    "pair_pattern" => {
                        if let (Some(key), Some(value)) =
                            (field(child, "key"), field(child, "value"))
                        {
                            names.extend(below(value, Step::Field(key_text(l, key))));
                        }
                    }
                    _ => names.extend(pattern(l, child, depth + 1)),
                }
            }
        }
        "array_pattern" => {
            for (index, child) in children(node).into_iter().enumerate() {
                names.extend(below(child, Step::Field(index.to_string())));
            }
        }
        _ => {}
    }
    names
}

fn parameters(l: &Lowering<'_>, node: Node<'_>) -> Vec<Parameter> {
    if let Some(single) = field(node, "parameter") {
        return vec![Parameter { names: pattern(l, single, 0), ..Parameter::default() }];
    }
    let Some(list) = field(node, "parameters") else { return Vec::new() };
    let parameter = |node| {
        let pattern_node = field(node, "pattern").unwrap_or(node);
        // Of a parameter in TypeScript, and of a pattern in JavaScript.
        let default = field(node, "value").or_else(|| field(node, "right"));
        let default = default.map(|value| expr(l, value, 0));
        Parameter { keyword: None, names: pattern(l, pattern_node, 0), default }
    };
    let is_receiver = |node: &Node<'_>| field(*node, "pattern").unwrap_or(*node).kind() == "this";
    children(list).into_iter().filter(|node| !is_receiver(node)).map(parameter).collect()
}

/// An enum's values, by their names.
fn enumeration(l: &mut Lowering<'_>, node: Node<'_>) {
    let (Some(name), Some(body)) = (field(node, "name"), field(node, "body")) else { return };
    let members = children(body).into_iter().filter_map(|member| {
        let (key, value) = field(member, "name").zip(field(member, "value"))?;
        Some((key_text(l, key), expr(l, value, 0)))
    });
    let value = Expr::Class(members.collect());
    let name = l.name(name);
    l.bind(name, value, true);
}
