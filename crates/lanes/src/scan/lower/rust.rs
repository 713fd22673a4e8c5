//! Rust.

use std::string::{String, ToString};
use std::vec;
use std::vec::Vec;

use tree_sitter::Node;

use super::super::code::{Argument, Expr, Parameter, Step};
use super::text::unescape;
use super::{Callee, Lowering, MAX_DEPTH, Visit, children};

pub(super) fn visit(l: &mut Lowering<'_>, node: Node<'_>) -> Visit {
    match node.kind() {
        "call_expression" => {
            call(l, node);
            Visit::Inside
        }
        "macro_invocation" => {
            macro_call(l, node);
            Visit::Skip
        }
        "let_declaration" | "let_condition" | "for_expression" => {
            if let (Some(pattern), Some(value)) = (field(node, "pattern"), field(node, "value")) {
                let value = expr(l, value, 0);
                let value = if node.kind() == "for_expression" { value.element() } else { value };
                for (name, steps) in names(l, pattern, 0) {
                    let value = steps
                        .into_iter()
                        .fold(value.clone(), |value, step| Expr::Into(value.into(), step));
                    l.bind(name, value, true);
                }
            }
            Visit::Inside
        }
        "const_item" | "static_item" => {
            if let (Some(name), Some(value)) = (field(node, "name"), field(node, "value")) {
                let (name, value) = (l.name(name), expr(l, value, 0));
                l.bind(name, value, true);
            }
            Visit::Inside
        }
        "assignment_expression" => {
            if let (Some(left), Some(right)) = (field(node, "left"), field(node, "right"))
                && left.kind() == "identifier"
            {
                let (name, value) = (l.name(left), expr(l, right, 0));
                l.bind(name, value, false);
            }
            Visit::Inside
        }
        "field_initializer" => {
            if let (Some(name), Some(value)) = (field(node, "field"), field(node, "value")) {
                l.entry(l.text(name), &expr(l, value, 0));
            }
            Visit::Inside
        }
        "use_declaration" => {
            if let Some(argument) = field(node, "argument") {
                import(l, argument, "", 0);
            }
            Visit::Skip
        }
        "mod_item" | "function_item" if is_test(l, node) => Visit::Skip,
        "impl_item" => {
            let name = field(node, "type").map(|node| last_segment(l, node)).unwrap_or_default();
            l.owner(name)
        }
        "trait_item" => {
            let name = field(node, "name").map(|name| l.name(name)).unwrap_or_default();
            l.owner(name)
        }
        "function_item" => {
            let name = field(node, "name").map(|name| l.name(name));
            let owner = l.method_owner();
            let parameters = parameters(l, node);
            l.function(node, name, owner, parameters)
        }
        "closure_expression" => {
            let parameters = parameters(l, node);
            l.function(node, None, None, parameters)
        }
        _ => Visit::Inside,
    }
}

fn field<'t>(node: Node<'t>, name: &str) -> Option<Node<'t>> {
    node.child_by_field_name(name)
}

/// The names of a `use`, below a path.
fn import(l: &mut Lowering<'_>, node: Node<'_>, path: &str, depth: usize) {
    let own_path = field(node, "path").map(|node| l.name(node));
    match node.kind() {
        _ if depth > MAX_DEPTH => {}
        "identifier" => l.import(l.name(node), None, path),
        "scoped_identifier" => {
            if let Some(name) = field(node, "name") {
                l.import(l.name(name), None, &own_path.unwrap_or_default());
            }
        }
        "use_as_clause" => {
            if let (Some(alias), Some(original)) = (field(node, "alias"), field(node, "path")) {
                let around = field(original, "path").map_or(path.to_string(), |path| l.name(path));
                let name = l.name(field(original, "name").unwrap_or(original));
                l.import(name, Some(l.name(alias)), &around);
            }
        }
        "scoped_use_list" | "use_list" => {
            let list = field(node, "list").unwrap_or(node);
            let path = own_path.unwrap_or_else(|| path.to_string());
            for inner in children(list) {
                import(l, inner, &path, depth + 1);
            }
        }
        _ => {}
    }
}

