//! The report as one JSON object, written as the input is read.

use std::io::{self, Write};

use murmur_fence_record::Summary;
use serde::Serialize;
use serde_json::json;

use super::rows::{FileFinding, MessageRow, PieceRow};
use super::{Kind, Sink, Totals};

pub struct Json<W> {
    out: W,
    findings: Vec<FileFinding>,
    /// Whether a comma is due before the next file, and before the next piece.
    comma: (bool, bool),
}

/// A piece with the message that it is part of.
#[derive(Serialize)]
struct Row<'a> {
    /// The line of the message, from 1.
    message: u64,
    id: Option<&'a str>,
    role: Option<&'a str>,
    label: Option<&'a str>,
    #[serde(flatten)]
    piece: &'a PieceRow<'a>,
}

impl<W: Write> Json<W> {
    pub fn new(out: W) -> Self {
        Json { out, findings: Vec::new(), comma: (false, false) }
    }

    fn start(&mut self) -> io::Result<()> {
        let lead: &[u8] = if self.comma.0 { b"," } else { b"{\"files\":[" };
        self.comma = (true, false);
        self.out.write_all(lead)
    }
}

impl<W: Write> Sink for Json<W> {
    fn begin(&mut self, path: &str, kind: Kind) -> io::Result<()> {
        self.start()?;
        let path = serde_json::to_string(path)?;
        write!(self.out, "{{\"path\":{path},\"kind\":\"{}\",\"pieces\":[", kind.as_str())
    }

    fn message(&mut self, row: &MessageRow<'_>) -> io::Result<()> {
        for piece in &row.pieces {
            if self.comma.1 {
                self.out.write_all(b",")?;
            }
            self.comma.1 = true;
            let MessageRow { line: message, id, role, label, .. } = *row;
            serde_json::to_writer(&mut self.out, &Row { message, id, role, label, piece })?;
        }
        Ok(())
    }

    fn finding(&mut self, finding: FileFinding) -> io::Result<()> {
        self.findings.push(finding);
        Ok(())
    }

    fn end(&mut self, _: &Summary) -> io::Result<()> {
        self.out.write_all(b"]}")
    }

    fn close(&mut self, totals: &Totals) -> io::Result<()> {
        let tallies = totals.sources.iter().map(|(source, tally)| {
            let counts = json!({
                "labelled": tally.labelled,
                "intact": tally.intact,
                "unlabelled": tally.unlabelled,
            });
            (source.clone(), counts)
        });
        let sources: serde_json::Map<_, _> = tallies.collect();
        write!(self.out, "],\"sources\":")?;
        serde_json::to_writer(&mut self.out, &sources)?;
        write!(self.out, ",\"findings\":")?;
        serde_json::to_writer(&mut self.out, &self.findings)?;
        writeln!(self.out, "}}")?;
        self.out.flush()
    }
}
