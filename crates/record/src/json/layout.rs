//! Where the parts of an accepted JSON text lie: the end of every container, and
//! the members that a later member of the same key hides.

use alloc::vec::Vec;

use super::scan::Scanner;
use super::{Literal, SizeError};

/// The layout of one text.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// In the order of their opening brackets; a container's *ordinal* is its
    /// index here.
    containers: Vec<Container>,
    /// Offsets of the values of hidden members, ascending.
    hidden: Vec<u32>,
}

/// One array or object.
#[derive(Clone, Copy, Debug)]
struct Container {
    /// The offset after its closing bracket.
    end: u32,
    /// The ordinal of the first container after it, shifted left by one; the
    /// lowest bit tells that its keys ascend. A text of 2^32 bytes has less than
    /// 2^31 containers.
    next: u32,
}

/// What a scanner needs to know of a container that it is about to skip or enter.
pub(super) struct Extent {
    /// The offset after the closing bracket.
    pub(super) end: usize,
    /// The ordinal of the first container after it.
    pub(super) next: usize,
    /// Whether its keys ascend strictly, as in every object that the runtime
    /// prints. True of every array.
    pub(super) ordered: bool,
}

/// A container whose closing bracket has not been met yet.
struct Open<'a> {
    ordinal: usize,
    object: bool,
    /// The index of its first key among the keys of all open objects.
    keys_from: usize,
    last_key: Option<Literal<'a>>,
    ordered: bool,
}

/// A key of an open object.
struct Key<'a> {
    literal: Literal<'a>,
    value: u32,
}

impl Layout {
    /// Measures an accepted text in one pass; with unordered keys, the time that
    /// sorting them takes comes on top.
    pub(super) fn of(text: &str) -> Result<Self, SizeError> {
        let unmeasured = Layout::default();
        let mut scanner = Scanner::new(text, &unmeasured);
        let mut layout = Layout::default();
        let mut open: Vec<Open<'_>> = Vec::new();
        let mut keys: Vec<Key<'_>> = Vec::new();
        loop {
            // One value, or the opening bracket of one.
            match scanner.peek() {
                bracket @ (b'[' | b'{') => {
                    scanner.bump();
                    open.try_reserve(1)?;
                    open.push(Open {
                        ordinal: layout.containers.len(),
                        object: bracket == b'{',
                        keys_from: keys.len(),
                        last_key: None,
                        ordered: true,
                    });
                    layout.containers.try_reserve(1)?;
                    layout.containers.push(Container { end: 0, next: 0 });
                }
                b'"' => _ = scanner.string(),
                _ => _ = scanner.scalar(),
            }
            // The closing brackets after it, up to the next value.
            loop {
                let Some(container) = open.last_mut() else { return Ok(layout.finish()) };
                let close = if container.object { b'}' } else { b']' };
                if scanner.more(close) {
                    if container.object {
                        let literal = scanner.key();
                        let ascends =
                            container.last_key.is_none_or(|last| last.compare(literal).is_lt());
                        container.ordered &= ascends;
                        container.last_key = Some(literal);
                        keys.try_reserve(1)?;
                        keys.push(Key { literal, value: offset(scanner.position()) });
                    }
                    break;
                }
                let next = offset(layout.containers.len()) << 1 | u32::from(container.ordered);
                layout.containers[container.ordinal] =
                    Container { end: offset(scanner.position()), next };
                if !container.ordered {
                    layout.hide(&mut keys[container.keys_from..])?;
                }
                keys.truncate(container.keys_from);
                open.pop();
            }
        }
    }

    /// Notes the members that a later member of the same key hides.
    fn hide(&mut self, keys: &mut [Key<'_>]) -> Result<(), SizeError> {
        keys.sort_unstable_by(|a, b| a.literal.compare(b.literal).then(a.value.cmp(&b.value)));
        for pair in keys.windows(2) {
            if pair[0].literal.compare(pair[1].literal).is_eq() {
                self.hidden.try_reserve(1)?;
                self.hidden.push(pair[0].value);
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Self {
        self.hidden.sort_unstable();
        self
    }

    /// The extent of the container with this ordinal.
    pub(super) fn extent(&self, ordinal: usize) -> Option<Extent> {
        let container = self.containers.get(ordinal)?;
        Some(Extent {
            end: container.end as usize,
            next: (container.next >> 1) as usize,
            ordered: container.next & 1 == 1,
        })
    }

    /// Whether the value at this offset belongs to a hidden member.
    pub(super) fn hides(&self, value: usize) -> bool {
        !self.hidden.is_empty() && self.hidden.binary_search(&offset(value)).is_ok()
    }
}

/// An offset in a text that is no longer than `MAX_TEXT`.
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
