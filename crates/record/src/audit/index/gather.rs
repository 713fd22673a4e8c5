//! Reading traces and streams into the index.

use std::collections::HashMap;

use super::{Call, Digest, Index, Origin, Refusal, Skill, Task, Told};
use crate::stream::{ArtifactFrame, FrameLabel};
use crate::trace::{Event, EventKind};

/// How much of an error is kept, in bytes; the runtime cuts it there too.
const MAX_ERROR: usize = 2000;

/// What is known while a trace is read: its tasks, by the hash of their ids.
#[derive(Debug, Default)]
pub(in crate::audit) struct Tracing {
    tasks: HashMap<u64, usize>,
    /// The task that was under way last; events that name none belong to it.
    current: Option<usize>,
}

impl Tracing {
    fn task(&self, index: &Index, event: &Event<'_>) -> Option<usize> {
        match &event.task {
            Some(task) => self.tasks.get(&index.digests.hash(task)).copied(),
            None => self.current,
        }
    }
}

impl Index {
    /// Takes in an event of the trace that `tracing` follows.
    pub(in crate::audit) fn event(
        &mut self,
        tracing: &mut Tracing,
        origin: Origin,
        event: &Event<'_>,
    ) {
        let Some(time) = event.timestamp else { return };
        let task = tracing.task(self, event);
        let context = task.and_then(|task| self.tasks[task].context);
        let boxed = |text: &Option<std::borrow::Cow<'_, str>>| text.as_deref().map(Box::from);
        match &event.kind {
            EventKind::TaskStart(start) => {
                let task = Task {
                    start: time,
                    end: None,
                    answered: None,
                    context: start.context.as_deref().map(|context| self.digests.hash(context)),
                    // What is not said is not trusted.
                    trusted: start.trusted == Some(true),
                    origin: boxed(&start.origin).unwrap_or_default(),
                };
                if let Some(id) = &event.task {
                    tracing.tasks.insert(self.digests.hash(id), self.tasks.len());
                }
                tracing.current = Some(self.tasks.len());
                self.tasks.push(task);
            }
            EventKind::TaskEnd => {
                if let Some(task) = task {
                    self.tasks[task].end = Some(time);
                    tracing.current = None;
                }
            }
            EventKind::Inference => {
                if let Some(task) = task {
                    self.tasks[task].answered.get_or_insert(time);
                }
            }
            EventKind::ToolCall(call) => {
                let Some(id) = &call.call else { return };
                let error = call.error.as_deref().map(|error| {
                    let end = error.floor_char_boundary(MAX_ERROR);
                    Box::from(&error[..end])
                });
                let told = Told::Trace { succeeded: call.succeeded, error };
                let text: Option<Digest> =
                    call.output.as_ref().map(|output| self.digests.of(&output.text));
                let (tool, bytes) = (boxed(&call.tool), call.output_bytes);
                let call = Call { origin, time: Some(time), context, tool, told, text, bytes };
                self.calls.entry(self.digests.hash(id)).or_default().push(call);
            }
            EventKind::SkillCall(skill) => {
                if let (Some(bytes), Some(name)) = (skill.output_bytes, boxed(&skill.skill)) {
                    let trusted = skill.trusted == Some(true);
                    self.skills.push(Skill { time, context, bytes, name, trusted });
                }
            }
            EventKind::CallDenied(denied) => {
                if let Some(reason) = boxed(&denied.reason) {
                    self.refusals.push(Refusal { time, context, reason });
                }
            }
            EventKind::Other(_) => {}
        }
    }

    /// Takes in a frame.
    pub(in crate::audit) fn frame(&mut self, origin: Origin, frame: &ArtifactFrame<'_>) {
        let Some(id) = &frame.call else { return };
        let label = match &frame.label {
            FrameLabel::Fenced(label) => Some(Some(Box::from(&**label))),
            FrameLabel::Bare => Some(None),
            FrameLabel::Absent => None,
        };
        let text = frame.content.as_ref().map(|content| &content.text);
        let call = Call {
            origin,
            time: frame.timestamp,
            context: frame.context.as_deref().map(|context| self.digests.hash(context)),
            tool: frame.tool.as_deref().map(Box::from),
            told: Told::Stream { is_error: frame.is_error, label },
            bytes: text.map(|text| text.len() as u64),
            text: text.map(|text| self.digests.of(text)),
        };
        self.calls.entry(self.digests.hash(id)).or_default().push(call);
    }

    /// Sorts what was taken in, so that it can be looked up.
    pub(in crate::audit) fn settle(&mut self) {
        self.calls.values_mut().for_each(|calls| calls.sort_by_key(|call| call.time));
        self.skills.sort_by_key(|skill| skill.time);
        self.refusals.sort_by_key(|refusal| refusal.time);
        self.tasks.sort_by_key(|task| task.start);
    }
}
