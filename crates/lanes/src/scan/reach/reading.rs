//! Reading what the lane argument of one call can be.

use std::string::{String, ToString};
use std::vec;
use std::vec::Vec;

use super::super::code::{Binding, Call, Expr, FunctionId, LANE_KEYS, Step, Text};
use super::index::{Index, Source};
use super::{CallAt, Covers, FunctionAt, Inlet};

/// Methods without arguments whose answer stands for what they are called on.
const TRANSPARENT: [&str; 14] = [
    "as_ref",
    "as_str",
    "borrow",
    "clone",
    "cloned",
    "copied",
    "into",
    "into_iter",
    "iter",
    "strip",
    "to_owned",
    "to_string",
    "toString",
    "trim",
];

/// Functions of one argument whose answer stands for it.
const CONVERSIONS: [&str; 7] = ["Some", "Ok", "String", "from", "str", "list", "tuple"];

/// How many expressions one argument's reading takes at most.
const FUEL: usize = 5_000;

/// How far one value is followed.
const MAX_DEPTH: usize = 40;

/// How far into a parameter a way leads at most; a recursive function would
/// lengthen it for ever.
const MAX_STEPS: usize = 4;

/// One thing that an argument can be.
pub(super) enum Found {
    Covers(Covers),
    Inlet(Inlet),
}

/// Where an expression stands, and the call that took it.
#[derive(Clone, Copy)]
struct Place {
    module: usize,
    scope: Option<FunctionId>,
    via: CallAt,
}

/// Reads what the argument of a call can be, after the way into it; each with
/// the innermost call that takes it.
pub(super) fn read(
    index: &Index<'_>,
    at: CallAt,
    argument: &Expr,
    steps: &[Step],
) -> Vec<(CallAt, Found)> {
    let mut reading = Reading { index, fuel: FUEL, found: Vec::new() };
    let place = Place { module: at.module, scope: index.call(at).scope, via: at };
    reading.read(place, argument, steps, 0);
    reading.found
}

struct Reading<'c, 'a> {
    index: &'c Index<'a>,
    fuel: usize,
    found: Vec<(CallAt, Found)>,
}

