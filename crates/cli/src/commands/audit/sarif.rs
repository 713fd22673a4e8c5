//! The findings as a SARIF log.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use murmur_fence_lanes::Place;
use murmur_fence_lanes::sarif::{self, Level, SarifResult, SarifRule};
use murmur_fence_record::FindingCode;
use murmur_fence_record::audit::{Finding, Severity};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::Audited;
use super::columns::characters;

pub fn log(audited: &Audited) -> Value {
    let rules =
        FindingCode::ALL.map(|code| SarifRule { id: code.as_str(), description: code.summary() });
    let columns = columns(audited);
    let mut seen = HashMap::new();
    let results = audited.collected.findings.iter().map(|(finding, _)| SarifResult {
        rule: finding.code.as_str(),
        level: match finding.severity {
            Severity::Error => Level::Error,
            Severity::Warning => Level::Warning,
            Severity::Note => Level::Note,
        },
        message: &finding.text,
        path: audited.path_of(finding),
        place: place(finding, &columns),
        fingerprint: Some(fingerprint(finding, &mut seen)),
    });
    sarif::log(&rules, results)
}

type Columns = BTreeMap<(usize, u64, usize), u64>;

/// The columns of all findings in characters, from 0.
fn columns(audited: &Audited) -> Columns {
    let mut by_file: BTreeMap<usize, Vec<(u64, usize)>> = BTreeMap::new();
    for (finding, _) in &audited.collected.findings {
        if let Some(column) = finding.column.filter(|_| finding.line > 0) {
            by_file.entry(finding.file).or_default().push((finding.line, column));
        }
    }
    let mut columns = Columns::new();
    for (file, wanted) in by_file {
        // What cannot be read a second time, as a pipe, has lines and no columns.
        let path = Path::new(&audited.collected.files[file].path);
        let found = path.is_file().then(|| characters(path, wanted)).and_then(Result::ok);
        columns.extend(
            found
                .into_iter()
                .flatten()
                .map(|((line, column), count)| ((file, line, column), count)),
        );
    }
    columns
}

fn place(finding: &Finding, columns: &Columns) -> Option<Place> {
    let line = u32::try_from(finding.line).ok().filter(|&line| line > 0)?;
    let column = finding.column.and_then(|column| {
        let before = columns.get(&(finding.file, finding.line, column))?;
        u32::try_from(before + 1).ok()
    });
    Some(Place { line, column: column.unwrap_or(1) })
}

/// The same finding has the same fingerprint in the next audit, also when lines
/// were added to the file or its oldest were dropped. `seen` counts the findings
/// of a file that would have the same.
fn fingerprint(finding: &Finding, seen: &mut HashMap<(usize, [u8; 32]), u64>) -> String {
    let line = finding.line.to_string();
    let offset = finding.offset.map(|offset| offset.to_string());
    let message = finding.id.as_deref().or(finding.call.as_deref());
    let parts = [
        Some(finding.code.as_str()),
        message.or(Some(&line)),
        finding.pointer.as_deref(),
        offset.as_deref(),
    ];
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.unwrap_or_default());
        hash.update([0xff]);
    }
    let hash: [u8; 32] = hash.finalize().into();
    let times = seen.entry((finding.file, hash)).or_default();
    *times += 1;
    let shown: String = hash[..16].iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{shown}:{times}")
}
