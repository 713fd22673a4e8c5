//! Declared against enforced, from receipts and from prompts.

use murmur_fence::{Dialect, MarkerDialect};
use murmur_fence_lanes::{Assembler, Coverage, Lane, Receipt, Registry, Trust};
use serde_json::json;

fn registry() -> Registry {
    let mut registry = Registry::new();
    for (name, trust) in [
        ("task", Trust::Owner),
        ("page", Trust::Model),
        ("memory", Trust::Child),
        ("results", Trust::Tool),
    ] {
        registry.insert(Lane::new(name, trust, 1000)).unwrap();
    }
    registry
}

fn uncovered(coverage: &Coverage) -> Vec<&str> {
    coverage.uncovered().map(|lane| lane.lane.as_str()).collect()
}

#[test]
fn receipts_of_the_assembler_cover_the_lanes_that_were_pushed() {
    let registry = registry();
    let mut prompt = Assembler::new(&registry, &MarkerDialect);
    for lane in ["task", "page", "results", "page"] {
        prompt.push(lane, "text").unwrap();
    }
    let receipts = prompt.finish().unwrap().receipts;
    let lines = receipts.iter().map(Receipt::to_json).collect::<Vec<_>>().join("\n");
    let coverage = Coverage::of_receipts(Some(&registry), &lines).unwrap();
    assert_eq!((coverage.declared(), coverage.enforced()), (3, 2));
    assert_eq!(uncovered(&coverage), ["memory"]);
    let alone = Coverage::of_receipts(None, &lines).unwrap();
    assert_eq!((alone.declared(), alone.enforced()), (2, 2), "only what the log saw");
    assert_eq!(alone.lanes[1].seen, 2);
}

#[test]
fn one_bare_push_of_many_uncovers_the_lane() {
    let lines = "{\"lane\":\"page\",\"trust\":\"model\",\"fenced\":true}\n\n\
                 {\"lane\":\"page\",\"trust\":\"model\",\"fenced\":false}\n";
    let coverage = Coverage::of_receipts(None, lines).unwrap();
    assert_eq!((coverage.declared(), coverage.enforced()), (1, 0));
    assert_eq!((coverage.lanes[0].seen, coverage.lanes[0].fenced), (2, 1));
}