impl<'a> Reading<'_, 'a> {
    fn covers(&mut self, place: Place, covers: Covers) {
        self.found.push((place.via, Found::Covers(covers)));
    }

    /// Reads an expression, and the way that leads on from it.
    fn read(&mut self, place: Place, value: &Expr, steps: &[Step], depth: usize) {
        if self.fuel == 0 || depth > MAX_DEPTH {
            return self.covers(place, Covers::Unread("...".to_string()));
        }
        self.fuel -= 1;
        match value {
            // What is taken of a text, an enum's value say, is the text.
            Expr::Text(text) => self.covers(place, Covers::Literal(text.clone())),
            Expr::Affix { head, tail } => {
                self.covers(place, Covers::Affix { head: head.clone(), tail: tail.clone() });
            }
            Expr::Nothing => {}
            Expr::Unread => self.covers(place, Covers::Unread("...".to_string())),
            Expr::Open => self.covers(place, Covers::Any),
            Expr::OneOf(values) => {
                values.iter().for_each(|value| self.read(place, value, steps, depth + 1));
            }
            Expr::Into(base, step) => self.read(place, base, &led_by(step, steps), depth + 1),
            Expr::Index { base, key } => self.read_index(place, base, key, steps, depth),
            Expr::List(items) => self.read_list(place, items, steps, depth),
            Expr::Record(entries) => {
                // What a dictionary is walked over by is its keys, an enum its values.
                self.read_record(place, entries, &walked_by(Step::Key, steps), depth);
            }
            Expr::Class(entries) => {
                self.read_record(place, entries, &walked_by(Step::Value, steps), depth);
            }
            Expr::Name(name) => self.read_name(place, name, steps, depth),
            Expr::Call(key) => {
                let calls = &self.index.modules[place.module].calls_by_key;
                match calls.get(key) {
                    Some(&call) => {
                        self.read_call(place, CallAt { call, ..place.via_module() }, steps, depth)
                    }
                    None => self.covers(place, Covers::Any),
                }
            }
        }
    }

    /// One lane's entry in a table of lanes is for that lane; another text is a
    /// property.
    fn read_index(&mut self, place: Place, base: &Expr, key: &Expr, steps: &[Step], depth: usize) {
        match key {
            Expr::Text(text) if self.index.registry.get(&text.value).is_none() => {
                let step = Step::Field(text.value.clone());
                self.read(place, base, &led_by(&step, steps), depth + 1);
            }
            Expr::Nothing => self.covers(place, Covers::Any),
            key => self.read(place, key, &[], depth + 1),
        }
    }

    fn read_list(&mut self, place: Place, items: &[Expr], steps: &[Step], depth: usize) {
        match steps.split_first() {
            Some((Step::Element, rest)) => {
                items.iter().for_each(|item| self.read(place, item, rest, depth + 1));
            }
            Some((Step::Field(index), rest)) => {
                match index.parse().ok().and_then(|index: usize| items.get(index)) {
                    Some(item) => self.read(place, item, rest, depth + 1),
                    None => self.covers(place, Covers::Any),
                }
            }
            Some((Step::Key | Step::Value, _)) | None => self.covers(place, Covers::Any),
        }
    }

    fn read_record(
        &mut self,
        place: Place,
        entries: &[(String, Expr)],
        steps: &[Step],
        depth: usize,
    ) {
        match steps.split_first() {
            Some((Step::Key, _)) => {
                for (key, _) in entries {
                    let text = Text { value: key.clone(), raw: key.clone(), start: 0 };
                    self.covers(place, Covers::Literal(text));
                }
                return;
            }
            Some((Step::Value, rest)) => {
                entries.iter().for_each(|(_, value)| self.read(place, value, rest, depth + 1));
                return;
            }
            _ => {}
        }
        let entry = |wanted: &str| entries.iter().find(|(key, _)| key == wanted);
        let (entry, rest) = match steps.split_first() {
            Some((Step::Field(name), rest)) => (entry(name), rest),
            Some(_) => (None, steps),
            None => (LANE_KEYS.iter().find_map(|key| entry(key)), steps),
        };
        match entry {
            Some((_, value)) => self.read(place, value, rest, depth + 1),
            None => self.covers(place, Covers::Any),
        }
    }

    fn read_name(&mut self, place: Place, name: &str, steps: &[Step], depth: usize) {
        let sources = self.index.resolve(place.module, place.scope, name);
        for source in &sources {
            match *source {
                Source::Binding { module, binding } => {
                    self.read_binding(place, module, binding, steps, depth);
                }
                Source::Parameter { function, parameter, steps: inner } => {
                    let steps = [inner, steps].concat();
                    self.read_parameter(place, function, parameter, steps, depth);
                }
            }
        }
        if !sources.is_empty() {
            return;
        }
        // Not bound in this file: a constant of another one, under its own name
        // or as the last name of a path.
        let path: Vec<&str> = core::iter::once(name)
            .chain(steps.iter().map_while(|step| match step {
                Step::Field(name) => Some(&**name),
                Step::Element | Step::Key | Step::Value => None,
            }))
            .collect();
        let global = path.iter().enumerate().find_map(|(index, name)| {
            let bindings = self.index.global(name);
            let is_known = index == 0 || name.starts_with(char::is_uppercase);
            (is_known && !bindings.is_empty()).then_some((index, bindings))
        });
        match global {
            Some((index, bindings)) => {
                for &(module, binding) in bindings.to_vec().iter() {
                    self.read_binding(place, module, binding, &steps[index..], depth);
                }
            }
            None if path.iter().any(|name| name.starts_with(char::is_uppercase)) => {
                self.covers(place, Covers::Unread(path.join(".")));
            }
            None => self.covers(place, Covers::Any),
        }
    }

    fn read_binding(
        &mut self,
        place: Place,
        module: usize,
        binding: &'a Binding,
        steps: &[Step],
        depth: usize,
    ) {
        let is_collection = matches!(binding.value, Expr::List(_) | Expr::Record(_));
        if is_collection && self.index.may_change(module, &binding.name) {
            return self.covers(place, Covers::Any);
        }
        let place = Place { module, scope: binding.scope, ..place };
        self.read(place, &binding.value, steps, depth + 1);
    }

    fn read_parameter(
        &mut self,
        place: Place,
        at: FunctionAt,
        parameter: usize,
        steps: Vec<Step>,
        depth: usize,
    ) {
        let function = self.index.function(at);
        match (&function.name, &function.taken_by) {
            (Some(_), _) if steps.len() <= MAX_STEPS => {
                let inlet = Inlet { function: at, parameter, steps };
                self.found.push((place.via, Found::Inlet(inlet)));
            }
            (None, Some(taken)) if taken.element == parameter => {
                let place = Place { module: at.module, scope: function.parent, ..place };
                self.read(place, &taken.receiver, &led_by(&Step::Element, &steps), depth + 1);
            }
            _ => self.covers(place, Covers::Any),
        }
    }

    fn read_call(&mut self, place: Place, at: CallAt, steps: &[Step], depth: usize) {
        let call = self.index.call(at);
        let names = self.index.names;
        let known = names.lookups.iter().chain(&names.fences);
        if let Some(callee) = known.into_iter().find(|callee| self.index.is_call_of(at, callee)) {
            if let Some(argument) = call.argument(None, callee.argument) {
                self.read(Place { via: at, ..place }, argument, &[], depth + 1);
            }
            return;
        }
        if let Some((record, steps)) = walked(call, steps) {
            return self.read(place, record, &steps, depth + 1);
        }
        match &call.arguments[..] {
            [] if call.receiver.is_some() && TRANSPARENT.contains(&&*call.name) => {
                return self.read(place, &call.receiver_value, steps, depth + 1);
            }
            [only] if CONVERSIONS.contains(&&*call.name) => {
                return self.read(place, &only.value, steps, depth + 1);
            }
            _ => {}
        }
        // Some other function of a lane's name, or of what leads to one.
        let mut inner = Reading { index: self.index, fuel: self.fuel, found: Vec::new() };
        let at_call = Place { via: at, ..place };
        for value in
            call.arguments.iter().map(|argument| &argument.value).chain([&call.receiver_value])
        {
            inner.read(at_call, value, &[], depth + 1);
        }
        self.fuel = inner.fuel;
        let registry = self.index.registry;
        let is_unread = |(_, found): &_| matches!(found, Found::Covers(Covers::Unread(_)));
        // What is made of a constant alone is as unknown as the constant.
        let only_unread = !inner.found.is_empty() && inner.found.iter().all(is_unread);
        let before = self.found.len();
        self.found.extend(inner.found.into_iter().filter(|(_, found)| match found {
            Found::Covers(Covers::Literal(text)) => registry.get(&text.value).is_some(),
            Found::Covers(_) => only_unread,
            // What is taken out of an answer need not come from the question.
            Found::Inlet(_) => steps.is_empty(),
        }));
        if self.found.len() == before {
            self.covers(place, Covers::Any);
        }
    }
}

