//! Fences a text from standard input in the component and says what its markers were
//! worth before. `examples/rust` is its page.

use murmur_fence_host::{Component, Limits, Mode, Verdict};
use std::error::Error;
use std::io::Read;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [component, source] = &arguments[..] else {
        eprintln!("usage: fence COMPONENT SOURCE < TEXT");
        return ExitCode::from(2);
    };
    let mut text = String::new();
    let read = std::io::stdin().read_to_string(&mut text).map_err(Into::into);
    match read.and_then(|_| fenced(component, source, &text)) {
        Ok((block, said)) => {
            eprintln!("{said}");
            println!("{block}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("fence: {error}");
            ExitCode::from(2)
        }
    }
}

/// The text as a block, and what was found in it.
pub fn fenced(
    component: &str,
    source: &str,
    text: &str,
) -> Result<(String, String), Box<dyn Error>> {
    // What a stranger's text may cost. A call beyond it is an error, never a wait.
    let limits = Limits::default();
    // Compiled once; calls may come from any number of threads.
    let fence = Component::from_file(component, &limits)?.fence();
    let said = match fence.verify(text, Mode::Standard)? {
        Verdict::Unfenced => "no marker".to_string(),
        Verdict::Intact(outline) => format!("whole blocks: {}", outline.blocks.len()),
        Verdict::Broken(flaws) => format!("flaws, made inert: {}", flaws.len()),
    };
    let lookalikes = fence.lookalikes(text)?.len();
    Ok((fence.wrap(source, text)?, format!("{said}; look-alikes: {lookalikes}")))
}
