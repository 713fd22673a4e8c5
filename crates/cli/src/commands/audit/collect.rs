//! What the audit hands over, kept for the reports.

use std::io;

use murmur_fence_record::audit::{AuditedMessage, FileStart, Finding, Visitor};

use super::progress::Progress;

/// How many messages are kept to be drawn. A page with more would be slow to open,
/// and nobody reads it.
const MAX_DRAWN: usize = 1000;

/// How many bytes of text are kept to be drawn, over all messages.
const MAX_DRAWN_BYTES: usize = 8 << 20;

/// How much of one text is kept, in bytes.
const MAX_TEXT: usize = 64 << 10;

/// The findings, and the messages that are to be drawn.
pub struct Collected {
    progress: Progress,
    pub files: Vec<FileStart>,
    /// Each with the message in which it is.
    pub findings: Vec<(Finding, Option<u64>)>,
    /// How many messages were handed over; they are numbered from 0.
    pub messages: u64,
    /// The message that was handed over last, until its findings are known.
    current: Option<Kept>,
    /// Messages with findings, and messages without: the former come first when
    /// there is not room for all.
    found: Store,
    plain: Store,
}

/// A message to be drawn.
pub struct Kept {
    pub number: u64,
    pub message: AuditedMessage,
    /// For each text, how many bytes of it are not kept.
    pub cut: Vec<usize>,
    has_findings: bool,
}

impl Kept {
    fn new(number: u64, message: &AuditedMessage) -> Self {
        let mut message = message.clone();
        let cut = message.pieces.iter_mut().map(|piece| {
            let whole = piece.text.len();
            piece.text.truncate(piece.text.floor_char_boundary(MAX_TEXT));
            piece.text.shrink_to_fit();
            whole - piece.text.len()
        });
        let cut = cut.collect();
        Kept { number, message, cut, has_findings: false }
    }

    fn bytes(&self) -> usize {
        self.message.pieces.iter().map(|piece| piece.text.len() + piece.pointer.len()).sum()
    }
}

/// Messages within a budget: the first that fit.
#[derive(Default)]
struct Store {
    kept: Vec<Kept>,
    bytes: usize,
}

impl Store {
    fn has_room_for(&self, message: &Kept) -> bool {
        self.kept.len() < MAX_DRAWN && self.bytes + message.bytes() <= MAX_DRAWN_BYTES
    }

    fn push(&mut self, message: Kept) {
        if self.has_room_for(&message) {
            self.bytes += message.bytes();
            self.kept.push(message);
        }
    }
}

impl Collected {
    pub fn new() -> Self {
        Collected {
            progress: Progress::new(),
            files: Vec::new(),
            findings: Vec::new(),
            messages: 0,
            current: None,
            found: Store::default(),
            plain: Store::default(),
        }
    }

    /// No more follows.
    pub fn done(&mut self) {
        self.store_current();
        self.progress.end();
    }

    /// The messages to be drawn, in their order.
    pub fn drawn(&self) -> Vec<&Kept> {
        let mut drawn: Vec<&Kept> = self.found.kept.iter().collect();
        let mut bytes = self.found.bytes;
        for message in &self.plain.kept {
            bytes += message.bytes();
            if drawn.len() == MAX_DRAWN || bytes > MAX_DRAWN_BYTES {
                break;
            }
            drawn.push(message);
        }
        drawn.sort_by_key(|message| message.number);
        drawn
    }

    fn store_current(&mut self) {
        if let Some(message) = self.current.take() {
            let store = if message.has_findings { &mut self.found } else { &mut self.plain };
            store.push(message);
        }
    }
}

impl Visitor for Collected {
    fn begin(&mut self, file: &FileStart) -> io::Result<()> {
        self.store_current();
        self.files.push(file.clone());
        Ok(())
    }

    fn message(&mut self, message: &AuditedMessage) -> io::Result<()> {
        self.store_current();
        self.current = Some(Kept::new(self.messages, message));
        self.messages += 1;
        Ok(())
    }

    fn finding(&mut self, finding: &Finding) -> io::Result<()> {
        let about = |kept: &&mut Kept| {
            let message = &kept.message;
            (message.file, message.line) == (finding.file, finding.line)
                && (finding.id.is_none() || message.id == finding.id)
        };
        let message = self.current.as_mut().filter(about).map(|kept| {
            kept.has_findings = true;
            kept.number
        });
        self.findings.push((finding.clone(), message));
        Ok(())
    }

    fn progress(&mut self, done: u64, total: u64) -> io::Result<()> {
        self.progress.at(done, total);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use murmur_fence_record::FindingCode;
    use murmur_fence_record::Standing;
    use murmur_fence_record::audit::{AuditedPiece, Severity};

    use super::*;

    fn message(line: u64, bytes: usize) -> AuditedMessage {
        let piece = AuditedPiece {
            pointer: String::new(),
            text: "é".repeat(bytes / 2),
            spoken: true,
            standing: Standing::Unfenced,
        };
        AuditedMessage {
            file: 0,
            line,
            role: "user".into(),
            id: None,
            time_ms: None,
            label: None,
            inserted_by: None,
            call: None,
            is_error: None,
            bare: None,
            pieces: vec![piece],
        }
    }

    fn finding(line: u64) -> Finding {
        Finding {
            code: FindingCode::LookAlike,
            severity: Severity::Note,
            file: 0,
            line,
            id: None,
            call: None,
            source: None,
            pointer: None,
            offset: None,
            column: None,
            text: String::new(),
        }
    }

    fn drawn(messages: u64, bytes: usize, found: &[u64]) -> (Vec<u64>, Collected) {
        let mut collected = Collected::new();
        for line in 0..messages {
            collected.message(&message(line, bytes)).unwrap();
            if found.contains(&line) {
                collected.finding(&finding(line)).unwrap();
            }
        }
        collected.done();
        (collected.drawn().iter().map(|kept| kept.number).collect(), collected)
    }

    #[test]
    fn messages_with_findings_are_drawn_first_and_all_in_order() {
        assert_eq!(drawn(5, 10, &[3]).0, [0, 1, 2, 3, 4]);
        let (numbers, collected) = drawn(3000, 10, &[2900, 2999]);
        let expected: Vec<u64> = (0..998).chain([2900, 2999]).collect();
        assert_eq!(numbers, expected);
        assert_eq!(collected.messages, 3000);
    }

    #[test]
    fn what_is_kept_of_long_texts_is_bounded() {
        let (numbers, collected) = drawn(1000, MAX_TEXT + 100, &[999]);
        assert_eq!(numbers.len(), MAX_DRAWN_BYTES / MAX_TEXT);
        assert_eq!(numbers.last(), Some(&999));
        assert!(collected.drawn().iter().all(|kept| kept.cut == [100]));
    }

    #[test]
    fn a_finding_goes_with_its_message_only() {
        let mut collected = Collected::new();
        collected.message(&message(1, 1)).unwrap();
        collected.finding(&finding(1)).unwrap();
        collected.finding(&finding(2)).unwrap();
        let messages: Vec<_> = collected.findings.iter().map(|(_, message)| *message).collect();
        assert_eq!(messages, [Some(0), None]);
    }
}
