//! A Murmur hook that pages the whole record, inspects every message, and hands out
//! what the markers of each show as an artifact. Reading comes from the runtime,
//! inspecting from `murmur-fence.wasm`, which is plugged in.

#![cfg_attr(target_family = "wasm", no_std)]

extern crate alloc;

wit_bindgen::generate!({ path: "wit", world: "hook", generate_all });

mod report;
#[path = "../../../crates/guest-fence/src/runtime.rs"]
mod runtime;

use alloc::string::{String, ToString};

use exports::murmur::hook::lifecycle::{
    CompactionEvent, Guest, HookOutput, InferenceEvent, SessionContext, SessionEndEvent,
    ShellEvent, StageEvent, TaskEndEvent, TaskStartEvent, ToolEvent,
};

struct Hook;

type Answer = Result<HookOutput, String>;

impl Guest for Hook {
    /// The runtime sends an artifact on if it comes with the answer that completes
    /// the task; that answer itself is not in the record yet.
    fn on_inference(event: InferenceEvent) -> Answer {
        match event.tool_name {
            Some(_) => Ok(HookOutput::None),
            None => report(),
        }
    }

    fn on_task_end(_: TaskEndEvent) -> Answer {
        report()
    }

    /// What a hook answers here goes nowhere; an error goes into its log.
    fn on_session_end(_: SessionEndEvent) -> Answer {
        match cfg!(feature = "evidence") {
            true => Err(report::evidence()?.to_string()),
            false => Ok(HookOutput::None),
        }
    }

    fn on_stage(_: StageEvent) -> Answer {
        Ok(HookOutput::None)
    }

    fn on_session_start(_: SessionContext) -> Answer {
        Ok(HookOutput::None)
    }

    fn on_task_start(_: TaskStartEvent) -> Answer {
        Ok(HookOutput::None)
    }

    fn on_tool_call(_: ToolEvent) -> Answer {
        Ok(HookOutput::None)
    }

    fn on_shell(_: ShellEvent) -> Answer {
        Ok(HookOutput::None)
    }

    fn on_compaction(_: CompactionEvent) -> Answer {
        Ok(HookOutput::None)
    }
}

fn report() -> Answer {
    Ok(HookOutput::Artifact(report::report()?.to_string()))
}

// Native linkers refuse the exports' names; there the crate is only checked.
#[cfg(target_family = "wasm")]
export!(Hook);