/// Whether the item is compiled for tests only.
fn is_test(l: &Lowering<'_>, node: Node<'_>) -> bool {
    let mut before = node.prev_named_sibling();
    while let Some(attribute) =
        before.filter(|node| node.kind() == "attribute_item" || node.is_extra())
    {
        if matches!(l.text(attribute), "#[cfg(test)]" | "#[test]") {
            return true;
        }
        before = attribute.prev_named_sibling();
    }
    false
}

/// The last name of a path, its generic arguments left out.
fn last_segment(l: &Lowering<'_>, node: Node<'_>) -> String {
    let mut node = node;
    loop {
        let next = match node.kind() {
            "generic_type" | "generic_type_with_turbofish" | "reference_type" => {
                field(node, "type")
            }
            "scoped_identifier" | "scoped_type_identifier" => field(node, "name"),
            "generic_function" => field(node, "function"),
            _ => None,
        };
        match next {
            Some(next) => node = next,
            None => return l.name(node),
        }
    }
}

fn call(l: &mut Lowering<'_>, node: Node<'_>) {
    let Some(mut function) = field(node, "function") else { return };
    if let ("generic_function", Some(inner)) = (function.kind(), field(function, "function")) {
        function = inner;
    }
    let (receiver, receiver_value, name) = match function.kind() {
        "identifier" => (None, Expr::Nothing, function),
        "scoped_identifier" => {
            let Some(name) = field(function, "name") else { return };
            (field(function, "path").map(|path| last_segment(l, path)), Expr::Nothing, name)
        }
        "field_expression" => {
            let Some((value, name)) = field(function, "value").zip(field(function, "field")) else {
                return;
            };
            (Some(receiver_name(l, value)), expr(l, value, 0), name)
        }
        _ => return,
    };
    let callee = Callee { receiver, receiver_value, name: l.name(name), start: name.start_byte() };
    let mut arguments = Vec::new();
    for argument in field(node, "arguments").map(children).unwrap_or_default() {
        match argument.kind() {
            "attribute_item" => continue,
            "closure_expression" => l.takes(&callee, argument),
            _ => {}
        }
        arguments.push(Argument { keyword: None, value: expr(l, argument, 0) });
    }
    l.call(node.id(), callee, arguments);
}

