//! The guard before a commit.

mod tree;

use std::process::Command;

use murmur_fence_lanes::guard::{GuardError, Options, staged};
use tree::{LANES, Tree};

fn git(tree: &Tree, arguments: &[&str]) {
    let mut command = Command::new("git");
    // Nothing of the user's own settings, nor of a hook that runs these tests.
    for name in ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"] {
        command.env_remove(name);
    }
    let settings =
        ["-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "commit.gpgsign=false"];
    let output =
        command.arg("-C").arg(tree.path()).args(settings).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A repository with the registry committed.
fn repository() -> Tree {
    let tree = Tree::of(&[("lanes.toml", LANES), ("old.ts", "fence('stray', x);\nlet y;\n")]);
    git(&tree, &["init", "-q", "."]);
    git(&tree, &["add", "."]);
    git(&tree, &["commit", "-q", "-m", "start"]);
    tree
}

fn findings(tree: &Tree) -> Vec<String> {
    let found = staged(tree.path(), &Options::default()).unwrap();
    found.iter().map(ToString::to_string).collect()
}

#[test]
fn a_new_lane_name_needs_a_table() {
    let tree = repository();
    tree.write("src/a.ts", "fence('page', x);\n\ninject('notes', x);\n");
    assert_eq!(findings(&tree), [""; 0], "nothing is staged");
    git(&tree, &["add", "src"]);
    assert_eq!(
        findings(&tree),
        [
            "src/a.ts:3:8: lane-unregistered: `inject('notes'` names lane `notes`, and lanes.toml does \
          not say whose text that is; stage a table [notes] with its `trust` and `budget`"
        ]
    );
}

#[test]
fn the_staged_registry_counts_and_not_the_one_beside_it() {
    let tree = repository();
    tree.write("a.py", "fence('notes', x)\n");
    tree.write("lanes.toml", &format!("{LANES}[notes]\ntrust = \"tool\"\nbudget = 1\n"));
    git(&tree, &["add", "a.py"]);
    assert_eq!(findings(&tree).len(), 1);
    git(&tree, &["add", "lanes.toml"]);
    assert_eq!(findings(&tree), [""; 0]);
}

#[test]
fn only_lines_that_the_commit_adds_count() {
    let tree = repository();
    tree.write(
        "old.ts",
        "fence('stray', x);\nlet y;\n\n\nfence('fresh', x);\nlet z;\nfence('page', x);\n",
    );
    git(&tree, &["add", "."]);
    let found = findings(&tree);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("old.ts:5:7: "), "{found:?}");

    git(&tree, &["commit", "-q", "-m", "with it"]);
    tree.write("old.ts", "let y;\n");
    git(&tree, &["add", "."]);
    assert_eq!(findings(&tree), [""; 0], "removing a name is no use of it");
}

#[test]
fn a_staged_file_is_read_as_it_is_staged() {
    let tree = repository();
    tree.write("a.ts", "fence('notes', x);\n");
    git(&tree, &["add", "."]);
    tree.write("a.ts", "fence('page', x);\n");
    assert_eq!(findings(&tree).len(), 1);
}

#[test]
fn file_names_are_taken_as_they_are() {
    let tree = repository();
    for name in ["two words.ts", "ä.ts", "a\"b.ts", "*.ts", "0:a.ts"] {
        tree.write(name, "fence('notes', x);\n");
    }
    git(&tree, &["add", "."]);
    assert_eq!(findings(&tree).len(), 5);
    tree.write("src/deep/a.ts", "fence('notes', x);\n");
    git(&tree, &["add", "."]);
    let below = staged(&tree.path().join("src"), &Options::default()).unwrap();
    assert_eq!(below.len(), 6, "from a directory below, the whole commit");
}

#[test]
fn a_file_name_is_no_pattern() {
    let tree = repository();
    tree.write("*.ts", "fence('notes', x);\n");
    git(&tree, &["add", "."]);
    git(&tree, &["commit", "-q", "-m", "with it"]);
    tree.write("*.ts", "fence('notes', x);\nlet y;\n");
    tree.write("other.ts", "let z;\n");
    git(&tree, &["add", "."]);
    assert_eq!(findings(&tree), [""; 0], "line 1 is new in the other file only");
}

