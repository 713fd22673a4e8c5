//! The plain way to neutralise, as the runtime does it: look for each `<`, compare
//! the name, copy what lies between. It is what a program would have without this
//! crate, and faster than [`murmur_fence::naive`], which is written to be obvious.

use murmur_fence::{INFIX, NAME};

/// The content, neutralised.
pub fn neutralise(content: &str) -> String {
    let mut out = String::with_capacity(content.len());
    let mut rest = content;
    while let Some(at) = rest.find('<') {
        let (before, after) = rest.split_at(at + 1);
        out.push_str(before);
        let name = after.strip_prefix('/').unwrap_or(after);
        let spelled = name.as_bytes().get(..NAME.len());
        if spelled.is_some_and(|spelled| spelled.eq_ignore_ascii_case(NAME.as_bytes())) {
            out.push_str(INFIX);
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The content between the two markers.
pub fn wrap(source: &str, content: &str) -> String {
    let source = neutralise(source).replace('>', "_").replace(['\n', '\r'], " ");
    format!("<{NAME} source={source}>\n{}\n</{NAME}>", neutralise(content))
}

#[cfg(test)]
mod tests {
    use crate::corpus::Corpus;

    #[test]
    fn it_does_what_the_fence_does() {
        for corpus in Corpus::ALL {
            let text = corpus.text(5000);
            assert_eq!(super::neutralise(&text), murmur_fence::neutralise(&text));
            assert_eq!(super::wrap("a\n>b", &text), murmur_fence::wrap("a\n>b", &text));
        }
    }
}
