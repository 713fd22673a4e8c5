//! What is timed on a text.

use murmur_fence::{Dialect, MarkerDialect, Mode, Nonce, Tags, naive};
use regex::Regex;

use crate::paired::Subject;
use crate::plain;

/// The source of every block.
const SOURCE: &str = "tool:web-fetch";

/// What the subjects work on, made once for all of them.
pub struct Inputs {
    content: String,
    blocks: [(Box<dyn Dialect>, String); 3],
    regex: Regex,
    aho_corasick: aho_corasick::AhoCorasick,
}

impl Inputs {
    /// For this content.
    pub fn new(content: String) -> Self {
        let nonce = Nonce::with_token("7f3a91c2d4e5f607").expect("a token");
        let dialects: [Box<dyn Dialect>; 3] =
            [Box::new(MarkerDialect), Box::new(nonce), Box::new(Tags::default())];
        let blocks = dialects.map(|dialect| {
            let block = dialect.wrap(SOURCE, &content);
            (dialect, block)
        });
        Inputs {
            content,
            blocks,
            regex: Regex::new("(?i-u)<(/?untrusted-content)").expect("an expression"),
            aho_corasick: aho_corasick::AhoCorasick::builder()
                .ascii_case_insensitive(true)
                .build(["<untrusted-content", "</untrusted-content"])
                .expect("two texts"),
        }
    }

    /// Every subject. The first two are what the others are compared with.
    pub fn subjects(&self) -> Vec<Subject<'_>> {
        let content = self.content.as_str();
        let [(_, marker_block), (nonce, nonce_block), (tags, tags_block)] = &self.blocks;
        let mut reused = String::with_capacity(3 * content.len() + 256);
        vec![
            Subject::new("to_owned", || content.to_owned()),
            // A byte that the text does not have, so that all of it is read.
            Subject::new("memchr", || memchr::memchr(0, content.as_bytes())),
            Subject::new("neutralise", || murmur_fence::neutralise(content)),
            Subject::new("neutralise, owned", || {
                let mut out = String::new();
                murmur_fence::neutralise_into(&mut out, content);
                out
            }),
            Subject::new("wrap", || murmur_fence::wrap(SOURCE, content)),
            Subject::new("wrap_into, reused", move || {
                reused.clear();
                murmur_fence::wrap_into(&mut reused, SOURCE, content);
                reused.len()
            }),
            Subject::new("verify", || murmur_fence::verify(marker_block, Mode::Strict)),
            Subject::new("segments", || murmur_fence::segments(marker_block).count()),
            Subject::new("lookalikes", || murmur_fence::lookalikes(content).count()),
            Subject::new("nonce wrap", || nonce.wrap(SOURCE, content)),
            Subject::new("nonce verify", || nonce.verify(nonce_block, Mode::Strict)),
            Subject::new("tags wrap", || tags.wrap(SOURCE, content)),
            Subject::new("tags verify", || tags.verify(tags_block, Mode::Strict)),
            Subject::new("plain neutralise", || plain::neutralise(content)),
            Subject::new("plain wrap", || plain::wrap(SOURCE, content)),
            Subject::new("naive twin", || naive::neutralise(content)),
            Subject::new("regex", || self.regex.replace_all(content, "<!MURMUR-NEUTRALISED!$1")),
            Subject::new("aho-corasick", || self.with_aho_corasick()),
        ]
    }

    fn with_aho_corasick(&self) -> String {
        let mut out = String::with_capacity(self.content.len());
        self.aho_corasick.replace_all_with(&self.content, &mut out, |_, found, out| {
            out.push('<');
            out.push_str(murmur_fence::INFIX);
            out.push_str(&found[1..]);
            true
        });
        out
    }
}
