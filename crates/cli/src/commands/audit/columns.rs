//! Columns in characters, which SARIF wants, out of columns in bytes, which the
//! audit tells.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

/// For each line and byte in it, both counted from the file's first as the audit
/// does, how many characters of the line stand before the byte. The file is read
/// once, up to the last of these lines.
pub fn characters(
    path: &Path,
    wanted: impl IntoIterator<Item = (u64, usize)>,
) -> io::Result<BTreeMap<(u64, usize), u64>> {
    let mut found: BTreeMap<(u64, usize), u64> = BTreeMap::new();
    found.extend(wanted.into_iter().map(|place| (place, 0)));
    let mut reader = BufReader::new(File::open(path)?);
    let mut rest = found.iter_mut().peekable();
    // The line that is read, how much of it is read, and its characters so far.
    let (mut line, mut read, mut characters) = (1, 0, 0);
    while rest.peek().is_some() {
        let chunk = reader.fill_buf()?;
        if chunk.is_empty() {
            break;
        }
        let end = chunk.iter().position(|&byte| byte == b'\n');
        let part = &chunk[..end.unwrap_or(chunk.len())];
        let mut counted = 0;
        while let Some((place, count)) = rest.peek_mut() {
            let &(wanted, column) = *place;
            // One past the end of the line is asked for where something is missing.
            let here = wanted == line && (column <= read + part.len() || end.is_some());
            if !here && wanted >= line {
                break;
            }
            if here {
                let upto = column.saturating_sub(read).min(part.len()).max(counted);
                characters += starts(&part[counted..upto]);
                counted = upto;
                **count = characters;
            }
            rest.next();
        }
        characters += starts(&part[counted..]);
        read += part.len();
        let consumed = part.len() + usize::from(end.is_some());
        if end.is_some() {
            (line, read, characters) = (line + 1, 0, 0);
        }
        reader.consume(consumed);
    }
    Ok(found)
}

/// The characters that begin in these bytes of UTF-8.
fn starts(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|&&byte| byte & 0xc0 != 0x80).count() as u64
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::characters;

    #[test]
    fn bytes_become_characters_of_their_line() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x");
        // The third line is longer than the reader's buffer.
        let long = format!("{}é!", "漢".repeat(10_000));
        fs::write(&path, format!("aé!\n\n{long}\nlast")).unwrap();
        let wanted = [(1, 0), (1, 3), (2, 0), (3, 30_002), (1, 1), (4, 3), (4, 99), (9, 1)];
        let found = characters(&path, wanted).unwrap();
        let expected = [
            ((1, 0), 0),
            ((1, 1), 1),
            ((1, 3), 2),
            ((2, 0), 0),
            ((3, 30_002), 10_001),
            ((4, 3), 3),
            ((4, 99), 0),
            ((9, 1), 0),
        ];
        assert_eq!(found.into_iter().collect::<Vec<_>>(), expected);
    }
}
