//! Every vector recorded from the runtime holds.

use murmur_fence::{
    Mode, Segment, Verdict, naive, neutralise, open_marker, segments, verify, wrap,
};
use serde_json::Value;

fn vectors() -> Vec<[String; 5]> {
    let file = include_str!("../../../host-test/cases/vectors/murmur-0.8.0.jsonl");
    let vectors: Vec<_> = file
        .lines()
        .map(|line| {
            let vector: Value = serde_json::from_str(line).unwrap();
            ["source", "content", "open", "neutralised", "wrapped"]
                .map(|key| vector[key].as_str().unwrap().to_owned())
        })
        .collect();
    assert_eq!(vectors.len(), 400);
    vectors
}

#[test]
fn outputs_equal_the_recorded_ones() {
    for [source, content, open, neutralised, wrapped] in vectors() {
        assert_eq!(open_marker(&source), open);
        assert_eq!(neutralise(&content), neutralised);
        assert_eq!(wrap(&source, &content), wrapped);
        assert_eq!(naive::neutralise(&content), neutralised);
        assert_eq!(naive::wrap(&source, &content), wrapped);
    }
}

#[test]
fn recorded_blocks_are_intact_and_give_back_their_body() {
    for [_, _, open, neutralised, wrapped] in vectors() {
        let Verdict::Intact(outline) = verify(&wrapped, Mode::Strict) else {
            panic!("not intact: {wrapped:?}");
        };
        let [block] = &outline.blocks[..] else { panic!("not one block: {wrapped:?}") };
        assert_eq!(&wrapped[block.opener.clone()], open);
        assert_eq!(&wrapped[block.body.clone()], neutralised);
        assert_eq!(block.span(), 0..wrapped.len());
        assert_eq!(segments(&wrapped).collect::<Vec<_>>(), [Segment::Block(block.clone())]);
    }
}
