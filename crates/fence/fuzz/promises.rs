//! What `Dialect` promises of every source and every content.

use std::borrow::Cow;

use murmur_fence::{Dialect, INFIX, Mode, Segment, Verdict};

pub fn hold(dialect: &dyn Dialect, source: &str, content: &str) {
    let defanged = dialect.defang(content);
    assert_eq!(matches!(defanged, Cow::Borrowed(_)), defanged == content);
    assert_eq!(dialect.defang(&defanged), defanged);
    if !content.contains(INFIX) {
        assert_eq!(dialect.restore(&defanged), content);
    }
    assert_eq!(dialect.verify(&defanged, Mode::Strict), Verdict::Unfenced);

    let block = dialect.wrap(source, content);
    let Verdict::Intact(outline) = dialect.verify(&block, Mode::Strict) else { panic!("{block:?}") };
    assert_eq!(outline.blocks.len(), 1);
    assert_eq!(outline.blocks[0].source, dialect.sanitise_source(source));
    assert_eq!(block[outline.blocks[0].body.clone()], defanged);

    let mut at = 0;
    for segment in dialect.segments(content) {
        let span = match segment {
            Segment::Text(span) => span,
            Segment::Block(block) => block.span(),
        };
        assert_eq!(span.start, at);
        assert!(content.get(span.clone()).is_some_and(|text| !text.is_empty()));
        at = span.end;
    }
    assert_eq!(at, content.len());
    if let Verdict::Broken(flaws) = dialect.verify(content, Mode::Strict) {
        assert!(flaws.iter().all(|flaw| content.is_char_boundary(flaw.offset)));
    }
}
