//! Records as long as wanted, like those that a busy capsule leaves behind: short
//! questions, calls with their inputs, and tool results of every size that hold
//! pages, listings, code, logs and prose.

use murmur_fence::wrap;
use serde_json::{Value, json};

/// The tools that are called, and what each gives.
const TOOLS: [(&str, Body); 8] = [
    ("web-fetch", Body::Page),
    ("http-get", Body::Listing),
    ("list-issues", Body::Listing),
    ("search", Body::Listing),
    ("read-file", Body::Code),
    ("bash", Body::Log),
    ("ask", Body::Prose),
    ("translate", Body::Script),
];

/// What a result is made of.
#[derive(Clone, Copy)]
enum Body {
    Page,
    Listing,
    Code,
    Log,
    Prose,
    Script,
}

/// A record that goes on for ever, line by line and the same for the same seed.
pub struct Record {
    random: Random,
    /// When the next message is written, in milliseconds since the Unix epoch.
    now: u64,
    /// Lines that are ready to be handed out.
    queue: std::collections::VecDeque<String>,
    calls: u64,
}

impl Record {
    pub fn new(seed: u64) -> Self {
        let mut record = Record {
            random: Random(seed),
            now: 1_790_000_000_000,
            queue: Default::default(),
            calls: 0,
        };
        record.queue.push_back(
            r#"{"type":"murmur.record","capsule":"busy","created_ms":1790000000000}"#.to_owned(),
        );
        record
    }

    fn id(&mut self) -> String {
        self.now += self.random.below(40);
        let random = (u128::from(self.random.next()) << 64 | u128::from(self.random.next())) >> 48;
        format!("msg_{:012x}{:020x}", self.now, 7u128 << 76 | random & ((1 << 76) - 1))
    }

    fn push(&mut self, mut message: Value) {
        message["id"] = self.id().into();
        self.queue.push_back(message.to_string());
    }

    /// One exchange: a task or a turn, its calls and their results.
    fn exchange(&mut self) {
        self.now += 1000 + self.random.below(60_000);
        if self.random.below(4) == 0 {
            let text = self.random.prose(200);
            self.push(json!({"role": "user", "content": [{"type": "text", "text": text}]}));
        }
        let mut blocks = vec![json!({"type": "text", "text": self.random.prose(120)})];
        let mut results = Vec::new();
        for _ in 0..1 + self.random.below(3) {
            self.calls += 1;
            let id = format!("toolu_{:016x}", self.calls);
            let (name, body) = TOOLS[self.random.below(TOOLS.len() as u64) as usize];
            blocks.push(json!({
                "type": "tool_call", "id": id, "name": name,
                "input": {"query": self.random.prose(40), "limit": self.random.below(100)},
            }));
            let failed = self.random.below(50) == 0;
            let (text, label) = if failed {
                (format!("tool '{name}' is not declared in manifest allowlist"), None)
            } else {
                let length = self.random.length();
                let source = format!("tool:{name}");
                (wrap(&source, &self.random.body(body, length)), Some(source))
            };
            let mut result = json!({
                "role": "tool", "tool_call_id": id, "is_error": failed,
                "content": [{"type": "text", "text": text}],
            });
            if let Some(label) = label {
                result["fence"] = label.into();
            }
            results.push(result);
        }
        self.push(json!({"role": "assistant", "content": blocks}));
        results.into_iter().for_each(|result| self.push(result));
    }
}

impl Iterator for Record {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        while self.queue.is_empty() {
            self.exchange();
        }
        self.queue.pop_front()
    }
}

/// SplitMix64: enough for texts that do not repeat.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }

    /// Most results are short, some are long: 100 bytes to 64 KB, by powers of two.
    fn length(&mut self) -> usize {
        let scale = 100 << self.below(10);
        (scale + self.below(scale)).min(64 << 10) as usize
    }

    fn body(&mut self, body: Body, length: usize) -> String {
        match body {
            Body::Page => self.fill(length, |random, out| {
                let tag = random.pick(&["p", "div", "li", "td", "h2", "span", "ul"]);
                let class = random.pick(WORDS);
                let link = random.below(1000);
                *out += &format!(
                    "<{tag} class=\"{class}\"><a href=\"/{class}/{link}?q=%20a&amp;b\">{}</a></{tag}>\n",
                    random.prose(60)
                );
            }),
            Body::Listing => self.fill(length, |random, out| {
                let (name, status) = (random.pick(WORDS), random.pick(&["ok", "stale", "gone"]));
                let number = random.below(100_000);
                *out += &format!(
                    "{{\"id\":{number},\"name\":\"{name}\",\"status\":\"{status}\",\"tags\":[\"a\",\"b\"]}},"
                );
            }),
            Body::Code => self.fill(length, |random, out| {
                let (one, two) = (random.pick(WORDS), random.pick(WORDS));
                *out += &format!(
                    "    if {one}.len() < {two} && &{one}[0..4] != \"{two}\\n\" {{\n        return Err({one});\n    }}\n"
                );
            }),
            Body::Log => self.fill(length, |random, out| {
                let (level, number) = (random.pick(&["INFO", "WARN", "DEBUG"]), random.below(100_000));
                *out += &format!(
                    "2026-12-01T01:26:49.{number:05}Z \u{1b}[32m{level}\u{1b}[0m {}\n",
                    random.prose(70)
                );
            }),
            Body::Prose => self.prose(length),
            Body::Script => self.fill(length, |random, out| {
                *out += random.pick(&["記録は日々増えていく。", "手を止めずに読むこと、", "Größe und Maß — ", "Запись растёт каждый день. "]);
            }),
        }
    }

    fn prose(&mut self, length: usize) -> String {
        let mut column = 0;
        self.fill(length, |random, out| {
            let word = random.pick(WORDS);
            column += word.len() + 1;
            let space = if column > 78 { '\n' } else { ' ' };
            column *= usize::from(space == ' ');
            *out += word;
            out.push(space);
        })
    }

    fn fill(&mut self, length: usize, mut add: impl FnMut(&mut Self, &mut String)) -> String {
        let mut out = String::with_capacity(length + 256);
        while out.len() < length {
            add(self, &mut out);
        }
        out
    }
}

const WORDS: &[&str] = &[
    "the", "record", "of", "a", "running", "capsule", "grows", "by", "one", "line", "and", "no",
    "reader", "may", "assume", "that", "what", "it", "holds", "was", "written", "with", "care",
    "context", "message", "under", "model", "content", "source", "tool", "answer", "until",
];
