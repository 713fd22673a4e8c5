//! A component, loaded once: compiled, checked against its world, linked.

use crate::bindings::reader::{Reader, ReaderPre};
use crate::conversation::Conversation;
use crate::error::LoadError;
use crate::fence::Fence;
use crate::instance::{Instance, State};
use crate::interfaces::{Indices, Interfaces};
use crate::limits::Limits;
use crate::pool::Pool;
use crate::survey::Survey;
use crate::ticker::Ticker;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use wasmtime::component::{Component as Compiled, HasData, InstancePre, Linker, ResourceTable};
use wasmtime::{
    Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig, Store,
};
use wasmtime_wasi::filesystem::{WasiFilesystem, WasiFilesystemCtx};
use wasmtime_wasi::p2::bindings as wasi;

/// Core modules and memories that one component may consist of. A component
/// that others are plugged into has a few; address space is reserved for each.
const MODULES_PER_COMPONENT: u32 = 16;
const MEMORIES_PER_COMPONENT: u32 = 4;

/// Bytes of a dropped instance that are zeroed in place for the next one, rather than
/// given back to the system and faulted in again. Where the system can tell which
/// pages were written (Linux since 6.7), only those are counted.
const KEPT_BYTES: usize = 128 << 10;

/// Which of the contract's worlds a component belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum World {
    /// `fence-component`: the fence, importing nothing.
    Fence,
    /// `conversation`: the fence and a conversation record, importing what
    /// reads files.
    Conversation,
}

impl fmt::Display for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            World::Fence => "fence",
            World::Conversation => "conversation",
        })
    }
}

/// A component of one of the contract's worlds, ready to be called.
///
/// Loading compiles it; clones share that, the instances and the limits. Get a
/// [`Fence`] or a [`Conversation`] from it to call it.
#[derive(Clone)]
pub struct Component {
    shared: Arc<Shared>,
}

/// What all handles of one component share.
pub(crate) struct Shared {
    pub(crate) engine: Engine,
    pub(crate) limits: Limits,
    pub(crate) ticker: Ticker,
    pub(crate) world: World,
    pub(crate) linked: InstancePre<State>,
    pub(crate) indices: Arc<Indices>,
    pub(crate) reader: Option<ReaderPre<State>>,
    pub(crate) pool: Pool,
}

impl Shared {
    /// An instance that serves the fence, in a store of its own.
    pub(crate) fn start(&self, store: &mut Store<State>) -> wasmtime::Result<Interfaces> {
        Ok(Interfaces::new(&self.indices, self.linked.instantiate(store)?))
    }

    /// Looks every export up with its type, which the runtime does for an
    /// instance only.
    fn check_export_types(&self) -> wasmtime::Result<()> {
        let trial = Instance::start(self, WasiFilesystemCtx::default(), |store| {
            let instance = self.linked.instantiate(&mut *store)?;
            let fence = Interfaces::new(&self.indices, instance).check(store);
            Ok(fence.and_then(|()| match &self.reader {
                Some(_) => Reader::new(&mut *store, &instance).map(drop),
                None => Ok(()),
            }))
        });
        match trial {
            Ok(trial) => trial.into_exports(),
            // What keeps it from starting is for the calls to report: the kinds
            // of that are theirs.
            Err(_) => Ok(()),
        }
    }
}

impl Component {
    /// Loads the component in a file.
    ///
    /// # Errors
    ///
    /// [`LoadError::Unreadable`], and those of [`from_bytes`](Self::from_bytes).
    pub fn from_file(path: impl AsRef<Path>, limits: &Limits) -> Result<Self, LoadError> {
        let path = path.as_ref();
        let bytes = std::fs::read(path)
            .map_err(|source| LoadError::Unreadable { path: path.to_path_buf(), source })?;
        Self::from_bytes(&bytes, limits)
    }

    /// Loads a component from its bytes.
    ///
    /// # Errors
    ///
    /// Every [`LoadError`] but those about files and directories: what is no
    /// component, lacks an export, or imports more than its world grants, is
    /// refused here and not at a call.
    pub fn from_bytes(bytes: &[u8], limits: &Limits) -> Result<Self, LoadError> {
        Self::load(bytes, limits, config(limits))
    }

    /// [`from_bytes`](Self::from_bytes), with the compiled code kept in a directory, which
    /// is made if need be: from the second time on, in any process, nothing is compiled.
    ///
    /// The code is run as it stands there, so let nobody else write to the directory. The
    /// runtime deletes what was not used for long, and keeps apart what other versions,
    /// settings and processors need.
    ///
    /// # Errors
    ///
    /// [`LoadError::Cache`], and those of [`from_bytes`](Self::from_bytes).
    #[cfg(feature = "cache")]
    pub fn from_bytes_cached(
        bytes: &[u8],
        limits: &Limits,
        directory: &Path,
    ) -> Result<Self, LoadError> {
        let unusable = |reason: String| LoadError::Cache { path: directory.to_path_buf(), reason };
        let absolute = std::path::absolute(directory).map_err(|e| unusable(e.to_string()))?;
        let mut settings = wasmtime::CacheConfig::new();
        settings.with_directory(absolute);
        let cache = wasmtime::Cache::new(settings).map_err(|e| unusable(format!("{e:#}")))?;
        let mut config = config(limits);
        config.cache(Some(cache));
        Self::load(bytes, limits, config)
    }

