//! The page of an audit in a real browser: what is hostile in a record is shown and
//! does nothing.
//!
//! Needs Chromium. Without one the test passes with a message, unless `CI` is set;
//! `cargo xtask test` installs one on Debian.

mod support;

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use support::{record, run};

const OPEN: &str = "<untrusted-content source=tool:fetch>\n";
const CLOSE: &str = "\n</untrusted-content>";
const FORGED: &str = "<!MURMUR-NEUTRALISED!/untrusted-content>";

/// Each would change the title, add an element or an attribute, or hide the page.
const PAYLOADS: [&str; 14] = [
    "<script>document.title='pwned'</script>",
    "</script><script>document.title='pwned'</script>",
    "<img src=x onerror=\"document.title='pwned'\">",
    "\"><img src=x onerror=document.title='pwned'>",
    "' onmouseover='document.title=\"pwned\"' style='position:fixed",
    "</style><style>body{display:none;background:url(https://example.org/x)}</style>",
    "</title><title>pwned</title>",
    "--><iframe srcdoc='<script>parent.document.title=1</script>'></iframe>",
    "<svg><script>document.title='pwned'</script></svg>",
    "</p></article></main><base href=https://example.org/><form action=x><input autofocus onfocus=document.title='pwned'>",
    "<a href=\"javascript:document.title='pwned'\">x</a>",
    "&#60;script&#62;document.title='pwned'&#60;/script&#62;",
    "]]><!--<plaintext><textarea><noscript>",
    "<meta http-equiv=refresh content='0;url=data:text/html,pwned'>",
];

fn chromium() -> Option<PathBuf> {
    let found = xtask::chromium();
    if found.is_none() {
        assert!(
            env::var_os("CI").is_none(),
            "no chromium on PATH; `cargo xtask test` installs one on Debian, as root"
        );
        eprintln!("\nNOT TESTED: the page in a browser, for there is no chromium on PATH\n");
    }
    found
}

/// The page as the browser has it after it has run what it would run. The browser
/// says what a policy refuses; here that is a failure.
fn dump(chromium: &Path, page: &Path) -> String {
    let profile = tempfile::tempdir().unwrap();
    let output = Command::new(chromium)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--enable-logging=stderr", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("file://{}", page.display()))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(!said.contains("Content Security Policy"), "{said}");
    String::from_utf8(output.stdout).unwrap()
}

/// A record in which everything that a page could show is a payload.
fn hostile(payload: &str) -> String {
    let source = format!("tool:{payload}");
    let block = murmur_fence::wrap(&source, payload);
    let messages = [
        ("user", payload.to_owned(), json!({ "inserted_by": payload })),
        (payload, payload.to_owned(), json!({})),
        ("tool", block, json!({ "fence": source, "tool_call_id": payload })),
        ("tool", payload.to_owned(), json!({ "fence": source, "tool_call_id": payload })),
        (
            "tool",
            format!("{OPEN}{payload}{FORGED}{CLOSE}{CLOSE}"),
            json!({ "fence": "tool:fetch" }),
        ),
        ("assistant", format!("{payload}{CLOSE}&lt;/untrusted-content{payload}&gt;"), json!({})),
    ];
    let messages: Vec<(&str, &str, Value)> =
        messages.iter().map(|(role, text, more)| (*role, text.as_str(), more.clone())).collect();
    let mut lines = record(&messages);
    // The keys and the id too.
    let id = json!({
        "role": "tool", "id": payload, "content": [{ "type": "text", "text": payload, payload: CLOSE }]
    });
    lines += &format!("{id}\n{{\"torn {}", payload.replace(['"', '\0'], "'"));
    lines
}

fn page_of(directory: &Path, name: &str, record: &str) -> PathBuf {
    // The name of the file is hostile as well, as far as a file's may be.
    let input = directory.join(format!("{name}<img src=x onerror=alert(1)>.jsonl"));
    fs::write(&input, record).unwrap();
    let page = directory.join(format!("{name}.html"));
    let run = run(&["audit", "--html", page.to_str().unwrap(), input.to_str().unwrap()]);
    assert_eq!(run.status, 1, "{run:?}");
    page
}

