//! Which lanes a fence can reach: the lane argument of every fence call, followed
//! back through bindings, parameters and the calls that pass them.

mod index;
mod reading;

use std::collections::HashSet;
use std::string::String;
use std::vec::Vec;

use self::index::Index;
use self::reading::{Found, read};
use super::code::{Expr, FunctionId, Module, Step, Text};
use super::names::{Names, is_spelling_of};
use crate::registry::Registry;

/// A call, by its module and its place there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct CallAt {
    pub(crate) module: usize,
    pub(crate) call: usize,
}

/// A function, by its module and its place there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FunctionAt {
    module: usize,
    function: FunctionId,
}

/// What a fence call can be for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Covers {
    /// The lane of that name alone.
    Literal(Text),
    /// Lanes whose names start and end so.
    Affix { head: String, tail: String },
    /// What the scan cannot read: a constant from elsewhere, by its name, or what is
    /// nested too deep.
    Unread(String),
    /// Whatever lane is at hand.
    Any,
    /// Whatever the function of that name is given, which nothing calls.
    Uncalled(String),
}

/// One fence call and one thing that it can be for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Site {
    /// The innermost call that takes the lane.
    pub(crate) call: CallAt,
    pub(crate) covers: Covers,
}

/// Every fence call of the modules, each with what it can be for. The functions
/// in `entries` are called from outside with whatever lane is at hand.
pub(crate) fn sites(
    modules: &[&Module],
    names: &Names,
    entries: &[String],
    registry: &Registry,
) -> HashSet<Site> {
    let index = Index::new(modules, names, registry);
    let mut reach = Reach {
        index: &index,
        entries,
        sites: HashSet::new(),
        seen: HashSet::new(),
        next: Vec::new(),
    };
    reach.run();
    reach.sites
}

/// A parameter that ends up as the lane of a fence call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Inlet {
    function: FunctionAt,
    parameter: usize,
    /// The way into the parameter.
    steps: Vec<Step>,
}

struct Reach<'c, 'a> {
    index: &'c Index<'a>,
    entries: &'c [String],
    sites: HashSet<Site>,
    seen: HashSet<Inlet>,
    /// What is still to be followed, with the fence call that it leads to.
    next: Vec<(Inlet, CallAt)>,
}

impl Reach<'_, '_> {
    fn run(&mut self) {
        for callee in &self.index.names.fences {
            for at in self.index.calls_of(&callee.name, true) {
                if self.index.is_call_of(at, callee) {
                    self.take(at, self.index.call(at).argument(None, callee.argument), &[]);
                }
            }
            if callee.receiver.is_none() {
                self.mentions(&callee.name, true);
            }
        }
        while let Some((Inlet { function, parameter, steps }, fence)) = self.next.pop() {
            let callee = self.index.function(function);
            let Some(name) = &callee.name else { continue };
            let keyword = callee.parameters[parameter].keyword.as_deref();
            let calls = self.index.calls_of(name, false).into_iter();
            let calls: Vec<_> = calls.filter(|&at| self.index.may_call(at, callee)).collect();
            let default = callee.parameters[parameter].default.as_ref();
            for &at in &calls {
                let passed = self.index.call(at).argument(keyword, parameter);
                self.take(at, passed.or(default), &steps);
            }
            let is_mentioned = self.mentions(name, false);
            let is_called = !calls.is_empty() || is_mentioned;
            // A loop over what comes from outside is the assembler itself; a
            // function of one lane that nothing calls is perhaps forgotten.
            let is_entry =
                self.entries.contains(name) || !is_called && steps.iter().any(Step::is_a_loop);
            let covers = match (is_entry, is_called) {
                (true, _) => Covers::Any,
                (false, false) => Covers::Uncalled(name.clone()),
                (false, true) => continue,
            };
            self.sites.insert(Site { call: fence, covers });
        }
    }

    /// A function that is passed on is called with what nobody can see here.
    fn mentions(&mut self, name: &str, fold: bool) -> bool {
        let is_meant =
            |mentioned: &str| mentioned == name || fold && is_spelling_of(mentioned, name);
        let index = self.index;
        let mentions = index.mentions.iter().filter(|(mentioned, _)| is_meant(mentioned));
        let calls: Vec<_> = mentions.flat_map(|(_, calls)| calls).collect();
        self.sites.extend(calls.iter().map(|&&call| Site { call, covers: Covers::Any }));
        !calls.is_empty()
    }

    fn take(&mut self, at: CallAt, argument: Option<&Expr>, steps: &[Step]) {
        let Some(argument) = argument else { return };
        for (via, found) in read(self.index, at, argument, steps) {
            match found {
                Found::Covers(covers) => drop(self.sites.insert(Site { call: via, covers })),
                Found::Inlet(inlet) => {
                    if self.seen.insert(inlet.clone()) {
                        self.next.push((inlet, via));
                    }
                }
            }
        }
    }
}
