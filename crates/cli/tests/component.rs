//! `component info` shows the whole reach of a component, and both lists hold.

mod support;

use serde_json::{Value, json};
use support::{file, run};
use xtask::Guest;

fn info(guest: Guest) -> Value {
    let component = xtask::component(guest).unwrap();
    let run = run(&["component", "info", "--format", "json", component.to_str().unwrap()]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    run.json()
}

fn names(entries: &Value) -> Vec<&str> {
    entries.as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap()).collect()
}

#[test]
fn the_fence_component_imports_nothing() {
    let info = info(Guest::Fence);
    assert_eq!(info["imports"], json!([]));
    let mut exports = names(&info["exports"]);
    exports.sort_unstable();
    let interfaces = ["audit", "fence", "inspect", "lanes", "nonce", "rules", "tags"];
    assert_eq!(exports, interfaces.map(|name| format!("murmur:fence/{name}@0.1.0")));
}

#[test]
fn the_conversation_component_imports_reading_and_types_only() {
    let info = info(Guest::Conversation);
    let mut imports = info["imports"].as_array().unwrap().clone();
    imports.sort_by_key(|import| import["name"].as_str().unwrap().to_owned());
    assert_eq!(
        imports,
        [
            json!({"name": "murmur:hook/lifecycle@0.9.0", "functions": []}),
            json!({"name": "wasi:clocks/wall-clock@0.2.0", "functions": []}),
            json!({"name": "wasi:filesystem/preopens@0.2.0", "functions": ["get-directories"]}),
            json!({"name": "wasi:filesystem/types@0.2.0", "functions": [
                "[method]descriptor.read",
                "[method]descriptor.stat",
                "[method]descriptor.stat-at",
                "[method]descriptor.open-at",
                "[method]descriptor.metadata-hash",
            ]}),
        ],
    );
    assert!(names(&info["exports"]).contains(&"murmur:conversation/read@0.2.0"));
}

#[test]
fn the_human_form_counts_imports_and_names_types_only_ones() {
    let component = xtask::component(Guest::Conversation).unwrap();
    let run = run(&["component", "info", component.to_str().unwrap()]);
    assert!(run.text().contains("\nimports: 4\n"));
    assert!(run.text().contains("\n  wasi:clocks/wall-clock@0.2.0 (types only)\n"));
}

#[test]
fn what_is_no_component_is_refused_with_status_2() {
    let text = run(&["component", "info", &file("README.md")]);
    assert_eq!(text.status, 2);
    assert!(text.stderr.contains("README.md`"), "{}", text.stderr);
    let absent = run(&["component", "info", "no/such.wasm"]);
    assert_eq!(absent.status, 2);
}

#[test]
fn what_is_no_component_is_said_in_one_line_with_what_to_do() {
    let directory = tempfile::tempdir().unwrap();
    let record = file("examples/records/hostile");
    for (name, bytes, reason) in [
        ("text", &b"# murmur"[..], "it is not WebAssembly"),
        ("empty", b"", "it is not WebAssembly"),
        ("module", b"\0asm\x01\0\0\0", "it is a core module, not a component"),
    ] {
        let path = directory.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let path = path.to_str().unwrap();
        let expected = format!(
            "murmur-fence: failed to read component `{path}`: {reason}; \
             name a component, as `cargo xtask component` builds them\n"
        );
        let info = run(&["component", "info", path]);
        assert_eq!((info.status, &info.stderr), (2, &expected));
        let page = run(&["page", "--dir", &record, "--component", path]);
        assert_eq!((page.status, &page.stderr), (2, &expected));
    }
    // One that begins well and is damaged behind.
    let path = directory.path().join("damaged");
    std::fs::write(&path, b"\0asm\x0d\0\x01\0\xff\xff\xff").unwrap();
    for arguments in [&["component", "info"][..], &["page", "--dir", &record, "--component"]] {
        let damaged = run(&[arguments, &[path.to_str().unwrap()]].concat());
        assert_eq!((damaged.status, damaged.stderr.lines().count()), (2, 1), "{}", damaged.stderr);
    }
}
