//! A pass over the lines of a record: usual ones the fast way, all others by the
//! parser.

use std::io;

use murmur_fence::lookalikes;

use super::ground::{Heard, ground};
use super::quick::Quick;
use super::record::{RecordAudit, time_of};
use super::sheet::Sheet;
use super::utterance::Label;
use super::window::{Source, Taken, Window};
use crate::json::Literal;

/// Looks at a record line by line.
pub(super) struct Pass<'a> {
    pub(super) audit: RecordAudit<'a>,
    /// Whether lines may be read the fast way. Only a test would not.
    pub(super) quick: bool,
}

/// After how many bytes progress is told.
const PROGRESS: u64 = 1 << 20;

impl Pass<'_> {
    /// Looks at the lines that begin before the offset `end`, and tells of the
    /// progress after each stretch. Whether it was stopped before.
    pub(super) fn run<S: Source>(
        &self,
        window: &mut Window<S>,
        end: u64,
        sheet: &mut Sheet<'_>,
        progress: &mut dyn FnMut(u64) -> bool,
    ) -> io::Result<bool> {
        let quick = self.quick && !sheet.wants_messages();
        let mut told = window.offset();
        while window.offset() < end && !sheet.stopped() {
            if window.offset() - told >= PROGRESS {
                if !progress(window.offset() - told) {
                    return Ok(true);
                }
                told = window.offset();
            }
            if quick && let Some(length) = self.quick_line(window.ahead(), sheet) {
                window.step(length);
                continue;
            }
            // Without the whole line at hand, the fast way cannot tell; the next
            // attempt finds it.
            if quick && !window.holds_line() && window.fill()? {
                continue;
            }
            match window.line()? {
                Taken::Nothing => break,
                Taken::TooLong => self.audit.too_long(sheet),
                Taken::Line(line, terminated) => self.audit.line(line, terminated, sheet),
            }
        }
        progress(window.offset() - told);
        Ok(sheet.stopped())
    }

    /// Reads the line that `bytes` begin with, if it is a usual one that gives no
    /// finding; answers its length.
    fn quick_line(&self, bytes: &[u8], sheet: &mut Sheet<'_>) -> Option<usize> {
        let quick = Quick::read(bytes)?;
        let decoded = || quick.text().and_then(|raw| Literal::alone(raw).decode().ok());
        let time = time_of(quick.id);
        let old = self.audit.is_old(time);
        let heard = Heard {
            line: sheet.sums.lines + 1,
            role: quick.role,
            id: quick.id,
            time,
            context: self.audit.context,
            call: quick.call,
            is_error: quick.is_error,
            inserted: None,
            by_hook: false,
        };
        if !old && quick.hint && self.audit.judge.lookalikes && quick.role != "assistant" {
            // With several texts, or a look-alike, the findings need their places.
            if lookalikes(&decoded()?).next().is_some() {
                return None;
            }
        }
        sheet.sums.lines += 1;
        sheet.sums.messages += 1;
        if old {
            sheet.sums.passed_over += 1;
            return Some(quick.length);
        }
        let label = match quick.label {
            Some(label) => {
                sheet.sums.count(label, |tally| {
                    tally.labelled += 1;
                    tally.due += 1;
                    tally.marked += 1;
                    tally.intact += 1;
                });
                Label::Fenced(label)
            }
            None => {
                let grounded = ground(self.audit.judge.index, &heard, &decoded);
                if grounded.due.is_some() {
                    sheet.sums.lines -= 1;
                    sheet.sums.messages -= 1;
                    return None;
                }
                sheet.bare(grounded.bare.ground);
                Label::Bare
            }
        };
        if !self.audit.judge.index.is_empty()
            && let Some(text) = decoded()
        {
            self.audit.judge.compare(&heard, label, &text, sheet);
        }
        Some(quick.length)
    }
}
