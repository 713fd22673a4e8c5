//! Looking up in all modules by name: calls, bindings, functions that are passed
//! on.

use std::collections::{HashMap, HashSet};
use std::string::String;
use std::vec::Vec;

use super::super::code::{Binding, Call, Expr, Function, FunctionId, Module, Step};
use super::super::names::{Callee, Names, folded, is_named_like};
use super::{CallAt, FunctionAt};
use crate::registry::Registry;

/// All modules, with what is looked up in them by name.
pub(super) struct Index<'a> {
    pub(super) modules: &'a [&'a Module],
    pub(super) names: &'a Names,
    pub(super) registry: &'a Registry,
    /// By the called name, its spelling folded.
    calls: HashMap<String, Vec<CallAt>>,
    /// The bindings at the top of a file, by name.
    globals: HashMap<&'a str, Vec<(usize, &'a Binding)>>,
    /// The bindings that make a name known, by module, scope and name.
    declared: HashMap<(usize, Option<FunctionId>, &'a str), Vec<&'a Binding>>,
    /// The bindings that change what a name is, by module and name.
    reassigned: HashMap<(usize, &'a str), Vec<&'a Binding>>,
    /// Names on which a method that may change a list is called, by module.
    changed: HashSet<(usize, &'a str)>,
    /// Names of functions that are passed on, with the calls that do it.
    pub(super) mentions: HashMap<&'a str, Vec<CallAt>>,
}

/// The names of all functions.
#[derive(Default)]
struct Functions<'a> {
    plain: HashSet<&'a str>,
    methods: HashSet<&'a str>,
}

impl<'a> Index<'a> {
    pub(super) fn new(modules: &'a [&'a Module], names: &'a Names, registry: &'a Registry) -> Self {
        let mut index = Index {
            modules,
            names,
            registry,
            calls: HashMap::new(),
            globals: HashMap::new(),
            declared: HashMap::new(),
            reassigned: HashMap::new(),
            changed: HashSet::new(),
            mentions: HashMap::new(),
        };
        let mut functions = Functions::default();
        for (at, &module) in modules.iter().enumerate() {
            index.note_calls(at, module);
            index.note_bindings(at, module);
            for function in &module.functions {
                let known = match function.owner {
                    None => &mut functions.plain,
                    Some(_) => &mut functions.methods,
                };
                known.extend(function.name.as_deref());
            }
        }
        for (module, &code) in modules.iter().enumerate() {
            for (call, made) in code.calls.iter().enumerate() {
                for argument in &made.arguments {
                    index.note_mentions(CallAt { module, call }, &argument.value, &functions);
                }
            }
        }
        index
    }

    fn note_calls(&mut self, at: usize, module: &'a Module) {
        for (call, made) in module.calls.iter().enumerate() {
            self.calls.entry(folded(&made.name)).or_default().push(CallAt { module: at, call });
            if let Expr::Name(name) = &made.receiver_value
                && CHANGING.contains(&&*made.name)
            {
                self.changed.insert((at, name));
            }
        }
    }

    fn note_bindings(&mut self, at: usize, module: &'a Module) {
        for binding in &module.bindings {
            let name = &*binding.name;
            if !binding.declares {
                self.reassigned.entry((at, name)).or_default().push(binding);
                continue;
            }
            self.declared.entry((at, binding.scope, name)).or_default().push(binding);
            if binding.scope.is_none() {
                self.globals.entry(name).or_default().push((at, binding));
            }
        }
    }

    fn note_mentions(&mut self, at: CallAt, value: &'a Expr, functions: &Functions<'_>) {
        match value {
            Expr::Name(name) => {
                let module = self.modules[at.module];
                let name = module.aliases.get(name).unwrap_or(name);
                // A variable of that name is no function.
                let is_variable = || {
                    let scope = self.call(at).scope;
                    self.declaring_scope(at.module, scope, name).is_some()
                };
                let may_be_function =
                    functions.plain.contains(&**name) || module.imports.contains_key(name);
                if may_be_function && !is_variable() {
                    self.mentions.entry(name).or_default().push(at);
                }
            }
            Expr::Into(_, Step::Field(name)) if functions.methods.contains(&**name) => {
                self.mentions.entry(name).or_default().push(at);
            }
            Expr::OneOf(values) | Expr::List(values) => {
                values.iter().for_each(|value| self.note_mentions(at, value, functions));
            }
            Expr::Record(entries) => {
                entries.iter().for_each(|(_, value)| self.note_mentions(at, value, functions));
            }
            _ => {}
        }
    }

    pub(super) fn call(&self, at: CallAt) -> &'a Call {
        &self.modules[at.module].calls[at.call]
    }

    pub(super) fn function(&self, at: FunctionAt) -> &'a Function {
        &self.modules[at.module].functions[at.function]
    }

    /// The calls of that name, or of one that differs in spelling only.
    pub(super) fn calls_of(&self, name: &str, fold: bool) -> Vec<CallAt> {
        let calls = self.calls.get(&folded(name)).map(Vec::as_slice).unwrap_or_default();
        calls.iter().copied().filter(|&at| fold || self.call(at).name == name).collect()
    }

    pub(super) fn is_call_of(&self, at: CallAt, callee: &Callee) -> bool {
        callee.may_be(self.call(at))
            && callee.receiver.as_deref().is_none_or(|owner| self.is_made_on(at, owner))
    }

    /// Whether the call can be one of the function.
    pub(super) fn may_call(&self, at: CallAt, function: &Function) -> bool {
        let call = self.call(at);
        let is_common = COMMON.contains(&&*call.name);
        match &function.owner {
            None => call.receiver.is_none() || !is_common,
            Some(owner) => call.receiver.is_some() && (!is_common || self.is_made_on(at, owner)),
        }
    }

    /// Whether the call is made on a value of the class, as far as names tell:
    /// on itself inside the class, on something or out of a module named like the
    /// class, or on what was bound to a new one.
    pub(super) fn is_made_on(&self, at: CallAt, class: &str) -> bool {
        let (call, module) = (self.call(at), self.modules[at.module]);
        let Some(receiver) = call.made_on(module) else { return false };
        if matches!(receiver, "this" | "self" | "Self" | "cls" | "super") {
            return self.enclosing_class(at.module, call.scope) == Some(class);
        }
        if is_named_like(receiver, class) {
            return true;
        }
        let makes = |value: &Expr| match value {
            Expr::Call(key) => module.calls_by_key.get(key).is_some_and(|&made| {
                let made = &module.calls[made];
                let owner = made.receiver.as_deref();
                [Some(&*made.name), owner]
                    .into_iter()
                    .flatten()
                    .any(|name| is_named_like(name, class))
            }),
            _ => false,
        };
        match &call.receiver_value {
            Expr::Name(name) => self.resolve(at.module, call.scope, name).iter().any(
                |source| matches!(source, Source::Binding { binding, .. } if makes(&binding.value)),
            ),
            value => makes(value),
        }
    }

    fn enclosing_class(&self, module: usize, scope: Option<FunctionId>) -> Option<&'a str> {
        let mut scope = scope;
        while let Some(function) = scope.map(|id| &self.modules[module].functions[id]) {
            if let Some(owner) = &function.owner {
                return Some(owner);
            }
            scope = function.parent;
        }
        None
    }

    /// The innermost scope around one that makes the name known: a function, or
    /// the file (none).
    fn declaring_scope(
        &self,
        module: usize,
        scope: Option<FunctionId>,
        name: &str,
    ) -> Option<Option<FunctionId>> {
        let mut scope = scope;
        loop {
            let function = scope.map(|id| &self.modules[module].functions[id]);
            let mut parameters = function.into_iter().flat_map(|f| &f.parameters);
            let is_parameter =
                parameters.any(|parameter| parameter.names.iter().any(|(known, _)| known == name));
            if is_parameter || self.declared.contains_key(&(module, scope, name)) {
                return Some(scope);
            }
            scope = function?.parent;
        }
    }

    /// Where a name's value comes from; empty for a name that is not bound here.
    pub(super) fn resolve(
        &self,
        module: usize,
        scope: Option<FunctionId>,
        name: &str,
    ) -> Vec<Source<'a>> {
        let Some(scope) = self.declaring_scope(module, scope, name) else { return Vec::new() };
        let binding = |&binding: &&'a Binding| Source::Binding { module, binding };
        let mut sources = Vec::new();
        if let Some(declared) = self.declared.get(&(module, scope, name)) {
            sources.extend(declared.iter().map(binding));
        }
        if let Some(reassigned) = self.reassigned.get(&(module, name)) {
            sources.extend(reassigned.iter().map(binding));
        }
        let function = scope.map(|id| (id, &self.modules[module].functions[id]));
        if let Some((id, function)) = function {
            for (parameter, declared) in function.parameters.iter().enumerate() {
                let names = declared.names.iter().filter(|(known, _)| known == name);
                let function = FunctionAt { module, function: id };
                sources.extend(names.map(|(_, steps)| Source::Parameter {
                    function,
                    parameter,
                    steps,
                }));
            }
        }
        sources
    }

    /// The values at the top of any file under that name.
    pub(super) fn global(&self, name: &str) -> &[(usize, &'a Binding)] {
        self.globals.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether some method may change what the name holds.
    pub(super) fn may_change(&self, module: usize, name: &str) -> bool {
        self.changed.contains(&(module, name))
    }
}

/// Where the value of a name comes from.
pub(super) enum Source<'a> {
    Binding { module: usize, binding: &'a Binding },
    Parameter { function: FunctionAt, parameter: usize, steps: &'a [Step] },
}

/// Method names that many classes have: a call of one says nothing by its name.
const COMMON: [&str; 17] = [
    "add", "append", "apply", "call", "concat", "emit", "extend", "format", "get", "insert",
    "join", "push", "run", "send", "set", "write", "new",
];

/// Methods after which a list is not what it was bound to.
const CHANGING: [&str; 7] =
    ["append", "extend", "insert", "push", "push_back", "splice", "unshift"];
