//! The compact text that `serde_json` prints for the value that a text spells:
//! no white space, keys in byte order, numbers and escapes in their printed form.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use super::SizeError;
use super::literal::{Literal, Run};
use super::scan::{Kind, Node, Scanner};

/// A text that is being printed, no longer than its limit.
#[derive(Debug)]
pub(crate) struct Printer {
    text: String,
    limit: usize,
}

/// Plain integers of up to this many characters fit 64 bits and print as they
/// were written.
const PLAIN_INTEGER: usize = 18;

impl Printer {
    /// Starts an empty text that may grow to `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Printer { text: String::new(), limit }
    }

    /// The text printed so far.
    pub(crate) fn finish(self) -> String {
        self.text
    }

    /// Appends text as it is.
    ///
    /// # Errors
    ///
    /// [`SizeError::TooLong`] beyond the limit, [`SizeError::OutOfMemory`] when
    /// the allocator refuses.
    pub(crate) fn push(&mut self, text: &str) -> Result<(), SizeError> {
        if text.len() > self.limit - self.text.len() {
            return Err(SizeError::TooLong);
        }
        self.text.try_reserve(text.len())?;
        self.text.push_str(text);
        Ok(())
    }

    /// Appends the printed form of a value.
    pub(crate) fn value(&mut self, node: Node<'_, '_>) -> Result<(), SizeError> {
        self.next(&mut node.scanner())
    }

    /// Appends the value at which the scanner stands, and steps over it. As deep
    /// as the text is nested, which acceptance limits.
    fn next(&mut self, scanner: &mut Scanner<'_, '_>) -> Result<(), SizeError> {
        match scanner.kind() {
            Kind::String => self.string(scanner.string()),
            Kind::Scalar => self.scalar(scanner.scalar()),
            Kind::Array => {
                scanner.enter();
                let mut open = "[";
                while scanner.more(b']') {
                    self.push(core::mem::replace(&mut open, ","))?;
                    self.next(scanner)?;
                }
                self.close(open, "[]", "]")
            }
            Kind::Object => self.object(scanner),
        }
    }

    fn object(&mut self, scanner: &mut Scanner<'_, '_>) -> Result<(), SizeError> {
        let mut members = *scanner;
        let mut open = "{";
        if members.enter() {
            while members.more(b'}') {
                self.push(core::mem::replace(&mut open, ","))?;
                self.string(members.key())?;
                self.push(":")?;
                self.next(&mut members)?;
            }
            *scanner = members;
        } else {
            let mut sorted = Vec::new();
            for member in scanner.node().members() {
                sorted.try_reserve(1)?;
                sorted.push(member);
            }
            sorted.sort_unstable_by(|a, b| a.0.compare(b.0));
            for (key, value) in sorted {
                self.push(core::mem::replace(&mut open, ","))?;
                self.string(key)?;
                self.push(":")?;
                self.value(value)?;
            }
            scanner.skip();
        }
        self.close(open, "{}", "}")
    }

    /// Ends a container whose first bracket is printed unless it is still `open`.
    fn close(&mut self, open: &str, empty: &str, close: &str) -> Result<(), SizeError> {
        self.push(if open == "," { close } else { empty })
    }

    fn scalar(&mut self, scalar: &str) -> Result<(), SizeError> {
        let digits = scalar.strip_prefix('-').unwrap_or(scalar);
        let integer = scalar.len() <= PLAIN_INTEGER
            && scalar != "-0"
            && digits.bytes().all(|byte| byte.is_ascii_digit());
        if integer || matches!(scalar, "true" | "false" | "null") {
            return self.push(scalar);
        }
        match serde_json::from_str::<serde_json::Number>(scalar) {
            Ok(number) => self.push(&number.to_string()),
            // Accepted before, so this does not occur.
            Err(_) => self.push(scalar),
        }
    }

    fn string(&mut self, literal: Literal<'_>) -> Result<(), SizeError> {
        self.push("\"")?;
        for run in literal.runs() {
            match run {
                Run::Plain(plain) => self.push(plain)?,
                Run::Escape { value, .. } => self.character(value)?,
            }
        }
        self.push("\"")
    }

    /// Appends a character that came out of an escape. Those that must be escaped
    /// come from nowhere else.
    fn character(&mut self, value: char) -> Result<(), SizeError> {
        let short = match value {
            '"' => "\\\"",
            '\\' => "\\\\",
            '\u{8}' => "\\b",
            '\u{c}' => "\\f",
            '\n' => "\\n",
            '\r' => "\\r",
            '\t' => "\\t",
            '\0'..='\u{1f}' => {
                let control = u32::from(value);
                self.push(if control < 0x10 { "\\u000" } else { "\\u001" })?;
                let digit = char::from_digit(control % 16, 16).unwrap_or('0');
                return self.push(digit.encode_utf8(&mut [0; 4]));
            }
            other => return self.push(other.encode_utf8(&mut [0; 4])),
        };
        self.push(short)
    }
}

/// Formats into the text; the error does not tell which limit was met.
impl fmt::Write for Printer {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text).map_err(|_| fmt::Error)
    }
}