#[test]
fn a_moved_file_counts_as_new() {
    let tree = repository();
    git(&tree, &["mv", "old.ts", "new.ts"]);
    assert!(findings(&tree)[0].starts_with("new.ts:1:7: "));
}

#[test]
fn tests_foreign_code_and_other_files_pass() {
    let tree = repository();
    for path in ["a.test.ts", "tests/a.ts", "node_modules/a/a.js", "notes.md", "vendor/a.py"] {
        tree.write(path, "fence('notes', x)\n");
    }
    git(&tree, &["add", "--force", "."]);
    assert_eq!(findings(&tree), [""; 0]);
    let with_tests = Options { tests: true, ..Options::default() };
    assert_eq!(staged(tree.path(), &with_tests).unwrap().len(), 2);
}

#[test]
fn a_first_commit_is_guarded_too() {
    let tree = Tree::of(&[("lanes.toml", LANES), ("a.ts", "fence('notes', x);\n")]);
    git(&tree, &["init", "-q", "."]);
    git(&tree, &["add", "."]);
    assert_eq!(findings(&tree).len(), 1);
}

#[test]
fn a_guard_that_cannot_tell_says_why() {
    let bare = Tree::of(&[]);
    let error = staged(bare.path(), &Options::default()).unwrap_err();
    assert!(matches!(error, GuardError::Git { .. }), "{error}");

    let tree = repository();
    let other = Options { registry: "conf/lanes.toml".into(), ..Options::default() };
    let error = staged(tree.path(), &other).unwrap_err();
    assert!(matches!(error, GuardError::NoRegistry { .. }), "{error}");

    tree.write("lanes.toml", "[a]\ntrust = \"Owner\"\nbudget = 1\n");
    git(&tree, &["add", "."]);
    let error = staged(tree.path(), &Options::default()).unwrap_err();
    assert!(error.to_string().contains("lanes.toml:2:9: lane `a`"), "{error}");
}

#[test]
fn a_call_counts_from_its_first_line_to_its_literal() {
    let tree = repository();
    tree.write("a.ts", "render(\n  'notes',\n  x);\n");
    git(&tree, &["add", "."]);
    git(&tree, &["commit", "-q", "-m", "render"]);
    tree.write("a.ts", "inject(\n  'notes',\n  y);\n");
    git(&tree, &["add", "."]);
    assert_eq!(findings(&tree).len(), 1);
    assert!(findings(&tree)[0].starts_with("a.ts:2:3: "));
}

#[test]
fn a_file_that_git_takes_for_binary_is_read() {
    let tree = repository();
    tree.write(".gitattributes", "*.ts -diff\n");
    tree.write("a.ts", "inject('notes', x);\n");
    tree.write("b.js", "inject('notes', '\0');\n");
    git(&tree, &["add", "."]);
    assert_eq!(findings(&tree).len(), 2);
}

#[test]
fn links_and_submodules_are_no_source_whatever_they_are_called() {
    let tree = repository();
    git(&tree, &["init", "-q", "three.js"]);
    git(&tree, &["-C", "three.js", "commit", "-q", "--allow-empty", "-m", "start"]);
    std::os::unix::fs::symlink("inject('notes', x)", tree.path().join("a.ts")).unwrap();
    git(&tree, &["-c", "advice.addEmbeddedRepo=false", "add", "."]);
    assert_eq!(findings(&tree), [""; 0]);
    // A link that becomes a file is a change of its type.
    git(&tree, &["commit", "-q", "-m", "a link"]);
    std::fs::remove_file(tree.path().join("a.ts")).unwrap();
    tree.write("a.ts", "inject('notes', x);\n");
    git(&tree, &["add", "a.ts"]);
    assert_eq!(findings(&tree).len(), 1);
}

#[test]
fn a_staged_file_that_cannot_be_read_is_an_error() {
    let tree = repository();
    let deep: String = (0..1_500).map(|level| " ".repeat(level) + "if x:\n").collect();
    tree.write("a.py", &(deep + &" ".repeat(1_500) + "inject('notes', x)\n"));
    git(&tree, &["add", "."]);
    let error = staged(tree.path(), &Options::default()).unwrap_err();
    assert!(matches!(&error, GuardError::Source { path, .. } if path == "a.py"), "{error}");
}
