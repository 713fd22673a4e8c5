//! Pages: held against reading the whole record again each time, and the cost of
//! not doing so.

mod support;

use murmur_fence_record::{FileStorage, MessagePage, ReadError, Reader};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use support::{Memory, page_by_rereading};

/// One message of the given number, as a runtime line without its line end.
fn message(number: usize) -> String {
    format!(
        r#"{{"content":[{{"text":"m{number}","type":"text"}}],"id":"msg_{number}","role":"user"}}"#
    )
}

fn record(messages: usize) -> String {
    (0..messages).map(|number| message(number) + "\n").collect()
}

fn ids(page: &MessagePage) -> Vec<&str> {
    page.messages.iter().filter_map(|message| message.id.as_deref()).collect()
}

fn read(memory: &Memory, cursor: Option<&str>) -> Result<MessagePage, String> {
    Reader::new(memory.clone()).read_messages(cursor, 100).map_err(|error| error.to_string())
}

#[test]
fn pages_go_from_the_newest_to_the_oldest() {
    let mut reader = Reader::new(Memory::new(record(5)));
    let first = reader.read_messages(None, 2).unwrap();
    assert_eq!(ids(&first), ["msg_4", "msg_3"]);
    assert_eq!((first.next_cursor.as_deref(), first.total), (Some("mc_3"), 5));
    let last = reader.read_messages(Some("mc_1"), 2).unwrap();
    assert_eq!(ids(&last), ["msg_0"]);
    assert_eq!((last.next_cursor, last.total), (None, 5));
}

#[test]
fn the_limit_is_clamped_to_one_up_to_a_hundred() {
    let mut reader = Reader::new(Memory::new(record(150)));
    for (limit, messages) in [(0, 1), (1, 1), (100, 100), (101, 100), (u32::MAX, 100)] {
        assert_eq!(reader.read_messages(None, limit).unwrap().messages.len(), messages);
    }
}

#[test]
fn a_cursor_is_what_the_runtime_takes_for_one() {
    let mut reader = Reader::new(Memory::new(record(3)));
    for (cursor, newest) in
        [("mc_3", "msg_2"), ("mc_+3", "msg_2"), ("mc_003", "msg_2"), ("mc_+0001", "msg_0")]
    {
        assert_eq!(ids(&reader.read_messages(Some(cursor), 1).unwrap()), [newest], "{cursor}");
    }
    assert_eq!(
        reader.read_messages(Some("mc_0"), 1).unwrap(),
        MessagePage { total: 3, ..MessagePage::default() }
    );
    for cursor in [
        "",
        "mc_",
        "mc",
        "3",
        "MC_3",
        "mc_4",
        "mc_-1",
        "mc_-0",
        "mc_+",
        "mc_++1",
        "mc_ 1",
        "mc_1 ",
        " mc_1",
        "mc_1.0",
        "mc_0x1",
        "mc_１",
        "mc_1_0",
        "mc_18446744073709551615",
        // 2^32 and 2^64: neither a 32 bit guest nor an overflow makes it a 0.
        "mc_4294967296",
        "mc_18446744073709551616",
        "mc_99999999999999999999999999",
    ] {
        let answer = reader.read_messages(Some(cursor), 1);
        assert_eq!(answer, Err(ReadError::InvalidCursor), "{cursor}");
    }
}

#[test]
fn errors_are_spelled_as_the_runtime_spells_them() {
    assert_eq!(ReadError::NotGranted.to_string(), "not-granted");
    assert_eq!(ReadError::InvalidCursor.to_string(), "invalid-cursor");
    assert_eq!(
        read(&Memory::new(*b"{\"role\":\"user\"}\n\xff\n"), Some("nope")).unwrap_err(),
        "unavailable: stream did not contain valid UTF-8",
        "and the record is read before the cursor"
    );
}

