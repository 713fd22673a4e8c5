//! The conversation, drawn.

use std::collections::HashMap;
use std::fmt::Write;

use murmur_fence_record::audit::Finding;

use super::super::Audited;
use super::super::human::unit_of;
use super::colours::Colours;
use super::message::Drawn;
use super::{Inline, Out};
use crate::commands::counted;

/// What the drawing's marks mean, each drawn as the thing itself.
const LEGEND: &str = "<ul class=\"legend\" aria-label=\"What the marks mean\">\
    <li><span class=\"swatch\"></span> a fenced block, in the colour of its source</li>\
    <li><span class=\"voice\">the runtime</span> its own words, outside of every block</li>\
    <li><mark class=\"forged\">marker</mark> forged in the content, and neutralised</li>\
    <li><mark class=\"live\">marker</mark> alive where none may be</li>\
    <li><mark class=\"mention\">marker</mark> only quoted: no fence</li>\
    <li><u class=\"alike\">marker</u> reads like one, and is none</li>\
    <li><span class=\"ctl\">202E</span> a hidden character</li></ul>\n";

pub fn section(out: &mut Out, audited: &Audited, colours: &Colours) {
    let collected = &audited.collected;
    let messages = collected.drawn();
    *out += "<section>\n<h2 id=\"conversation\">Conversation</h2>\n";
    if messages.is_empty() {
        *out +=
            "<p class=\"soft\">There is no message to draw. Traces have none.</p>\n</section>\n";
        return;
    }
    *out += LEGEND;
    let left = collected.messages - messages.len() as u64;
    if left > 0 {
        _ = writeln!(
            out,
            "<p class=\"notice\">{} of {} messages are drawn, those with findings before others. \
             {left} are not.</p>",
            messages.len(),
            collected.messages,
        );
    }
    let findings = by_message(audited);
    let mut last = None;
    for message in messages {
        let file = &collected.files[message.message.file];
        match last {
            Some((index, _)) if index == file.index => {}
            _ => {
                _ = write!(out, "<h3 class=\"path\">{}", Inline(&file.path));
                if let Some(place) = &file.place {
                    _ = write!(
                        out,
                        " <span class=\"soft small\">record {}, context {}</span>",
                        Inline(&place.record),
                        Inline(&place.context),
                    );
                }
                *out += "</h3>\n";
                last = None;
            }
        }
        // The numbers of one file have no gap but where messages are not drawn.
        if let Some((_, number)) = last
            && message.number > number + 1
        {
            let gap = counted(message.number - number - 1, unit_of(file.kind));
            _ = writeln!(out, "<p class=\"gap soft small\">{gap} not drawn</p>");
        }
        last = Some((file.index, message.number));
        let findings = findings.get(&message.number).map(Vec::as_slice).unwrap_or_default();
        Drawn { kept: message, findings, colours }.write(out);
    }
    *out += "</section>\n";
}

fn by_message(audited: &Audited) -> HashMap<u64, Vec<&Finding>> {
    let mut findings: HashMap<u64, Vec<&Finding>> = HashMap::new();
    for (finding, message) in &audited.collected.findings {
        if let Some(message) = message {
            findings.entry(*message).or_default().push(finding);
        }
    }
    findings
}
