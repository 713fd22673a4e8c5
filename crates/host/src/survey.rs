//! What a component offers and asks for, told without calling it.

use crate::component::World;
use crate::error::LoadError;
use crate::{exports, grants};
use wasmtime::Engine;
use wasmtime::component::Component as Compiled;

/// What a component offers and asks for.
///
/// A component with nothing missing and nothing ungranted can be loaded, but for
/// the types of its imports and exports, which loading compares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survey {
    /// The world that its exports make it.
    pub world: World,
    /// The names of everything it imports, in order.
    pub imports: Vec<String>,
    /// The names of everything it exports, in order.
    pub exports: Vec<String>,
    /// The exports of its world that it lacks, each as `interface@version`, or
    /// `interface@version#function` where only the function is missing.
    pub missing_exports: Vec<String>,
    /// The imports that its world does not grant, spelled likewise.
    pub ungranted_imports: Vec<String>,
}

impl Survey {
    /// Surveys a component given as bytes.
    ///
    /// # Errors
    ///
    /// [`LoadError::NotAComponent`], and [`LoadError::Engine`] when the runtime
    /// cannot be set up.
    pub fn of(bytes: &[u8]) -> Result<Self, LoadError> {
        let engine = Engine::default();
        let compiled = Compiled::new(&engine, bytes)
            .map_err(|error| LoadError::NotAComponent { reason: format!("{error:#}") })?;
        Ok(Self::of_compiled(&compiled, &engine))
    }

    pub(crate) fn of_compiled(compiled: &Compiled, engine: &Engine) -> Self {
        let ty = compiled.component_type();
        let world = exports::world(&ty, engine);
        Survey {
            world,
            imports: ty.imports(engine).map(|(name, _)| name.to_string()).collect(),
            exports: ty.exports(engine).map(|(name, _)| name.to_string()).collect(),
            missing_exports: exports::missing(world, &ty, engine),
            ungranted_imports: grants::ungranted(world, &ty, engine),
        }
    }
}