#[test]
fn without_a_record_the_page_is_empty_whatever_the_cursor() {
    for cursor in [None, Some("mc_0"), Some("mc_7"), Some("nope")] {
        assert_eq!(read(&Memory::default(), cursor), Ok(MessagePage::default()));
    }
    // An empty file is a record, and has a cursor rule.
    assert_eq!(read(&Memory::new(""), Some("mc_0")), Ok(MessagePage::default()));
    assert_eq!(read(&Memory::new(""), Some("mc_1")), Err("invalid-cursor".to_owned()));
}

#[test]
fn a_storage_that_fails_is_unavailable_with_its_reason_and_may_recover() {
    let memory = Memory::new(record(2));
    let mut reader = Reader::new(memory.clone());
    memory.with(|file| file.failure = Some("permission denied"));
    let error = reader.read_messages(Some("nope"), 1).unwrap_err();
    assert_eq!(error.to_string(), "unavailable: permission denied");
    assert_eq!(reader.read_messages(None, 1).unwrap().total, 2);
    // In the middle of reading what is new.
    memory.append(record(3));
    memory.with(|file| file.short = 7);
    let failing = memory.clone();
    let mut failing_reader = Reader::new(FailAfter { memory: failing, reads: 30 });
    assert_eq!(
        failing_reader.read_messages(None, 1).unwrap_err().to_string(),
        "unavailable: disk on fire"
    );
    assert_eq!(failing_reader.read_messages(None, 1).unwrap().total, 5);
}

/// Fails one read, after a number of them.
struct FailAfter {
    memory: Memory,
    reads: usize,
}

impl murmur_fence_record::Storage for FailAfter {
    type Error = &'static str;

    fn stat(&mut self) -> Result<Option<murmur_fence_record::Stat>, &'static str> {
        self.memory.stat()
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> Result<usize, &'static str> {
        self.reads = self.reads.wrapping_sub(1);
        if self.reads == 0 { Err("disk on fire") } else { self.memory.read_at(offset, buffer) }
    }
}

#[test]
fn a_growing_record_costs_what_is_new() {
    let memory = Memory::new(record(2000));
    let mut reader = Reader::new(memory.clone());
    let whole = memory.bytes().unwrap().len() as u64;
    reader.read_messages(None, 1).unwrap();
    let line = message(1999).len() as u64;
    assert_eq!(memory.take_read(), whole + line, "indexed once, and one message served");

    reader.read_messages(Some("mc_10"), 1).unwrap();
    assert_eq!(memory.take_read(), message(9).len() as u64, "a page is its own bytes");

    let new = message(2000) + "\n";
    memory.append(&new);
    let page = reader.read_messages(None, 1).unwrap();
    assert_eq!((ids(&page), page.total), (vec!["msg_2000"], 2001));
    assert_eq!(memory.take_read(), 2 * new.len() as u64 - 1, "the new line, and it served");
}

#[test]
fn an_unfinished_line_is_read_again_and_nothing_before_it() {
    let memory = Memory::new(record(100));
    let mut reader = Reader::new(memory.clone());
    let new = message(100) + "\r\n";
    assert_eq!(reader.read_messages(None, 1).unwrap().total, 100);
    memory.take_read();
    for cut in 1..=new.len() {
        memory.append(&new[cut - 1..cut]);
        // Whole from its last brace on; the line end adds nothing.
        let whole = cut >= new.len() - 2;
        let page = reader.read_messages(None, 1).unwrap();
        assert_eq!(page.total, 100 + u32::from(whole), "after {cut} bytes");
        let served = message(if whole { 100 } else { 99 }).len();
        let served = served + usize::from(cut == new.len() - 1);
        assert_eq!(memory.take_read(), (cut + served) as u64, "after {cut} bytes");
    }
    memory.append(record(1));
    assert_eq!(reader.read_messages(None, 1).unwrap().total, 102);
}

#[test]
fn a_torn_line_swallows_the_next_one_as_in_the_runtime() {
    let torn = &message(1)[..20];
    let memory = Memory::new(message(0) + "\n" + torn);
    let mut reader = Reader::new(memory.clone());
    assert_eq!(ids(&reader.read_messages(None, 9).unwrap()), ["msg_0"]);
    memory.append(message(2) + "\n" + &message(3) + "\n");
    assert_eq!(ids(&reader.read_messages(None, 9).unwrap()), ["msg_3", "msg_0"]);
}

