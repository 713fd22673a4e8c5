//! What is refused before any call, and by which name.

mod guest;

use murmur_fence_host::{Component, Limits, LoadError, Survey, World};

/// What a component of the world `fence` exports.
const INTERFACES: [&str; 7] = [
    "murmur:fence/fence@0.1.0",
    "murmur:fence/nonce@0.1.0",
    "murmur:fence/tags@0.1.0",
    "murmur:fence/rules@0.1.0",
    "murmur:fence/lanes@0.1.0",
    "murmur:fence/inspect@0.1.0",
    "murmur:fence/audit@0.1.0",
];

fn load(bytes: &[u8]) -> Result<Component, LoadError> {
    Component::from_bytes(bytes, &Limits::default())
}

#[test]
fn the_world_is_told_from_the_exports() {
    assert_eq!(load(&guest::fence()).unwrap().world(), World::Fence);
    assert_eq!(load(&guest::conversation()).unwrap().world(), World::Conversation);
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let error = Component::from_file("no/such/file.wasm", &Limits::default()).unwrap_err();
    assert!(matches!(error, LoadError::Unreadable { .. }), "{error:?}");
    assert!(error.to_string().contains("`no/such/file.wasm`"), "{error}");
}

#[test]
fn what_is_no_component_is_refused() {
    let module = wat::parse_str("(module)").unwrap();
    let truncated = &guest::fence()[..1000];
    for bytes in [&b""[..], b"\0asm", b"plain text", &module, truncated] {
        let error = load(bytes).unwrap_err();
        assert!(matches!(error, LoadError::NotAComponent { .. }), "{error:?}");
    }
}

#[test]
fn missing_interfaces_and_functions_are_named() {
    let empty = wat::parse_str("(component)").unwrap();
    assert_eq!(missing(&empty), INTERFACES);

    let mut wit = guest::read_wit();
    let fence = &mut wit.iter_mut().find(|(name, _)| name == "fence.wit").unwrap().1;
    let restore = "restore: func(body: string) -> string;";
    assert!(fence.contains(restore));
    *fence = fence.replace(restore, "");
    let module: String =
        guest::module().split_inclusive('\n').filter(|line| !line.contains("#restore")).collect();
    let component = guest::encode(&wit, "include murmur:fence/fence-component@0.1.0;", &module);
    assert_eq!(missing(&component), ["murmur:fence/fence@0.1.0#restore"]);
}

fn missing(bytes: &[u8]) -> Vec<String> {
    match load(bytes) {
        Err(LoadError::MissingExports { names }) => names,
        other => panic!("expected missing exports, got {other:?}"),
    }
}

#[test]
fn an_export_of_another_type_is_refused() {
    let mut wit = guest::read_wit();
    let fence = &mut wit.iter_mut().find(|(name, _)| name == "fence.wit").unwrap().1;
    let restore = "restore: func(body: string) -> string;";
    assert!(fence.contains(restore));
    *fence = fence.replace(restore, "restore: func(body: string) -> list<string>;");
    let component =
        guest::encode(&wit, "include murmur:fence/fence-component@0.1.0;", guest::module());
    let error = load(&component).unwrap_err();
    assert!(matches!(error, LoadError::ExportType { .. }), "{error:?}");
    assert!(error.to_string().contains("expected `string` found `list`"), "{error}");
}

const CLOCK: &str = r#"(import "test:clock/now" "now" (func (result i64)))"#;

#[test]
fn an_import_outside_the_grants_is_named_in_either_world() {
    let mut wit = guest::read_wit();
    let clock = "package test:clock; interface now { now: func() -> u64; }";
    wit.push(("deps/clock/now.wit".into(), clock.into()));
    let module = guest::with_import(&guest::with_reader(guest::module()), CLOCK);
    for world in ["fence-component", "conversation"] {
        let items = format!("include murmur:fence/{world}@0.1.0; import test:clock/now;");
        let component = guest::encode(&wit, &items, &module);
        assert_eq!(ungranted(&component), ["test:clock/now"]);
    }
}

#[test]
fn reading_is_granted_and_writing_is_not() {
    let mut wit = guest::read_wit();
    let types = "deps/wasi-filesystem/types.wit";
    let types = &mut wit.iter_mut().find(|(name, _)| name == types).unwrap().1;
    let stat = "stat: func() -> result<descriptor-stat, error-code>;";
    assert!(types.contains(stat));
    *types = types.replace(stat, &format!("{stat} sync: func() -> result<_, error-code>;"));

    let read = r#"(import "wasi:filesystem/types@0.2.0" "[method]descriptor.metadata-hash"
        (func (param i32 i32)))"#;
    let sync = r#"(import "wasi:filesystem/types@0.2.0" "[method]descriptor.sync"
        (func (param i32 i32)))"#;
    let component = |imports: &str| {
        let module = guest::with_import(&guest::with_reader(guest::module()), imports);
        guest::encode(&wit, "include murmur:fence/conversation@0.1.0;", &module)
    };
    load(&component(read)).unwrap();
    assert_eq!(
        ungranted(&component(&format!("{read}{sync}"))),
        ["wasi:filesystem/types@0.2.0#[method]descriptor.sync"]
    );
}

