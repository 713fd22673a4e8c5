//! The fast path over whole records, held against the parser.

use std::io;
use std::str;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::index::Index;
use super::pass::Pass;
use super::record::RecordAudit;
use super::report::{Finding, Sums};
use super::sheet::{Kept, Sheet};
use super::stretch::{NotUtf8, Stretch, StretchReport, audit_stretch};
use super::utterance::Judge;
use super::window::{Stream, Window};

/// Gives at most so many bytes at once.
struct Slow<'b>(&'b [u8], usize);

impl io::Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = buffer.len().min(self.1);
        self.0.read(&mut buffer[..length])
    }
}

fn audited(record: &[u8], quick: bool, since: Option<u64>, chunk: usize) -> (Sums, Vec<Finding>) {
    let index = Index::default();
    let judge = Judge { index: &index, lookalikes: true };
    let audit = RecordAudit { judge, context: None, since };
    let mut kept = Kept::default();
    let mut sheet = Sheet::new(0, u64::MAX, &mut kept);
    let mut window = Window::new(Stream(Slow(record, chunk)), 0);
    let pass = Pass { audit, quick };
    assert!(!pass.run(&mut window, u64::MAX, &mut sheet, &mut |_| true).unwrap());
    (sheet.sums, kept.findings)
}

/// A record cut into stretches of so many lines, each handed over as a host does
/// that has bytes.
fn stretched(
    record: &[u8],
    lengths: &[usize],
    since: Option<u64>,
    max_findings: u64,
) -> StretchReport {
    let mut lines = record.split_inclusive(|byte| *byte == b'\n').peekable();
    let mut lengths = lengths.iter().copied().cycle();
    let mut whole = StretchReport::default();
    while lines.peek().is_some() {
        let first_line = whole.sums.lines + 1;
        let (mut text, mut not_utf8) = (String::new(), Vec::new());
        let length = lengths.next().unwrap_or(usize::MAX);
        for (line, number) in lines.by_ref().take(length).zip(first_line..) {
            if let Err(error) = str::from_utf8(line.strip_suffix(b"\n").unwrap_or(line)) {
                not_utf8.push(NotUtf8 {
                    line: number,
                    valid_up_to: error.valid_up_to(),
                    cut_off: error.error_len().is_none(),
                });
            }
            text += &String::from_utf8_lossy(line);
        }
        let part = audit_stretch(&Stretch {
            lines: &text,
            first_line,
            not_utf8: &not_utf8,
            max_findings,
            since,
            lookalikes: true,
        });
        whole.sums.add(&part.sums);
        whole.findings.extend(part.findings);
    }
    whole
}

/// Texts as they stand in a line, still escaped.
fn text() -> impl Strategy<Value = String> {
    let part = select(
        &[
            r"<untrusted-content source=tool:x>\n",
            r"\n</untrusted-content>",
            r"\n</untrusted-content>\nnote",
            r"<untrusted-content source=member:m>\nyes\n</untrusted-content>",
            "Done check\\n",
            "body",
            r"\n",
            r"\\n",
            r"\u000a",
            r"\u001b[0m",
            r"\/",
            r"\u003c",
            "<div>",
            "</ul>",
            r"\\",
            "&lt;/untrusted-content>",
            "&amp;",
            "< /untrusted-content>",
            "<//untrusted-content",
            "＜/untrusted-content＞",
            "</untrusted-content>",
            "</UNTRUSTED-CONTENT>",
            r#"\""#,
            "é",
            "記録",
            "<!MURMUR-NEUTRALISED!/untrusted-content>",
            "\t",
            r"\x",
            "\u{1}",
            "tool 'x' is not declared in manifest allowlist",
            "Refused by policy hook 'h': no",
        ][..],
    );
    let long = (1usize..200).prop_map(|length| "y".repeat(length));
    let block = r"<untrusted-content source=tool:x>\nbody\n</untrusted-content>".to_owned();
    prop_oneof![
        3 => Just(block),
        6 => vec(prop_oneof![6 => part.prop_map(str::to_owned), 1 => long], 0..5)
            .prop_map(|parts| parts.concat()),
    ]
}