#[test]
fn a_character_cut_at_the_end_is_an_error_until_it_is_whole() {
    let line = r#"{"content":"é","role":"user"}"#;
    let cut = line.find('é').unwrap() + 1;
    let memory = Memory::new([message(0).as_bytes(), b"\n", &line.as_bytes()[..cut]].concat());
    let mut reader = Reader::new(memory.clone());
    for _ in 0..2 {
        assert_eq!(
            reader.read_messages(None, 1).unwrap_err().to_string(),
            "unavailable: stream did not contain valid UTF-8"
        );
    }
    memory.append(&line.as_bytes()[cut..]);
    assert_eq!(reader.read_messages(None, 1).unwrap().total, 2);
}

#[test]
fn a_line_that_is_not_utf8_is_an_error_until_the_record_is_replaced() {
    let memory = Memory::new([record(3).as_bytes(), b"\xc3\x28\n", record(3).as_bytes()].concat());
    let mut reader = Reader::new(memory.clone());
    assert!(reader.read_messages(None, 1).is_err());
    memory.take_read();
    memory.append(record(5));
    assert!(reader.read_messages(None, 1).is_err());
    assert_eq!(memory.take_read(), 0, "what comes after cannot heal it");
    memory.replace(record(4));
    assert_eq!(reader.read_messages(None, 1).unwrap().total, 4);
}

#[test]
fn replacement_truncation_and_edits_in_place_are_noticed() {
    let memory = Memory::new(record(9));
    let mut reader = Reader::new(memory.clone());
    let mut newest = || {
        reader.read_messages(None, 1).map(|page| (page.messages[0].id.clone().unwrap(), page.total))
    };
    assert_eq!(newest(), Ok(("msg_8".to_owned(), 9)));
    let other = record(9).replace("msg_", "old_");
    memory.replace(&*other);
    assert_eq!(newest(), Ok(("old_8".to_owned(), 9)), "same length, another file");
    memory.edit(|file| file.truncate(record(5).len()));
    assert_eq!(newest(), Ok(("old_4".to_owned(), 5)), "shorter");
    memory.edit(|file| *file = record(5).into_bytes());
    assert_eq!(newest(), Ok(("msg_4".to_owned(), 5)), "same length and file, written since");
    memory.replace(record(7));
    assert_eq!(newest(), Ok(("msg_6".to_owned(), 7)), "longer, and another file");
    memory.with(|file| file.bytes = None);
    assert_eq!(reader.read_messages(None, 1), Ok(MessagePage::default()), "gone");
    memory.replace(record(2));
    assert_eq!(reader.read_messages(None, 1).unwrap().total, 2, "and back");
}

#[test]
fn a_range_that_holds_no_message_any_more_makes_the_record_be_read_again() {
    let memory = Memory::new(record(9));
    let mut reader = Reader::new(memory.clone());
    reader.read_messages(None, 1).unwrap();
    // Of the same length and, by a coarse clock, of the same time.
    let shifted = format!(" \n{}", &record(9)[..record(9).len() - 2]);
    memory.with(|file| file.bytes = Some(shifted.clone().into_bytes()));
    assert_eq!(
        reader.read_messages(Some("mc_3"), 2).map_err(|error| error.to_string()),
        page_by_rereading(Some(shifted.as_bytes()), Some("mc_3"), 2)
    );
}

#[test]
fn a_record_that_ends_before_its_length_is_given_up_after_two_attempts() {
    struct Lying(Memory);
    impl murmur_fence_record::Storage for Lying {
        type Error = &'static str;
        fn stat(&mut self) -> Result<Option<murmur_fence_record::Stat>, &'static str> {
            let stat = self.0.stat()?;
            Ok(stat.map(|stat| murmur_fence_record::Stat { length: stat.length + 1, ..stat }))
        }
        fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> Result<usize, &'static str> {
            self.0.read_at(offset, buffer)
        }
    }
    let error = Reader::new(Lying(Memory::new(record(3)))).read_messages(None, 1).unwrap_err();
    assert_eq!(error.to_string(), "unavailable: the record changed while it was read");
}

