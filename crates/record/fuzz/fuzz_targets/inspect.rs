//! A served message: every text's offsets lie in the content, on characters.

#![no_main]

use libfuzzer_sys::fuzz_target;
use murmur_fence_record::inspect;

fuzz_target!(|input: &[u8]| {
    let [first, content @ ..] = input else { return };
    let role = ["tool", "user", "assistant", "system"][usize::from(first & 3)];
    let Ok(content) = str::from_utf8(content) else { return };
    let Ok(pieces) = inspect(role, content, first & 4 != 0) else { return };
    for piece in pieces {
        let literal = &content[piece.literal()];
        assert!(piece.text.len() <= literal.len());
        let mut offsets = piece.offsets();
        for (at, _) in piece.text.char_indices() {
            assert!(content.is_char_boundary(offsets.served(at)));
        }
    }
});
