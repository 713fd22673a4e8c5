//! A guest that tries to write finds that it may not, whatever it asks for.

mod guest;

use murmur_fence_host::{Component, Limits};
use std::fs;

/// Opens a file of the first preopened directory with the open flags that
/// `read-messages` is given as its limit, to read and to write, and answers a page
/// whose total is 0 when that went well, else 1.
const OPENS: &str = r#"
  (data (i32.const 128) "conversation.jsonl")
  (func (export "murmur:conversation/read@0.2.0#read-messages")
      (param i32 i32 i32) (param $limit i32) (result i32)
    (call $get-directories (i32.const 160))
    (call $open-at
      (i32.load (i32.load (i32.const 160)))
      (i32.const 0)
      (i32.const 128) (i32.const 18)
      (local.get $limit)
      (i32.const 3)
      (i32.const 176))
    (i32.store (i32.const 40) (i32.const 0))
    (i64.store (i32.const 44) (i64.const 0))
    (i64.store (i32.const 52) (i64.const 0))
    (i32.store (i32.const 60) (i32.const 0))
    (i32.store (i32.const 64) (i32.load8_u (i32.const 176)))
    (i32.const 40))
"#;

const IMPORTS: &str = r#"
  (import "wasi:filesystem/preopens@0.2.0" "get-directories"
    (func $get-directories (param i32)))
  (import "wasi:filesystem/types@0.2.0" "[method]descriptor.open-at"
    (func $open-at (param i32 i32 i32 i32 i32 i32 i32)))
"#;

#[test]
fn nothing_is_created_and_nothing_truncated() {
    let module = guest::module().replace(";;EXPORTS", OPENS);
    let module = guest::with_import(&module, IMPORTS);
    let world = "include murmur:fence/conversation@0.1.0;";
    let bytes = guest::encode(&guest::read_wit(), world, &module);
    let component = Component::from_bytes(&bytes, &Limits::default()).unwrap();

    let directory = tempfile::tempdir().unwrap();
    let record = directory.path().join("conversation.jsonl");
    let conversation = component.conversation(Some(directory.path())).unwrap();
    // The flags `create`, `create` and `exclusive`, and `truncate`.
    for flags in [1, 5] {
        assert_eq!(conversation.read_messages(None, flags).unwrap().unwrap().total, 1);
        assert!(!record.exists());
    }
    fs::write(&record, "{}\n").unwrap();
    for flags in [0, 1, 8, 9] {
        assert_eq!(conversation.read_messages(None, flags).unwrap().unwrap().total, 1);
        assert_eq!(fs::read(&record).unwrap(), b"{}\n");
    }
}
