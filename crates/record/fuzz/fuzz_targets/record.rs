//! The audit of a record: the fast path, which is not taken where messages are
//! wanted, finds what the parser finds.

#![no_main]

use std::io;

use libfuzzer_sys::fuzz_target;
use murmur_fence_record::audit::{Finding, Input, Options, Sums, Visitor, audit};

#[derive(Default)]
struct Findings(Vec<Finding>);

impl Visitor for Findings {
    fn finding(&mut self, finding: &Finding) -> io::Result<()> {
        self.0.push(finding.clone());
        Ok(())
    }
}

fn audited(record: &[u8], messages: bool) -> (Sums, Vec<Finding>) {
    // The first line makes it a record.
    let reader = io::Cursor::new([b"{\"role\":\"user\"}\n", record].concat());
    let input = Input::Reader { name: "-".to_owned(), reader: Box::new(reader) };
    let options = Options { threads: 1, messages, max_findings: None, ..Options::default() };
    let mut findings = Findings::default();
    let report = audit(vec![input], &options, &mut findings).expect("nothing stops it");
    (report.files[0].sums.clone(), findings.0)
}

fuzz_target!(|record: &[u8]| {
    assert_eq!(audited(record, false), audited(record, true));
});