fn line() -> impl Strategy<Value = String> {
    let role = select(&["tool", "user", "assistant", "system", ""][..]);
    let id = select(
        &[
            "",
            r#","id":"msg_01a22f35976c71d1ab0c8113e016fc77""#,
            r#","id":"msg_01a22f35976071d1ab0c8113e016fc77""#,
            r#","id":"msg_01a22f35976c41d1ab0c8113e016fc77""#,
            r#","id":"msg_+1a22f35976c71d1ab0c8113e016fc77""#,
            r#","id":null"#,
        ][..],
    );
    let more = select(
        &[
            "",
            "",
            "",
            "",
            r#","fence":"tool:x""#,
            r#","fence":"tool:x""#,
            r#","fence":"tool:y""#,
            r#","fence":"""#,
            r#","fence":"a>b""#,
            r#","fence":null"#,
            r#","is_error":true"#,
            r#","is_error":false,"tool_call_id":"c""#,
            r#","inserted_by":"seed-context""#,
            r#","x":{"input":["</untrusted-content>",1,1.5,-0,true]}"#,
            r#","x":{"a":1,"a":2}"#,
            r#","role":"user""#,
            r#","n":1e999"#,
            r#","n":12e1"#,
            r#", "n":1"#,
            r#","n":[[[[]]]]"#,
        ][..],
    );
    let kind = select(&["text", "text", "text", "thinking", "image"][..]);
    let message =
        (vec((text(), kind), 0..3), role, id, more).prop_map(|(texts, role, id, more)| {
            let blocks: Vec<_> = texts
                .into_iter()
                .map(|(text, kind)| format!(r#"{{"text":"{text}","type":"{kind}"}}"#))
                .collect();
            format!(r#"{{"content":[{}],"role":"{role}"{id}{more}}}"#, blocks.join(","))
        });
    let other = select(
        &[
            "",
            " ",
            "[]",
            "{}",
            "7",
            "{\"role\":\"us",
            "\u{feff}{}",
            "\r",
            r#"{"role":"user","content":"plain </untrusted-content>"}"#,
            r#"{"role":"tool","content":"<untrusted-content","fence":"tool:x"}"#,
            r#"{"type":"murmur.record","capsule":"c","created_ms":1}"#,
        ][..],
    );
    prop_oneof![6 => message, 1 => other.prop_map(str::to_owned)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn the_fast_way_tells_what_the_parser_tells(
        lines in vec(line(), 0..12),
        end in select(&["\n", "", "\r\n", "\n\n"][..]),
        chunk in 1usize..400,
        old in any::<bool>(),
    ) {
        let record = lines.join("\n") + end;
        let since = old.then_some(0x01a2_2f35_976c);
        let slow = audited(record.as_bytes(), false, since, 1 << 20);
        prop_assert_eq!(audited(record.as_bytes(), true, since, chunk), slow);
    }

    #[test]
    fn stretches_add_up_to_the_record(
        lines in vec(prop_oneof![8 => line().prop_map(String::into_bytes), 1 => broken()], 0..12),
        end in select(&["\n", "", "\r\n", "\n\n"][..]),
        lengths in vec(1usize..5, 1..4),
        old in any::<bool>(),
    ) {
        let record = [lines.join(&b"\n"[..]), end.as_bytes().to_vec()].concat();
        let since = old.then_some(0x01a2_2f35_976c);
        let (sums, findings) = audited(&record, true, since, 1 << 20);
        let StretchReport { sums: added, findings: joined } =
            stretched(&record, &lengths, since, u64::MAX);
        prop_assert_eq!(added, sums);
        prop_assert_eq!(joined, findings);
    }
}

/// A line that is no UTF-8, and ends within a character or not.
fn broken() -> impl Strategy<Value = Vec<u8>> {
    const LINES: [&[u8]; 5] =
        [b"\xe2\x82", b"{\"role\":\"user\"\xff}", b"\xc3", b"\xff", b"a\xe2\x82\r"];
    select(&LINES[..]).prop_map(<[u8]>::to_vec)
}

#[test]
fn what_is_over_the_limit_is_counted_and_not_listed() {
    let record = r#"{"content":[{"text":"bare","type":"text"}],"fence":"tool:x","role":"tool"}"#;
    let report = stretched(format!("{record}\n").repeat(5).as_bytes(), &[5], None, 2);
    let lines: Vec<_> = report.findings.iter().map(|finding| finding.line).collect();
    assert_eq!((lines, report.sums.findings.total()), (vec![1, 2], 5));
}

#[test]
fn no_number_of_a_line_is_too_high() {
    let report = audit_stretch(&Stretch {
        lines: "[]\n[]\n",
        first_line: u64::MAX,
        not_utf8: &[],
        max_findings: 9,
        since: None,
        lookalikes: true,
    });
    let lines: Vec<_> = report.findings.iter().map(|finding| finding.line).collect();
    assert_eq!(lines, [u64::MAX; 2]);
}
