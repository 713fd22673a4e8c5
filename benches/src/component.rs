//! What the component costs in its host, beside the native fence, a copy, an empty
//! call, and an instance started the plain way.

use std::hint::black_box;
use std::time::Duration;

use benches::corpus::Corpus;
use benches::paired::{Subject, Timed, compare};
use clap::Parser;
use murmur_fence_host::{Component, Item, Limits};
use wasmtime::component::{Func, Linker};
use wasmtime::{Config, Engine, Store};
use xtask::Guest;

type Failure = Box<dyn std::error::Error>;

/// The source of every block.
const SOURCE: &str = "tool:web-fetch";

/// Items in a batch.
const BATCH: usize = 64;

/// A group of rows, and what measures it.
type Group = (&'static str, fn(&[u8]) -> Result<(), Failure>);

const GROUPS: [Group; 5] =
    [("large", large), ("small", small), ("fresh", fresh), ("load", load), ("epochs", epochs)];

/// Times the component in its host.
#[derive(Parser)]
struct Arguments {
    /// Only this group of rows.
    #[arg(long, value_parser = GROUPS.map(|(name, _)| name))]
    only: Option<String>,
}

fn main() -> Result<(), Failure> {
    let only = Arguments::parse().only;
    let path = xtask::component(Guest::Fence)?;
    let bytes = std::fs::read(path)?;
    println!("| measured | against | nanoseconds | ratio | target |");
    println!("| --- | --- | ---: | ---: | ---: |");
    for (name, measure) in GROUPS {
        if only.as_deref().is_none_or(|only| only == name) {
            measure(&bytes)?;
        }
    }
    Ok(())
}

fn large(bytes: &[u8]) -> Result<(), Failure> {
    let fence = Component::from_bytes(bytes, &Limits::default())?.fence();
    let text = Corpus::Text.text(256 << 10);
    let html = Corpus::Html.text(256 << 10);
    let mut subjects = [
        Subject::new("native wrap", || murmur_fence::wrap(SOURCE, &text)),
        Subject::new("to_owned", || text.clone()),
        Subject::new("wrap, 256 KB text", || fence.wrap(SOURCE, &text)),
        Subject::new("neutralise, 256 KB text, unchanged", || fence.neutralise(&text)),
        Subject::new("neutralise, 256 KB HTML, unchanged", || fence.neutralise(&html)),
    ];
    let timed = compare(&mut subjects, ROUNDS, SLICE);
    row(&timed[2], &timed[0], 1.0, "3");
    row(&timed[3], &timed[1], 1.0, "2.2");
    row(&timed[4], &timed[1], 1.0, "");
    Ok(())
}

fn small(bytes: &[u8]) -> Result<(), Failure> {
    let fence = Component::from_bytes(bytes, &Limits::default())?.fence();
    let text = Corpus::Text.text(100);
    let items = vec![Item { source: SOURCE, content: &text }; BATCH];
    let mut plain = Plain::load(bytes, &Config::new())?.instance()?;
    let mut subjects = [
        // Takes nothing and answers nothing: what is left is the call.
        Subject::new("empty call, plain", || plain.neutralise("")),
        Subject::new("empty call", || fence.neutralise("")),
        Subject::new("wrap, 100 B", || fence.wrap(SOURCE, &text)),
        Subject::new("wrap-all of 64, 100 B, each", || fence.wrap_all(&items)),
    ];
    let timed = compare(&mut subjects, ROUNDS, SLICE);
    row(&timed[1], &timed[0], 1.0, "");
    row(&timed[2], &timed[0], 1.0, "2.5");
    row(&timed[3], &timed[0], BATCH as f64, "1.6");
    Ok(())
}

fn fresh(bytes: &[u8]) -> Result<(), Failure> {
    // No instance is kept, so each call starts one.
    let limits = Limits::default().keep_bytes(0);
    let fence = Component::from_bytes(bytes, &limits)?.fence();
    let plain = Plain::load(bytes, &Config::new())?;
    let text = Corpus::Text.text(100);
    let mut subjects = [
        Subject::new("an instance on demand and one wrap", || {
            plain.instance().and_then(|mut instance| instance.wrap(&text))
        }),
        Subject::new("a fresh instance and one wrap", || fence.wrap(SOURCE, &text)),
    ];
    let timed = compare(&mut subjects, ROUNDS, SLICE);
    row(&timed[1], &timed[0], 1.0, "0.27");
    Ok(())
}

fn load(bytes: &[u8]) -> Result<(), Failure> {
    let cache = tempfile::tempdir()?;
    let limits = Limits::default();
    let cached = || Component::from_bytes_cached(bytes, &limits, cache.path());
    cached()?;
    let mut subjects = [
        Subject::new("loading, compiled anew", || Component::from_bytes(bytes, &limits)),
        Subject::new("loading, compiled before", cached),
    ];
    let timed = compare(&mut subjects, 5, SLICE);
    row(&timed[1], &timed[0], 1.0, "");
    Ok(())
}

fn epochs(bytes: &[u8]) -> Result<(), Failure> {
    let (mut with, mut without) = (Config::new(), Config::new());
    with.epoch_interruption(true);
    without.epoch_interruption(false);
    let mut with = Plain::load(bytes, &with)?.instance()?;
    let mut without = Plain::load(bytes, &without)?.instance()?;
    let text = Corpus::Text.text(256 << 10);
    let mut subjects = [
        Subject::new("wrap, 256 KB text, no epochs", || without.wrap(&text)),
        Subject::new("wrap, 256 KB text, epochs", || with.wrap(&text)),
    ];
    let timed = compare(&mut subjects, ROUNDS, SLICE);
    row(&timed[1], &timed[0], 1.0, "");
    Ok(())
}

const ROUNDS: usize = 101;
const SLICE: Duration = Duration::from_millis(2);

/// One line: what `measured` takes, in times of what `against` takes.
fn row(measured: &Timed, against: &Timed, parts: f64, target: &str) {
    let ratio = against.times_as_fast_as(measured) / parts;
    println!(
        "| {} | {} | {:.0} / {:.0} | {ratio:.2} | {target} |",
        measured.name,
        against.name,
        measured.nanoseconds() / parts,
        against.nanoseconds(),
    );
}

/// The component as a program embeds it that takes wasmtime as it comes.
struct Plain {
    engine: Engine,
    linked: wasmtime::component::InstancePre<()>,
}

struct Instance {
    store: Store<()>,
    wrap: Func,
    neutralise: Func,
}

impl Plain {
    fn load(bytes: &[u8], config: &Config) -> wasmtime::Result<Self> {
        let engine = Engine::new(config)?;
        let component = wasmtime::component::Component::new(&engine, bytes)?;
        let linked = Linker::new(&engine).instantiate_pre(&component)?;
        Ok(Plain { engine, linked })
    }

    fn instance(&self) -> wasmtime::Result<Instance> {
        let mut store = Store::new(&self.engine, ());
        store.set_epoch_deadline(u64::MAX / 2);
        let instance = self.linked.instantiate(&mut store)?;
        let interface = instance.get_export_index(&mut store, None, "murmur:fence/fence@0.1.0");
        let mut function = |name: &str| {
            let index = instance.get_export_index(&mut store, interface.as_ref(), name);
            let function = index.and_then(|index| instance.get_func(&mut store, index));
            function.ok_or_else(|| wasmtime::Error::msg(format!("no export `{name}`")))
        };
        let (wrap, neutralise) = (function("wrap")?, function("neutralise")?);
        Ok(Instance { store, wrap, neutralise })
    }
}

impl Instance {
    fn wrap(&mut self, text: &str) -> wasmtime::Result<String> {
        let wrap = self.wrap.typed::<(&str, &str), (String,)>(&self.store)?;
        let (wrapped,) = wrap.call(&mut self.store, (SOURCE, black_box(text)))?;
        Ok(wrapped)
    }

    fn neutralise(&mut self, text: &str) -> wasmtime::Result<Option<String>> {
        let neutralise = self.neutralise.typed::<(&str,), (Option<String>,)>(&self.store)?;
        let (changed,) = neutralise.call(&mut self.store, (black_box(text),))?;
        Ok(changed)
    }
}
