//! From a syntax tree to [`Module`]: the walk that all languages share.

mod ecma;
mod indent;
mod python;
mod rust;
mod text;

use std::collections::HashMap;
use std::path::Path;
use std::string::{String, ToString};
use std::vec::Vec;

use tree_sitter::{Node, Parser};

use super::code::{
    Argument, Binding, Call, Entry, Expr, Function, FunctionId, Module, Parameter, TakenBy, Text,
};

/// A language that the scan reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    JavaScript,
    Python,
    Rust,
    Tsx,
    TypeScript,
}

impl Language {
    /// By the end of the file's name.
    pub(crate) fn of(path: &Path) -> Option<Language> {
        Some(match path.extension()?.to_str()? {
            "cjs" | "js" | "jsx" | "mjs" => Language::JavaScript,
            "py" | "pyi" => Language::Python,
            "rs" => Language::Rust,
            "tsx" => Language::Tsx,
            "cts" | "mts" | "ts" => Language::TypeScript,
            _ => return None,
        })
    }

    fn grammar(self) -> tree_sitter::Language {
        match self {
            Language::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
            Language::Python => tree_sitter_python::LANGUAGE.into(),
            Language::Rust => tree_sitter_rust::LANGUAGE.into(),
            Language::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
            Language::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        }
    }

    fn visit(self) -> fn(&mut Lowering<'_>, Node<'_>) -> Visit {
        match self {
            Language::JavaScript | Language::Tsx | Language::TypeScript => ecma::visit,
            Language::Python => python::visit,
            Language::Rust => rust::visit,
        }
    }
}

/// Why a file was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// The grammar does not fit the parser, which the versions in the manifest rule
    /// out.
    Grammar,
    /// The grammar's scanner cannot keep as many indentations.
    Indentation,
}

impl Unreadable {
    /// Why, in words.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Unreadable::Grammar => "this build does not fit the language's grammar",
            Unreadable::Indentation => "indented in too many different ways",
        }
    }
}

/// Reads one file.
pub(crate) fn module(language: Language, source: &str) -> Result<Module, Unreadable> {
    if language == Language::Python && !indent::fits_the_scanner(source) {
        return Err(Unreadable::Indentation);
    }
    let mut parser = Parser::new();
    parser.set_language(&language.grammar()).map_err(|_| Unreadable::Grammar)?;
    let tree = parser.parse(source, None).ok_or(Unreadable::Grammar)?;
    let mut lowering = Lowering {
        source,
        module: Module { has_errors: tree.root_node().has_error(), ..Module::default() },
        functions: Vec::new(),
        owners: Vec::new(),
        names: HashMap::new(),
        taken: HashMap::new(),
    };
    let visit = language.visit();
    let mut cursor = tree.walk();
    let mut entered = Vec::new();
    'walk: loop {
        let node = cursor.node();
        let step = if node.is_named() { visit(&mut lowering, node) } else { Visit::Skip };
        if step != Visit::Skip && cursor.goto_first_child() {
            entered.push(step);
            continue;
        }
        lowering.leave(step);
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break 'walk;
            }
            if let Some(step) = entered.pop() {
                lowering.leave(step);
            }
        }
    }
    let mut module = lowering.module;
    module.resolve_aliases();
    module.calls_by_key =
        module.calls.iter().enumerate().map(|(index, call)| (call.key, index)).collect();
    Ok(module)
}

/// What the walk does after a node was visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visit {
    /// Goes into the node.
    Inside,
    /// Goes into the node, which is a function that was just entered.
    Function,
    /// Goes into the node, which is a class or type that was just entered.
    Owner,
    /// Passes over what is inside the node.
    Skip,
}

/// How deep an expression is read. Deeper ones are [`Expr::Open`].
const MAX_DEPTH: usize = 64;

