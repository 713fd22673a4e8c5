//! The string values of a JSON text with the way that leads to each.

use alloc::vec::Vec;
use core::fmt;

use memchr::memchr2;

use super::literal::Run;
use super::scan::{Kind, Node, Scanner};
use super::{Literal, SizeError};

/// One step from a container to a value in it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step<'a> {
    /// Into an object, by key.
    Key(Literal<'a>),
    /// Into an array, by index from 0.
    Index(usize),
}

/// The way to a value; prints as an RFC 6901 JSON pointer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pointer<'p, 'a> {
    steps: &'p [Step<'a>],
}

impl fmt::Display for Pointer<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in self.steps {
            match step {
                Step::Index(index) => write!(f, "/{index}")?,
                Step::Key(key) => {
                    f.write_str("/")?;
                    for run in key.runs() {
                        match run {
                            Run::Plain(plain) => token(f, plain)?,
                            Run::Escape { value, .. } => {
                                token(f, value.encode_utf8(&mut [0; 4]))?;
                            }
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// Writes a part of a reference token, in which `~` and `/` are escaped.
fn token(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    let mut rest = text;
    while let Some(at) = memchr2(b'~', b'/', rest.as_bytes()) {
        f.write_str(&rest[..at])?;
        f.write_str(if rest.as_bytes()[at] == b'~' { "~0" } else { "~1" })?;
        rest = &rest[at + 1..];
    }
    f.write_str(rest)
}

/// Hands each string value under `node` to `visit`, in the order of the text;
/// keys and hidden members are passed over. `steps` is the way to `node`, and is
/// as before when the walk ends without an error.
pub(crate) fn strings<'a, E: From<SizeError>>(
    node: Node<'_, 'a>,
    steps: &mut Vec<Step<'a>>,
    visit: &mut impl FnMut(Pointer<'_, 'a>, Literal<'a>) -> Result<(), E>,
) -> Result<(), E> {
    walk(&mut node.scanner(), steps, visit)
}

/// As deep as the text is nested, which acceptance limits.
fn walk<'a, E: From<SizeError>>(
    scanner: &mut Scanner<'_, 'a>,
    steps: &mut Vec<Step<'a>>,
    visit: &mut impl FnMut(Pointer<'_, 'a>, Literal<'a>) -> Result<(), E>,
) -> Result<(), E> {
    match scanner.kind() {
        Kind::Scalar => _ = scanner.scalar(),
        Kind::String => visit(Pointer { steps }, scanner.string())?,
        Kind::Array => {
            scanner.enter();
            let mut index = 0;
            while scanner.more(b']') {
                push(steps, Step::Index(index))?;
                walk(scanner, steps, visit)?;
                steps.pop();
                index += 1;
            }
        }
        Kind::Object => {
            scanner.enter();
            while scanner.more(b'}') {
                let key = scanner.key();
                if scanner.hidden() {
                    scanner.skip();
                    continue;
                }
                push(steps, Step::Key(key))?;
                walk(scanner, steps, visit)?;
                steps.pop();
            }
        }
    }
    Ok(())
}

fn push<'a>(steps: &mut Vec<Step<'a>>, step: Step<'a>) -> Result<(), SizeError> {
    steps.try_reserve(1)?;
    steps.push(step);
    Ok(())
}
