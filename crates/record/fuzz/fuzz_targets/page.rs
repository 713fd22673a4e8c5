//! Pages of a record that grows: as of one that is read anew.

#![no_main]

use std::convert::Infallible;

use libfuzzer_sys::fuzz_target;
use murmur_fence_record::{Reader, Stat, Storage};

/// The beginning of a record.
struct Grown<'r>(&'r [u8], usize);

impl Storage for Grown<'_> {
    type Error = Infallible;

    fn stat(&mut self) -> Result<Option<Stat>, Infallible> {
        Ok(Some(Stat { length: self.1 as u64, identity: (0, 0), modified: None }))
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> Result<usize, Infallible> {
        let rest = &self.0[..self.1][offset as usize..];
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        // One byte more each time, up to all of it.
        self.1 = (self.1 + 1).min(self.0.len());
        Ok(length)
    }
}

fuzz_target!(|record: &[u8]| {
    let mut followed = Reader::new(Grown(record, record.len() / 2));
    _ = followed.read_messages(None, 3);
    let mut last = followed.read_messages(None, 3);
    for _ in 0..record.len() {
        last = followed.read_messages(None, 3);
    }
    // By now it has grown to its end, unless nothing of it was read.
    let anew = Reader::new(Grown(record, record.len())).read_messages(None, 3);
    let half = Reader::new(Grown(record, record.len() / 2)).read_messages(None, 3);
    assert!(last == anew || last == half);
});