fn receiver_name(l: &Lowering<'_>, node: Node<'_>) -> String {
    match node.kind() {
        "field_expression" => field(node, "field").map(|name| l.name(name)),
        "call_expression" => field(node, "function").map(|called| match called.kind() {
            "field_expression" => field(called, "field").map_or_else(String::new, |f| l.name(f)),
            _ => last_segment(l, called),
        }),
        "identifier" | "self" => Some(l.name(node)),
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
    let items = || children(node).into_iter().map(|item| expr(l, item, depth + 1)).collect();
    match node.kind() {
        "string_literal" | "raw_string_literal" => Expr::Text(l.literal(node, text_of(l, node))),
        "identifier" | "self" => Expr::Name(l.name(node)),
        "scoped_identifier" => match field(node, "name") {
            Some(name) => inner("path").field(l.name(name)),
            None => Expr::Open,
        },
        "field_expression" => match field(node, "field") {
            Some(name) => inner("value").field(l.name(name)),
            None => Expr::Open,
        },
        "reference_expression" => inner("value"),
        "parenthesized_expression" | "try_expression" | "await_expression" | "unary_expression" => {
            node.named_child(0).map_or(Expr::Open, |inner| expr(l, inner, depth + 1))
        }
        "call_expression" => Expr::Call(node.id()),
        "match_expression" => match field(node, "body") {
            Some(arms) => {
                let values = children(arms).into_iter().filter_map(|arm| field(arm, "value"));
                Expr::OneOf(values.map(|value| expr(l, value, depth + 1)).collect())
            }
            None => Expr::Open,
        },
        "if_expression" => Expr::OneOf(vec![inner("consequence"), inner("alternative")]),
        "block" | "unsafe_block" | "else_clause" | "expression_statement" => {
            children(node).last().map_or(Expr::Nothing, |last| expr(l, *last, depth + 1))
        }
        // Nothing comes out of these.
        "return_expression" | "break_expression" | "continue_expression" => Expr::Nothing,
        "macro_invocation" => macro_value(l, node),
        "index_expression" => match &children(node)[..] {
            [base, key] => Expr::Index {
                base: expr(l, *base, depth + 1).into(),
                key: expr(l, *key, depth + 1).into(),
            },
            _ => Expr::Open,
        },
        "array_expression" | "tuple_expression" => Expr::List(items()),
        "struct_expression" => {
            let fields = field(node, "body").map(children).unwrap_or_default();
            let entries = fields.into_iter().filter_map(|entry| match entry.kind() {
                "field_initializer" => {
                    let (name, value) = field(entry, "field").zip(field(entry, "value"))?;
                    Some((l.name(name), expr(l, value, depth + 1)))
                }
                "shorthand_field_initializer" => Some((l.name(entry), Expr::Name(l.name(entry)))),
                _ => None,
            });
            Expr::Record(entries.collect())
        }
        "integer_literal" | "float_literal" | "boolean_literal" | "unit_expression" => {
            Expr::Nothing
        }
        _ => Expr::Open,
    }
}

fn text_of(l: &Lowering<'_>, node: Node<'_>) -> String {
    let raw = l.text(node);
    let (Some(open), Some(close)) = (raw.find('"'), raw.rfind('"')) else { return String::new() };
    let body = raw.get(open + 1..close).unwrap_or_default();
    if node.kind() == "raw_string_literal" { body.to_string() } else { unescape(body) }
}

/// `format!("tool:{}", name)` is a text with known ends; a macro that ends the
/// function is no value.
fn macro_value(l: &Lowering<'_>, node: Node<'_>) -> Expr {
    let name = field(node, "macro").map(|name| last_segment(l, name)).unwrap_or_default();
    match &*name {
        "format" => {}
        "bail" | "panic" | "todo" | "unimplemented" | "unreachable" => return Expr::Nothing,
        _ => return Expr::Open,
    }
    let tokens = node.named_children(&mut node.walk()).find(|child| child.kind() == "token_tree");
    let first = tokens.and_then(|tokens| tokens.named_child(0));
    let Some(first) = first.filter(|first| first.kind() == "string_literal") else {
        return Expr::Open;
    };
    let template = text_of(l, first);
    match (template.find('{'), template.rfind('}')) {
        (Some(open), Some(close)) if open < close => Expr::Affix {
            head: template[..open].to_string(),
            tail: template[close + 1..].to_string(),
        },
        _ => Expr::Text(l.literal(first, template)),
    }
}

/// A macro's arguments are read as far as they are expressions.
fn macro_call(l: &mut Lowering<'_>, node: Node<'_>) {
    let tokens = children(node).into_iter().find(|child| child.kind() == "token_tree");
    let (Some(name), Some(tokens)) = (field(node, "macro"), tokens) else { return };
    let callee = Callee {
        receiver: None,
        receiver_value: Expr::Nothing,
        name: last_segment(l, name),
        start: name.start_byte(),
    };
    let arguments = token_arguments(l, tokens, 0);
    l.call(node.id(), callee, arguments);
}

/// The arguments in a token tree; calls in it are noted on the way.
fn token_arguments(l: &mut Lowering<'_>, tree: Node<'_>, depth: usize) -> Vec<Argument> {
    let mut cursor = tree.walk();
    let inside: Vec<_> = tree.children(&mut cursor).filter(|token| !token.is_extra()).collect();
    let inside = inside.get(1..inside.len().saturating_sub(1)).unwrap_or_default();
    let mut arguments = Vec::new();
    for tokens in inside.split(|token| token.kind() == ",") {
        if !tokens.is_empty() {
            arguments.push(Argument { keyword: None, value: token_expr(l, tokens, depth) });
        }
    }
    arguments
}

fn token_expr(l: &mut Lowering<'_>, tokens: &[Node<'_>], depth: usize) -> Expr {
    let mut value = Expr::Open;
    let mut callee: Option<Callee> = None;
    let mut is_simple = true;
    for (index, &token) in tokens.iter().enumerate() {
        match token.kind() {
            "&" | "." | "::" | "mut" | "mutable_specifier" | "!" => {}
            "string_literal" | "raw_string_literal" => {
                is_simple &= matches!(value, Expr::Open) && index <= 1;
                value = Expr::Text(l.literal(token, text_of(l, token)));
            }
            "identifier" | "self" | "crate" | "super" => {
                let name = l.name(token);
                let receiver = callee.take().map(|before| before.name);
                callee = Some(Callee {
                    receiver: receiver.clone(),
                    receiver_value: value.clone(),
                    name: name.clone(),
                    start: token.start_byte(),
                });
                value = match receiver {
                    Some(_) => value.field(name),
                    None => Expr::Name(name),
                };
            }
            "token_tree" if depth < MAX_DEPTH => {
                let arguments = token_arguments(l, token, depth + 1);
                match callee.take() {
                    Some(called) if l.text(token).starts_with('(') => {
                        // What a method answers stands for what it is called on.
                        let name = called.name.clone();
                        l.call(token.id(), called, arguments);
                        value = Expr::Call(token.id());
                        callee = Some(Callee {
                            receiver: None,
                            receiver_value: Expr::Nothing,
                            name,
                            start: token.start_byte(),
                        });
                    }
                    _ => is_simple = false,
                }
            }
            _ => {
                is_simple = false;
                callee = None;
            }
        }
    }
    if is_simple { value } else { Expr::Open }
}