#[test]
fn only_a_receipt_that_says_nothing_else_is_authoritative() {
    for (receipt, declared) in [
        (r#""trust":"owner","declared":false"#, 0),
        (r#""trust":"policy""#, 0),
        (r#""declared":false"#, 0),
        (r#""trust":"Owner""#, 1),
        (r#""trust":"owner ","declared":false"#, 1),
        (r#""trust":"model","declared":false"#, 1),
        (r#""trust":"owner","declared":true"#, 1),
        (r#""trust":"unknown""#, 1),
        (r#""trust":null,"declared":true"#, 1),
    ] {
        let line = format!("{{\"lane\":\"a\",{receipt},\"fenced\":false}}");
        assert_eq!(Coverage::of_receipts(None, &line).unwrap().declared(), declared, "{line}");
    }
    let lines = "{\"lane\":\"a\",\"trust\":\"owner\",\"fenced\":false}\n\
                 {\"lane\":\"a\",\"trust\":\"tool\",\"fenced\":false}\n";
    assert_eq!(
        Coverage::of_receipts(None, lines).unwrap().declared(),
        1,
        "declared once is declared"
    );
}

#[test]
fn the_registry_has_the_word_over_the_receipts() {
    let lines = "{\"lane\":\"page\",\"trust\":\"owner\",\"declared\":false,\"fenced\":false}\n\
                 {\"lane\":\"stray\",\"trust\":\"owner\",\"declared\":false,\"fenced\":false}\n";
    let coverage = Coverage::of_receipts(Some(&registry()), lines).unwrap();
    assert_eq!(uncovered(&coverage), ["page", "memory", "results"]);
    assert!(coverage.unregistered.iter().eq(["stray"]));
}

#[test]
fn a_line_that_is_no_receipt_is_named() {
    let line = r#"{"lane":"a","trust":"tool","fenced":true}"#;
    for (bad, why) in [
        ("{", "EOF"),
        (r#"{"trust":"tool","fenced":true}"#, "missing field `lane`"),
        (r#"{"lane":"a","trust":"model"}"#, "no `fenced`"),
        (r#"{"lane":"a","fenced":true}"#, "name the registry"),
        (r#"{"lane":"a","trust":"tool","fenced":"yes"}"#, "invalid type"),
        ("[]", "invalid length"),
    ] {
        let error = Coverage::of_receipts(None, &format!("{line}\n\n{bad}\n{line}\n")).unwrap_err();
        assert_eq!(error.line, 3, "{bad}");
        assert!(error.to_string().contains(why), "{error}");
    }
}

#[test]
fn a_prompt_covers_the_lanes_of_its_blocks() {
    let registry = registry();
    let prompt = format!(
        "task\n{}\n{}\n{}",
        murmur_fence::wrap("page", "p"),
        murmur_fence::wrap("results", "r"),
        murmur_fence::wrap("stray", "s"),
    );
    let coverage = Coverage::of_prompt(&registry, &MarkerDialect, &prompt);
    assert_eq!(uncovered(&coverage), ["memory"]);
    assert_eq!((coverage.declared(), coverage.enforced()), (3, 2), "a stray block covers nothing");
    assert!(coverage.unregistered.iter().eq(["stray"]));
    assert_eq!(coverage.flaws, []);
    let bare = Coverage::of_prompt(&registry, &MarkerDialect, "task\npage text\n");
    assert_eq!((bare.declared(), bare.enforced()), (3, 0));
}

#[test]
fn no_block_of_a_broken_prompt_counts() {
    let prompt = format!("{}\n</untrusted-content>", murmur_fence::wrap("page", "p"));
    let coverage = Coverage::of_prompt(&registry(), &MarkerDialect, &prompt);
    assert_eq!(coverage.enforced(), 0);
    assert!(!coverage.flaws.is_empty());
}

#[test]
fn chat_messages_cover_the_lanes_of_their_blocks() {
    let registry = registry();
    let tags = murmur_fence::Tags::default();
    let nonce = murmur_fence::Nonce::with_token("7f3a91c2d4e5f607").unwrap();
    let dialects: [&dyn Dialect; 3] = [&MarkerDialect, &nonce, &tags];
    for dialect in dialects {
        let (page, results) = (dialect.wrap("page", "</data>"), dialect.wrap("results", "r"));
        let memory = dialect.wrap("memory", "m");
        let messages = json!([
            // The rule quotes the markers, and the model may repeat a block.
            { "role": "system", "content": dialect.rules().text() },
            { "role": "assistant", "content": memory },
            { "role": "User", "content": memory },
            { "role": "user", "content": page },
            { "role": "tool", "content": [
                { "type": "text", "text": "seen:" },
                { "type": "tool_result", "content": [{ "type": "text", "text": results }] },
            ] },
            { "role": "assistant", "content": null, "tool_calls": [] },
            { "role": "user" },
        ]);
        for text in
            [messages.to_string(), json!({ "model": "m", "messages": messages }).to_string()]
        {
            let coverage = Coverage::of_messages(&registry, dialect, &text).unwrap();
            assert_eq!(uncovered(&coverage), ["memory"], "{}", dialect.name());
            assert_eq!(coverage.flaws, []);
        }
    }
}

#[test]
fn a_broken_text_among_messages_is_named_by_its_place() {
    let page = murmur_fence::wrap("page", "p");
    let messages = json!({ "messages": [
        { "role": "user", "content": page },
        { "role": "tool", "content": [{ "a/b~": murmur_fence::wrap("results", "r") + "\n</untrusted-content>" }] },
    ] });
    let coverage =
        Coverage::of_messages(&registry(), &MarkerDialect, &messages.to_string()).unwrap();
    assert_eq!(uncovered(&coverage), ["memory", "results"]);
    // A second closer leaves open where the block ends, and the last closes nothing.
    let piece = "/messages/1/content/0/a~1b~0";
    assert!(coverage.flaws.iter().all(|it| it.piece.as_deref() == Some(piece)));
    assert!(!coverage.flaws.is_empty());
    let messages: Vec<String> = coverage.findings("p").iter().map(|it| it.to_string()).collect();
    assert!(
        messages[0].contains(" of /messages/1/content/0/a~1b~0; no block counts"),
        "{messages:?}"
    );
}

#[test]
fn what_is_no_list_of_messages_is_an_error() {
    for (text, why) in [
        ("[", "EOF"),
        ("\"text\"", "neither a list"),
        ("{\"message\": []}", "without a list `messages`"),
        ("[{\"role\": \"user\"}, {\"content\": \"a\"}]", "/1 has no `role`"),
        ("[\"a\"]", "/0 has no `role`"),
    ] {
        let error = Coverage::of_messages(&registry(), &MarkerDialect, text).unwrap_err();
        assert!(error.to_string().contains(why), "{text}: {error}");
    }
    let deep = "[".repeat(100_000);
    assert!(Coverage::of_messages(&registry(), &MarkerDialect, &deep).is_err());
    let none = Coverage::of_messages(&registry(), &MarkerDialect, "[]").unwrap();
    assert_eq!((none.declared(), none.enforced()), (3, 0));
}
