//! `audit` and Ctrl-C: no half-written file stays, and none that was there is
//! touched.

#![cfg(unix)]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// An audit that waits for more of its standard input, with its page begun.
fn waiting_audit(page: &Path) -> Child {
    let mut child = Command::new(env!("CARGO_BIN_EXE_murmur-fence"))
        .args(["audit", "--html", page.to_str().unwrap(), "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.as_mut().unwrap().write_all(b"{\"role\":\"user\"}\n").unwrap();
    let directory = page.parent().unwrap();
    while !names(directory).iter().any(|name| name.ends_with(".part")) {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        sleep(Duration::from_millis(5));
    }
    child
}

fn interrupt(child: &mut Child) -> Option<i32> {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    // Waiting closes its input, and it might end by that before the signal is handled.
    let input = child.stdin.take();
    let status = child.wait().unwrap();
    drop(input);
    status.code()
}

#[test]
fn an_interrupted_audit_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let mut child = waiting_audit(&directory.path().join("page.html"));
    assert_eq!(interrupt(&mut child), Some(130));
    assert_eq!(names(directory.path()), [""; 0]);
}

#[test]
fn an_interrupted_audit_leaves_the_page_before_it() {
    let directory = tempfile::tempdir().unwrap();
    let page = directory.path().join("page.html");
    fs::write(&page, "before").unwrap();
    let mut child = waiting_audit(&page);
    assert_eq!(interrupt(&mut child), Some(130));
    assert_eq!(names(directory.path()), ["page.html"]);
    assert_eq!(fs::read_to_string(&page).unwrap(), "before");
}

#[test]
fn an_audit_that_ends_leaves_the_page_alone() {
    let directory = tempfile::tempdir().unwrap();
    let page = directory.path().join("page.html");
    fs::write(&page, "before").unwrap();
    let mut child = waiting_audit(&page);
    drop(child.stdin.take());
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0));
    assert_eq!(names(directory.path()), ["page.html"]);
    assert!(fs::read_to_string(&page).unwrap().starts_with("<!doctype html>"));
}