    fn load(bytes: &[u8], limits: &Limits, config: Config) -> Result<Self, LoadError> {
        let engine = Engine::new(&config)
            .map_err(|error| LoadError::Engine { reason: format!("{error:#}") })?;
        let compiled = Compiled::new(&engine, bytes)
            .map_err(|error| LoadError::NotAComponent { reason: format!("{error:#}") })?;

        let survey = Survey::of_compiled(&compiled, &engine);
        if !survey.missing_exports.is_empty() {
            return Err(LoadError::MissingExports { names: survey.missing_exports });
        }
        if !survey.ungranted_imports.is_empty() {
            return Err(LoadError::ImportsNotGranted { names: survey.ungranted_imports });
        }

        let world = survey.world;
        let linker = linker(&engine, world)
            .map_err(|error| LoadError::Engine { reason: format!("{error:#}") })?;
        let linked = linker
            .instantiate_pre(&compiled)
            .map_err(|error| LoadError::ImportType { reason: format!("{error:#}") })?;
        let export_type = |error| LoadError::ExportType { reason: format!("{error:#}") };
        let reader = match world {
            World::Fence => None,
            World::Conversation => Some(ReaderPre::new(linked.clone()).map_err(export_type)?),
        };
        let indices = Arc::new(Indices::new(&linked).map_err(export_type)?);

        let ticker = Ticker::start(&engine, limits.max_call_time())
            .map_err(|error| LoadError::Engine { reason: error.to_string() })?;
        let pool = Pool::new(limits);
        let limits = limits.clone();
        let shared = Shared { engine, limits, ticker, world, linked, indices, reader, pool };
        shared.check_export_types().map_err(export_type)?;
        Ok(Component { shared: Arc::new(shared) })
    }

    /// The world that the component's exports make it: `conversation` when it
    /// exports `murmur:conversation/read`, else `fence`.
    pub fn world(&self) -> World {
        self.shared.world
    }

    /// The limits that it was loaded with.
    pub fn limits(&self) -> &Limits {
        &self.shared.limits
    }

    /// The fence. Any component of either world has one.
    pub fn fence(&self) -> Fence {
        Fence::new(Arc::clone(&self.shared))
    }

    /// The conversation record in a directory, which the component may read and
    /// nothing else; without a directory every read answers `not-granted`.
    ///
    /// # Errors
    ///
    /// [`LoadError::MissingExports`] for a component of the world `fence`, and
    /// [`LoadError::Directory`] when the directory cannot be opened.
    pub fn conversation(&self, directory: Option<&Path>) -> Result<Conversation, LoadError> {
        Conversation::open(Arc::clone(&self.shared), directory)
    }
}

impl fmt::Debug for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Component")
            .field("world", &self.shared.world)
            .field("limits", &self.shared.limits)
            .finish_non_exhaustive()
    }
}

fn config(limits: &Limits) -> Config {
    let instances = limits.max_instances();
    let mut pool = PoolingAllocationConfig::default();
    pool.total_component_instances(instances)
        .total_core_instances(instances.saturating_mul(MODULES_PER_COMPONENT))
        .total_memories(instances.saturating_mul(MEMORIES_PER_COMPONENT))
        .total_tables(instances.saturating_mul(MODULES_PER_COMPONENT))
        .max_core_instances_per_component(MODULES_PER_COMPONENT)
        .max_memories_per_component(MEMORIES_PER_COMPONENT)
        .max_tables_per_component(MODULES_PER_COMPONENT)
        .linear_memory_keep_resident(KEPT_BYTES)
        .table_keep_resident(KEPT_BYTES)
        .pagemap_scan(Enabled::Auto);
    let mut config = Config::new();
    config
        .allocation_strategy(InstanceAllocationStrategy::Pooling(pool))
        .memory_init_cow(true)
        .epoch_interruption(true);
    config
}

/// The host's side of the imports: none at all for the world `fence`.
fn linker(engine: &Engine, world: World) -> wasmtime::Result<Linker<State>> {
    let mut linker = Linker::new(engine);
    if world == World::Conversation {
        let l = &mut linker;
        wasi::sync::filesystem::types::add_to_linker::<_, WasiFilesystem>(l, State::filesystem)?;
        wasi::filesystem::preopens::add_to_linker::<_, WasiFilesystem>(l, State::filesystem)?;
        wasi::io::error::add_to_linker::<_, Table>(l, State::table)?;
        wasi::sync::io::poll::add_to_linker::<_, Table>(l, State::table)?;
        wasi::sync::io::streams::add_to_linker::<_, Table>(l, State::table)?;
    }
    Ok(linker)
}

/// The streams of `wasi:io` need only the table of open resources.
struct Table;

impl HasData for Table {
    type Data<'a> = &'a mut ResourceTable;
}
