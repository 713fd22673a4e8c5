//! `page`: one page of a record, as the component answers it.

use std::env;
use std::path::{Path, PathBuf};

use murmur_fence_host::{Component, ContextInsertion, Limits, Message, MessagePage};
use serde_json::{Value, json};

use super::component;
use crate::Outcome;
use crate::failure::Failure;

/// Names the component where no argument does.
pub const COMPONENT_VARIABLE: &str = "MURMUR_FENCE_CONVERSATION";

/// Names the directory for compiled code where no argument does.
pub const CACHE_VARIABLE: &str = "MURMUR_FENCE_CACHE";

const COMPONENT_FILE: &str = "murmur-fence-conversation.wasm";

pub fn run(
    dir: &Path,
    cursor: Option<&str>,
    limit: u32,
    component: Option<PathBuf>,
    cache: Option<&Path>,
) -> Result<Outcome, Failure> {
    let file = component.map_or_else(find_component, Ok)?;
    let bytes = component::read(&file)?;
    let limits = Limits::default();
    let loaded = match cache {
        Some(directory) => Component::from_bytes_cached(&bytes, &limits, directory),
        None => Component::from_bytes(&bytes, &limits),
    };
    let component = loaded.map_err(|error| {
        let reason = component::one_line(&error.to_string());
        Failure::at("load component", file.display(), reason)
    })?;
    let conversation = component
        .conversation(Some(dir))
        .map_err(|error| Failure::new(format!("failed to serve the record: {error}")))?;
    let answer = conversation
        .read_messages(cursor, limit)
        .map_err(|error| Failure::at("page the record in", dir.display(), error))?;
    match answer {
        Ok(page) => {
            crate::json::print(&json!({ "ok": page_json(page) }))?;
            Ok(Outcome::Clean)
        }
        Err(reason) => {
            crate::json::print(&json!({ "err": reason }))?;
            Ok(Outcome::Findings)
        }
    }
}

fn page_json(page: MessagePage) -> Value {
    json!({
        "messages": page.messages.into_iter().map(message_json).collect::<Vec<_>>(),
        "next_cursor": page.next_cursor,
        "total": page.total,
    })
}

fn message_json(message: Message) -> Value {
    let inserted_by = message.inserted_by.map(|insertion| match insertion {
        ContextInsertion::ReplaceContext => "replace-context",
        ContextInsertion::SeedContext => "seed-context",
    });
    json!({
        "role": message.role,
        "content": message.content,
        "id": message.id,
        "source_id": message.source_id,
        "inserted_by": inserted_by,
    })
}

/// The component beside this program, or where a build of the project puts it.
fn find_component() -> Result<PathBuf, Failure> {
    let program = env::current_exe().map_err(|error| {
        Failure::new(format!("failed to find this program's directory: {error}"))
    })?;
    let directory = program.parent().unwrap_or(Path::new("."));
    let places =
        [directory.join(COMPONENT_FILE), directory.join("../components").join(COMPONENT_FILE)];
    places.iter().find(|place| place.is_file()).cloned().ok_or_else(|| {
        Failure::new(format!(
            "no component: `{}` is not there; name one with --component or {COMPONENT_VARIABLE}, \
             or build it with `cargo xtask component`",
            places[0].display(),
        ))
    })
}