/// The record whose keys or values a call gives to walk over, and the way into it:
/// `record.items()`, `Object.entries(record)` and their like.
fn walked<'a>(call: &'a Call, steps: &[Step]) -> Option<(&'a Expr, Vec<Step>)> {
    let (Step::Element, rest) = steps.split_first()? else { return None };
    let record = match &call.arguments[..] {
        [] if call.receiver.is_some() => &call.receiver_value,
        [only] if call.receiver.as_deref() == Some("Object") => &only.value,
        _ => return None,
    };
    let (step, rest) = match (&*call.name, rest.split_first()) {
        ("keys", _) => (Step::Key, rest),
        ("values", _) => (Step::Value, rest),
        ("items" | "entries", Some((Step::Field(part), rest))) => match &**part {
            "0" => (Step::Key, rest),
            "1" => (Step::Value, rest),
            _ => return None,
        },
        _ => return None,
    };
    Some((record, led_by(&step, rest)))
}

impl Place {
    fn via_module(self) -> CallAt {
        CallAt { module: self.module, call: 0 }
    }
}

/// The way in, where any element of a record is this part of it.
fn walked_by(part: Step, steps: &[Step]) -> Vec<Step> {
    match steps.split_first() {
        Some((Step::Element, rest)) => led_by(&part, rest),
        _ => steps.to_vec(),
    }
}

fn led_by(step: &Step, steps: &[Step]) -> Vec<Step> {
    let mut led = vec![step.clone()];
    led.extend_from_slice(steps);
    led
}
