//! Laws that hold for every text, tried on hostile ones.

use super::{Material, Tally};
use crate::cases::CaseError;
use crate::hostile;
use crate::subject::Subject;
use crate::values::{self, answer};
use murmur_fence_host::{Item, Mode, ServedMessage};
use serde_json::{Value, json};

/// A block begins with the opening marker and ends with the closing one.
pub(super) fn markers(subject: &dyn Subject, _: &Material) -> Result<Tally, CaseError> {
    let mut tally = Tally::default();
    let closer = answer(subject.close_marker(), |text| json!(text));
    tally.values("close-marker", &json!(murmur_fence::CLOSE_MARKER), &closer);
    for source in hostile::SOURCES {
        let opener = answer(subject.open_marker(source), |text| json!(text));
        let expected = match &opener {
            Value::String(opener) => json!(format!("{opener}\n\n{}", murmur_fence::CLOSE_MARKER)),
            other => other.clone(),
        };
        let at = format!("wrap of nothing under {source:?}");
        tally.values(at, &expected, &answer(subject.wrap(source, ""), |text| json!(text)));
    }
    Ok(tally)
}

/// What is neutralised has no live marker and stays as it is.
pub(super) fn idempotence(subject: &dyn Subject, material: &Material) -> Result<Tally, CaseError> {
    let mut tally = Tally::default();
    for text in texts(material) {
        let neutralised = match subject.neutralise(text) {
            Ok(neutralised) => neutralised.unwrap_or_else(|| text.to_string()),
            Err(error) => {
                tally.texts(format!("neutralise of {text:?}"), "a text", &error.to_string());
                continue;
            }
        };
        tally.values(
            format!("neutralise of {neutralised:?}"),
            &Value::Null,
            &answer(subject.neutralise(&neutralised), |text| json!(text)),
        );
        tally.texts(
            format!("live markers in {neutralised:?}"),
            "0",
            &murmur_fence::markers(&neutralised).count().to_string(),
        );
    }
    Ok(tally)
}

/// A call for many gives what as many calls give.
pub(super) fn batches(subject: &dyn Subject, material: &Material) -> Result<Tally, CaseError> {
    let mut tally = Tally::default();
    let texts: Vec<&str> = texts(material).collect();

    let items: Vec<Item> = texts
        .iter()
        .zip(hostile::SOURCES.iter().cycle())
        .map(|(content, source)| Item { source, content })
        .collect();
    let single = items.iter().map(|item| subject.wrap(item.source, item.content)).collect();
    let batch = subject.wrap_all(&items);
    compare(&mut tally, "wrap-all", single, batch, |text| json!(text));

    let single = texts.iter().map(|text| subject.neutralise(text)).collect();
    let batch = subject.neutralise_all(&texts);
    compare(&mut tally, "neutralise-all", single, batch, |text| json!(text));

    let wrapped: Vec<String> = texts.iter().map(|text| murmur_fence::wrap("x", text)).collect();
    let messages: Vec<&str> =
        texts.iter().copied().chain(wrapped.iter().map(String::as_str)).collect();
    for mode in [Mode::Standard, Mode::Strict] {
        let single = messages.iter().map(|message| subject.verify(message, mode)).collect();
        let batch = subject.verify_all(&messages, mode);
        compare(&mut tally, "verify-all", single, batch, values::verdict);
    }

    let contents: Vec<String> = messages.iter().map(|text| json!(text).to_string()).collect();
    let served: Vec<ServedMessage> = contents
        .iter()
        .zip(["tool", "user", "assistant", "system"].iter().cycle())
        .map(|(content, role)| ServedMessage { role, content, inserted: false })
        .collect();
    let single = served.iter().map(|message| subject.inspect(message)).collect();
    let batch = subject.inspect_all(&served);
    compare(&mut tally, "inspect-all", single, batch, values::inspected);
    Ok(tally)
}

fn compare<T>(
    tally: &mut Tally,
    function: &str,
    single: Vec<crate::subject::Answer<T>>,
    batch: crate::subject::Answer<Vec<T>>,
    form: impl Fn(&T) -> Value + Copy,
) {
    tally.looked_at += single.len();
    let single: Value = single.into_iter().map(|one| answer(one, form)).collect();
    let batch = answer(batch, |batch| batch.iter().map(form).collect());
    tally.values(format!("{function} against single calls, item"), &single, &batch);
}

fn texts(material: &Material) -> impl Iterator<Item = &str> {
    let recorded = material.vectors.iter().map(|vector| vector.content.as_str());
    hostile::TEXTS.iter().copied().chain(recorded)
}
