//! A Murmur tool that is handed several documents and fences each by its own
//! origin. The fence is an import: `murmur-fence.wasm` is plugged in.

#![cfg_attr(target_family = "wasm", no_std)]

extern crate alloc;

wit_bindgen::generate!({ path: "wit", world: "tool", generate_all });

#[path = "../../../crates/guest-fence/src/runtime.rs"]
mod runtime;

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};

use exports::murmur::tool::run::{Guest, Status, ToolInput, ToolResult};
use murmur::fence::fence::{Item, wrap_all};

/// The input.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    documents: Vec<Object<Document>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    /// Where it came from; the source name of its block.
    origin: String,
    text: String,
}

/// A struct as an object only: serde takes a list without names for one, too.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Members<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Members<T> {
            type Value = T;

            fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
                to.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(members))
            }
        }

        from.deserialize_map(Members(PhantomData)).map(Object)
    }
}

struct Tool;

impl Guest for Tool {
    fn run(input: ToolInput) -> ToolResult {
        match fenced(input.data.as_deref()) {
            Ok(blocks) => answer(
                Status::Passed,
                Some(count(blocks.len())),
                Some(blocks.join("\n")).filter(|text| !text.is_empty()),
            ),
            Err(why) => answer(Status::Failed, Some(why), None),
        }
    }
}

/// A block for each document, in their order.
fn fenced(data: Option<&str>) -> Result<Vec<String>, String> {
    const WANTED: &str = r#"give {"documents":[{"origin":"web:example.org","text":"..."}]}"#;
    let data = data.ok_or_else(|| format!("the tool got no input; {WANTED}"))?;
    let Object(input) = serde_json::from_str::<Object<Input>>(data)
        .map_err(|error| format!("the input is not what the tool takes: {error}; {WANTED}"))?;
    let nameless =
        input.documents.iter().position(|Object(document)| document.origin.trim().is_empty());
    if let Some(index) = nameless {
        return Err(format!(
            "/documents/{index}/origin is empty; say where the document came from"
        ));
    }
    let item = |Object(document): Object<Document>| Item {
        source: document.origin,
        content: document.text,
    };
    let items: Vec<Item> = input.documents.into_iter().map(item).collect();
    Ok(wrap_all(&items))
}

fn count(documents: usize) -> String {
    match documents {
        0 => "there was no document to fence".to_owned(),
        1 => "1 document fenced".to_owned(),
        many => many.to_string() + " documents fenced, each by its own origin",
    }
}

fn answer(status: Status, summary: Option<String>, data: Option<String>) -> ToolResult {
    let metadata = Vec::from([("state_effect".to_owned(), "read".to_owned())]);
    ToolResult { status, summary, data, data_path: None, truncated: false, metadata }
}

// Native linkers refuse the exports' names; there the crate is only checked.
#[cfg(target_family = "wasm")]
export!(Tool);