/// The names of a pattern, each with its way into the value.
fn names(l: &Lowering<'_>, node: Node<'_>, depth: usize) -> Vec<(String, Vec<Step>)> {
    if depth > MAX_DEPTH {
        return Vec::new();
    }
    let below = |node, step: Step| {
        let names = names(l, node, depth + 1).into_iter();
        names.map(move |(name, mut steps)| {
            steps.insert(0, step.clone());
            (name, steps)
        })
    };
    let mut out = Vec::new();
    match node.kind() {
        "identifier" | "shorthand_field_identifier" => out.push((l.name(node), Vec::new())),
        "mut_pattern" | "reference_pattern" | "ref_pattern" | "captured_pattern" => {
            for child in children(node) {
                out.extend(names(l, child, depth + 1));
            }
        }
        "tuple_pattern" | "slice_pattern" => {
            for (index, child) in children(node).into_iter().enumerate() {
                out.extend(below(child, Step::Field(index.to_string())));
            }
        }
        // `Some(lane)` is the lane.
        "tuple_struct_pattern" => {
            for child in children(node).into_iter().skip(1) {
                out.extend(names(l, child, depth + 1));
            }
        }
        "struct_pattern" => {
            for child in children(node).into_iter().filter(|c| c.kind() == "field_pattern") {
                let Some(name) = field(child, "name") else { continue };
                let pattern = field(child, "pattern").unwrap_or(name);
                out.extend(below(pattern, Step::Field(l.name(name))));
            }
        }
        _ => {}
    }
    out
}

fn parameters(l: &Lowering<'_>, node: Node<'_>) -> Vec<Parameter> {
    let Some(list) = field(node, "parameters") else { return Vec::new() };
    let mut parameters = Vec::new();
    for parameter in children(list) {
        let pattern = match parameter.kind() {
            "self_parameter" | "attribute_item" => continue,
            "parameter" => field(parameter, "pattern"),
            _ => Some(parameter),
        };
        let names = pattern.map(|pattern| names(l, pattern, 0)).unwrap_or_default();
        parameters.push(Parameter { names, ..Parameter::default() });
    }
    parameters
}
