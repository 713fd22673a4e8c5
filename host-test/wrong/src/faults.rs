//! The faults, each laid over the right answer.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::RefCell;

use murmur_fence::{INFIX, markers};

use crate::Component;
use crate::exports::murmur::conversation::read;
use crate::exports::murmur::fence::audit::{self, Audited, Options};
use crate::exports::murmur::fence::fence::{
    self, Block, Disguises, FlawKind, GuestWriter, Item, Lookalike, Mode, Segment, Verdict,
    WriterError,
};
use crate::exports::murmur::fence::inspect::{self, InspectError, Piece, ServedMessage};
use crate::exports::murmur::fence::{lanes, nonce, rules, tags};

/// The component with the fault.
pub struct Wrong;

impl fence::Guest for Wrong {
    type Writer = Writer;

    fn wrap(source: String, content: String) -> String {
        wrap(source, content)
    }

    fn wrap_all(items: Vec<Item>) -> Vec<String> {
        let all = items.into_iter().map(|item| wrap(item.source, item.content)).collect();
        if cfg!(feature = "short-batch") { without_last(all) } else { all }
    }

    fn neutralise(content: String) -> Option<String> {
        let neutralised = body(&content);
        (neutralised != content).then_some(neutralised)
    }

    fn neutralise_all(contents: Vec<String>) -> Vec<Option<String>> {
        contents.into_iter().map(Self::neutralise).collect()
    }

    fn open_marker(source: String) -> String {
        <Component as fence::Guest>::open_marker(source)
    }

    fn close_marker() -> String {
        if cfg!(feature = "reads-clock") {
            crate::guest_wrong::faults::clock::now();
        }
        <Component as fence::Guest>::close_marker()
    }

    fn segments(message: String) -> Vec<Segment> {
        if cfg!(feature = "final-closer")
            && let Some(block) = Self::outer_block(message.clone())
        {
            return alloc::vec![Segment::Block(block)];
        }
        <Component as fence::Guest>::segments(message)
    }

    fn outer_block(message: String) -> Option<Block> {
        <Component as fence::Guest>::outer_block(message)
    }

    fn verify(message: String, mode: Mode) -> Verdict {
        let verdict = <Component as fence::Guest>::verify(message, mode);
        match verdict {
            Verdict::Broken(mut flaws) if cfg!(feature = "lenient-verdict") => {
                flaws.retain(|flaw| flaw.kind != FlawKind::OrphanCloser);
                if flaws.is_empty() { Verdict::Unfenced } else { Verdict::Broken(flaws) }
            }
            verdict => verdict,
        }
    }

    fn verify_all(messages: Vec<String>, mode: Mode) -> Vec<Verdict> {
        messages.into_iter().map(|message| Self::verify(message, mode)).collect()
    }

    fn restore(body: String) -> String {
        <Component as fence::Guest>::restore(body)
    }

    fn lookalikes(text: String) -> Vec<Lookalike> {
        let mut found = <Component as fence::Guest>::lookalikes(text);
        if cfg!(feature = "trusts-entities") {
            found.retain(|it| it.disguises & Disguises::ENTITY == Disguises::empty());
        }
        found
    }
}

impl nonce::Guest for Wrong {
    type Nonce = crate::nonce::Nonce;
}

impl tags::Guest for Wrong {
    type Tags = crate::tags::Tags;
}

impl rules::Guest for Wrong {
    fn marker_rules(label: Option<String>) -> Result<rules::Wording, rules::LabelError> {
        <Component as rules::Guest>::marker_rules(label)
    }

    fn provenance(modules: Vec<String>) -> Result<String, rules::ProvenanceError> {
        <Component as rules::Guest>::provenance(modules)
    }

    fn history(mut turns: Vec<rules::Turn>) -> rules::Imported {
        if cfg!(feature = "folds-roles") {
            turns.iter_mut().for_each(|turn| turn.role = turn.role.trim().to_ascii_lowercase());
        }
        <Component as rules::Guest>::history(turns)
    }
}

impl lanes::Guest for Wrong {
    type Registry = crate::lanes::Registry;
    type Assembler = Assembler;
    type Chat = crate::lanes::Chat;

    fn receipt_coverage(
        registry: Option<lanes::RegistryBorrow<'_>>,
        receipts: String,
    ) -> Result<lanes::Coverage, lanes::ReceiptError> {
        <Component as lanes::Guest>::receipt_coverage(registry, receipts)
    }

    fn prompt_coverage(
        registry: lanes::RegistryBorrow<'_>,
        dialect: lanes::Dialect<'_>,
        prompt: String,
    ) -> lanes::Coverage {
        <Component as lanes::Guest>::prompt_coverage(registry, dialect, prompt)
    }

    fn messages_coverage(
        registry: lanes::RegistryBorrow<'_>,
        dialect: lanes::Dialect<'_>,
        messages: String,
    ) -> Result<lanes::Coverage, String> {
        <Component as lanes::Guest>::messages_coverage(registry, dialect, messages)
    }
}

