//! The writer: cut anywhere, it writes what wrapping the whole writes.

use super::{Material, Tally};
use crate::cases::CaseError;
use crate::hostile;
use crate::subject::{Answer, Subject};
use murmur_fence::{neutralise, open_marker, wrap};
use murmur_fence_host::WriterError;

/// How many bytes a writer may hold back between calls.
const HELD_BACK: usize = 18;

/// Every hostile text in one, two and three chunks, cut at every character, and
/// character by character.
pub(super) fn splits(subject: &dyn Subject, _: &Material) -> Result<Tally, CaseError> {
    let mut tally = Tally::default();
    for (text, source) in hostile::TEXTS.iter().zip(hostile::SOURCES.iter().cycle()) {
        let cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        try_chunks(&mut tally, subject, source, &[text]);
        for (index, first) in cuts.iter().enumerate() {
            try_chunks(&mut tally, subject, source, &[&text[..*first], &text[*first..]]);
            for second in &cuts[index..] {
                let chunks = [&text[..*first], &text[*first..*second], &text[*second..]];
                try_chunks(&mut tally, subject, source, &chunks);
            }
        }
        let single: Vec<&str> = cuts.windows(2).map(|cut| &text[cut[0]..cut[1]]).collect();
        try_chunks(&mut tally, subject, source, &single);
    }
    Ok(tally)
}

fn try_chunks(tally: &mut Tally, subject: &dyn Subject, source: &str, chunks: &[&str]) {
    let expected = wrap(source, &chunks.concat());
    let at = || format!("writer under {source:?} given {chunks:?}");
    match write(subject, source, chunks) {
        Ok(Ok(written)) => {
            tally.texts(at(), &expected, &written.concat());
            let begun = open_marker(source).len() + 1;
            let mut given = String::new();
            let mut seen = 0;
            for (chunk, written) in chunks.iter().zip(&written) {
                given.push_str(chunk);
                seen += written.len();
                let certain = (begun + neutralise(&given).len()).saturating_sub(HELD_BACK);
                if seen < certain {
                    let expected = format!("at least {certain} bytes after {given:?}");
                    tally.texts(at(), &expected, &format!("{seen} bytes"));
                }
            }
        }
        Ok(Err(error)) => tally.texts(at(), &expected, &format!("the error {error:?}")),
        Err(error) => tally.texts(at(), &expected, &error.to_string()),
    }
}

/// The answers to each chunk and to the finish.
fn write(
    subject: &dyn Subject,
    source: &str,
    chunks: &[&str],
) -> Answer<Result<Vec<String>, WriterError>> {
    let mut writer = subject.writer(source)?;
    let mut written = Vec::with_capacity(chunks.len() + 1);
    for chunk in chunks {
        match writer.write(chunk)? {
            Ok(text) => written.push(text),
            Err(error) => return Ok(Err(error)),
        }
    }
    Ok(writer.finish()?.map(|text| {
        written.push(text);
        written
    }))
}

/// A finished writer refuses, and goes on refusing.
pub(super) fn finished(subject: &dyn Subject, _: &Material) -> Result<Tally, CaseError> {
    let mut tally = Tally::default();
    let mut note = |at: &str, answer: Answer<Result<String, WriterError>>| {
        let seen = match answer {
            Ok(answer) => format!("{answer:?}"),
            Err(error) => error.to_string(),
        };
        tally.texts(at, &format!("{:?}", Err::<String, _>(WriterError::Finished)), &seen);
    };
    match subject.writer("tool:x") {
        Ok(mut writer) => {
            // What the first finish gives is the other check's matter.
            let _ = writer.finish();
            note("write after finish", writer.write("more"));
            note("finish after finish", writer.finish());
            note("write after both", writer.write(""));
        }
        Err(error) => note("writer", Err(error)),
    }
    Ok(tally)
}