#[test]
fn a_line_of_50_mb_is_served_whole() {
    let long = "\\u003c".repeat(1 << 20) + &"x".repeat(50_000_000);
    let line = format!(r#"{{"role":"user","content":"{long}"}}"#);
    let memory = Memory::new([record(2), line, "\n".to_owned(), record(1)].concat());
    let mut reader = Reader::new(memory);
    let page = reader.read_messages(None, 2).unwrap();
    assert_eq!((page.total, page.messages[0].id.as_deref()), (4, Some("msg_0")));
    assert_eq!(page.messages[1].content.len(), 2 + (1 << 20) + 50_000_000);
}

#[test]
fn a_line_longer_than_any_is_named_with_its_number() {
    /// A file of one endless line, without holding it.
    struct Endless;
    impl murmur_fence_record::Storage for Endless {
        type Error = &'static str;
        fn stat(&mut self) -> Result<Option<murmur_fence_record::Stat>, &'static str> {
            let length = murmur_fence_record::MAX_LINE as u64 + 2;
            Ok(Some(murmur_fence_record::Stat { length, identity: (0, 0), modified: None }))
        }
        fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> Result<usize, &'static str> {
            buffer.fill(b' ');
            if offset == 0 {
                buffer[0] = b'\n';
            }
            Ok(buffer.len())
        }
    }
    assert_eq!(
        Reader::new(Endless).read_messages(None, 1).unwrap_err().to_string(),
        "unavailable: line 2: longer than the 268435456 bytes that a line may have"
    );
}

#[test]
fn a_record_in_the_file_system_is_followed_through_rename_and_removal() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("conversation.jsonl");
    let mut reader = Reader::new(FileStorage::new(&path));
    assert_eq!(reader.read_messages(Some("nope"), 1), Ok(MessagePage::default()));
    std::fs::write(&path, record(3)).unwrap();
    assert_eq!(reader.read_messages(None, 1).unwrap().total, 3);
    // Each new file could get the number of the one before it, were that not
    // held open. Both are longer than what they replace, and a page of the newest
    // message alone does not come upon the line that is no message any more.
    for messages in [5, 7] {
        let next = directory.path().join("next");
        let blank = " ".repeat(message(0).len());
        std::fs::write(&next, record(messages).replacen(&message(0), &blank, 1)).unwrap();
        std::fs::rename(&next, &path).unwrap();
        let page = reader.read_messages(None, 1).unwrap();
        let newest = format!("msg_{}", messages - 1);
        assert_eq!((ids(&page), page.total), (vec![&*newest], messages as u32 - 1));
    }
    std::fs::remove_file(&path).unwrap();
    assert_eq!(reader.read_messages(None, 1), Ok(MessagePage::default()));
    std::fs::create_dir(&path).unwrap();
    assert_eq!(
        reader.read_messages(None, 1).unwrap_err().to_string(),
        "unavailable: not a regular file"
    );
}