#[test]
fn the_fence_world_grants_not_even_reading() {
    let preopens = r#"(import "wasi:filesystem/preopens@0.2.0" "get-directories"
        (func (param i32)))"#;
    let module = guest::with_import(guest::module(), preopens);
    let items = "include murmur:fence/fence-component@0.1.0;
        import wasi:filesystem/preopens@0.2.0;";
    let names = ungranted(&guest::encode(&guest::read_wit(), items, &module));
    assert!(names.contains(&"wasi:filesystem/preopens@0.2.0".to_string()), "{names:?}");
}

fn ungranted(bytes: &[u8]) -> Vec<String> {
    match load(bytes) {
        Err(LoadError::ImportsNotGranted { names }) => names,
        other => panic!("expected ungranted imports, got {other:?}"),
    }
}

#[test]
fn a_component_without_a_reader_has_no_conversation() {
    let component = load(&guest::fence()).unwrap();
    let error = component.conversation(None).unwrap_err();
    assert!(error.to_string().contains("`murmur:conversation/read@0.2.0`"), "{error}");
}

#[test]
fn a_directory_that_cannot_be_opened_is_named() {
    let component = load(&guest::conversation()).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let absent = directory.path().join("absent");
    let error = component.conversation(Some(&absent)).unwrap_err();
    assert!(matches!(&error, LoadError::Directory { path, .. } if *path == absent), "{error:?}");
}

#[test]
fn a_survey_tells_everything_at_once() {
    let mut wit = guest::read_wit();
    wit.push((
        "deps/clock/now.wit".into(),
        "package test:clock; interface now { now: func() -> u64; }".into(),
    ));
    let module = r#"(module (import "test:clock/now" "now" (func (result i64))))"#;
    let component = guest::encode(&wit, "import test:clock/now;", module);
    let survey = Survey::of(&component).unwrap();
    assert_eq!(survey.world, World::Fence);
    assert_eq!(survey.imports, ["test:clock/now"]);
    assert_eq!(survey.ungranted_imports, ["test:clock/now"]);
    assert_eq!(survey.missing_exports, INTERFACES);

    let survey = Survey::of(&guest::conversation()).unwrap();
    assert_eq!(survey.world, World::Conversation);
    assert!(survey.missing_exports.is_empty() && survey.ungranted_imports.is_empty());
}

#[cfg(feature = "cache")]
mod cached {
    use super::{Component, Limits, LoadError, World, guest};
    use std::fs::{self, File};
    use std::path::{Path, PathBuf};

    fn load(directory: &Path) -> Result<Component, LoadError> {
        Component::from_bytes_cached(&guest::fence(), &Limits::default(), directory)
    }

    /// Every file below a directory that holds compiled code, and is no statistic of it.
    fn code_below(directory: &Path) -> Vec<PathBuf> {
        let mut code = Vec::new();
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                code.extend(code_below(&path));
            } else if path.extension().is_none() {
                code.push(path);
            }
        }
        code
    }

    #[test]
    fn compiled_code_is_kept_and_what_is_no_code_is_compiled_anew() {
        let scratch = tempfile::tempdir().unwrap();
        // It is made.
        let directory = scratch.path().join("code");
        assert_eq!(load(&directory).unwrap().world(), World::Fence);
        let code = code_below(&directory);
        let [kept] = code.as_slice() else { panic!("{code:?}") };
        let whole = fs::metadata(kept).unwrap().len();

        assert_eq!(load(&directory).unwrap().world(), World::Fence);
        assert_eq!(code_below(&directory), code);

        File::options().write(true).open(kept).unwrap().set_len(whole / 2).unwrap();
        assert_eq!(load(&directory).unwrap().world(), World::Fence);
        assert_eq!(fs::metadata(kept).unwrap().len(), whole);
    }

    #[test]
    fn a_directory_that_cannot_be_used_is_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = load(file.path()).unwrap_err();
        assert!(matches!(error, LoadError::Cache { .. }), "{error:?}");
        assert!(error.to_string().contains(&file.path().display().to_string()), "{error}");
    }
}