fn wrap(source: String, content: String) -> String {
    let opener = <Component as fence::Guest>::open_marker(source);
    let closer = <Component as fence::Guest>::close_marker();
    [opener, body(&content), closer].join("\n")
}

/// A body as this component neutralises it.
fn body(content: &str) -> String {
    if cfg!(feature = "traps-on-nul") {
        assert!(!content.contains('\0'), "no NUL");
    }
    let mut out = String::new();
    let mut copied = 0;
    for marker in markers(content) {
        let closer = content[marker.start..].starts_with("</");
        out.push_str(&content[copied..marker.start]);
        copied = marker.start + 1;
        if cfg!(feature = "closes-early") && closer {
            out.push('<');
        } else if cfg!(feature = "deletes-markers") {
            copied = marker.end;
        } else {
            out.push('<');
            out.push_str(INFIX);
        }
    }
    out.push_str(&content[copied..]);
    out
}

fn without_last<T>(mut list: Vec<T>) -> Vec<T> {
    list.pop();
    list
}

/// The writer, chunk by chunk or right.
pub enum Writer {
    Right(<Component as fence::Guest>::Writer),
    Forgetful(RefCell<Option<String>>),
}

impl GuestWriter for Writer {
    fn new(source: String) -> Self {
        if cfg!(feature = "forgets-chunks") {
            let opener = <Component as fence::Guest>::open_marker(source) + "\n";
            Writer::Forgetful(RefCell::new(Some(opener)))
        } else {
            Writer::Right(GuestWriter::new(source))
        }
    }

    fn write(&self, chunk: String) -> Result<String, WriterError> {
        match self {
            Writer::Right(writer) => writer.write(chunk),
            Writer::Forgetful(due) => match &mut *due.borrow_mut() {
                Some(due) => Ok(core::mem::take(due) + &body(&chunk)),
                None => Err(WriterError::Finished),
            },
        }
    }

    fn finish(&self) -> Result<String, WriterError> {
        match self {
            Writer::Right(writer) => writer.finish(),
            Writer::Forgetful(due) => match due.borrow_mut().take() {
                Some(due) => Ok(due + "\n" + &<Component as fence::Guest>::close_marker()),
                None => Err(WriterError::Finished),
            },
        }
    }
}

/// The right assembler, with its receipts retouched.
pub struct Assembler(crate::lanes::Assembler);

impl lanes::GuestAssembler for Assembler {
    fn new(registry: lanes::RegistryBorrow<'_>, dialect: lanes::Dialect<'_>) -> Self {
        Assembler(lanes::GuestAssembler::new(registry, dialect))
    }

    fn push(&self, lane: String, text: String) -> Result<lanes::Receipt, lanes::PushError> {
        match self.0.push(lane, text) {
            Err(lanes::PushError::UnknownLane(lane)) if cfg!(feature = "takes-any-lane") => {
                Ok(lanes::Receipt {
                    lane,
                    trust: lanes::Trust::Unknown,
                    budget: 0,
                    bytes: 0,
                    cut: 0,
                    declared: true,
                    fenced: true,
                    line: String::new(),
                })
            }
            answer => answer.map(retouched),
        }
    }

    fn finish(&self) -> Result<lanes::Assembled, lanes::FinishError> {
        let mut assembled = self.0.finish()?;
        assembled.receipts = assembled.receipts.into_iter().map(retouched).collect();
        Ok(assembled)
    }
}

fn retouched(mut receipt: lanes::Receipt) -> lanes::Receipt {
    receipt.fenced |= cfg!(feature = "claims-fences");
    receipt
}

impl audit::Guest for Wrong {
    fn audit_lines(lines: String, options: Options) -> Audited {
        let mut audited = <Component as audit::Guest>::audit_lines(lines, options);
        if cfg!(feature = "believes-labels") {
            for tally in &mut audited.sums.sources {
                tally.intact = tally.labelled;
            }
        }
        audited
    }
}

impl inspect::Guest for Wrong {
    fn inspect(mut message: ServedMessage) -> Result<Vec<Piece>, InspectError> {
        if cfg!(feature = "believes-quotes") {
            message.inserted = false;
            if message.role == "assistant" {
                message.role = "user".to_owned();
            }
        }
        <Component as inspect::Guest>::inspect(message)
    }

    fn inspect_all(messages: Vec<ServedMessage>) -> Vec<Result<Vec<Piece>, InspectError>> {
        messages.into_iter().map(Self::inspect).collect()
    }
}

impl read::Guest for Wrong {
    fn read_messages(cursor: Option<String>, limit: u32) -> Result<read::MessagePage, String> {
        let mut page = <Component as read::Guest>::read_messages(cursor, limit)?;
        if cfg!(feature = "oldest-first") {
            page.messages.reverse();
        }
        if cfg!(feature = "page-total") {
            page.total = page.messages.len() as u32;
        }
        if cfg!(feature = "defaces-pages") {
            for message in &mut page.messages {
                message.content = murmur_fence::neutralise(&message.content).into_owned();
            }
        }
        Ok(page)
    }
}
