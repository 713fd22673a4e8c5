//! The nonce dialect: what every dialect promises, for tokens that overlap
//! themselves too, and in both forms.

#![no_main]

use libfuzzer_sys::fuzz_target;
use murmur_fence::Nonce;
use murmur_fence::nonce::{Form, Style};

#[path = "../promises.rs"]
mod promises;

fuzz_target!(|input: (u8, &str, &str)| {
    let (choice, source, content) = input;
    // A short token in the input stands for one that a fuzzer will not guess.
    let token = ["7f3a91c2d4e5f607", "abababababababab", "aaaaaaaaaaaaaaab"][usize::from(choice % 3)];
    let mut nonce = Nonce::with_token(token).expect("a token");
    if choice & 0x80 != 0 {
        nonce = nonce.in_form(Form::new("page", Style::Tag).expect("a form"));
    }
    let spelled = |text: &str| text.replace('T', token).replace('U', &token.to_uppercase());
    promises::hold(&nonce, &spelled(source), &spelled(content));
});
