//! The report for reading: a line a message, what is wrong below it, a summary.

use std::io::{self, Write};

use murmur_fence_record::{Summary, Tally};

use super::rows::{FileFinding, MessageRow, PieceRow};
use super::{Kind, Sink, Totals};
use crate::commands::counted;
use crate::visible::Visible;

pub struct Human<W> {
    out: W,
}

impl<W: Write> Human<W> {
    pub fn new(out: W) -> Self {
        Human { out }
    }

    fn sources<'s>(
        &mut self,
        sources: impl ExactSizeIterator<Item = (&'s String, &'s Tally)>,
    ) -> io::Result<()> {
        if sources.len() == 0 {
            return Ok(());
        }
        writeln!(self.out, "  {:>8} {:>8} {:>10}  source", "labelled", "intact", "unlabelled")?;
        for (source, tally) in sources {
            let Tally { labelled, intact, unlabelled } = tally;
            writeln!(
                self.out,
                "  {labelled:>8} {intact:>8} {unlabelled:>10}  {}",
                Visible(source)
            )?;
        }
        Ok(())
    }
}

impl<W: Write> Sink for Human<W> {
    fn begin(&mut self, path: &str, kind: Kind) -> io::Result<()> {
        writeln!(self.out, "{} ({})", Visible(path), kind.as_str())
    }

    fn message(&mut self, row: &MessageRow<'_>) -> io::Result<()> {
        let role = row.role.unwrap_or("-");
        write!(
            self.out,
            "{:>6}  {:<9}  {:<8}",
            row.line,
            Visible(role).to_string(),
            verdict(&row.pieces)
        )?;
        if let Some(label) = row.label {
            write!(self.out, "  label {}", Visible(label))?;
        }
        for source in row.pieces.iter().flat_map(|piece| &piece.sources) {
            write!(self.out, "  block {}", Visible(source))?;
        }
        let notes: Vec<_> = row.pieces.iter().flat_map(|piece| &piece.notes).collect();
        if !notes.is_empty() {
            let bytes: usize = notes.iter().map(|(start, end)| end - start).sum();
            write!(self.out, "  {} ({bytes} bytes)", counted(notes.len() as u64, "note"))?;
        }
        let mentions = row.pieces.iter().map(|piece| piece.mentions.len() as u64).sum();
        if mentions > 0 {
            write!(self.out, "  mentions {}", counted(mentions, "marker"))?;
        }
        if let Some(id) = row.id {
            write!(self.out, "  {}", Visible(id))?;
        }
        writeln!(self.out)?;
        for piece in &row.pieces {
            for flaw in &piece.flaws {
                write!(self.out, "        {} at byte {}", flaw.kind, flaw.offset)?;
                // A plain text, and content that is one string, have no place in them.
                if !piece.pointer.is_empty() {
                    write!(self.out, " of {}", Visible(piece.pointer))?;
                }
                writeln!(self.out)?;
            }
        }
        Ok(())
    }

    fn finding(&mut self, finding: FileFinding) -> io::Result<()> {
        let FileFinding { code, line, offset, text, pointer, .. } = finding;
        let place = pointer.as_deref().unwrap_or("the line");
        let (place, text) = (Visible(place), Visible(&text));
        writeln!(self.out, "     !  {code}: line {line}, byte {offset} of {place}: {text}")
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        let Summary { messages, findings, sources, .. } = summary;
        let (messages, findings) = (counted(*messages, "message"), counted(*findings, "finding"));
        writeln!(self.out, "  {messages}, {findings}")?;
        self.sources(sources.iter())?;
        writeln!(self.out)
    }

    fn close(&mut self, totals: &Totals) -> io::Result<()> {
        let Totals { files, messages, findings, sources } = totals;
        if *files > 1 {
            let (messages, findings) =
                (counted(*messages, "message"), counted(*findings, "finding"));
            writeln!(self.out, "{files} files, {messages}, {findings}")?;
            self.sources(sources.iter())?;
        }
        self.out.flush()
    }
}

/// The verdict of a message: the gravest of its pieces.
fn verdict(pieces: &[PieceRow<'_>]) -> &'static str {
    ["broken", "intact", "mention", "unfenced"]
        .into_iter()
        .find(|verdict| pieces.iter().any(|piece| piece.verdict == *verdict))
        .unwrap_or("no text")
}