/// The module so far, and where in the tree the walk is.
pub(crate) struct Lowering<'t> {
    source: &'t str,
    module: Module,
    /// The functions around the node, the innermost last.
    functions: Vec<FunctionId>,
    /// The classes or types around the node, the innermost last, and how many
    /// functions are around each.
    owners: Vec<(String, usize)>,
    /// Names that a node above gave to functions and classes below, by node.
    names: HashMap<usize, Named>,
    /// What methods that take a function below are called on, by its node.
    taken: HashMap<usize, TakenBy>,
}

/// The name of a function expression.
struct Named {
    name: String,
    owner: Option<String>,
}

impl<'t> Lowering<'t> {
    fn text(&self, node: Node<'_>) -> &'t str {
        self.source.get(node.byte_range()).unwrap_or_default()
    }

    /// The text of a node that names something.
    fn name(&self, node: Node<'_>) -> String {
        self.text(node).to_string()
    }

    fn scope(&self) -> Option<FunctionId> {
        self.functions.last().copied()
    }

    /// A literal whose value is already decoded.
    fn literal(&self, node: Node<'_>, value: String) -> Text {
        Text { value, raw: self.name(node), start: node.start_byte() }
    }

    /// Notes a name that is brought in from a module, by the module's path, and the
    /// name that it has here.
    fn import(&mut self, name: String, alias: Option<String>, module: &str) {
        let last =
            module.rsplit(['/', '.', ':']).find(|part| !matches!(*part, "" | "js" | "ts" | "mjs"));
        if let Some(alias) = alias.filter(|alias| *alias != name) {
            self.module.aliases.insert(alias, name.clone());
        }
        self.module.imports.insert(name, last.unwrap_or_default().to_string());
    }

    fn bind(&mut self, name: String, value: Expr, declares: bool) {
        let scope = self.scope();
        self.module.bindings.push(Binding { name, value, scope, declares });
    }

    /// Notes a text under a key.
    fn entry(&mut self, key: &str, value: &Expr) {
        if let Expr::Text(text) = value {
            self.module.entries.push(Entry { key: key.to_string(), value: text.clone() });
        }
    }

    fn call(&mut self, key: usize, callee: Callee, arguments: Vec<Argument>) {
        for argument in &arguments {
            if let Some(keyword) = &argument.keyword {
                self.entry(keyword, &argument.value);
            }
        }
        let Callee { receiver, receiver_value, name, start } = callee;
        let scope = self.scope();
        self.module.calls.push(Call {
            key,
            receiver,
            receiver_value,
            name,
            arguments,
            start,
            scope,
        });
    }

    /// Notes that the callee takes a function, before the walk enters it.
    fn takes(&mut self, callee: &Callee, function: Node<'_>) {
        let element = usize::from(matches!(&*callee.name, "reduce" | "reduceRight" | "fold"));
        let receiver = callee.receiver_value.clone();
        self.taken.insert(function.id(), TakenBy { receiver, element });
    }

    /// Enters a function.
    fn function(
        &mut self,
        node: Node<'_>,
        name: Option<String>,
        owner: Option<String>,
        parameters: Vec<Parameter>,
    ) -> Visit {
        let (parent, taken_by) = (self.scope(), self.taken.remove(&node.id()));
        self.functions.push(self.module.functions.len());
        self.module.functions.push(Function { name, owner, parameters, parent, taken_by });
        Visit::Function
    }

    /// Enters a class or type.
    fn owner(&mut self, name: String) -> Visit {
        self.owners.push((name, self.functions.len()));
        Visit::Owner
    }

    /// The class or type whose method a function here is. A function inside a
    /// method is none.
    fn method_owner(&self) -> Option<String> {
        let innermost = self.owners.last().filter(|(_, around)| *around == self.functions.len());
        innermost.map(|(name, _)| name.clone())
    }

    fn leave(&mut self, step: Visit) {
        match step {
            Visit::Function => drop(self.functions.pop()),
            Visit::Owner => drop(self.owners.pop()),
            Visit::Inside | Visit::Skip => {}
        }
    }
}

/// What a call calls.
struct Callee {
    receiver: Option<String>,
    receiver_value: Expr,
    name: String,
    start: usize,
}

/// The named children of a node, comments left out.
fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.is_extra()).collect()
}
