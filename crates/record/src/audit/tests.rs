//! The fast path over whole records, held against the parser.

use std::io;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::index::Index;
use super::record::RecordAudit;
use super::report::{AuditedMessage, Finding, Sums};
use super::sheet::{Sheet, Sink};
use super::utterance::Judge;
use super::window::{Stream, Window};

#[derive(Default)]
struct Findings(Vec<Finding>);

impl Sink for Findings {
    fn finding(&mut self, finding: Finding) -> io::Result<()> {
        self.0.push(finding);
        Ok(())
    }

    fn message(&mut self, _: AuditedMessage) -> io::Result<()> {
        Ok(())
    }

    fn wants_messages(&self) -> bool {
        false
    }
}

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
    let audit = RecordAudit { judge, context: None, since, quick };
    let mut findings = Findings::default();
    let mut sheet = Sheet::new(0, u64::MAX, &mut findings);
    let mut window = Window::new(Stream(Slow(record, chunk)), 0);
    assert!(!audit.run(&mut window, u64::MAX, &mut sheet, &mut |_| true).unwrap());
    (sheet.finish().unwrap(), findings.0)
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
}