/// Lines of every kind that a reader has to tell apart.
fn line() -> impl Strategy<Value = Vec<u8>> {
    let text = select(
        &[
            // Messages of both lowerings, with members missing or odd.
            r#"{"content":[{"type":"text","text":"hi"}],"id":"msg_1","role":"user"}"#,
            r#"{"role":"assistant","content":"plain","source_id":"s","inserted_by":"seed-context"}"#,
            r#"{"role":"tool","content":[{"text":"x","type":"text"}],"is_error":false,"tool_call_id":"c"}"#,
            r#"{"role":"tool"}"#,
            r#"{"role":"tool","is_error":"odd","tool_call_id":7,"content":null,"id":3}"#,
            r#"{"role":"user"}"#,
            r#"{"role":"","content":{},"id":null,"inserted_by":"replace-context"}"#,
            r#"{"role":"user","content":null,"inserted_by":"other","source_id":[]}"#,
            r#"  {"role":"system","content":[1.50,1e3,-0,1E5,12345678901234567890,0.1e-7]}	"#,
            r#"{"role":"user","content":"\u00e9\/\u0041\n\u0001","id":"\u0069d"}"#,
            // Repeated keys.
            r#"{"role":"user","role":"assistant","content":1,"content":[{"b":1,"a":2,"b":3}]}"#,
            r#"{"role":"user","role":7}"#,
            r#"{"role":7,"rol\u0065":"user","id":"a","id":"b"}"#,
            r#"{"content":{"a":{"b":1},"a":{"c":{"z":0,"y":0}}},"role":"tool"}"#,
            // Headers, and what only looks like one.
            r#"{"type":"murmur.record","capsule":"c","created_ms":1}"#,
            r#"{"type":"murmur.record","role":"user","content":"a message"}"#,
            // No messages.
            "[]",
            "7",
            "null",
            r#""role""#,
            r#"{"role":7}"#,
            r#"{"role":{"role":"user"}}"#,
            "{}",
            r#"{"role":"user""#,
            r#"{"role":"user"} x"#,
            r#"{"role":"\ud800"}"#,
            r#"{"role":"user","n":1e999}"#,
            "",
            " ",
            "\t",
            "\u{a0}",
            "\u{feff}{\"role\":\"user\"}",
            "\r",
            "{\"role\":\"user\"}\r",
        ][..],
    );
    let end = select(&["\n", "\n", "\n", "\n", "\r\n", "\n\n", "", "\r"][..]);
    let odd = prop_oneof![
        30 => Just(&b""[..]),
        1 => Just(&b"\xff"[..]),
        1 => Just(&b"\xe2\x9c"[..]),
        1 => Just(&b"\0"[..]),
    ];
    (text, odd, end).prop_map(|(text, odd, end)| [text.as_bytes(), odd, end.as_bytes()].concat())
}

fn lines() -> impl Strategy<Value = Vec<u8>> {
    vec(line(), 0..12).prop_map(|lines| lines.concat())
}

/// What can happen to a record between two pages.
#[derive(Clone, Debug)]
enum Change {
    Append(Vec<u8>),
    Truncate(Index),
    Replace(Vec<u8>),
    /// A byte is overwritten, the length kept.
    Edit(Index, u8),
    Remove,
    Nothing,
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        6 => lines().prop_map(Change::Append),
        2 => any::<Index>().prop_map(Change::Truncate),
        1 => lines().prop_map(Change::Replace),
        2 => (any::<Index>(), select(&b"\n{}\"x \xff"[..])).prop_map(|(at, byte)| Change::Edit(at, byte)),
        1 => Just(Change::Remove),
        1 => Just(Change::Nothing),
    ]
}

fn cursor() -> impl Strategy<Value = Option<String>> {
    prop_oneof![
        3 => Just(None),
        3 => (0usize..15).prop_map(|number| Some(format!("mc_{number}"))),
        1 => select(&["nope", "mc_+2", "mc_007", "mc_", "MC_1", "mc_-1"][..]).prop_map(|text| Some(text.to_owned())),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn a_followed_record_reads_as_one_read_anew(
        start in lines(),
        steps in vec((change(), cursor(), 0u32..8, 0usize..9), 1..8),
    ) {
        let memory = Memory::new(start);
        let mut reader = Reader::new(memory.clone());
        for (change, cursor, limit, short) in steps {
            match change {
                Change::Append(lines) => memory.append(lines),
                Change::Truncate(at) => memory.edit(|file| file.truncate(at.index(file.len() + 1))),
                Change::Replace(lines) => memory.replace(lines),
                Change::Edit(at, byte) => memory.edit(|file| {
                    let length = file.len();
                    if length > 0 {
                        file[at.index(length)] = byte;
                    }
                }),
                Change::Remove => memory.with(|file| file.bytes = None),
                Change::Nothing => {}
            }
            memory.with(|file| file.short = short);
            let answer = reader.read_messages(cursor.as_deref(), limit).map_err(|error| error.to_string());
            let expected = page_by_rereading(memory.bytes().as_deref(), cursor.as_deref(), limit);
            prop_assert_eq!(answer, expected);
        }
    }
}