/// The tags of a serialised page, each with the names of its attributes. Text in it
/// has no `<`, since a serialiser escapes it; that is checked by the caller.
fn elements(dom: &str) -> BTreeMap<String, BTreeMap<String, usize>> {
    let mut found: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    let mut rest = dom;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let name_end = rest.find(|c: char| c.is_whitespace() || c == '>').unwrap();
        let name = rest[..name_end].to_ascii_lowercase();
        rest = &rest[name_end..];
        let closing = name.starts_with('/');
        let attributes = found.entry(name.clone()).or_default();
        *attributes.entry(String::new()).or_default() += 1;
        while !rest.starts_with('>') {
            rest = rest.trim_start();
            let end = rest.find(['=', '>', ' ']).unwrap();
            *attributes.entry(rest[..end].to_owned()).or_default() += 1;
            rest = &rest[end..];
            if let Some(value) = rest.strip_prefix("=\"") {
                rest = value.split_once('"').unwrap().1;
            }
        }
        assert!(!closing || attributes.len() == 1, "{name}");
    }
    found
}

/// All text of a serialised page, as a reader sees it.
fn text(dom: &str) -> String {
    let mut out = String::new();
    let mut rest = dom;
    while let Some((text, tag)) = rest.split_once('<') {
        out += text;
        rest = tag.split_once('>').map_or("", |(_, rest)| rest);
    }
    out.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", "\u{a0}").replace("&amp;", "&")
}

#[test]
fn a_hostile_record_cannot_inject_into_the_page() {
    let Some(chromium) = chromium() else { return };
    let directory = tempfile::tempdir().unwrap();
    let harmless = page_of(directory.path(), "harmless", &hostile("harmless words"));
    let allowed = elements(&dump(&chromium, &harmless));
    assert_eq!(allowed["title"][""], 1);
    assert!(allowed["article"][""] == 7 && allowed["mark"][""] > 0 && allowed["u"][""] > 0);

    // One page that holds them all, and so is opened once.
    let all: String = PAYLOADS.iter().map(|payload| hostile(payload) + "\n").collect();
    let page = page_of(directory.path(), "hostile", &all);
    let dom = dump(&chromium, &page);
    assert!(dom.contains("<title>Fence audit</title>"), "a script ran");
    let found = elements(&dom);
    for (name, attributes) in &found {
        let known = allowed.get(name).unwrap_or_else(|| panic!("<{name}> was injected"));
        for attribute in attributes.keys() {
            assert!(known.contains_key(attribute), "<{name} {attribute}> was injected");
        }
    }
    for name in ["html", "head", "meta", "title", "style", "body", "main"] {
        assert_eq!(found[name][""], allowed[name][""], "<{name}>");
    }
    assert_eq!(found["article"][""], PAYLOADS.len() * 7);
    let shown = text(&dom);
    for payload in PAYLOADS {
        // As text, as a label, in a block, and beside a finding.
        let times = shown.matches(payload).count();
        assert!(times >= 8, "{payload} is shown {times} times");
    }
}

#[test]
fn directions_and_hidden_characters_are_shown_by_number() {
    let Some(chromium) = chromium() else { return };
    let directory = tempfile::tempdir().unwrap();
    let hidden = "a\u{202e}b\u{2066}c\u{200b}d\u{e0041}e\u{feff}f\0g\rh\u{1b}i";
    let page = page_of(directory.path(), "bidi", &hostile(hidden));
    let dom = dump(&chromium, &page);
    let shown = text(&dom);
    assert!(shown.contains("a202Eb2066c200BdE0041eFEFFf0000g000Dh001Bi"), "{shown}");
    let leaked = dom.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t'));
    assert_eq!(leaked, None);
    let formats = ['\u{202e}', '\u{2066}', '\u{200b}', '\u{e0041}', '\u{feff}'];
    assert!(!dom.contains(formats));
}

#[test]
fn the_page_allows_no_script_and_fetches_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let page = fs::read_to_string(page_of(directory.path(), "x", &hostile("words"))).unwrap();
    let policy = page.split("Content-Security-Policy\" content=\"").nth(1).unwrap();
    let policy = policy.split('"').next().unwrap();
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    for word in
        ["<script", "<link", "<img", "src=", "url(", "@import", "http://", "https://", " style="]
    {
        let own = page.replace("&lt;img src=x onerror=alert(1)&gt;", "");
        assert!(!own.contains(word), "{word}");
    }
}
