//! The component against the native crates, over random texts rich in markers.
//!
//! `PROPTEST_CASES` says how many texts; each goes through every function.

use std::sync::OnceLock;

use host_test::subject::{DialectFence, Marker};
use host_test::{ComponentSubject, Native, Subject};
use murmur_fence_host::nonce::{Settings, Style};
use murmur_fence_host::{Component, Item, Limits, Mode, ServedMessage};
use proptest::prelude::*;
use xtask::Guest;

fn component() -> &'static ComponentSubject {
    static COMPONENT: OnceLock<ComponentSubject> = OnceLock::new();
    COMPONENT.get_or_init(|| {
        let path = xtask::component(Guest::Fence).unwrap();
        ComponentSubject::new(Component::from_file(path, &Limits::default()).unwrap())
    })
}

const TOKEN: &str = "7f3a91c2d4e5f607";

/// Texts joined from the pieces that matter to one dialect or another.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => prop::sample::select(vec![
            "<", "</", "/", ">", "\n", "\r\n", "\t", " ", "\u{a0}", " source=", "x", "é", "✅", "\0", "!", "\"",
            "untrusted-content", "UNTRUSTED-CONTENT", "untrusted-conten", "<untrusted-content",
            "</untrusted-content>", "<untrusted-content source=tool:x>\n", "\n</untrusted-content>",
            "!MURMUR-NEUTRALISED!", "<\u{200b}/untrusted-content>", "＜/untrusted-content＞", "&lt;",
            "%3c", "\\u003c", "7f3a91c2d4e5f607", "7f3a91c2", "<<<", ">>>", "data", "<data", "</ DATA >",
            "<tool_result", "<database>", "=\"", "untrusted-7f3a91c2d4e5f607", "[{\"text\":\"", "\"}]",
        ]).prop_map(str::to_owned),
        1 => any::<String>(),
        1 => (0usize..400).prop_map(|length| "a".repeat(length)),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn same<T: std::fmt::Debug>(
    what: &str,
    ask: impl Fn(&dyn Subject) -> T,
) -> Result<(), TestCaseError> {
    let [native, component] = [&Native as &dyn Subject, component()].map(ask);
    // The contract's types do not all compare; what they print tells all they hold.
    prop_assert_eq!(format!("{native:?}"), format!("{component:?}"), "{}", what);
    Ok(())
}

/// What every dialect answers.
fn answers(fence: &mut dyn DialectFence, source: &str, text: &str) -> Vec<String> {
    let block = fence.wrap(source, text).unwrap();
    let modes = [Mode::Standard, Mode::Strict];
    let mut answers = vec![
        format!("{:?}", fence.defang(text)),
        format!("{:?}", fence.restore(text)),
        format!("{:?}", fence.rules(Some(source))),
    ];
    for message in [text, &block] {
        answers.push(format!("{:?}", fence.segments(message)));
        answers.extend(modes.map(|mode| format!("{:?}", fence.verify(message, mode))));
    }
    answers.push(block);
    answers
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_component_answers_as_the_crates_do(source in hostile(), text in hostile()) {
        same("marker", |subject| answers(&mut Marker(subject), &source, &text))?;
        let settings = Settings { token: TOKEN, name: None, style: Style::Angle };
        same("nonce", |subject| {
            let mut nonce = subject.nonce(&settings).unwrap().map_err(|_| ()).unwrap();
            (answers(&mut *nonce, &source, &text), nonce.fence(&source, &text).unwrap())
        })?;
        same("tags", |subject| {
            let mut tags = subject.tags(None).unwrap().map_err(|_| ()).unwrap();
            (
                answers(&mut *tags, &source, &text),
                tags.fence("data", &text, &[]).unwrap(),
                tags.tool_result(&source, &text).unwrap(),
            )
        })?;
        same("markers", |subject| (subject.open_marker(&source), subject.outer_block(&text)))?;
        same("look-alikes", |subject| subject.lookalikes(&text).unwrap())?;
        let items = [Item { source: &source, content: &text }, Item { source: &text, content: &source }];
        same("batches", |subject| (
            subject.wrap_all(&items).unwrap(),
            subject.neutralise_all(&[&text, &source]).unwrap(),
            subject.verify_all(&[&text, &source], Mode::Strict).unwrap(),
        ))?;
        for role in ["tool", "user", "assistant"] {
            let content = serde_json::json!([{ "type": "text", "text": text }]).to_string();
            for content in [content.as_str(), &text] {
                let message = ServedMessage { role, content, inserted: false };
                same("inspect", |subject| subject.inspect(&message))?;
            }
        }
        let cut = text.floor_char_boundary(text.len() / 2);
        same("writer", |subject| {
            let mut writer = subject.writer(&source).unwrap();
            let (first, second) = text.split_at(cut);
            (writer.write(first), writer.write(second), writer.finish(), writer.write("more"))
        })?;
    }
}
